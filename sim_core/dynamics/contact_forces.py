"""The forces between a body and the ground that explain its motion best.

Newton's laws give the contact wrench, which is force and moment of all contacts together, but not how feet
and points share it. Of all forces within the friction pyramids those are taken that leave the smallest
residual and need the smallest joint torques: minimise
|root force|^2 + |2 root moment|^2 + |0.05 joint torque|^2 + |0.02 force / activation|^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, FloatArray
from .centroidal import SupportFrames
from .kinematics import cross_matrix
from .nonnegative_least_squares import solve_nonnegative, unconstrained_residual

MOMENT_WEIGHT = 2.0
"""Weight of a newton metre at the root, relative to a newton."""
TORQUE_WEIGHT = 0.05
"""Weight of a newton metre in the legs: enough to decide what Newton's laws do not determine."""
RIDGE = 0.02
"""Weight of a newton of contact force, so that the points share the load."""
FRICTION = 0.8
MIN_ACTIVATION = 1e-3
"""Points that are less active bear no load."""
ROOT = 6
"""Number of degrees of freedom of the root."""
_SIDES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]], dtype=np.float64)

GRIP_EDGES = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(3.0)
"""Edges (4, 3) of a hand that holds on: their sums with weights that are not negative are all directions."""
GRIP_WEIGHT = 0.5 * np.sqrt(3.0)
"""Largest weight of each of them for which no sum is longer than 1; two edges at their largest reach 1."""


def friction_pyramid(friction: float | FloatArray) -> FloatArray:
    """Return the edges (..., 4, 3) of friction pyramids (...) about Z, each with a vertical part of 1."""
    return np.asarray(np.multiply.outer(friction, _SIDES) + Z_UP)


def friction_pyramids(friction: float | FloatArray, normal: FloatArray) -> FloatArray:
    """Return the edges (..., 4, 3) of friction pyramids about unit normals (..., 3) that point up.

    friction: one coefficient, or one for each normal (...)
    """
    return friction_pyramid(friction) @ rotations.from_up(normal).swapaxes(-1, -2)


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """The least squares problem of T frames with m rows and K contact points.

    matrix (T, m, 4 K): effect of the pyramids' edges; target (T, m)
    edges (4, 3): of a pyramid; activation (T, K): of the points, 0 to 1
    """

    matrix: FloatArray
    target: FloatArray
    edges: FloatArray
    activation: FloatArray


def build_contact_problem(
    frames: SupportFrames,
    activation: FloatArray,
    wrench: FloatArray,
    torque: FloatArray,
    friction: float = FRICTION,
) -> ContactProblem:
    """Build the problem of the contact forces at the points of the frames.

    activation (T, K): how much of the usual load each point may bear, 0 to 1
    wrench (T, 6): external force and moment about the centre of mass that the motion needs [N, Nm]
    torque (T, nv): generalised force that the motion needs without any contact
    """
    usable = np.where(activation > MIN_ACTIVATION, activation, 0.0)
    edges = friction_pyramid(friction)
    forces = edges.T
    moments = cross_matrix(frames.points - frames.com[:, None]) @ forces
    joints = ROOT + np.flatnonzero(frames.moved[:, ROOT:].any(axis=0))
    axes = frames.axes[:, None, joints]
    torques = (axes[..., 3:] @ forces + axes[..., :3] @ moments) * frames.moved[:, joints, None]
    weighted = (np.broadcast_to(forces, moments.shape), MOMENT_WEIGHT * moments, TORQUE_WEIGHT * torques)
    stacked = np.concatenate(weighted, axis=2)
    matrix = (
        (stacked * usable[..., None, None]).transpose(0, 2, 1, 3).reshape(len(wrench), ROOT + len(joints), -1)
    )
    target = np.hstack([wrench * np.repeat([1.0, MOMENT_WEIGHT], 3), TORQUE_WEIGHT * torque[:, joints]])
    return ContactProblem(matrix, target, edges, usable)


def solve_contact_forces(problem: ContactProblem) -> FloatArray:
    """Return the forces at the points (T, K, 3) [N]."""
    # What is left where forces may also pull is near the solution, which no longer depends on the guess.
    guess = unconstrained_residual(problem.matrix, problem.target, RIDGE)
    found = solve_nonnegative(problem.matrix, problem.target, RIDGE, guess)
    weights = found.weights.reshape(*problem.activation.shape, 4) * problem.activation[..., None]
    return np.asarray(weights @ problem.edges)
