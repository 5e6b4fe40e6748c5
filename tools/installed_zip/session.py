"""Start Blender's module the way Blender itself starts: with the user's preferences."""

from __future__ import annotations

import bpy

MODULE = "bl_ext.user_default.heft"


def load_preferences(enabled: bool) -> None:
    """Load the saved preferences, with the extension `enabled` in them or not."""
    if bpy.app.version >= (4, 3, 0):
        bpy.ops.wm.read_userpref()
    elif enabled:
        # Without a window the module of 4.2 crashes when it reads preferences (it reloads icon textures).
        bpy.ops.preferences.addon_enable(module=MODULE)
    assert (MODULE in bpy.context.preferences.addons) == enabled, "the preferences were not kept"
