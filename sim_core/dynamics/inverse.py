"""Inverse dynamics: the forces behind a motion."""

from __future__ import annotations

import mujoco
import numpy as np

from ..conventions import FloatArray
from .kinematics import Kinematics


def inverse_dynamics(
    kinematics: Kinematics, qpos: FloatArray, qvel: FloatArray, qacc: FloatArray
) -> FloatArray:
    """Generalised force (nv) that makes the motion without any contact: M qacc + bias."""
    model, data = kinematics.world.model, kinematics.data
    kinematics.set(qpos, qvel)
    data.qacc[:] = qacc
    force = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 1, force)
    return force + model.dof_armature * qacc
