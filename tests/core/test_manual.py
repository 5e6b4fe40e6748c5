"""What the manual claims can be looked up: tests, messages, figures and options that it names."""

from __future__ import annotations

import argparse
import ast
import io
import re
import shlex
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import FrameType

import mujoco

from sim_core.base.worker_process import EventWriter
from sim_core.cli.main import make_parser
from sim_core.doctor.self_test import standing_job
from sim_core.jobs import bake_job
from sim_core.scenario.job import save_job
from tools import command_page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
COMPLAINTS = 20
COMMAND_LINE = re.compile(r"^(?:python3 dev\.py )?heft ([a-z]+ .+)$", flags=re.MULTILINE)
OPTION = re.compile(r"`(--[\w-]+)")
FIGURE = re.compile(r"<!-- figure: (\S+) \| (.+) -->")
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
TEST_NAME = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_complaint_names_tests_that_exist() -> None:
    text = (DOCS / "complaints.md").read_text("utf-8")
    answers = re.split(r"^(\d+)\. ", text, flags=re.MULTILINE)
    assert [int(number) for number in answers[1::2]] == list(range(1, COMPLAINTS + 1))
    for answer in answers[2::2]:
        named = TEST_NAME.findall(answer)
        assert named, answer
        missing = [test for file, test in named if test not in functions(ROOT / file)]
        assert missing == []


def test_every_panel_is_shown() -> None:
    code = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "panels").glob("*.py")))
    # The refusal is shown only where Heft cannot run; docs/troubleshooting.md has its sentences.
    panels = sorted(set(re.findall(r"^class HEFT_PT_(\w+)", code, flags=re.MULTILINE)) - {"refusal"})
    page = (DOCS / "panels.md").read_text("utf-8")
    assert sorted(re.findall(r"images/panel_(\w+)\.png", page)) == panels
    assert [name for name in panels if not (DOCS / "images" / f"panel_{name}.png").is_file()] == []


