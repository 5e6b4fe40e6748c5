"""Repair of samples in which a capture shows what no body can do.

Exported captures have three kinds of them. Poses that do not belong to the motion, such as a T-pose between
two frames. Joints that jump, by half a turn mostly, and jump back soon after, because the Euler angles of the
file took another solution. Ankles that stay turned over. The first two are interpolated, and ankles are
turned back; every repair is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, BoolArray, FloatArray
from ..base.intervals import true_intervals
from ..motion.motion import MIN_SAMPLES, Motion
from ..recognition.mapping import SIDES
from ..result.records import JointRepair
from .binding import RigBinding
from .from_rig import segment_rotations

JUMP = np.radians(60.0)
"""Rotation of a joint from one sample to the next, above which it may be an error [rad]..."""
JUMP_SPEED = np.radians(4000.0)
"""...where it is also faster than this: twice as fast as a knee that kicks [rad/s]."""
FOREIGN_CHANGE = np.radians(5.0)
"""The same for a whole pose: the median change of all joints [rad]..."""
FOREIGN_RATIO = 5.0
"""...and how many times larger it is than the usual change."""
LONGEST_S = 0.15
"""Longest time for which samples that return to where they left are an error [s]."""
RETURN_SHARE = 0.5
"""Difference of the samples on both sides of an error, as a share of the jumps between."""
MAX_ANKLE_ANGLE = np.radians(75.0)
"""Largest angle of an ankle from the neutral pose; beyond it the foot is flipped [rad]."""
HALF_TURNS = np.eye(4)
"""The identity and half turns about X, Y and Z, as quaternions."""


@dataclass(frozen=True, eq=False)
class RepairedMotion:
    """A motion without impossible samples, and what was changed."""

    motion: Motion
    repairs: tuple[JointRepair, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence for the user on each repair."""
        return tuple(repair_sentence(own) for own in self.repairs)


def repair_sentence(repair: JointRepair) -> str:
    """Say what was repaired where, and by how much."""
    where = f"in {repair.samples} of {repair.of_samples} frames, first at {repair.first_s:.2f} s"
    changed = f"by {repair.mean_deg:.0f} deg on average, at most {repair.max_deg:.0f} deg"
    if repair.bone is None:
        return f"The whole pose jumps away and back {where}; these frames were interpolated ({changed})."
    what, done = "jumps away and back", "interpolated"
    if repair.turned_back:
        what = "is turned over" if repair.max_deg > 90.0 else "bends further than an ankle can"
        done = "turned back"
    return f"'{repair.bone}' {what} {where}; it was {done} for the simulation ({changed})."


def repair_motion(binding: RigBinding, motion: Motion) -> RepairedMotion:
    """Return the motion with impossible samples repaired.

    Rotations of the bones that drive segments are repaired; positions only where a whole pose is.
    """
    local = _local(binding, motion)
    steps = _steps(local)
    whole, repairs = _without_foreign_poses(binding, motion, local, steps)
    if repairs:
        local = _local(binding, whole)
        steps = _steps(local)
    repaired = local.copy()
    for segment, bones in enumerate(binding.segments):
        jumps = _there_and_back(steps[:, segment], local[:, segment], 1.0 / whole.rate_hz)
        if jumps.any():
            repaired[:, segment] = _interpolated(local[:, segment], whole.time, jumps)
            repairs.append(_record(bones.driver, whole, local[:, segment], repaired[:, segment], jumps))
    for side in SIDES:
        foot = binding.index(f"foot.{side}")
        unflipped, flipped = _unflipped(repaired[:, foot], whole.time)
        if flipped.any():
            record = _record(
                binding.segments[foot].driver, whole, repaired[:, foot], unflipped, flipped, True
            )
            repairs.append(record)
            repaired[:, foot] = unflipped
    if not repairs:
        return RepairedMotion(motion, ())
    return RepairedMotion(_with_local(binding, whole, repaired), tuple(repairs))


def _local(binding: RigBinding, motion: Motion) -> FloatArray:
    """Return the rotations of the segments relative to their parents (T, S, 4)."""
    world = segment_rotations(binding, motion)
    local = world.copy()
    for segment, bones in enumerate(binding.segments):
        if bones.parent is not None:
            local[:, segment] = rotations.relative(world[:, binding.index(bones.parent)], world[:, segment])
    return rotations.continuous(local)


