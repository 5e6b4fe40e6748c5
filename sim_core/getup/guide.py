"""Guides for getting up: a few poses from lying to standing, in terms of body parts, so that any body fits.

A guide has several ways of coming onto hands and knees, one for each pose in which a body may lie, and one
way of rising from there. On hands and knees both sides are alike, so that each half can be mirrored alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from ..base import rotations
from ..base.conventions import X_FORWARD, Y_LEFT, FloatArray
from ..base.errors import InputError
from ..base.json_codec import from_object
from ..base.json_files import PRESETS_FOLDER, read_json_file
from ..character.hinges import twist
from ..character.spec import CharacterSpec, JointKind
from ..recognition.mapping import SIDES

SHIPPED = PRESETS_FOLDER / "get_up" / "person.json"
"""The guide that comes with Heft; its poses were written for it by hand."""
Turn = tuple[float, float, float]
"""A rotation vector of a joint on the left side, from the neutral pose [deg]."""


@dataclass(frozen=True)
class KeyPose:
    """One pose of a guide.

    seconds: since the pose before [s]; what leads to the first pose of a way depends on where a body lies
    pitch: by which the pelvis is turned forwards from standing [deg]; roll: then about the direction in which
    the body gets up, 0 is face down and 180 face up [deg]
    joints: by segment. A name without a side is for both, and all turns are given as on the left side
    holds: the segments that stay where they are on the ground, on the way from the pose before
    """

    seconds: float
    pitch: float
    roll: float = 0.0
    joints: Mapping[str, Turn] = field(default_factory=dict)
    holds: tuple[str, ...] = ()

    def mirrored(self) -> KeyPose:
        """Return the pose with left and right exchanged."""
        turns = {}
        for name, (x, y, z) in self.joints.items():
            part, _, side = name.partition(".")
            sided = side or part in _SIDED
            turns[_other_side(name)] = (x, y, z) if sided else (-x, y, -z)
        return replace(self, roll=-self.roll, joints=turns, holds=tuple(map(_other_side, self.holds)))

    def rotation(self) -> FloatArray:
        """Return the rotation of the pelvis (4) where the body gets up along X."""
        tilt = rotations.from_vector(np.radians(self.pitch) * Y_LEFT)
        return rotations.multiply(rotations.from_vector(np.radians(self.roll) * X_FORWARD), tilt)

    def pose(self, spec: CharacterSpec) -> FloatArray:
        """Return the joint coordinates (nq) of the pose on a body, with the pelvis at the origin."""
        columns = [np.zeros(3), self.rotation()]
        for segment in spec.segments[1:]:
            joint = segment.joint
            rotation = rotations.relative(joint.centre, self._turn(segment.name))
            if joint.kind is JointKind.HINGE:
                columns.append(np.clip(twist(rotation, joint.axis), joint.low, joint.high)[None])
            else:
                columns.append(rotation * (-1.0 if rotation[0] < 0.0 else 1.0))
        return np.concatenate(columns)

    def _turn(self, segment: str) -> FloatArray:
        """Return the rotation (4) of a segment relative to its parent; those that are not given have none."""
        part, _, side = segment.partition(".")
        x, y, z = self.joints.get(segment, self.joints.get(part, (0.0, 0.0, 0.0)))
        mirror = -1.0 if side == SIDES[1] else 1.0
        return rotations.from_vector(np.radians([mirror * x, y, mirror * z]))


_SIDED = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")


def _other_side(name: str) -> str:
    part, dot, side = name.partition(".")
    return f"{part}{dot}{SIDES[1 - SIDES.index(side)]}" if side in SIDES else name


@dataclass(frozen=True)
class Way:
    """How a body that lies in one of some poses comes over the next ones onto hands and knees."""

    name: str
    keys: tuple[KeyPose, ...]


@dataclass(frozen=True)
class Guide:
    """Ways onto hands and knees, and the poses from there, in which the left foot is put forwards."""

    about: str
    ways: tuple[Way, ...]
    rise: tuple[KeyPose, ...]

    def stretched(self, factor: float) -> Guide:
        """Return the guide with poses that take longer by a factor."""

        def slower(keys: tuple[KeyPose, ...]) -> tuple[KeyPose, ...]:
            return tuple(replace(key, seconds=factor * key.seconds) for key in keys)

        ways = tuple(replace(way, keys=slower(way.keys)) for way in self.ways)
        return replace(self, ways=ways, rise=slower(self.rise))

    def __post_init__(self) -> None:
        if not self.ways or not self.rise or not all(way.keys for way in self.ways):
            raise InputError("A guide for getting up needs ways with poses, and poses to rise; add them.")
        for key in (*self.rise, *(key for way in self.ways for key in way.keys)):
            if not 0.0 < key.seconds < 60.0:
                raise InputError(
                    f"A pose of a guide comes {key.seconds:g} s after the one before; it must be more than "
                    "zero and less than a minute."
                )


@cache
def load_guide(path: Path = SHIPPED) -> Guide:
    """Read a guide from a file."""
    return from_object(Guide, read_json_file(path, "get-up guide"), f"The get-up guide '{path.name}'")
