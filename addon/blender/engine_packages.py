"""Whether this Blender's Python has the packages that the extension bundles, and whether they can be loaded.

All extensions share one folder of packages, so another one may have brought versions that do not work here.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import bpy

from ...sim_core.base.errors import HeftError
from ...sim_core.base.own_packages import bundled_wheels, keep_copies_in

ROOT_PACKAGE = __package__.rsplit(".", 2)[0]
PACKAGES = ("numpy", "scipy", "mujoco", "daqp", "osqp")
LOADED = ("numpy", "scipy.spatial.transform", "mujoco", "daqp")
"""What Blender's own process loads of them; the rest is loaded by the worker alone."""
HERE = Path(__file__).resolve().parents[2]


def require_packages(names: Sequence[str] = PACKAGES, loaded: Sequence[str] = LOADED) -> None:
    """Refuse a Blender in which an import would fail somewhere inside; the sentence says what to do."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        python = "{}.{}".format(*sys.version_info[:2])
        raise HeftError(
            f"Heft cannot run in this Blender: its Python {python} has no {', '.join(missing)}. The "
            "extension brings them for Python 3.11 and 3.13, on Linux also for 3.14: use a Blender from "
            "blender.org, and install the zip again."
        )
    for module in loaded:
        _require_loadable(module)
    if bundled_wheels():
        keep_copies_in(Path(bpy.utils.extension_path_user(ROOT_PACKAGE, path="packages")))


def _require_loadable(module: str) -> None:
    name = module.partition(".")[0]
    try:
        importlib.import_module(module)
    except Exception as problem:  # what another extension brings may raise anything
        first_line = str(problem).strip().partition("\n")[0]
        raise HeftError(
            f"Heft cannot run beside another extension: {_version(name)} cannot be loaded here "
            f"({first_line}). {_advice(name)}"
        ) from problem


def _version(name: str) -> str:
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return name


def _advice(name: str) -> str:
    """Return what to do: to disable the extension whose wheels have this package, if it is found."""
    others = sorted(
        wheel.parents[1].name
        for wheel in HERE.parents[1].glob(f"*/*/wheels/{name}-*.whl")
        if wheel.parents[1] != HERE
    )
    brought = f"It comes with '{others[0]}': disable that extension" if others else "Reinstall Heft"
    return f"{brought}, restart Blender, and enable Heft again."
