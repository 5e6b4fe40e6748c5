"""How the worker is started with Blender's own Python."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import bpy

from ..sim_core.base.errors import InputError

PACKAGES = ("mujoco", "scipy", "numpy")

# Blender's Python runs isolated (-I), which ignores PYTHONPATH and the working folder.
_LAUNCHER = (
    "import json, runpy, sys; "
    "sys.path[:0] = json.loads(sys.argv.pop(1)); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


def worker_command(kind: str) -> list[str]:
    """The command line of a worker for one kind of job, without its job and result files."""
    if not sys.executable:
        raise InputError("Blender's Python program was not found; use an official build of Blender.")
    folders = [str(Path(__file__).resolve().parent.parent), *_package_folders()]
    return [
        sys.executable,
        *bpy.app.python_args,
        "-c",
        _LAUNCHER,
        json.dumps(folders),
        "sim_core.worker",
        kind,
    ]


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would bend the child's Python, and with one thread a process."""
    kept = {name: value for name, value in environment.items() if not name.startswith("PYTHON")}
    return {**kept, "OMP_NUM_THREADS": "1"}


def _package_folders() -> list[str]:
    """Where the packages lie that the worker needs, and nothing else of Blender's search path."""
    folders: list[str] = []
    for name in PACKAGES:
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None:
            raise InputError(f"The package '{name}' is missing; reinstall the Heft extension.")
        folder = str(Path(found.origin).resolve().parent.parent)
        if folder not in folders:
            folders.append(folder)
    return folders
