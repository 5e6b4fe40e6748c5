"""Segments, joints and bones of source, reference and result."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..character.posing import bones_on_segments, pose_from_motion, segment_poses
from ..motion.motion import Motion
from ..scenario.scenario import Scenario
from .baked import BakedCharacter

Poses = tuple[FloatArray, FloatArray]
"""Positions (T, N, 3) [m] and quaternions (T, N, 4) in the world."""


class AllPoses:
    """Segment poses of source, reference and simulation; where one was not made, those of the one before."""

    def __init__(self, baked: BakedCharacter, source: Motion) -> None:
        scenario, outcome, prepared = baked.scenario, baked.outcome, baked.prepared
        samples = len(source.time)
        source_qpos = pose_from_motion(scenario.spec, scenario.binding, source)
        self.source: Poses = segment_poses(scenario.spec, source_qpos)
        self.reference, self.new = self.source, self.source
        if prepared is not None:
            self.reference = segment_poses(scenario.spec, prepared.reference.qpos[:samples])
            self.new = self.reference if outcome is None else segment_poses(scenario.spec, outcome.trace.qpos)


class Joints:
    """The mapped joints: each segment's driver bone."""

    def __init__(self, scenario: Scenario, source: Motion, poses_source: Poses) -> None:
        binding = scenario.binding
        self.binding, self.source, self.poses_source = binding, source, poses_source
        position_of = {int(b): i for i, b in enumerate(binding.bone)}
        self.drivers = np.array([position_of[int(b)] for b in binding.driver])
        self.parent: IntArray = scenario.spec.parents
        self.source_position = source.position_world[:, binding.driver]
        self.source_quaternion = source.quaternion_world[:, binding.driver]

    def carried(self, poses: Poses) -> Poses:
        return bones_on_segments(self.binding, self.source, self.poses_source, poses, self.drivers)


def bones_of(baked: BakedCharacter, poses_new: Poses) -> Poses:
    """All mapped bones at the source's own sample times."""
    scenario = baked.scenario
    poses_source = segment_poses(
        scenario.spec, pose_from_motion(scenario.spec, scenario.binding, scenario.motion)
    )
    if baked.prepared is None:
        return bones_on_segments(scenario.binding, scenario.motion, poses_source, poses_source)
    grid = baked.source.time[: len(poses_new[0])]
    at_source_times = tuple(_interpolated(grid, values, scenario.motion.time) for values in poses_new)
    poses = (at_source_times[0], rotations.normalise(at_source_times[1]))
    if baked.outcome is not None:
        played = np.interp(scenario.motion.time, grid, baked.outcome.trace.simulated) == 0.0
        for new, own in zip(poses, poses_source, strict=True):
            new[played] = own[played]
    return bones_on_segments(scenario.binding, scenario.motion, poses_source, poses)


def _interpolated(grid: FloatArray, values: FloatArray, time: FloatArray) -> FloatArray:
    """Linear between samples, held at the ends; quaternions must be sign-continuous."""
    values = rotations.continuous(values) if values.shape[-1] == 4 else values
    place = np.clip((time - grid[0]) / (grid[1] - grid[0]), 0.0, len(grid) - 1.0)
    low = np.minimum(place.astype(np.int64), len(grid) - 2)
    share = (place - low)[:, None, None]
    return (1.0 - share) * values[low] + share * values[low + 1]
