"""Contacts firm enough, and steps fine enough, that nothing which is thrown passes through what it meets.

A contact is a spring and damper. A hit at speed v goes v tau sqrt(bounce) deep, where 1 / tau is the
spring's frequency and the bounce that of `bouncing_solref`. When the middles of two things have passed
each other, the spring pushes the wrong way; so the depth must stay below half the thickness of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..base.conventions import GRAVITY
from ..base.errors import InputError
from ..character.spec import Capsule, CharacterSpec
from ..scene.scene import Scene, SceneObject
from ..scene.shapes import half_thickness
from .character_model import CONTACT_SOLREF
from .scene_model import LEAST_BOUNCE

STEPS_OF_CONTACT = 2.5
"""A contact's time holds so many steps at least, or the engine would make it softer."""
DEEPEST = 0.7
"""Share of that half that a hit may use up: steps are not infinitely fine."""
FINER = (1, 2, 4, 8)
"""Steps may be made so many times shorter for things that fly fast."""


def contact_seconds(specs: Sequence[CharacterSpec], scene: Scene, floor: float) -> dict[str, float]:
    """The time tau of the contacts of all props [s], by name: the usual one, or less where they fly fast.

    floor [m]: how far down they may fall
    """
    seconds = {}
    for thing in scene.objects:
        if thing.role.is_free:
            depth = _speed(thing, floor) * CONTACT_SOLREF[0] * np.sqrt(max(thing.bounce, LEAST_BOUNCE))
            seconds[thing.name] = CONTACT_SOLREF[0] * min(_room(specs, scene, thing) / max(depth, 1e-9), 1.0)
    return seconds


def fine_step(scene: Scene, seconds: Mapping[str, float], floor: float, timestep: float) -> float:
    """The step, or the part of it that the firmest contact needs [s]."""
    firmest = min(seconds, key=lambda name: seconds[name], default=None)
    if firmest is None or seconds[firmest] == CONTACT_SOLREF[0]:
        return timestep
    for finer in FINER:
        if STEPS_OF_CONTACT * timestep / finer <= seconds[firmest]:
            return timestep / finer
    thing = next(o for o in scene.objects if o.name == firmest)
    speed = _speed(thing, floor)
    most = speed * seconds[firmest] * FINER[-1] / (STEPS_OF_CONTACT * timestep)
    raise InputError(
        f"'{firmest}' would reach {speed:.0f} m/s, so fast that it would pass through things; "
        f"make it slower than {most:.0f} m/s, or thicker."
    )


def _speed(thing: SceneObject, floor: float) -> float:
    """What it may reach when it has fallen to the floor [m/s]."""
    start = thing.launch.speed if thing.launch is not None else float(np.linalg.norm(thing.velocity))
    return float(np.sqrt(start**2 + 2.0 * GRAVITY * max(float(thing.position[2]) - floor, 0.0)))


def _room(specs: Sequence[CharacterSpec], scene: Scene, thing: SceneObject) -> float:
    """How deep an object may go into the thinnest thing that it can meet [m]."""
    body = [
        shape.radius if isinstance(shape, Capsule) else float(np.min(shape.half_size))
        for spec in specs
        for segment in spec
        for shape in segment.shapes
    ]
    others = [half_thickness(o.shape) for o in scene.objects if o is not thing]
    return DEEPEST * (half_thickness(thing.shape) + min(body + others))
