"""The source of a character that follows a stream: the performer's poses on its rig, on the control grid."""

from __future__ import annotations

import mujoco
import numpy as np

from ..bake.setup import CharacterSetup
from ..base.conventions import Z_UP, FloatArray
from ..character.posing import pose_from_motion
from ..dynamics.centroidal import support_points_over_time
from ..motion.motion import CONTROL_DT, Motion, low_pass
from ..stream.performer_rig import PerformerRig
from ..stream.pose_buffer import PoseBuffer

SETTLING_S = 0.1
"""Time constant in which a performer who is not heard comes to rest [s]."""
VELOCITY_SAMPLES = 3
"""Samples over which the velocity of the newest pose is taken."""
LEAST_SAMPLES = 12
"""Samples from which velocities and the low-pass can be taken."""
STANDING_PERCENTILE = 25.0
"""Percentile of the height of the lower sole over the first frames that is taken for the floor. The lowest
points would be too low: rigid soles dip their tips when they push off."""


class PerformerFeed:
    """Samples of the source, counted from the start of the stream.

    start_s: time of sample 0 on the sender's clock; None before the start
    scale: the rig's size over the performer's; shift (3): by which the path is moved [m]
    """

    def __init__(self, setup: CharacterSetup, buffer: PoseBuffer) -> None:
        self.setup, self.buffer = setup, buffer
        self.rig = PerformerRig(setup.scenario.spec, setup.scenario.binding)
        self.start_s: float | None = None
        self.scale = 1.0
        self.shift: FloatArray = np.zeros(3)

    @property
    def end(self) -> int:
        """The first sample that has not come."""
        newest = self.buffer.newest_s
        if newest is None or self.start_s is None:
            return 0
        return int((newest - self.start_s) / CONTROL_DT + 1e-6) + 1

    def begin(self, samples: int) -> bool:
        """Start the motion with what has come; return False while that is less than some samples.

        The rig starts where it rests, on the floor, at its own size.
        """
        oldest, newest = self.buffer.oldest_s, self.buffer.newest_s
        if oldest is None or newest is None or newest - oldest < max(samples, LEAST_SAMPLES) * CONTROL_DT:
            return False
        leg = self.buffer.leg_m
        self.scale = self.rig.leg_m / leg if np.isfinite(leg) else 1.0
        self.start_s = oldest
        motion = self._read(0, self.end)
        if motion is None:
            self.start_s = None
            return False
        at_rest = self.rig.skeleton.rest_position_world[self.rig.hips]
        self.shift = (at_rest - motion.position_world[0, self.rig.hips]) * [1.0, 1.0, 0.0]
        floor = self._floor(self._poses(motion))
        self.shift = self.shift + (self.setup.world.ground_height - floor) * Z_UP
        return True

    def resume(self, now: int, newest: int, place: FloatArray) -> None:
        """Let the newest frame be that of a sample, and the hips be at a place (3) at another [m]."""
        newest_s = self.buffer.newest_s
        assert newest_s is not None, "a stream that has begun stays in the buffer"
        self.start_s = newest_s - newest * CONTROL_DT
        motion = self.source(now, now + 2)[0]
        away = place - motion.position_world[0, self.rig.hips]
        self.shift = self.shift + away * [1.0, 1.0, 0.0]

    def _floor(self, qpos: FloatArray) -> float:
        """Return the height of the floor that poses (T, nq) stand on: where the lower sole mostly is [m]."""
        index = self.setup.world.index
        points = support_points_over_time(self.setup.world, qpos, np.arange(index.soles))
        foot = index.foot_of_support[: index.soles]
        soles = [points[:, foot == own, 2].mean(axis=1) for own in (0, 1)]
        return float(np.percentile(np.min(soles, axis=0), STANDING_PERCENTILE))

    def source(self, first: int, end: int) -> tuple[Motion, FloatArray]:
        """Return the source from a sample up to before another: its bones, and its poses (T, nq).

        Samples that have not come are continued from the newest ones, ever slower; bones stop at once.
        """
        known = min(end, self.end)
        begin = max(min(first, known - LEAST_SAMPLES), 0)  # a stream may be silent for long
        motion = self._read(begin, known)
        assert motion is not None, "a stream that has begun stays in the buffer"
        smooth = low_pass(motion, self.setup.methods[0].cutoff_hz)
        poses = continued(self.setup.world.model, self._poses(smooth), end - begin)
        number = np.minimum(np.arange(first - begin, end - begin), len(motion.time) - 1)
        time = np.arange(len(number)) * CONTROL_DT
        held = Motion(motion.skeleton, time, motion.position_world[number], motion.quaternion_world[number])
        return held, poses[first - begin :]

    def _read(self, first: int, end: int) -> Motion | None:
        """Return the bones at samples on the control grid; None where the stream lacks some."""
        assert self.start_s is not None
        time = self.start_s + np.arange(first, end) * CONTROL_DT
        poses = self.buffer.between(float(time[0]), float(time[-1]))
        if poses is None:
            return None
        return self.rig.motion(poses, self.scale, self.shift).at(time)

    def _poses(self, motion: Motion) -> FloatArray:
        scenario = self.setup.scenario
        return pose_from_motion(scenario.spec, scenario.binding, motion)


def continued(model: mujoco.MjModel, qpos: FloatArray, samples: int) -> FloatArray:
    """Return poses (T, nq) with more of them at the end, as of a body that comes to rest, up to `samples`."""
    missing = samples - len(qpos)
    if missing <= 0:
        return qpos
    velocity = np.zeros(model.nv)
    before = max(len(qpos) - 1 - VELOCITY_SAMPLES, 0)
    seconds = max(len(qpos) - 1 - before, 1) * CONTROL_DT
    mujoco.mj_differentiatePos(model, velocity, seconds, qpos[before], qpos[-1])
    more = np.repeat(qpos[-1:], missing, axis=0)
    for sample, pose in enumerate(more, start=1):
        travelled_s = SETTLING_S * (1.0 - np.exp(-sample * CONTROL_DT / SETTLING_S))
        mujoco.mj_integratePos(model, pose, velocity, travelled_s)
    return np.concatenate([qpos, more])
