"""The plan that the tracker follows: a reference, its contacts, and the centroidal motion of both."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ...base.conventions import FloatArray
from ...dynamics.centroidal import measure_centroidal
from ...reference.contacts import ContactGround, ContactSchedule
from ...reference.reference import Reference
from ...world.world import World


@dataclass(frozen=True, eq=False)
class TrackingPlan:
    """A planned motion at T samples.

    com, com_velocity, com_acceleration (T, 3)
    momentum, momentum_rate (T, 3): angular, about the com
    foot, foot_velocity, foot_acceleration (T, 2, 3): origins of the feet
    support_points (T, K, 3) [m], support_force (T, K, 3) [N]: of the schedule's points
    inertia (T, 3, 3): of the whole body about its com [kg m^2]
    """

    reference: Reference
    schedule: ContactSchedule
    contact_ground: ContactGround
    support_points: FloatArray
    support_force: FloatArray
    com: FloatArray
    com_velocity: FloatArray
    com_acceleration: FloatArray
    momentum: FloatArray
    momentum_rate: FloatArray
    foot: FloatArray
    foot_velocity: FloatArray
    foot_acceleration: FloatArray
    inertia: FloatArray

    def __len__(self) -> int:
        return len(self.reference)


def make_plan(
    world: World,
    reference: Reference,
    schedule: ContactSchedule,
    contact_ground: ContactGround,
    support_force: FloatArray,
) -> TrackingPlan:
    """Return the plan of a reference; support_force (T, K, 3): planned at the schedule's points [N]."""
    frames = measure_centroidal(world, reference.qpos, schedule.support)
    dt = reference.dt
    momentum = np.einsum("tiv,tv->ti", frames.momentum_matrix, reference.qvel)
    feet = _feet(world, reference)
    return TrackingPlan(
        reference=reference,
        schedule=schedule,
        contact_ground=contact_ground,
        support_points=frames.points,
        support_force=support_force,
        com=frames.com,
        com_velocity=np.gradient(frames.com, dt, axis=0),
        com_acceleration=second_difference(frames.com, dt),
        momentum=momentum,
        momentum_rate=np.gradient(momentum, dt, axis=0),
        foot=feet,
        foot_velocity=np.gradient(feet, dt, axis=0),
        foot_acceleration=second_difference(feet, dt),
        inertia=_inertia(world, reference),
    )


def second_difference(values: FloatArray, dt: float) -> FloatArray:
    """Return the accelerations (T, ...) of values on the same samples; the ends repeat their neighbours."""
    result = np.zeros_like(values)
    if len(values) > 2:
        result[1:-1] = (values[2:] - 2.0 * values[1:-1] + values[:-2]) / dt**2
        result[0], result[-1] = result[1], result[-2]
    return result


def _feet(world: World, reference: Reference) -> FloatArray:
    """Return the positions of the feet (T, 2, 3) [m]."""
    data = mujoco.MjData(world.model)
    bodies = world.index.feet
    feet = np.zeros((len(reference), len(bodies), 3))
    for t in range(len(reference)):
        data.qpos[:] = reference.qpos[t]
        mujoco.mj_kinematics(world.model, data)
        feet[t] = data.xpos[bodies]
    return feet


def _inertia(world: World, reference: Reference) -> FloatArray:
    """Return the locked inertia of the body about its com, in the world (T, 3, 3)."""
    model, data = world.model, mujoco.MjData(world.model)
    result = np.zeros((len(reference), 3, 3))
    full = np.zeros((model.nv, model.nv))
    mass = world.spec.mass
    for t in range(len(reference)):
        data.qpos[:] = reference.qpos[t]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_fullM(model, data, full)
        rotation = data.xmat[world.index.body[0]].reshape(3, 3)
        about_root = rotation @ full[3:6, 3:6] @ rotation.T
        arm = data.subtree_com[world.index.body[0]] - data.xpos[world.index.body[0]]
        result[t] = about_root - mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return result
