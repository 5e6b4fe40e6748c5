"""Bodies that are thicker than their bones: what a body sits on hovers above the floor that carries it.

Shapes are made from bones with human proportions. A cartoon character in armour that sits on the floor has
its thighs a hand above it, so that nothing carries its weight. Where a body at rest would tip over for that,
the lowest parts of its trunk and thighs are taken to be as thick as they are high, and the part next to the
centre of mass to reach to both sides of it, because a body at rest is carried about that point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
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
THICKEST = 0.11
"""Height above the floor, over body height, up to which a part may rest on it: a chair is higher."""
REACH = 0.08
"""How far the seat reaches to both sides of the centre of mass, over body height."""
REST_SPEED = 0.2
"""Speed of the centre of mass of a body at rest [m/s]."""
REST_SECONDS = 0.3
"""Time for which a body must rest in this way [s]."""


@dataclass(frozen=True, eq=False)
class _Part:
    """A capsule of a segment over time: its middle (T, 3) and its lowest height above the floor (T) [m]."""

    segment: int
    shape: SegmentCapsule
    middle: FloatArray
    height: FloatArray


def with_seat(character: RigCharacter, motion: Motion) -> RigCharacter:
    """Return the character with shapes down to the floor where it rests on parts that hover above it."""
    spec = character.spec
    poses = segment_poses(spec, pose_from_motion(spec, character.binding, motion))
    com = centre_of_mass(spec, *poses)
    at = _rests_in_the_air(character, motion, com, poses)
    if len(at) < max(round(REST_SECONDS * motion.rate_hz), 1):
        return character
    com, quaternions = com[at], poses[1][at]
    carriers = _parts(character, poses[0][at], quaternions, CARRIERS)
    heights = [float(np.median(own.height)) for own in carriers]
    low = [own for own, height in zip(carriers, heights, strict=True) if height < min(heights) + POINT_LIFT]
    next_to_com = min(carriers, key=lambda own: _distance(own, com))
    to_com = (com - next_to_com.middle)[:, :2]
    across = REACH * spec.height * _across(next_to_com, quaternions[:, next_to_com.segment])
    seats = [(own, np.zeros((len(at), 2))) for own in low]
    seats += [(next_to_com, to_com + across), (next_to_com, to_com - across)]
    segments = list(spec.segments)
    for own, aside in seats:
        offset = np.concatenate([aside, -own.height[:, None]], axis=1)
        local = rotations.rotate(rotations.conjugate(quaternions[:, own.segment]), offset).mean(axis=0)
        segments[own.segment] = _thicker(segments[own.segment], own.shape, local)
    names = dict.fromkeys(part_label(spec.names[own.segment]) for own in (*low, next_to_com))
    note = (
        f"The body rests {100.0 * min(heights):.0f} cm above the floor, so it was taken to be that much "
        f"thicker there: {', '.join(names)}."
    )
    return replace(character, spec=replace(spec, segments=tuple(segments)), notes=(*character.notes, note))


def _distance(part: _Part, com: FloatArray) -> float:
    """Return the median horizontal distance of a part from the centre of mass [m]."""
    return float(np.median(np.linalg.norm((part.middle - com)[:, :2], axis=1)))


def _across(part: _Part, quaternions: FloatArray) -> FloatArray:
    """Return horizontal directions (R, 2) at right angles to a capsule whose segment has rotations (R, 4)."""
    along = rotations.rotate(quaternions, part.shape.end - part.shape.start)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    return np.asarray(across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9))


def _thicker(segment: Segment, shape: SegmentCapsule, offset: FloatArray) -> Segment:
    moved = SegmentCapsule(shape.start + offset, shape.end + offset, shape.radius)
    return replace(segment, shapes=(*segment.shapes, moved))


def _parts(
    character: RigCharacter, positions: FloatArray, quaternions: FloatArray, names: Sequence[str]
) -> list[_Part]:
    """Return all capsules of some segments, in poses (T, S, 3) and (T, S, 4) of the body."""
    found = []
    for i, segment in enumerate(character.spec):
        for shape in segment.shapes:
            if isinstance(shape, SegmentCapsule) and segment.name in names:
                ends = [
                    positions[:, i] + rotations.rotate(quaternions[:, i], end)
                    for end in (shape.start, shape.end)
                ]
                low = np.minimum(ends[0][:, 2], ends[1][:, 2]) - shape.radius - character.ground_height
                found.append(_Part(i, shape, 0.5 * (ends[0] + ends[1]), low))
    return found


def _rests_in_the_air(
    character: RigCharacter, motion: Motion, com: FloatArray, poses: tuple[FloatArray, FloatArray]
) -> IntArray:
    """Return the samples at which a body is at rest and nothing that touches the floor carries it.

    com (T, 3): centre of mass [m]; poses (T, S, 3), (T, S, 4): of the segments
    """
    size, spec = leg_length(character.binding) / REFERENCE_LEG_LENGTH, character.spec
    lowest = np.min([own.height for own in _parts(character, *poses, CARRIERS)], axis=0)
    speed = np.linalg.norm(np.gradient(com, motion.time, axis=0), axis=1)
    # What hovers less is found by the plan of the contacts, which lowers the body.
    hovers = (lowest > LOW * size) & (lowest < THICKEST * spec.height) & (speed < REST_SPEED * np.sqrt(size))
    at = np.flatnonzero(hovers)
    if not len(at):
        return at
    hovering = (poses[0][at], poses[1][at])
    parts, soles = _parts(character, *hovering, spec.names), sole_corners(spec, *hovering)
    points = np.concatenate([soles, np.stack([own.middle for own in parts], axis=1)], axis=1)
    above = np.stack([own.height for own in parts], axis=1)
    heights = np.concatenate([soles[..., 2] - character.ground_height, above], axis=1)
    touches, target = heights < REST_HEIGHT * size, com[at, :2]
    away = np.linalg.norm(target - nearest_between(points[..., :2], touches, target), axis=1)
    return at[~touches.any(axis=1) | (away > TIPPING * size)]
