"""Faults of a simulated motion that anybody sees, though the body did not fall.

Legs or hands that pass through the body, a path that leaves that of the source, and a joint that is far from
the source for long. Each is a problem with its frames. What the source does itself is not a fault, and
where a hit, a push or a strike takes the body elsewhere, its distance from the source is none either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray
from ..recognition.mapping import SIDES, joint_label, part_label
from ..result.metrics import joint_angles_deg
from ..result.records import BodyShape
from ..result.report_records import MotionProblem
from ..result.result import Result
from .problems import DRIFT, HANDS, JOINT, LEGS, lasting_intervals

THROUGH, THROUGH_MORE = 0.5, 0.25
"""Share of two radii by which parts overlap that pass through each other; more than in the source by this."""
DRIFT_SHARE = 0.12
"""Distance from the source's path over the ground that is seen, over the body's height: 20 cm of a person."""
JOINT_DEG, JOINT_S = 25.0, 0.2
"""Angle from the source that is seen in a single joint [deg], and for how long [s]."""
POINTS = 9
"""Points on the axis of a shape whose distances are measured."""
LEG_PARTS, HAND, TRUNK = ("thigh", "shin", "foot"), "hand", ("head", "chest", "abdomen", "pelvis")
COMPARED = (*LEG_PARTS, HAND, *TRUNK)


def visible_faults(result: Result) -> tuple[MotionProblem, ...]:
    """Return the visible faults of a simulated result in the order of their severity."""
    bodies = _simulated_and_source(result)
    found = [*_legs(result, bodies), *_hands(result, bodies)]
    if not _is_taken_elsewhere(result):
        found += [*_drift(result), *_joints(result)]
    return tuple(sorted(found, key=lambda problem: -problem.severity))


def _is_taken_elsewhere(result: Result) -> bool:
    meta = result.meta
    passed = meta.reference is not None and meta.reference.passings
    return bool(meta.hits or meta.strikes or meta.pushes or passed)


@dataclass(frozen=True, eq=False)
class _Axis:
    """The axis of a part's shape over time: points (3, POINTS, T) and radius [m]."""

    part: str
    points: FloatArray
    radius: float

    def overlap_m(self, other: _Axis) -> FloatArray:
        """Return how deep two parts are in each other (T) [m]; negative where they are apart."""
        squared = np.full(self.points.shape[-1], np.inf)
        for point in self.points.swapaxes(0, 1):  # all pairs of points at once would fill the memory
            x, y, z = np.square(other.points - point[:, None])
            squared = np.minimum(squared, (x + y + z).min(axis=0))
        return self.radius + other.radius - np.sqrt(squared)


class _Bodies:
    """The axes of the compared parts of a body with these poses: position (T, B, 3), quaternion (T, B, 4)."""

    def __init__(self, result: Result, position: FloatArray, quaternion: FloatArray) -> None:
        names = [str(name) for name in result.body_name]
        shapes = dict(zip(names, result.meta.body_shapes, strict=True))
        self._axes = {
            name: tuple(_axes(name, shapes[name], position[:, k], quaternion[:, k]))
            for k, name in enumerate(names)
            if name.split(".")[0] in COMPARED
        }

    def overlap(self, first: str, second: str) -> tuple[FloatArray, float]:
        """Return how deep two parts are in each other (T) [m], and the sum of their radii [m]."""
        pairs = [(a, b) for a in self._axes.get(first, ()) for b in self._axes.get(second, ())]
        if not pairs:
            return np.full(1, -np.inf), 1.0
        deep = np.stack([a.overlap_m(b) for a, b in pairs])
        return deep.max(axis=0), max(a.radius + b.radius for a, b in pairs)


def _axes(part: str, shape: BodyShape, position: FloatArray, quaternion: FloatArray) -> Iterator[_Axis]:
    """Yield the axes of a part's capsules, and the longest one of each box."""
    ends = [(np.array(c.start), np.array(c.end), c.radius) for c in shape.capsules]
    for box in shape.boxes:
        half, centre = np.array(box.half_size), np.array(box.centre)
        along = np.eye(3)[half.argmax()] * (half.max() - half.min())
        ends.append((centre - along, centre + along, float(half.min())))
    share = np.linspace(0.0, 1.0, POINTS)[:, None]
    for start, end, radius in ends:
        own = (1.0 - share) * start + share * end
        points = position[:, None] + rotations.rotate(quaternion[:, None], own)
        yield _Axis(part, np.ascontiguousarray(points.T), radius)


_SimulatedAndSource = tuple[_Bodies, _Bodies]


