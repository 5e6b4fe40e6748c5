"""What docs/security.md promises about the code that ships: nothing in it runs what a file contains."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sim_core.report.page import fill_template
from sim_core.scenario.job import load_job, save_job
from tests.core.sample_files import legs_job

ROOT = Path(__file__).parents[2]
SHIPPED = ("addon", "operators", "panels", "sim_core")
MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "joblib",
    "shelve",
    "marshal",
    "xmlrpc",
    "socketserver",
}
"""Modules that run what they read, or that listen."""
CALLS = {"eval", "exec", "compile", "__import__", "popen", "getoutput", "getstatusoutput"}
"""Functions that run a text."""
WIRES = {"socket", "http", "urllib", "ftplib", "smtplib", "requests", "ssl", "asyncio"}
"""Modules that go online."""


def sources() -> Iterator[tuple[Path, ast.AST]]:
    for folder in SHIPPED:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text("utf-8"))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module).partition(".")[0]


def called(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield name, node


def faults(path: Path, tree: ast.AST) -> Iterator[str]:
    for module in imported(tree):
        if module in MODULES | WIRES and (path.as_posix(), module) != RECEIVER:
            yield f"{path}: imports {module}"
    for name, node in called(tree):
        allowed = name == "compile" and not isinstance(node.func, ast.Name)  # re.compile, MjSpec.compile
        if (name in CALLS and not allowed) or ast.unparse(node.func) == "os.system":
            yield f"{path}:{node.lineno} calls {name}"
        for word in node.keywords:
            on = not (isinstance(word.value, ast.Constant) and word.value.value is False)
            if word.arg in ("shell", "allow_pickle") and on:
                yield f"{path}:{node.lineno} gives {word.arg}"
        if name == "load" and ast.unparse(node.func) == "np.load" and path.name != "replay_script.py":
            yield f"{path}:{node.lineno} reads npz besides base/npz_arrays.py"
        reads_json = ast.unparse(node.func) in ("json.load", "json.loads")
        if reads_json and path.as_posix() not in OWN_JSON:
            yield f"{path}:{node.lineno} reads JSON besides base/bounded_json.py"


RECEIVER = ("sim_core/stream/receiver.py", "socket")
"""The one module that opens a port, and what it may import for it (docs/stream.md)."""
OWN_JSON = {
    "sim_core/base/bounded_json.py",
    "sim_core/base/child_process.py",  # the lines of Heft's own child
}


STARTERS = {"sim_core/base/child_process.py"}
"""Modules that start processes."""


def test_only_these_start_processes() -> None:
    found = {path.as_posix() for path, tree in sources() if "subprocess" in imported(tree)}
    assert found == STARTERS


def test_nothing_that_ships_runs_what_it_reads_or_goes_online() -> None:
    assert [fault for path, tree in sources() for fault in faults(path, tree)] == []


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from urllib.request import urlopen",
        "eval('1')",
        "import os\nos.system('x')",
        "subprocess.run('x', shell=True)",
        "np.load('x', allow_pickle=True)",
        "json.loads('1')",
        "compile('1', '', 'eval')",
    ],
)
def test_the_scan_sees_each_of_them(code: str) -> None:
    assert list(faults(Path("x.py"), ast.parse(code)))


def test_names_are_no_markup(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("<p title='{{ name }}'>{{ name }}</p>")
    made = fill_template(tmp_path / "page", name="<script>'x'</script>")
    assert "<script>" not in made and "'x'" not in made and "&lt;script&gt;" in made


def test_a_name_is_never_a_path(tmp_path: Path) -> None:
    """A character called ../../x is a name in a job like any other."""
    save_job(replace(legs_job(), name="../../x"), tmp_path / "job.npz")
    assert load_job(tmp_path / "job.npz").name == "../../x"
    assert [path.name for path in tmp_path.iterdir()] == ["job.npz"]
