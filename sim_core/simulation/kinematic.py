"""A clip that a character plays as it is, instead of being simulated.

A part of the body that follows its clip while the rest is simulated.

Its joints are made so heavy that nothing moves them, are put where the clip says before every step, and are
pushed by just what the clip's acceleration needs, so that what hangs on them feels how they are moved.

A simulated motion that is mixed with the clip it came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.intervals import smooth_step
from ..character.posing import segment_centres, segment_poses
from ..character.spec import CharacterSpec
from ..reference.reference import pose_changes
from ..world.character_model import PROP_BIT
from ..world.world import World
from .trace import Trace


class ClipPlayback:
    """Poses qpos (T, nq) at an interval dt [s] of a character that is alone in its model."""

    def __init__(self, model: mujoco.MjModel, qpos: FloatArray, dt: float) -> None:
        self.model, self.qpos, self.dt = model, qpos, dt
        between = pose_changes(model, qpos[:-1], qpos[1:], dt)
        self.qvel = np.vstack([between, between[-1:]])

    def at(self, sample: int, elapsed_s: float) -> tuple[FloatArray, FloatArray]:
        """State (nq), (nv) at a time after a sample, at constant speed from there to the next one."""
        qpos = self.qpos[sample].copy()
        mujoco.mj_integratePos(self.model, qpos, self.qvel[sample], elapsed_s)
        return qpos, self.qvel[sample]

    def mixed(self, start: int, qpos: FloatArray, share: FloatArray) -> FloatArray:
        """Poses that are qpos (T, nq) by a share (T) and the clip, from sample `start` on, by the rest."""
        change = pose_changes(self.model, self.qpos[start : start + len(qpos)], qpos)
        poses = self.qpos[start : start + len(qpos)].copy()
        for pose, way in zip(poses, share[:, None] * change, strict=True):
            mujoco.mj_integratePos(self.model, pose, way, 1.0)
        return poses


HEAVY = 1e7
"""Added inertia of a joint that follows its clip [kg, kg m^2]: a blow of 100 N moves it by 1e-11 m a step."""
LOWER_BODY = ("pelvis", "thigh", "shin", "foot", "toe")
"""Parts that follow their clip when only the upper body is simulated."""


def lower_body(names: Sequence[str]) -> tuple[int, ...]:
    """Segments of the lower body."""
    return tuple(i for i, name in enumerate(names) if name.partition(".")[0] in LOWER_BODY)


class KinematicPart:
    """Segments of a character that follow a clip, parents of all that does not."""

    def __init__(self, world: World, clip: ClipPlayback, qacc: FloatArray, segments: Sequence[int]) -> None:
        """qacc (T, nv): accelerations without the noise that a clip's differences have"""
        self.clip, self.index = clip, world.engine.index
        model = world.engine.model
        self.qpos, self.dof = own_places(world, segments)
        self.qacc = qacc[:, self.dof]
        model.dof_armature[self.index.dof[self.dof]] = HEAVY
        # What stands still does not push it, or all that hangs on it would feel the ground twice.
        bodies = self.index.body[list(segments)]
        geoms = np.flatnonzero(np.isin(model.geom_bodyid, bodies))
        model.geom_conaffinity[geoms] &= PROP_BIT

    def put(self, data: mujoco.MjData, tick: int, elapsed_s: float) -> None:
        """Where the clip has it at a time after a tick."""
        qpos, qvel = self.clip.at(tick, elapsed_s)
        data.qpos[self.index.qpos[self.qpos]] = qpos[self.qpos]
        data.qvel[self.index.dof[self.dof]] = qvel[self.dof]
        data.qfrc_applied[self.index.dof[self.dof]] = HEAVY * self.qacc[tick]


def own_places(world: World, segments: Sequence[int]) -> tuple[IntArray, IntArray]:
    """Where joint coordinates and velocities of segments are in a character's own arrays."""
    model, joints = world.model, world.index.joint[list(segments)]
    ends = [*model.jnt_qposadr, model.nq], [*model.jnt_dofadr, model.nv]
    qpos, dof = (np.concatenate([np.arange(own[j], own[j + 1]) for j in joints]) for own in ends)
    return qpos, dof


def mixed(trace: Trace, clip: ClipPlayback, spec: CharacterSpec, share: FloatArray) -> Trace:
    """The trace by a share (T) and the clip by the rest; no forces are known where nothing is simulated."""
    qpos = clip.mixed(0, trace.qpos, share)
    qpos[share == 1.0] = trace.qpos[share == 1.0]
    simulated = trace.simulated * share
    acts = simulated > 0.0
    return replace(
        trace,
        qpos=qpos,
        body_com=segment_centres(spec, *segment_poses(spec, qpos)),
        assist=trace.assist * acts[:, None],
        push=trace.push * acts[:, None],
        torque=trace.torque * acts[:, None],
        contact_force=trace.contact_force * acts[:, None, None],
        simulated=simulated,
    )


def end_shares(time: FloatArray, blend_in_s: float, blend_out_s: float) -> FloatArray:
    """How much of each sample (T) is simulated if it comes from the clip and goes back to it at its ends."""
    share = np.ones(len(time))
    if blend_in_s > 0.0:
        share = share * smooth_step((time - time[0]) / blend_in_s)
    if blend_out_s > 0.0:
        share = share * smooth_step((time[-1] - time) / blend_out_s)
    return share
