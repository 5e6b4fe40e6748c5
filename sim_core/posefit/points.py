"""Points attached to links: their positions and Jacobians."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..dynamics.kinematics import cross_matrix, moving_dofs
from .fit_body import EngineBody


@dataclass(frozen=True, eq=False)
class Attachments:
    """M points on links.

    link (M): indices of links; offset (M, 3): positions in the links' frames [m]
    """

    link: IntArray
    offset: FloatArray


@dataclass(frozen=True, eq=False)
class PointFrames:
    """Points in T poses.

    point (T, M, 3) [m]; jacobian (T, M, 3, nv); rotation (T, L, 3, 3): of all links
    """

    point: FloatArray
    jacobian: FloatArray
    rotation: FloatArray


def point_positions(engine: EngineBody, attachments: Attachments, qpos: FloatArray) -> FloatArray:
    """Return points (T, M, 3) in poses (T, nq) [m]."""
    result = np.zeros((len(qpos), len(attachments.link), 3))
    body = engine.body[attachments.link]
    for t, pose in enumerate(qpos):
        engine.set_pose(pose)
        result[t] = current_positions(engine, body, attachments.offset)
    return result


def current_positions(engine: EngineBody, body: IntArray, offset: FloatArray) -> FloatArray:
    """Return points (M, 3) on the engine's bodies (M), in the pose that was set last [m]."""
    turns = engine.data.xmat[body].reshape(-1, 3, 3)
    return np.asarray(engine.data.xpos[body] + (turns @ offset[..., None])[..., 0])


def measure_points(engine: EngineBody, attachments: Attachments, qpos: FloatArray) -> PointFrames:
    """Return positions and Jacobians in poses (T, nq)."""
    model, data, count = engine.model, engine.data, len(qpos)
    bodies = engine.body[attachments.link]
    axes = np.zeros((count, model.nv, 6))
    centre = np.zeros((count, 3))
    origin = np.zeros((count, len(engine.body), 3))
    turns = np.zeros((count, len(engine.body), 9))
    root = int(engine.body[0])
    for t, pose in enumerate(qpos):
        engine.set_pose(pose)
        mujoco.mj_comPos(model, data)
        axes[t], centre[t] = data.cdof, data.subtree_com[root]
        origin[t], turns[t] = data.xpos[engine.body], data.xmat[engine.body]
    rotation = turns.reshape(count, -1, 3, 3)
    link = attachments.link
    point = origin[:, link] + (rotation[:, link] @ attachments.offset[..., None])[..., 0]
    moved = np.array([moving_dofs(model, int(body)) for body in bodies]).reshape(-1, 1, model.nv)
    turn, shift = axes[:, None, :, :3].swapaxes(2, 3), axes[:, None, :, 3:].swapaxes(2, 3)
    arms = point - centre[:, None]
    jacobian = np.where(moved, shift - cross_matrix(arms) @ turn, 0.0)
    return PointFrames(point, jacobian, rotation)