@cache
def sentences() -> str:
    """All texts of the code, one a line, with … for what is filled in."""
    found = []
    for folder in ("addon", "operators", "panels", "sim_core"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            found += [text_of(node) for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    return "\n".join(found)


def text_of(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_every_message_of_the_manual_is_one_of_the_code() -> None:
    text = (DOCS / "troubleshooting.md").read_text("utf-8")
    quoted = re.findall(r"^\| `([^`]+)` \|", text, flags=re.MULTILINE)
    assert len(quoted) > 40
    # What a sentence fills in by format() stands as {…} in the code.
    code = re.sub(r"\{[^{}\n]*\}", "…", sentences())
    assert [message for message in quoted if message not in code] == []


def options_of(command: argparse.ArgumentParser) -> set[str]:
    """Return the options of a command, each by its first name."""
    return {words for action in command_page.arguments(command) for words in action.option_strings[:1]}


def test_the_page_of_commands_has_every_option_and_no_other() -> None:
    text = command_page.PAGE.read_text("utf-8")
    sections = re.split(r"^## heft (\w+)$", text, flags=re.MULTILINE)
    told = dict(zip(sections[1::2], sections[2::2], strict=True))
    for name, command in command_page.commands().items():
        known = options_of(command)
        assert set(re.findall(r"^- `(--[\w-]+)", told[name], flags=re.MULTILINE)) == known, f"heft {name}"
    assert set(told) == set(command_page.commands())


def test_the_page_of_commands_has_every_option_that_blender_takes() -> None:
    folder = ROOT / "addon" / "cli"
    code = "".join((folder / f"{name}.py").read_text("utf-8") for name in ("command", "retarget_command"))
    own = set(re.findall(r'"(--[\w-]+)"', code))
    of_the_core = {words for command in command_page.commands().values() for words in options_of(command)}
    lines = command_page.HEAD.partition("## Inside Blender")[2].splitlines()
    listed = {option for line in lines if line.startswith("- ") for option in OPTION.findall(line)}
    assert own <= listed <= own | of_the_core


def test_every_figure_of_the_front_page_is_the_one_that_was_measured() -> None:
    for paragraph in (ROOT / "README.md").read_text("utf-8").split("\n\n"):
        for file, pattern in FIGURE.findall(paragraph):
            measured = re.search(pattern, (ROOT / file).read_text("utf-8"))
            assert measured, f"{file} does not say {pattern!r}; say what it says now"
            claim = " ".join(FIGURE.sub("", paragraph).split())
            assert measured[1] in claim, f"{file} says {measured[1]}, the front page something else"


def test_links_of_the_front_page_lead_somewhere() -> None:
    links = [link for link in LINK.findall((ROOT / "README.md").read_text("utf-8")) if "://" not in link]
    assert len(links) > 30
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_command_lines_of_the_manual_are_understood() -> None:
    lines = []
    for page in (ROOT / "README.md", *sorted(DOCS.glob("*.md"))):
        lines += COMMAND_LINE.findall(page.read_text("utf-8"))
    assert len(lines) > 5
    for line in lines:
        make_parser().parse_args(shlex.split(line, comments=True))


class Definitions(ast.NodeVisitor):
    """What the code defines: attributes by class, names by module, and names of arguments."""

    def __init__(self) -> None:
        self.classes: dict[str, set[str]] = {}
        self.modules: dict[str, set[str]] = {}
        self.arguments: set[str] = set()

    def read(self, path: Path) -> None:
        tree = ast.parse(path.read_text("utf-8"))
        self.modules.setdefault(path.stem, set()).update(names_in(tree.body))
        self.visit(tree)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        attributes = self.classes.setdefault(node.name, set())
        attributes |= names_in(node.body)
        for part in ast.walk(node):  # self.x = ... in its methods
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                attributes.add(part.attr)
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self.arguments.add(node.arg)

    def has(self, dotted: str) -> bool:
        """Class.attribute, module.name, module.Class.attribute, or the name of anything."""
        owner, _, name = dotted.rpartition(".")
        if not owner:
            return any(name in names for names in (*self.known(), self.arguments, self.classes))
        owner = owner.rpartition(".")[2]
        return name in self.classes.get(owner, ()) or name in self.modules.get(owner, ())

    def known(self) -> list[set[str]]:
        return [*self.modules.values(), *self.classes.values()]


def names_in(body: list[ast.stmt]) -> set[str]:
    """Names that statements define: functions, classes, constants and fields."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        found |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return found


@cache
def definitions() -> Definitions:
    found = Definitions()
    for path in sorted((ROOT / "sim_core").rglob("*.py")):
        found.read(path)
    return found


def is_defined(quoted: str) -> bool:
    """Whether the code has what a table quotes: a file, the engine's function, or a name of its own."""
    if quoted.endswith(".py"):
        return (ROOT / "sim_core" / quoted).is_file()
    name = quoted.partition("(")[0]
    return hasattr(mujoco, name) if name.startswith("mj_") else definitions().has(name)


def quoted_names(cell: str) -> list[str]:
    """Names in backquotes of a table's cell; `.attribute` belongs to the class that was named before it."""
    names: list[str] = []
    for quoted in re.findall(r"`([^`]+)`", cell):
        names.append(names[-1].rpartition(".")[0] + quoted if quoted.startswith(".") else quoted)
    return names


def test_names_of_the_table_of_symbols_are_defined_in_the_code() -> None:
    cells = re.findall(r"^\| ([^|]*`[^|]+) \|", (DOCS / "symbols.md").read_text("utf-8"), flags=re.MULTILINE)
    assert len(cells) > 40
    missing = [name for cell in cells for name in quoted_names(cell) if not is_defined(name)]
    assert missing == [], "rename or remove them in docs/symbols.md"


def test_an_attribute_that_a_class_does_not_have_is_missed() -> None:
    assert is_defined("Prediction.drift") and is_defined("Prediction.point_jacobian")
    assert quoted_names("`Reference.qpos`, `.qvel`") == ["Reference.qpos", "Reference.qvel"]
    for gone in ("Prediction.inverse", "Tracker.nothing", "strike.Nothing", "mj_nothing", "bake/nothing.py"):
        assert not is_defined(gone), gone


HOP = re.compile(r"^\| (\d+) \| `([\w/]+\.py)` \| `([\w.]+)` \| ([^|]+) \|", flags=re.MULTILINE)
MOST_HOPS = 40


def defines(path: Path, dotted: str) -> bool:
    """Return whether a file defines a function or class at its top, or a method of such a class."""
    body: list[ast.stmt] = ast.parse(path.read_text("utf-8")).body
    found = False
    for name in dotted.split("."):
        nodes = [n for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name]
        found = bool(nodes)
        body = [part for node in nodes for part in node.body]
    return found


def names_used(path: Path) -> set[str]:
    """Return all names and attributes that the code of a file reads."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {
        n.id if isinstance(n, ast.Name) else n.attr for n in nodes if isinstance(n, ast.Name | ast.Attribute)
    }


def test_the_path_from_button_to_keyframe_is_short_and_true() -> None:
    hops = HOP.findall((DOCS / "architecture.md").read_text("utf-8"))
    assert [int(number) for number, *_ in hops] == list(range(1, len(hops) + 1))
    assert 30 < len(hops) <= MOST_HOPS
    assert [hop for hop in hops if not defines(ROOT / hop[1], hop[2])] == []
    called = [(file, name, hops[int(by) - 1][1]) for _, file, name, by in hops if by.isdigit()]
    assert len(called) >= len(hops) - 3  # the button, the timer and the child process start the others
    not_called = [hop for hop in called if hop[1].rpartition(".")[2] not in names_used(ROOT / hop[2])]
    assert not_called == []


def test_a_bake_calls_the_worker_functions_in_the_order_of_the_page(tmp_path: Path) -> None:
    hops = HOP.findall((DOCS / "architecture.md").read_text("utf-8"))
    inside = [(file, name.rpartition(".")[2]) for number, file, name, _ in hops if 13 <= int(number) <= 34]
    called: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT / "sim_core")):
            hop = (Path(code.co_filename).relative_to(ROOT).as_posix(), code.co_name)
            if hop in inside and hop not in called:
                called.append(hop)

    job = standing_job()
    save_job(replace(job, motion=job.motion.between(0.0, 0.3)), tmp_path / "job.npz")
    sys.setprofile(note)
    try:
        bake_job.run_jobs([tmp_path / "job.npz"], [tmp_path / "result.npz"], EventWriter(io.StringIO()))
    finally:
        sys.setprofile(None)
    assert called == inside


PATH = re.compile(r"`([\w./*-]+(?:\.py|/))`")
MODULE = re.compile(r"`(sim_core\.[\w.]+)`")
WRITTEN = {"dist/", "demo_output/", ".dev/", "log/", "records/", "tasks/", "replay.py"}
"""Folders and files that the product's programs make."""


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def exists(path: str, page: str) -> bool:
    """Return whether a path exists from the root, from sim_core, or in a folder that the page names."""
    folders = {ROOT, ROOT / "sim_core"}
    if "/" not in path:
        named = re.findall(r"`([\w/]+/[\w/]+)(?:\.py)?/?`", page)
        folders |= {base / name for base in (ROOT, ROOT / "sim_core") for name in named}
        folders |= {folder.parent for folder in folders}
    return any(next(folder.glob(path), None) for folder in folders if folder.is_dir())


def test_every_path_of_the_manual_exists() -> None:
    missing = []
    for page in pages():
        text = page.read_text("utf-8")
        named = sorted(set(PATH.findall(text)) - WRITTEN)
        missing += [f"{page.name}: {path}" for path in named if not exists(path, text)]
    assert missing == []


def test_every_dotted_name_of_the_manual_is_defined() -> None:
    for page in pages():
        for dotted in MODULE.findall(page.read_text("utf-8")):
            *folders, last = dotted.split(".")
            inside, module = ROOT.joinpath(*folders, last), ROOT.joinpath(*folders).with_suffix(".py")
            is_module = inside.is_dir() or inside.with_suffix(".py").is_file()
            assert is_module or (module.is_file() and defines(module, last)), f"{page.name}: {dotted}"


COUNTS = {"markers": "six marker sets", "rigs": "eighteen kinds of rigs"}


def test_the_page_of_presets_has_all_that_come_with_heft() -> None:
    rows = re.findall(r"^\| (\w+) \| [^|]+ \| ([^|]+) \|$", (DOCS / "presets.md").read_text("utf-8"), re.M)
    for group, listed in [row for row in rows if (ROOT / "presets" / row[0]).is_dir()]:
        files = sorted(path.stem for path in (ROOT / "presets" / group).glob("*.json"))
        if group in COUNTS:
            assert (listed, len(files)) == (COUNTS[group], {"markers": 6, "rigs": 18}[group])
        else:
            assert sorted(re.split(r"[,;] ", listed)) == files


SEARCHED = ("retry", "scenario", "treadmill", "contact wrench", "interval")


def test_words_that_a_reader_searches_are_in_the_glossary_and_in_the_code() -> None:
    glossary = (DOCS / "glossary.md").read_text("utf-8").lower()
    docstrings = sentences().lower()
    for word in SEARCHED:
        assert re.search(rf"^\| [\w, ]*\b{word}\b", glossary, flags=re.MULTILINE), word
        assert re.search(rf"\b{word}\b", docstrings), word


def test_names_of_the_glossary_are_defined_in_the_code() -> None:
    rows = re.findall(
        r"^\| (?!term)(\w[^|]+) \|.*\| ([^|]*) \|$", (DOCS / "glossary.md").read_text("utf-8"), re.M
    )
    assert len(rows) > 40
    missing = [name for _, cell in rows for name in quoted_names(cell) if not is_defined(name)]
    assert missing == []


def test_the_tutorial_quotes_what_was_said_in_a_window() -> None:
    """Each block of the page is one step of the test in a window, and has been filled by it."""
    script = (ROOT / "tests" / "gui" / "tutorial.py").read_text("utf-8")
    page = (DOCS / "tutorial.md").read_text("utf-8")
    blocks = re.findall(r"<!-- step: (\w+) -->\n(.*?)<!-- end -->", page, flags=re.DOTALL)
    assert [name for name, _ in blocks] == re.findall(r'^    said\["(\w+)"\] =', script, flags=re.MULTILINE)
    assert all(quoted.strip().startswith("> ") for _, quoted in blocks)
