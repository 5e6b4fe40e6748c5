"""The height of the flat floor: where the soles of the motion are found, or where props lie just below."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP
from ..scene.playback import keyed_states
from ..scene.scene import Role, Scene, SceneObject
from ..scene.shapes import shape_extent
from ..world.ground import has_floor
from ..world.start_state import RESTING_DEPTH

SOLES_WITHIN = 0.05
"""Soles that no mesh shows are found within this height [m]: a floor that props lie on is no nearer known."""


def find_floor(scene: Scene, soles: float, start_s: float) -> tuple[float, str]:
    """Return the height of the floor [m], and a sentence where it is neither given nor that of the soles.

    Soles are often found a little above or below the floor that somebody built a scene on. A prop that lies
    on that floor would start inside the one under the soles, so it shows where the floor is.
    scene: at physical size; soles: their height [m]; start_s: start of the motion [s]
    """
    if scene.floor_height is not None:
        return scene.floor_height, ""
    lying = {o.name: _lowest(o, start_s) for o in scene.objects if o.role in (Role.PROP, Role.CARRIED)}
    near = {name: z for name, z in lying.items() if soles - SOLES_WITHIN <= z < soles - RESTING_DEPTH}
    if not near or not has_floor(scene, soles):
        return soles, ""
    name = min(near, key=lambda each: near[each])
    lower = 100.0 * (soles - near[name])
    return near[
        name
    ], f"The floor is {lower:.1f} cm below the soles of the motion, because '{name}' lies there."


def _lowest(obj: SceneObject, start_s: float) -> float:
    """Return the height of an object's lowest point at the start [m]."""
    position, quaternion = obj.position, obj.quaternion
    if obj.keys is not None:
        position, quaternion = np.split(keyed_states(obj.keys, np.array([start_s])).qpos[0], [3])
    down = rotations.rotate(rotations.conjugate(quaternion), -Z_UP)
    return float(position[2] - shape_extent(obj.shape, down[None])[0])
