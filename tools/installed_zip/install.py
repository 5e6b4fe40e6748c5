"""First stage: note what Blender has, install the zip, enable it, save the preferences."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import bpy

from .registered import registered
from .session import MODULE, load_preferences


def main(zip_path: str, work: Path) -> None:
    """Install `zip_path`; `work` receives what the next stage compares with."""
    for name in ("mujoco", "scipy", "coacd", "daqp", "osqp"):
        assert importlib.util.find_spec(name) is None, f"{name} is here already and would hide the zip's"
    load_preferences(enabled=False)
    (work / "before.json").write_text(json.dumps(sorted(registered())))
    done = bpy.ops.extensions.package_install_files(
        filepath=zip_path, repo="user_default", enable_on_install=True
    )
    assert done == {"FINISHED"}, done
    assert MODULE in bpy.context.preferences.addons, "the extension was not enabled"
    bpy.ops.wm.save_userpref()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