def _simulated_and_source(result: Result) -> _SimulatedAndSource:
    """Return the parts of the body as simulated and as in the source, where joints carry them alike."""
    joints, bodies = result.joint_quaternion_world, result.body_quaternion_world
    back = rotations.conjugate(joints)
    offset = rotations.rotate(back, result.body_com - result.joint_position)
    source = result.source_joint_quaternion_world
    return (
        _Bodies(result, result.body_com, bodies),
        _Bodies(
            result,
            result.source_joint_position + rotations.rotate(source, offset),
            rotations.multiply(source, rotations.multiply(back, bodies)),
        ),
    )


def _legs(result: Result, bodies: _SimulatedAndSource) -> Iterator[MotionProblem]:
    """Yield when legs pass through each other, by the pair that is deepest."""
    left, right = ([f"{part}.{side}" for part in LEG_PARTS] for side in SIDES)
    pairs = [(a, b) for a in left for b in right]
    yield from _passing(result, bodies, LEGS, pairs, "the legs pass through each other")


def _hands(result: Result, bodies: _SimulatedAndSource) -> Iterator[MotionProblem]:
    """Yield when a hand is inside the head or the trunk."""
    for side in SIDES:
        for part in TRUNK:
            hand = f"{HAND}.{side}"
            text = f"the {part_label(hand)} is inside the {part_label(part)}"
            yield from _passing(result, bodies, HANDS, [(hand, part)], text)


def _passing(
    result: Result, bodies: _SimulatedAndSource, kind: str, pairs: Sequence[tuple[str, str]], text: str
) -> Iterator[MotionProblem]:
    simulated, source = bodies
    deep, share = np.zeros(len(result.time)), np.zeros(len(result.time))
    for pair in pairs:
        own, radii = simulated.overlap(*pair)
        before, _ = source.overlap(*pair)
        more = own - np.maximum(before, 0.0) > THROUGH_MORE * radii
        new = np.where(more, own / radii, 0.0)
        deep, share = np.where(new > share, own, deep), np.maximum(share, new)
    for start, end in _lasting(result, share > THROUGH):
        worst = start + int(share[start:end].argmax())
        words = f"{text}, {100.0 * deep[worst]:.0f} cm deep"
        yield _problem(result, kind, (start, end, worst), (100.0 * share[worst], 100.0 * THROUGH, "%"), words)


def _drift(result: Result) -> Iterator[MotionProblem]:
    """Yield when the hips are far from their path in the source, over the ground."""
    away = np.linalg.norm((result.joint_position - result.source_joint_position)[:, 0, :2], axis=-1)
    limit = DRIFT_SHARE * result.meta.character.height
    for start, end in _lasting(result, away > limit):
        worst = start + int(away[start:end].argmax())
        most = 100.0 * float(away[worst])
        figures = (most, 100.0 * limit, "cm")
        yield _problem(result, DRIFT, (start, end, worst), figures, f"the body is {most:.0f} cm off its path")


def _joints(result: Result) -> Iterator[MotionProblem]:
    """Yield the joints that are far from the source for long; those of repaired bones are left out."""
    away = joint_angles_deg(
        result.joint_quaternion_world, result.source_joint_quaternion_world, result.joint_parent
    )
    repaired = {repair.bone for repair in result.meta.repairs}
    for k, (bone, part) in enumerate(zip(result.joint_name, result.body_name, strict=True)):
        if str(bone) in repaired:
            continue
        words = part_label(str(part)) if result.joint_parent[k] < 0 else joint_label(str(part))
        for start, end in _lasting(result, away[:, k] > JOINT_DEG, JOINT_S):
            worst = start + int(away[start:end, k].argmax())
            most = float(away[worst, k])
            text = f"the {words} is {most:.0f} deg from the source"
            yield _problem(result, JOINT, (start, end, worst), (most, JOINT_DEG, "deg"), text)


def _lasting(result: Result, flags: BoolArray, seconds: float = 0.0) -> list[tuple[int, int]]:
    """Return the intervals of flags (T) that last at least so long, where the motion was simulated."""
    dt = float(result.time[1] - result.time[0])
    found = lasting_intervals(flags & (result.simulated > 0.0), dt)
    return [(start, end) for start, end in found if (end - start) * dt >= seconds]


def _problem(
    result: Result,
    kind: str,
    samples: tuple[int, int, int],
    figures: tuple[float, float, str],
    text: str,
) -> MotionProblem:
    """Return a problem by its start, end and worst sample, and its value, limit and unit."""
    time = result.time - result.time[0]
    start, end, worst = (float(time[min(k, len(time) - 1)]) for k in samples)
    return MotionProblem(kind, start, end, worst, *figures, text)
