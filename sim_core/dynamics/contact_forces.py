"""The forces between a body and the ground that explain its motion best.

Newton's laws give the six sums of all outside forces; how they are shared out between feet and points they
leave open. Of all forces within the friction pyramids those are taken that leave least unexplained and ask
least of the joints above them: minimise
|root force|^2 + |2 root moment|^2 + |0.05 joint torque|^2 + |0.02 force / willing|^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray
from .frames import Frames
from .ground_forces import explain, pyramid
from .kinematics import cross_matrix

MOMENT_WEIGHT = 2.0
"""Of a newton metre at the root, against a newton."""
TORQUE_WEIGHT = 0.05
"""Of a newton metre in the legs: enough to choose between forces that Newton's laws leave open."""
RIDGE = 0.02
"""Of a newton of contact force, so that points share what they carry."""
FRICTION = 0.8
LEAST_ACTIVATION = 1e-3
"""What is less willing carries nothing."""
ROOT = 6
"""Degrees of freedom of the root."""


@dataclass(frozen=True, eq=False)
class Problem:
    """T samples, m rows of what is needed, 4 K edges of friction pyramids.

    columns (T, m, 4 K), needed (T, m); edges (4, 3); willing (T, K)
    """

    columns: FloatArray
    needed: FloatArray
    edges: FloatArray
    activation: FloatArray


def build_problem(
    frames: Frames,
    activation: FloatArray,
    wrench: FloatArray,
    torque: FloatArray,
    friction: float = FRICTION,
) -> Problem:
    """wrench (T, 6): outside force and moment about the com that the motion needs [N, Nm]

    torque (T, nv): that it needs without any contact; willing (T, K): of the frames' points, 0 to 1
    """
    usable = np.where(activation > LEAST_ACTIVATION, activation, 0.0)
    edges = pyramid(friction)
    forces = edges.T
    moments = MOMENT_WEIGHT * (cross_matrix(frames.points - frames.com[:, None]) @ forces)
    moved = np.flatnonzero(np.abs(frames.point_jacobian).max(axis=(0, 1, 2), initial=0.0) > 0.0)
    joints = moved[moved >= ROOT]
    torques = TORQUE_WEIGHT * (frames.point_jacobian[..., joints].swapaxes(-1, -2) @ forces)
    stacked = np.concatenate([np.broadcast_to(forces, moments.shape), moments, torques], axis=2)
    columns = (
        (stacked * usable[..., None, None]).transpose(0, 2, 1, 3).reshape(len(wrench), ROOT + len(joints), -1)
    )
    weighted = wrench * np.repeat([1.0, MOMENT_WEIGHT], 3)
    return Problem(columns, np.hstack([weighted, TORQUE_WEIGHT * torque[:, joints]]), edges, usable)


def solve(problem: Problem) -> FloatArray:
    """Forces at the points (T, K, 3) [N]."""
    found = explain(problem.columns, problem.needed, RIDGE, np.zeros_like(problem.needed))
    weights = found.weights.reshape(*problem.activation.shape, 4) * problem.activation[..., None]
    return np.asarray(weights @ problem.edges)
