"""Collision geoms by which characters touch each other, and themselves.

Every shape of a body gets a copy that collides with bodies only. Forces of the ground and of props are read
shape by shape, so this keeps them apart from the forces between bodies.
"""

from __future__ import annotations

from collections.abc import Iterable

import mujoco

from ..base.errors import InputError
from ..character.spec import CharacterSpec
from .character_model import PROP_BIT, SPIN_AND_ROLL, set_shape

MAX_CHARACTERS = 28
"""Largest number of characters in one simulation: each needs a positive bit of a collision mask."""
FRICTION = 0.5
"""Friction coefficient of cloth on cloth."""
SOLREF = (0.02, 1.0)
"""Time constant [s] and damping ratio of contacts between bodies: flesh yields by about a centimetre."""

SegmentPair = tuple[str, str]
"""Names of two segments of one character."""


def character_bit(index: int) -> int:
    """Return the collision bit of the character with this index."""
    if index >= MAX_CHARACTERS:
        raise InputError(
            f"There are more than {MAX_CHARACTERS} characters in one simulation; leave some out."
        )
    return PROP_BIT << (1 + index)


def add_collision_geoms(
    world: mujoco.MjSpec,
    spec: CharacterSpec,
    prefix: str,
    index: int,
    touches: Iterable[int],
    excluded_pairs: Iterable[SegmentPair] = (),
) -> None:
    """Add to a character the geoms that collide with other characters or with its own segments.

    index: number of this character; touches: numbers of the characters that it can touch
    excluded_pairs: pairs of its own segments that do not collide with each other
    """
    affinity = sum(character_bit(other) for other in set(touches))
    for first, second in excluded_pairs:
        world.add_exclude(bodyname1=prefix + first, bodyname2=prefix + second)
    for segment in spec:
        body = world.body(prefix + segment.name)
        for i, shape in enumerate(segment.shapes):
            geom = body.add_geom(name=f"{prefix}{segment.name}/collision{i}")
            geom.contype, geom.conaffinity = character_bit(index), affinity
            set_shape(geom, shape)
            geom.condim = 3
            geom.friction = [FRICTION, *SPIN_AND_ROLL]
            geom.solref = SOLREF
