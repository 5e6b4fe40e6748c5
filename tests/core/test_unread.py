"""The product has no symbol that only tests, benchmarks and tools use: such code would be kept for nobody."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from sim_core import api

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("sim_core", "addon", "operators", "panels")
# Blender calls two of the extension's root, and scripts what the facade for them lists.
ENTRY_POINTS = {(): {"register", "unregister"}, ("sim_core", "api"): set(api.__all__)}

Name = tuple[str, ...]
"""A module's dotted name or that of a symbol in it, split at the dots."""


def read_modules(root: Path) -> dict[Name, ast.Module]:
    """Return the syntax trees of the product; packages are listed under the name of the folder."""
    paths = [root / "__init__.py", *(path for layer in LAYERS for path in (root / layer).rglob("*.py"))]
    found = {}
    for path in paths:
        parts = path.relative_to(root).with_suffix("").parts
        # The empty last part of a package makes relative imports in it count like those of a module.
        found[(*parts[:-1], "") if parts[-1] == "__init__" else parts] = ast.parse(path.read_text("utf-8"))
    return found


def relative_imports(module: Name, tree: ast.Module) -> Iterator[tuple[str, Name]]:
    """Yield the local name and the full name of everything that is imported from the product."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = (*module[: len(module) - node.level], *(node.module.split(".") if node.module else ()))
            yield from ((alias.asname or alias.name, (*above, alias.name)) for alias in node.names)


def defined(tree: ast.Module) -> Iterator[str]:
    """Yield the functions, classes and variables of a module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def read_names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


class Uses:
    """What the product reads of its own modules.

    symbols: full names that are read
    looked_up: modules that are kept as a value or named in a string, whose symbols are looked up later
    attributes: names of all attributes that are read
    """

    def __init__(self, modules: dict[Name, ast.Module]) -> None:
        self.symbols: set[Name] = set()
        self.looked_up: set[Name] = set()
        self.attributes: set[str] = set()
        self._dotted = {".".join(name): name for name in modules}
        for module, tree in modules.items():
            self._read(module, tree, dict(relative_imports(module, tree)))

    def _read(self, module: Name, tree: ast.Module, imported: dict[str, Name]) -> None:
        aliases = {local: name for local, name in imported.items() if name in self._dotted.values()}
        self.symbols |= set(imported.values())
        bases = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                self.attributes.add(node.attr)
                if isinstance(node.value, ast.Name) and node.value.id in aliases:
                    self.symbols.add((*aliases[node.value.id], node.attr))
                    bases.add(node.value)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                named = self._dotted.get(f"{module[0]}.{node.value}")
                self.looked_up |= {named} if named else set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in aliases and node not in bases:
                self.looked_up.add(aliases[node.id])
        for node in tree.body:
            # A function that only calls itself is not used.
            own = {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()
            self.symbols |= {(*module, name) for name in read_names(node) - own}

    def has(self, module: Name, name: str) -> bool:
        """Return whether anything reads a symbol of a module."""
        full = (*module[:-1], name) if module[-1] == "" else (*module, name)
        is_called_by_name = module in self.looked_up and name in self.attributes
        return full in self.symbols or (*module, name) in self.symbols or is_called_by_name


def unread(root: Path) -> list[str]:
    """Return the symbols that nothing in the product reads."""
    modules = read_modules(root)
    uses = Uses(modules)
    return [
        ".".join((*module, name))
        for module, tree in sorted(modules.items())
        for name in defined(tree)
        if not name.startswith("__")
        and not uses.has(module, name)
        and name not in ENTRY_POINTS.get(module if module[-1] else module[:-1], ())
    ]


def test_the_product_reads_all_that_it_defines() -> None:
    assert unread(ROOT) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("LIMIT = 3", ["sim_core.room.a.LIMIT"]),
        ("def again() -> None:\n    again()", ["sim_core.room.a.again"]),
        ("def used() -> None: ...", []),
        ("def shared() -> None: ...", []),
        ("LIMIT = 3\n\n\ndef used() -> int:\n    return LIMIT", []),
        ("def run() -> None: ...\ndef stop() -> None: ...", ["sim_core.room.a.stop"]),
        ("def job() -> None: ...", []),
        ("class _Kept: ...", ["sim_core.room.a._Kept"]),
    ],
)
def test_the_check_finds_what_nothing_reads(tmp_path: Path, source: str, found: list[str]) -> None:
    files = {
        "__init__.py": "def register() -> None: ...",
        "sim_core/room/__init__.py": "from .a import shared",
        "sim_core/room/a.py": source,
        "sim_core/b.py": "from .room import a\nfrom .room.a import used\nused()\n[c.run() for c in (a,)]",
        "sim_core/c.py": "TABLE = {'a': 'room.a'}\nimport_module(TABLE['a']).job()",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert unread(tmp_path) == found
