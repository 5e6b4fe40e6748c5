"""Kinematic motion in a simulation: bodies and body parts that follow a clip instead of the engine.

A whole character can play its clip, a part of the body can follow it while the rest is simulated, and a
simulated motion can be blended with its clip. The joints of a kinematic part get so much inertia that nothing
moves them, are set to the clip's state before every step, and are driven by the force that the clip's
acceleration needs, so that the segments attached to them feel the acceleration.
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
    """Poses qpos (T, nq) of one character at an interval dt [s], in the model of that character alone."""

    def __init__(self, model: mujoco.MjModel, qpos: FloatArray, dt: float) -> None:
        self.model, self.qpos, self.dt = model, qpos, dt
        between = pose_changes(model, qpos[:-1], qpos[1:], dt)
        self.qvel = np.vstack([between, between[-1:]])

    def at(self, sample: int, elapsed_s: float) -> tuple[FloatArray, FloatArray]:
        """Return the state (nq), (nv) at a time after a sample, at constant velocity up to the next one."""
        qpos = self.qpos[sample].copy()
        mujoco.mj_integratePos(self.model, qpos, self.qvel[sample], elapsed_s)
        return qpos, self.qvel[sample]

    def blended(self, qpos: FloatArray, share: FloatArray) -> FloatArray:
        """Return the clip moved by a share (T) of the difference to other poses qpos (T, nq)."""
        change = pose_changes(self.model, self.qpos[: len(qpos)], qpos)
        poses = self.qpos[: len(qpos)].copy()
        for pose, displacement in zip(poses, share[:, None] * change, strict=True):
            mujoco.mj_integratePos(self.model, pose, displacement, 1.0)
        return poses


HEAVY = 1e7
"""Inertia added to a kinematic joint [kg, kg m^2]: a force of 100 N moves it by 1e-11 m in a step."""
LOWER_BODY = ("pelvis", "thigh", "shin", "foot", "toe")
"""Body parts that follow their clip when only the upper body is simulated."""


def lower_body(names: Sequence[str]) -> tuple[int, ...]:
    """Return the indices of the segments that belong to the lower body."""
    return tuple(i for i, name in enumerate(names) if name.partition(".")[0] in LOWER_BODY)


class KinematicPart:
    """Segments of a character that follow a clip; all simulated segments are their descendants."""

    def __init__(self, world: World, clip: ClipPlayback, qacc: FloatArray, segments: Sequence[int]) -> None:
        """Prepare the engine's model for a kinematic part.

        qacc (T, nv): accelerations of the smooth reference, since the clip's own differences are noisy
        """
        self.clip, self.index = clip, world.engine.index
        model = world.engine.model
        self.qpos, self.dof = joint_indices(world, segments)
        self.qacc = qacc[:, self.dof]
        model.dof_armature[self.index.dof[self.dof]] = HEAVY
        # Static geoms must not push it: the attached segments would feel the ground's reaction twice.
        bodies = self.index.body[list(segments)]
        geoms = np.flatnonzero(np.isin(model.geom_bodyid, bodies))
        model.geom_conaffinity[geoms] &= PROP_BIT

    def set_state(self, data: mujoco.MjData, tick: int, elapsed_s: float) -> None:
        """Set the part's joints to the clip's state at a time after a tick."""
        qpos, qvel = self.clip.at(tick, elapsed_s)
        data.qpos[self.index.qpos[self.qpos]] = qpos[self.qpos]
        data.qvel[self.index.dof[self.dof]] = qvel[self.dof]
        data.qfrc_applied[self.index.dof[self.dof]] = HEAVY * self.qacc[tick]


def joint_indices(world: World, segments: Sequence[int]) -> tuple[IntArray, IntArray]:
    """Return the indices of the segments' joints in the character's qpos and in its qvel."""
    model, joints = world.model, world.index.joint[list(segments)]
    ends = [*model.jnt_qposadr, model.nq], [*model.jnt_dofadr, model.nv]
    qpos, dof = (np.concatenate([np.arange(at[j], at[j + 1]) for j in joints]) for at in ends)
    return qpos, dof


def blend_with_clip(trace: Trace, clip: ClipPlayback, spec: CharacterSpec, share: FloatArray) -> Trace:
    """Return a trace blended with the clip: share (T) is 1 for the trace alone, 0 for the clip alone.

    Forces are zero where nothing is simulated, because they are not known there.
    """
    qpos = clip.blended(trace.qpos, share)
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
    """Return the simulated share of each sample (T) for blends in from the clip and out to it at the ends."""
    share = np.ones(len(time))
    if blend_in_s > 0.0:
        share = share * smooth_step((time - time[0]) / blend_in_s)
    if blend_out_s > 0.0:
        share = share * smooth_step((time[-1] - time) / blend_out_s)
    return share
