"""Import a clone of the repository as the extension: its root as package `heft`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]


def load_heft() -> ModuleType:
    """Import the root as `heft`, whatever its folder is called; only once, or classes would exist twice."""
    if "heft" in sys.modules:
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
