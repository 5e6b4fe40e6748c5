"""The dependency rule: sim_core knows no Blender, layers point downwards, imports inside are relative."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import architecture_page

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 400

# layer -> layers it may import
ALLOWED = {
    "sim_core": {"sim_core"},
    "addon": {"addon", "sim_core"},
    "operators": {"operators", "addon", "sim_core"},
    "panels": {"panels", "addon"},
}
# The one place that knows every layer.
REGISTRATION = Path("addon/registration.py")
OWN_NAMES = {*ALLOWED, "presets", "tests", "tools", "heft", "bl_ext"}
BLENDER_MODULES = {
    "addon_utils", "aud", "bl_math", "blf", "bmesh", "bpy", "bpy_extras", "bpy_types", "gpu", "gpu_extras",
    "idprop", "imbuf", "mathutils",
}  # fmt: skip
# Files that may be longer than MAX_LINES, each with its reason.
LONG_FILES: dict[str, str] = {}


def imports(tree: ast.AST) -> Iterator[tuple[int, int, list[str]]]:
    """Yield (line, level, dotted names) of every import statement, nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield node.lineno, 0, [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            prefix = f"{node.module}." if node.module else ""
            yield node.lineno, node.level, [prefix + alias.name for alias in node.names]


def relative_target(file: Path, level: int, name: str) -> str | None:
    """The layer that a relative import reaches; None for the root package's own names.

    `file` is relative to the root; going above the root gives "outside".
    """
    depth = len(file.parts) - level
    if depth < 0:
        return "outside"
    if depth > 0:
        return file.parts[0]
    first = name.split(".")[0]
    return first if first in OWN_NAMES else None


def file_problems(root: Path, file: Path) -> list[str]:
    """What is wrong with one source file of a layer; `file` is relative to `root`."""
    layer = file.parts[0]
    allowed = ALLOWED[layer] if file != REGISTRATION else set(ALLOWED)
    found = []
    for line, level, names in imports(ast.parse((root / file).read_text("utf-8"))):
        for name in names:
            top = name.split(".")[0]
            where = f"{file.as_posix()}:{line}"
            if level == 0:
                if top in OWN_NAMES:
                    found.append(f"{where} imports {name} absolutely")
                if layer == "sim_core" and top in BLENDER_MODULES:
                    found.append(f"{where} imports {name} of Blender")
            elif (target := relative_target(file, level, name)) is not None and target not in allowed:
                found.append(f"{where} reaches from {layer} to {target}")
    return found


def layer_problems(root: Path) -> list[str]:
    """Violations of the rule below `root`."""
    found = []
    for layer in ALLOWED:
        for path in sorted((root / layer).rglob("*.py")):
            found += file_problems(root, path.relative_to(root))
    return found


def test_layers() -> None:
    assert (ROOT / "sim_core").is_dir()
    assert layer_problems(ROOT) == []


class _RunTimeOnly(ast.NodeTransformer):
    """Removes imports that only the type checker sees."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        is_typing = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if is_typing else node


def package_imports(root: Path, layer: str) -> dict[str, set[str]]:
    """What each package of a layer imports of the others; modules of its root count as packages."""
    found: dict[str, set[str]] = {}
    for path in sorted((root / layer).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        own = parts[1]
        used = found.setdefault(own, set())
        for _, level, names in imports(_RunTimeOnly().visit(ast.parse(path.read_text("utf-8")))):
            above = list(parts[: len(parts) - level])
            targets = [[*above, *name.split(".")] for name in names] if level else []
            used |= {t[1] for t in targets if t[0] == layer and len(t) > 2 and t[1] != own}
    return found


@pytest.mark.parametrize(("layer", "root_modules"), [("sim_core", 5), ("addon", 2)])
def test_packages_import_what_the_table_allows_and_all_of_it(layer: str, root_modules: int) -> None:
    """An entry that nothing uses is removed, so that the table stays true."""
    found = package_imports(ROOT, layer)
    allowed = {name: set(own.imported) for name, own in architecture_page.LAYERS[layer].items()}
    packages = {name: used for name, used in found.items() if name in allowed}
    assert packages == allowed
    in_root = {path.stem for path in (ROOT / layer).glob("*.py")}
    assert set(found) - set(allowed) <= in_root and len(in_root) <= root_modules


@pytest.mark.parametrize("layer", architecture_page.LAYERS)
def test_the_packages_form_no_cycle(layer: str) -> None:
    """The levels are found by going down; a cycle would never end."""
    packages = architecture_page.LAYERS[layer]
    level = {
        name: number for number, names in enumerate(architecture_page.levels(packages)) for name in names
    }
    assert set(level) == set(packages)
    for name, own in packages.items():
        assert all(level[other] < level[name] for other in own.imported)


@pytest.mark.parametrize("layer", architecture_page.LAYERS)
def test_the_picture_in_the_manual_is_the_table(layer: str) -> None:
    page = architecture_page.PAGE.read_text("utf-8")
    assert architecture_page.render(layer) in page, "run python3 -m tools.architecture_page"


def small_files() -> list[str]:
    """Product files of at most 30 lines."""
    paths = [path for layer in ALLOWED for path in (ROOT / layer).rglob("*.py") if path.name != "__init__.py"]
    return [p.name for p in paths if len(p.read_text("utf-8").splitlines()) <= 30]


def test_the_product_is_not_in_crumbs() -> None:
    assert len(small_files()) <= 20


def test_the_extension_does_not_import_blender_when_it_is_imported() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text("utf-8"))
    top_level = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [node.module for node in top_level if isinstance(node, ast.ImportFrom)] == ["__future__"]
    assert not any(isinstance(node, ast.Import) for node in top_level)


@pytest.mark.parametrize(
    ("file", "source", "complaint"),
    [
        ("sim_core/a.py", "import bpy", "imports bpy of Blender"),
        ("sim_core/a.py", "def f():\n    import mathutils", "imports mathutils of Blender"),
        ("sim_core/deep/a.py", "from ...addon import x", "reaches from sim_core to addon"),
        ("sim_core/a.py", "import sim_core.b", "imports sim_core.b absolutely"),
        ("addon/a.py", "from sim_core import b", "imports sim_core.b absolutely"),
        ("addon/a.py", "from ..operators import b", "reaches from addon to operators"),
        ("addon/a.py", "from .. import panels", "reaches from addon to panels"),
        ("addon/a.py", "from ... import x", "reaches from addon to outside"),
        ("operators/a.py", "from ..panels.b import c", "reaches from operators to panels"),
        ("panels/a.py", "from ..operators.b import c", "reaches from panels to operators"),
        ("panels/a.py", "from ..sim_core import c", "reaches from panels to sim_core"),
    ],
)
def test_the_check_finds_a_violation(tmp_path: Path, file: str, source: str, complaint: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(source)
    (problem,) = layer_problems(tmp_path)
    assert problem.endswith(complaint)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("sim_core/deep/a.py", "from ..motion import Motion\nfrom . import b\nimport numpy as np"),
        ("addon/a.py", "import bpy\nfrom ..sim_core import x\nfrom .. import __package__ as base_package"),
        ("addon/registration.py", "from .. import operators, panels\nfrom ..panels import main"),
        ("operators/a.py", "from ..addon.b import c\nfrom ..sim_core.errors import HeftError"),
        ("panels/a.py", "from ..addon import c"),
    ],
)
def test_the_check_accepts_what_is_allowed(tmp_path: Path, file: str, source: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(source)
    assert layer_problems(tmp_path) == []


def test_files_are_short() -> None:
    folders = [ROOT / name for name in (*ALLOWED, "tests", "tools", "bench")]
    files = [ROOT / "dev.py", *(path for folder in folders for path in folder.rglob("*.py"))]
    names = {path.relative_to(ROOT).as_posix(): path for path in files}
    lengths = {name: len(path.read_text("utf-8").splitlines()) for name, path in names.items()}
    too_long = {name: count for name, count in lengths.items() if count > MAX_LINES}
    assert {name: count for name, count in too_long.items() if name not in LONG_FILES} == {}
    assert [name for name in LONG_FILES if name not in too_long] == [], "these need no exception any more"
