"""Retargeting among the objects of a scene: which of them hands touch, and where these go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..base.conventions import REFERENCE_HEIGHT_M
from ..base.errors import InputError
from ..scene.scene import FLAT, Role, Scene
from .arms import arm_sides, palms
from .hand_touches import find_touches
from .props import Prop, props_of, scene_with_props
from .retarget import Retargeted, Take, retarget_together

TOUCHABLE = (Role.CARRIED, Role.HOLD, Role.OBSTACLE)
"""Roles of what hands may touch on purpose."""


def touched_by_hands(takes: Sequence[Take], scene: Scene) -> tuple[str, ...]:
    """Return the names of objects that palms of the sources touch."""
    if not any(take.options.hands for take in takes):
        return ()
    found = []
    for thing in scene.objects:
        if thing.role in TOUCHABLE:
            try:
                (prop,) = props_of(scene, (thing.name,), takes[0].motion.time)
            except InputError:  # terrain and planes, on which nobody lays a hand
                continue
            if any(_touches(take, prop) for take in takes):
                found.append(thing.name)
    return tuple(found)


def _touches(take: Take, prop: Prop) -> bool:
    size = take.source.character.spec.height / REFERENCE_HEIGHT_M
    return any(
        find_touches(
            palms(take.source, take.motion, side), {prop.name: prop.part()}, take.motion.rate_hz, size, False
        )
        for side in arm_sides(take.source)
    )


def retarget_in_scene(
    takes: Sequence[Take], scene: Scene, names: tuple[str, ...], flat: bool = False
) -> tuple[list[Retargeted], Scene]:
    """Return the motions of all targets, and the scene with the new keys of what they hold.

    names: of the objects that hands touch; flat: on a flat floor instead of the ground of the scene, from
    which a simulation puts a motion on that ground by itself
    """
    props = props_of(scene, names, takes[0].motion.time)
    ground = replace(scene, objects=tuple(one for one in scene.objects if one.name not in names))
    outcomes, moved = retarget_together(takes, FLAT if flat else ground, props)
    return outcomes, scene_with_props(scene, moved, outcomes[0].motion.time)


def simulated_scene(scene: Scene, names: tuple[str, ...]) -> Scene:
    """Return the scene of a simulation, without moving objects in hands.

    They would follow their keys whatever pushes them, and throw whoever holds them over.
    """
    left = tuple(one for one in scene.objects if one.name not in names or one.role is not Role.MOVING)
    return replace(scene, objects=left)
