"""First step: note what is registered in Blender, install the zip, enable it, save the preferences."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import bpy

from .registered import registered

MODULE = "bl_ext.user_default.heft"


def load_preferences(enabled: bool) -> None:
    """Load the saved preferences as Blender does when it starts; the extension is enabled in them or not."""
    if bpy.app.version >= (4, 3, 0):
        bpy.ops.wm.read_userpref()
    elif enabled:
        # Without a window the module of 4.2 crashes when it reads preferences (it reloads icon textures).
        bpy.ops.preferences.addon_enable(module=MODULE)
    assert (MODULE in bpy.context.preferences.addons) == enabled, "the preferences were not kept"


def main(zip_path: str, work: Path) -> None:
    """Install `zip_path`; write what the next step compares with into `work`."""
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
