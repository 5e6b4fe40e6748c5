"""Poses of segments, joints and bones in the source, the reference and the result."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..character.posing import bones_on_segments, pose_from_motion, segment_poses
from ..motion.motion import Motion, on_control_grid
from ..scenario.scenario import Scenario
from .baked import BakedCharacter

Poses = tuple[FloatArray, FloatArray]
"""Positions (T, N, 3) [m] and quaternions (T, N, 4) in the world."""


class SegmentPoses:
    """Segment poses of the source, the reference and the simulation.

    Without a reference or a simulation, they are those of the step before.
    """

    def __init__(self, baked: BakedCharacter, source: Motion) -> None:
        scenario, outcome, prepared = baked.scenario, baked.outcome, baked.prepared
        samples = len(source.time)
        source_qpos = pose_from_motion(scenario.spec, scenario.binding, source)
        self.source: Poses = segment_poses(scenario.spec, source_qpos)
        self.reference, self.new = self.source, self.source
        if prepared is not None:
            self.reference = segment_poses(scenario.spec, prepared.reference.qpos[:samples])
            self.new = self.reference if outcome is None else segment_poses(scenario.spec, outcome.trace.qpos)


class MappedJoints:
    """The joints that a result holds: the driver bone of each segment."""

    def __init__(self, scenario: Scenario, source: Motion, poses_source: Poses) -> None:
        binding = scenario.binding
        self.binding, self.source, self.poses_source = binding, source, poses_source
        index_of = {int(bone): index for index, bone in enumerate(binding.bone)}
        self.drivers = np.array([index_of[int(bone)] for bone in binding.driver])
        self.parent: IntArray = scenario.spec.parents
        self.source_position = source.position_world[:, binding.driver]
        self.source_quaternion = source.quaternion_world[:, binding.driver]
        repaired = on_control_grid(scenario.repaired) if scenario.repairs else source
        self.repaired_quaternion = repaired.quaternion_world[: len(source.time), binding.driver]

    def following(self, poses: Poses) -> Poses:
        """Return the joints as they follow segments with these poses."""
        return bones_on_segments(self.binding, self.source, self.poses_source, poses, self.drivers)


def bones_of(baked: BakedCharacter, poses_new: Poses) -> Poses:
    """Return all mapped bones at the source's own sample times."""
    scenario = baked.scenario
    poses_source, poses = segments_at_source_times(baked, poses_new)
    return bones_on_segments(scenario.binding, scenario.motion, poses_source, poses)


def segments_at_source_times(baked: BakedCharacter, poses_new: Poses) -> tuple[Poses, Poses]:
    """Return the segments in the source and in the result, at the source's own sample times.

    Where nothing of the body was simulated, both are the same to the last digit.
    """
    scenario, outcome = baked.scenario, baked.outcome
    poses_source = segment_poses(
        scenario.spec, pose_from_motion(scenario.spec, scenario.binding, scenario.motion)
    )
    if baked.prepared is None or len(baked.setup.kinematic_segments) == len(scenario.spec.segments):
        return poses_source, poses_source
    grid = baked.source.time[: len(poses_new[0])]
    position, quaternion = (at_source_times(grid, values, scenario.motion.time) for values in poses_new)
    poses = (position, rotations.normalise(quaternion))
    if outcome is not None:
        unchanged = np.interp(scenario.motion.time, grid, outcome.trace.simulated) == 0.0
        for new, own in zip(poses, poses_source, strict=True):
            new[unchanged] = own[unchanged]
    return poses_source, poses


def at_source_times(grid: FloatArray, values: FloatArray, time: FloatArray) -> FloatArray:
    """Interpolate values (T, N, .) linearly on a regular grid (T) [s], and hold them beyond its ends."""
    values = rotations.continuous(values) if values.shape[-1] == 4 else values
    sample = np.clip((time - grid[0]) / (grid[1] - grid[0]), 0.0, len(grid) - 1.0)
    low = np.minimum(sample.astype(np.int64), len(grid) - 2)
    share = (sample - low)[:, None, None]
    return (1.0 - share) * values[low] + share * values[low + 1]
