"""Bodies that are thicker than their bones: what a body sits on hovers above the floor that carries it.

Shapes are made from bones with human proportions. A cartoon character in armour that sits on the floor has
its thighs a hand above it, so that nothing carries its weight. Where a body at rest would tip over for that,
the lowest parts of its trunk and thighs are taken to be as thick as they are high.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray, IntArray
from ..character.anthropometry import leg_length
from ..character.from_rig import RigCharacter
from ..character.posing import centre_of_mass, pose_from_motion, segment_poses
from ..character.spec import Segment, SegmentCapsule
from ..character.transfer import sole_corners
from ..motion.motion import Motion
from ..recognition.mapping import part_label
from ..reference.body_contacts import REST_HEIGHT
from ..reference.contacts import POINT_LIFT, REFERENCE_LEG_LENGTH
from ..reference.tipping import LOW, TIPPING, nearest_between

CARRIERS = ("pelvis", "abdomen", "chest", "thigh.L", "thigh.R")
"""Parts that a body sits or lies on."""
THICKEST = 0.13
"""Height above the floor, over body height, up to which a part may rest on it: a chair is higher."""
REST_SPEED = 0.2
"""Speed of the centre of mass of a body at rest [m/s]."""
REST_SECONDS = 0.3
"""Time for which a body must rest in this way [s]."""


@dataclass(frozen=True, eq=False)
class _Hovering:
    """A capsule of a segment, and how high its lowest point is above the floor over time (T) [m]."""

    segment: int
    shape: SegmentCapsule
    height: FloatArray


def with_seat(character: RigCharacter, motion: Motion) -> RigCharacter:
    """Return the character with shapes down to the floor where it rests on parts that hover above it."""
    spec = character.spec
    poses = segment_poses(spec, pose_from_motion(spec, character.binding, motion))
    parts = tuple(_capsules(character, *poses))
    carriers = [own for own in parts if spec.names[own.segment] in CARRIERS]
    rests = _rests_in_the_air(
        character, motion, poses, parts, np.min([own.height for own in carriers], axis=0)
    )
    if len(rests) < max(round(REST_SECONDS * motion.rate_hz), 1):
        return character
    heights = [float(np.median(own.height[rests])) for own in carriers]
    segments, seats = list(spec.segments), list[str]()
    for own, height in zip(carriers, heights, strict=True):
        if height < min(heights) + POINT_LIFT:
            down = rotations.rotate(rotations.conjugate(poses[1][rests, own.segment]), -Z_UP).mean(axis=0)
            segments[own.segment] = _thicker(segments[own.segment], own.shape, height * down)
            seats.append(part_label(spec.names[own.segment]))
    note = (
        f"The body rests {100.0 * min(heights):.0f} cm above the floor, so it was taken to be that much "
        f"thicker there: {', '.join(seats)}."
    )
    return replace(character, spec=replace(spec, segments=tuple(segments)), notes=(*character.notes, note))


def _rests_in_the_air(
    character: RigCharacter,
    motion: Motion,
    poses: tuple[FloatArray, FloatArray],
    parts: tuple[_Hovering, ...],
    lowest: FloatArray,
) -> IntArray:
    """Return the samples at which a body is at rest and nothing that touches the floor carries it.

    lowest (T): height of what could carry it [m]
    """
    size, spec = leg_length(character.binding) / REFERENCE_LEG_LENGTH, character.spec
    com = centre_of_mass(spec, *poses)
    speed = np.linalg.norm(np.gradient(com, motion.time, axis=0), axis=1)
    # What hovers less is found by the plan of the contacts, which lowers the body.
    hovers = (lowest > LOW * size) & (lowest < THICKEST * spec.height) & (speed < REST_SPEED * np.sqrt(size))
    if not hovers.any():
        return np.flatnonzero(hovers)
    return np.flatnonzero(hovers)[_tips(character, parts, poses, com, size, hovers)]


def _thicker(segment: Segment, shape: SegmentCapsule, offset: FloatArray) -> Segment:
    moved = SegmentCapsule(shape.start + offset, shape.end + offset, shape.radius)
    return replace(segment, shapes=(*segment.shapes, moved))


def _capsules(character: RigCharacter, positions: FloatArray, quaternions: FloatArray) -> Iterator[_Hovering]:
    for i, segment in enumerate(character.spec):
        for shape in segment.shapes:
            if isinstance(shape, SegmentCapsule):
                ends = [
                    positions[:, i, 2] + rotations.rotate(quaternions[:, i], end)[:, 2]
                    for end in (shape.start, shape.end)
                ]
                yield _Hovering(i, shape, np.min(ends, axis=0) - shape.radius - character.ground_height)


def _tips(
    character: RigCharacter,
    parts: tuple[_Hovering, ...],
    poses: tuple[FloatArray, FloatArray],
    com: FloatArray,
    size: float,
    at: BoolArray,
) -> BoolArray:
    """Return in which of the chosen samples what touches the floor does not carry the body at rest."""
    soles = sole_corners(character.spec, *poses)[at]
    middles = [
        poses[0][at, own.segment]
        + rotations.rotate(poses[1][at, own.segment], 0.5 * (own.shape.start + own.shape.end))
        for own in parts
    ]
    points = np.concatenate([soles, np.stack(middles, axis=1)], axis=1)[..., :2]
    heights = np.concatenate(
        [soles[..., 2] - character.ground_height, np.stack([own.height[at] for own in parts], axis=1)], axis=1
    )
    touches = heights < REST_HEIGHT * size
    target = com[at, :2]
    away = np.linalg.norm(target - nearest_between(points, touches, target), axis=1)
    return np.asarray(~touches.any(axis=1) | (away > TIPPING * size))
