"""Whether this Blender's Python has the packages that the extension bundles."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from ...sim_core.base.errors import HeftError

PACKAGES = ("mujoco", "scipy", "daqp", "osqp")


def require_packages(names: Sequence[str] = PACKAGES) -> None:
    """Refuse a Blender whose Python has no wheels in the zip, before an import fails somewhere inside."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        python = "{}.{}".format(*sys.version_info[:2])
        raise HeftError(
            f"Heft cannot run in this Blender: its Python {python} has no {', '.join(missing)}. The "
            "extension brings them for Python 3.11 and 3.13, on Linux also for 3.14: use a Blender from "
            "blender.org, and install the zip again."
        )
