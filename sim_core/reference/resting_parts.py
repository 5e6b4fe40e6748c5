"""When other parts than the feet are meant to rest on the ground: hands, knees, the trunk, the head."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..world.world import World
from .contacts import POINT_LIFT, SUPPORT_SHARE, needed_support, without_blinks

REST_HEIGHT = 0.04
"""A part that rests is lower [m]."""
MAT_HEIGHT = 0.15
"""A body that something carries, but no foot, lies on its lowest parts, if they are lower than this [m]."""
REST_SPEED, REST_SPEED_SHARE = 0.5, 0.35
"""Its lowest point moves slower than this [m/s], or than this share of the body's speed."""


def detect_rests(
    world: World, qpos: FloatArray, dt: float, com: FloatArray, size: float, stands: BoolArray
) -> tuple[BoolArray, IntArray]:
    """When supports touch (T, N), and which they are (N): those that touch or are in the ground at some time.

    com (T, 3); size: leg length over 0.86 m; stands (T): some foot does
    """
    others = np.arange(world.index.soles, len(world.index.support_body))
    points, speed = _lowest_points(world, qpos, dt, others)
    height = (points[..., 2] - world.ground_height) / size
    com_speed = np.linalg.norm(np.gradient(com, dt, axis=0), axis=-1)
    limit = np.maximum(REST_SPEED * np.sqrt(size), REST_SPEED_SHARE * com_speed)[:, None]
    rests = (height < REST_HEIGHT) & (_lift(height, world.index.support_body[others]) < POINT_LIFT)
    lowest = height.min(axis=1, keepdims=True)
    carried = ~stands & (needed_support(com, dt) > SUPPORT_SHARE) & (lowest[:, 0] < MAT_HEIGHT)
    landed = carried[:, None] & (height < lowest + POINT_LIFT)
    touches = without_blinks((rests & (speed < limit)) | landed, dt)
    involved = touches.any(axis=0) | (height < 0.0).any(axis=0)
    return touches[:, involved], others[involved]


def _lift(height: FloatArray, body: IntArray) -> FloatArray:
    """How far each point (T, N) is above the lowest one of its body, as a flat part's upper side is."""
    lowest = np.stack([height[:, body == b].min(axis=1) for b in body], axis=1)
    return height - lowest


def _lowest_points(
    world: World, qpos: FloatArray, dt: float, supports: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Places (T, N, 3) [m] and speeds (T, N) [m/s] of the matter at the supports' lowest points."""
    model, data, index = world.model, mujoco.MjData(world.model), world.index
    bodies = index.support_body[supports]
    origin, turn = np.zeros((len(qpos), len(bodies), 3)), np.zeros((len(qpos), len(bodies), 3, 3))
    for t, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        origin[t], turn[t] = data.xpos[bodies], data.xmat[bodies].reshape(-1, 3, 3)
    points = origin + (turn @ index.support_point[supports, :, None])[..., 0]
    points[..., 2] -= index.support_radius[supports]
    # A rolling part touches with ever new matter: follow what touches now from the sample before to the next.
    fixed = turn.swapaxes(-1, -2) @ (points - origin)[..., None]
    before, after = (
        np.maximum(np.arange(len(qpos)) - 1, 0),
        np.minimum(np.arange(len(qpos)) + 1, len(qpos) - 1),
    )
    way = (origin[after] - origin[before]) + ((turn[after] - turn[before]) @ fixed)[..., 0]
    return points, np.linalg.norm(way, axis=-1) / ((after - before) * dt)[:, None]
