"""How a worker process is started, from a Python of any kind and from Blender's."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .errors import InputError
from .own_packages import NUMPY, bundled_wheels, folder_without, foreign_packages, unpacked

PACKAGES = ("mujoco", "scipy", "numpy")
"""What every simulating worker needs."""

# The child's Python runs isolated (-I), which ignores PYTHONPATH, the user's packages and the working folder.
_LAUNCHER = (
    "import json, runpy, sys; "
    "sys.path[:0] = json.loads(sys.argv.pop(1)); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)
_CORE = Path(__file__).resolve().parents[1]


def worker_command(kind: str, packages: Sequence[str] = PACKAGES) -> list[str]:
    """Return the command line of a worker, without the names of its job and result files."""
    if not sys.executable:
        raise InputError("Blender's Python program was not found; use an official build of Blender.")
    folders = [str(_CORE.parent), *_package_folders(packages)]
    return [sys.executable, "-I", "-c", _LAUNCHER, json.dumps(folders), f"{_CORE.name}.worker", kind]


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without Python's own variables, and with one thread a process."""
    kept = {name: value for name, value in environment.items() if not name.startswith("PYTHON")}
    return {**kept, "OMP_NUM_THREADS": "1"}


def _package_folders(packages: Sequence[str]) -> list[str]:
    """Return the folders of the packages that the worker needs: the shared ones, or its own copies."""
    found = {name: _folder_of(name) for name in packages}
    wheels, shared = bundled_wheels(), found[packages[0]]
    if foreign_packages(wheels, shared):
        own = unpacked(wheels)
        numpy = folder_without(NUMPY, shared) or _folder_of(NUMPY)
        return [str(own), str(numpy)]
    return list(dict.fromkeys(str(folder) for folder in found.values()))


def _folder_of(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise InputError(f"The package '{name}' is missing; reinstall the Heft extension.")
    return Path(found.origin).resolve().parent.parent