def _with_local(binding: RigBinding, motion: Motion, local: FloatArray) -> Motion:
    """Return the motion with segments rotated as given (T, S, 4); bones that do not turn stay exact."""
    quaternions, reached = motion.quaternion_world.copy(), list[FloatArray]()
    world_before = segment_rotations(binding, motion)
    for segment, bones in enumerate(binding.segments):
        own = local[:, segment]
        reached.append(
            own if bones.parent is None else rotations.multiply(reached[binding.index(bones.parent)], own)
        )
        change = rotations.angle_between(world_before[:, segment], reached[segment]) > 1e-6
        bone = binding.driver[segment]
        turned = rotations.multiply(reached[segment], rotations.conjugate(binding.bone_to_segment[segment]))
        quaternions[change, bone] = turned[change]
    return Motion(motion.skeleton, motion.time, motion.position_world, quaternions)


def _steps(values: FloatArray) -> FloatArray:
    """Return the angles (T - 1, S) between successive rotations (T, S, 4) [rad]."""
    return rotations.angle_between(values[:-1], values[1:])


def _there_and_back(
    steps: FloatArray, values: FloatArray, dt: float, least: float | None = None
) -> BoolArray:
    """Return the samples (T) between a jump and the jump back; values (T, ..., 4)."""
    limit = max(JUMP, JUMP_SPEED * dt) if least is None else least
    result, free_from = np.zeros(len(values), dtype=bool), 0
    jumps = np.flatnonzero(steps > limit)
    for first in jumps:
        if first < free_from:
            continue
        for last in jumps[(jumps > first) & (jumps - first <= LONGEST_S / dt)]:
            gap = float(np.median(rotations.angle_between(values[first], values[last + 1])))
            if gap < RETURN_SHARE * min(steps[first], steps[last]):
                result[first + 1 : last + 1], free_from = True, last + 1
                break
    return result


def _interpolated(values: FloatArray, time: FloatArray, wrong: BoolArray) -> FloatArray:
    """Return rotations (T, 4) with wrong samples (T) interpolated between their neighbours."""
    result = values.copy()
    for start, end in true_intervals(wrong):
        share = (time[start:end] - time[start - 1]) / (time[end] - time[start - 1])
        result[start:end] = rotations.slerp(values[start - 1], values[end], share)
    return result


def _without_foreign_poses(
    binding: RigBinding, motion: Motion, local: FloatArray, steps: FloatArray
) -> tuple[Motion, list[JointRepair]]:
    """Return the motion with whole poses that jump away and back interpolated, and the record of it.

    local (T, S, 4): its rotations relative to parents; steps (T - 1, S): angles between successive ones [rad]
    """
    usual = np.median(steps, axis=1)
    least = max(FOREIGN_CHANGE, FOREIGN_RATIO * float(np.median(usual)))
    foreign = _there_and_back(usual, local, 1.0 / motion.rate_hz, least)
    kept = ~foreign
    if not foreign.any() or kept.sum() < MIN_SAMPLES:
        return motion, []
    others = Motion(
        motion.skeleton, motion.time[kept], motion.position_world[kept], motion.quaternion_world[kept]
    ).at(motion.time)
    return others, [_record(None, motion, local, _local(binding, others), foreign)]


def _record(
    bone: str | None,
    motion: Motion,
    before: FloatArray,
    after: FloatArray,
    changed: BoolArray,
    turned_back: bool = False,
) -> JointRepair:
    angle = np.degrees(rotations.angle_between(before[changed], after[changed]))
    first = float(motion.time[changed][0] - motion.time[0])
    samples, of_samples = int(changed.sum()), len(changed)
    return JointRepair(bone, samples, of_samples, first, float(angle.mean()), float(angle.max()), turned_back)


def _unflipped(relative: FloatArray, time: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return ankle rotations (T, 4) within the human range, and which of them were beyond it."""
    flipped = rotations.angle_between(IDENTITY_QUATERNION, relative) > MAX_ANKLE_ANGLE
    if not flipped.any():
        return relative, flipped
    result = relative.copy()
    candidates = rotations.multiply(relative[:, None], HALF_TURNS[None])
    angles = rotations.angle_between(IDENTITY_QUATERNION, candidates)
    best = np.argmin(angles, axis=1)
    result[flipped] = candidates[flipped, best[flipped]]
    lost = flipped & (angles.min(axis=1) > MAX_ANKLE_ANGLE)
    if lost.any() and not lost.all():
        result = rotations.continuous(result * np.where(result[:, :1] < 0.0, -1.0, 1.0))
        for axis in range(4):
            result[lost, axis] = np.interp(time[lost], time[~lost], result[~lost, axis])
        result = rotations.normalise(result)
    return result, flipped
