"""Outcomes of benchmarks are kept for the code that made them: every file of it counts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.common import measured_code
from bench.common.clips import ROOT
from bench.common.measured_code import WHOLE, benchmark_files, code_id, imported_files, trial_files
from dev import BLENDER_BENCHES

POOLED = sorted(
    main.parent.name
    for main in (ROOT / "bench").glob("*/__main__.py")
    if "run_tasks(" in main.read_text() and main.parent.name not in BLENDER_BENCHES
)
"""Benchmarks whose workers can be loaded here, where there is no bpy."""
LIST_LOADED = """
import sys
from pathlib import Path
import bench.common.worker
import bench.{name}.trials
for module in list(sys.modules.values()):
    print(getattr(module, "__file__", None) or "")
"""


@pytest.mark.parametrize("name", POOLED)
def test_every_loaded_file_is_measured(name: str) -> None:
    """Python's own list of what a worker has loaded is the judge."""
    command = [sys.executable, "-c", LIST_LOADED.format(name=name)]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = {Path(line) for line in printed.splitlines() if line}
    own = {path for path in paths if path.is_relative_to(ROOT) and ".dev" not in path.parts}
    loaded = {path for path in own if path.relative_to(ROOT).parts[0] not in WHOLE}
    assert ROOT / "bench" / "common" / "clips.py" in loaded
    assert loaded <= trial_files(name)


def test_pooled_benchmarks_are_known() -> None:
    assert {"balance", "robustness", "tracking"} <= set(POOLED)


def test_reports_and_plans_do_not_change_outcomes() -> None:
    names = {path.name for path in trial_files("tracking") if path.parent.name == "tracking"}
    assert names == {"trials.py"}
    assert trial_files("tracking") < benchmark_files("tracking") | {measured_code.WORKER}


@pytest.mark.parametrize(
    "statement",
    [
        "import pack.other",
        "from pack import other",
        "from pack.other import x",
        "from . import other",
        "from .other import x",
        "from ..pack.other import x",
        "def late():\n    from .other import x",
        "from .between import y",
    ],
)
def test_imports_are_followed_however_they_are_written(tmp_path: Path, statement: str) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    for name, text in (("start", statement), ("between", "from .other import x as y"), ("other", "x = 1")):
        (pack / f"{name}.py").write_text(text)
    (pack / "__init__.py").write_text("")
    found = {path.name for path in imported_files([pack / "start.py"], tmp_path)}
    assert {"start.py", "other.py", "__init__.py"} <= found


def test_the_code_differs_when_a_measured_file_does(monkeypatch: pytest.MonkeyPatch) -> None:
    files = trial_files("robustness")
    before = code_id(files)
    clips = ROOT / "bench" / "common" / "clips.py"
    read_bytes = Path.read_bytes
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: read_bytes(path) + (b"# edited" if path == clips else b"")
    )
    assert code_id(files) != before
