"""Heft: simulate a character's action with real weight.

Blender imports this package. Everything that needs bpy is imported on `register()`, so that the parts without
Blender can be used and tested on their own.
"""

from __future__ import annotations


def register() -> None:
    """Called by Blender when the extension is enabled."""
    from .addon.blender.engine_packages import require_packages

    require_packages()
    from .addon import registration

    registration.register()


def unregister() -> None:
    """Called by Blender when the extension is disabled."""
    from .addon import registration

    registration.unregister()
