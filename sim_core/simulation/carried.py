"""A part of the body that follows its clip while the rest is simulated.

Its joints are made so heavy that nothing moves them, are put where the clip says before every step, and are
pushed by just what the clip's acceleration needs, so that what hangs on them feels how they are moved.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ..character.model import PROP_BIT
from ..conventions import FloatArray, IntArray
from .clip import Clip
from .world import World

HEAVY = 1e7
"""Added inertia of a joint that follows its clip [kg, kg m^2]: a blow of 100 N moves it by 1e-11 m a step."""
LOWER_BODY = ("pelvis", "thigh", "shin", "foot", "toe")
"""Parts that follow their clip when only the upper body is simulated."""


def lower_body(names: Sequence[str]) -> tuple[int, ...]:
    """Segments of the lower body."""
    return tuple(i for i, name in enumerate(names) if name.partition(".")[0] in LOWER_BODY)


class Carried:
    """Segments of a character that follow a clip, parents of all that does not."""

    def __init__(self, world: World, clip: Clip, qacc: FloatArray, segments: Sequence[int]) -> None:
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
