"""Import Heft as the package `heft`: the installed extension where Blender has one, or else the clone."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
INSTALLED = "bl_ext.user_default.heft"
"""The name that Blender gives to the extension."""


class InstalledModules(MetaPathFinder, Loader):
    """Finds `heft.x` in the installed extension: by a second import, classes would exist twice."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Answer for everything of Heft."""
        return importlib.util.spec_from_loader(name, self) if name.startswith("heft.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the extension's own module."""
        found = importlib.import_module(INSTALLED + spec.name.removeprefix("heft"))
        spec.loader_state = found.__spec__
        return found

    def exec_module(self, module: ModuleType) -> None:
        """Do not run it again, and give it its own name back, from which it imports others."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def load_heft() -> ModuleType:
    """Import Heft as `heft`; only once, or classes would exist twice."""
    if "heft" in sys.modules:
        return sys.modules["heft"]
    if INSTALLED in sys.modules:
        sys.meta_path.insert(0, InstalledModules())
        sys.modules["heft"] = sys.modules[INSTALLED]
        return sys.modules["heft"]
    spec = importlib.util.spec_from_file_location(
        "heft", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["heft"] = package
    spec.loader.exec_module(package)
    return package
