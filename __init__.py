"""Heft: simulate a character's action with real weight.

Blender imports this package. Everything that needs bpy is imported on `register()`, so that the parts without
Blender can be used and tested on their own.
"""

from __future__ import annotations


def register() -> None:
    """Called by Blender when the extension is enabled."""
    from .addon.blender.engine_packages import require_packages
    from .addon.blender.quick_import import garbage_ignored
    from .panels.refusal import refuse
    from .sim_core.base.errors import HeftError

    try:
        require_packages()
    except HeftError as problem:
        refuse(str(problem))
        return
    with garbage_ignored():
        from .addon import registration

    registration.register()


def unregister() -> None:
    """Called by Blender when the extension is disabled."""
    from .panels.refusal import take_back

    if take_back():
        return
    from .addon import registration

    registration.unregister()
