"""Contact time constants and time steps that keep fast objects from passing through what they hit.

A contact is a spring and damper. A hit at speed v penetrates by v tau sqrt(bounce), where 1 / tau is the
spring's frequency and the bounce is that of `restitution_solref`. When the centres of two objects have
passed each other, the spring pushes in the wrong direction; so the penetration must stay below the sum of
their half thicknesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..base.conventions import GRAVITY
from ..base.errors import InputError
from ..character.spec import CharacterSpec, SegmentCapsule
from ..scene.scene import Scene, SceneObject
from ..scene.shapes import half_thickness
from .character_model import CONTACT_SOLREF
from .scene_model import MIN_BOUNCE

MIN_STEPS_PER_CONTACT = 2.5
"""Least number of time steps within a contact's time constant; with fewer the engine softens the contact."""
DEPTH_SHARE = 0.7
"""Share of the sum of half thicknesses that a hit may penetrate: time steps are not infinitely short."""
STEP_DIVISORS = (1, 2, 4, 8, 16)
"""Numbers by which the time step may be divided for objects that fly fast."""


def contact_time_constants(specs: Sequence[CharacterSpec], scene: Scene, floor: float) -> dict[str, float]:
    """Return the time constant tau of the contacts of all free objects [s], by name.

    It is the usual one, or less where an object flies fast.

    floor: the height down to which objects may fall [m]
    """
    seconds = {}
    for obj in scene.objects:
        if obj.role.is_free:
            depth = _top_speed(obj, floor) * CONTACT_SOLREF[0] * np.sqrt(max(obj.bounce, MIN_BOUNCE))
            seconds[obj.name] = CONTACT_SOLREF[0] * min(
                _allowed_depth(specs, scene, obj) / max(depth, 1e-9), 1.0
            )
    return seconds


def refine_timestep(
    scene: Scene, time_constants: Mapping[str, float], floor: float, timestep: float
) -> float:
    """Return the time step, divided so far that the stiffest contact is resolved [s]."""
    stiffest = min(time_constants, key=lambda name: time_constants[name], default=None)
    if stiffest is None or time_constants[stiffest] == CONTACT_SOLREF[0]:
        return timestep
    for divisor in STEP_DIVISORS:
        if MIN_STEPS_PER_CONTACT * timestep / divisor <= time_constants[stiffest]:
            return timestep / divisor
    obj = next(o for o in scene.objects if o.name == stiffest)
    speed = _top_speed(obj, floor)
    most = speed * time_constants[stiffest] * STEP_DIVISORS[-1] / (MIN_STEPS_PER_CONTACT * timestep)
    raise InputError(
        f"'{stiffest}' would reach {speed:.0f} m/s, so fast that it would pass through other objects; "
        f"make it slower than {most:.0f} m/s, or thicker."
    )


def _top_speed(obj: SceneObject, floor: float) -> float:
    """Return the speed that an object may reach when it falls to the floor [m/s]."""
    start = obj.launch.speed if obj.launch is not None else float(np.linalg.norm(obj.velocity))
    return float(np.sqrt(start**2 + 2.0 * GRAVITY * max(float(obj.position[2]) - floor, 0.0)))


def _allowed_depth(specs: Sequence[CharacterSpec], scene: Scene, obj: SceneObject) -> float:
    """Return how deep an object may penetrate the thinnest object or body part that it can hit [m]."""
    body = [
        shape.radius if isinstance(shape, SegmentCapsule) else float(np.min(shape.half_size))
        for spec in specs
        for segment in spec
        for shape in segment.shapes
    ]
    others = [half_thickness(o.shape) for o in scene.objects if o is not obj]
    return DEPTH_SHARE * (half_thickness(obj.shape) + min(body + others))
