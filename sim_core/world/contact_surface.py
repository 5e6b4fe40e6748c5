"""The surface by which characters touch each other, and themselves.

Every shape of a body gets a twin that meets nothing but other bodies. So the forces of ground and props,
which are read shape by shape, stay apart from those between bodies.
"""

from __future__ import annotations

from collections.abc import Iterable

import mujoco

from ..base.errors import InputError
from ..character.spec import CharacterSpec
from .character_model import PROP_BIT, set_shape

MOST_CHARACTERS = 16
"""In one simulation: each has a bit of its own among the engine's kinds of contact."""
FRICTION = 0.5
"""Of cloth on cloth."""
SOLREF = (0.02, 1.0)
"""Time constant [s] and damping ratio: flesh gives way by about a centimetre."""

Pair = tuple[str, str]
"""Two parts of one body."""


def skin_bit(place: int) -> int:
    """The kind of contact that stands for one of the characters."""
    if place >= MOST_CHARACTERS:
        raise InputError(
            f"There are more than {MOST_CHARACTERS} characters in one simulation; leave some out."
        )
    return PROP_BIT << (1 + place)


def add_skin(
    world: mujoco.MjSpec,
    spec: CharacterSpec,
    prefix: str,
    place: int,
    meets: Iterable[int],
    excluded_pairs: Iterable[Pair] = (),
) -> None:
    """place: of this character among all; meets: places of the characters that it can touch.

    passing: pairs of its own parts that pass through each other, where it can touch itself
    """
    affinity = sum(skin_bit(other) for other in set(meets))
    for first, second in excluded_pairs:
        world.add_exclude(bodyname1=prefix + first, bodyname2=prefix + second)
    for segment in spec:
        body = world.body(prefix + segment.name)
        for i, shape in enumerate(segment.shapes):
            geom = body.add_geom(name=f"{prefix}{segment.name}/skin{i}")
            geom.contype, geom.conaffinity = skin_bit(place), affinity
            set_shape(geom, shape)
            geom.condim = 3
            geom.friction = [FRICTION, 0.005, 0.0001]
            geom.solref = SOLREF
