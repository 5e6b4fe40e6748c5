"""Inputs of the tracking QP: joint torques, contact forces and assist, with their costs and bounds.

The inputs x are those of da Silva et al. 2008, eq. 7: torques u_f, and weights lambda >= 0 of the edges of
friction pyramids. The assist is an external force and torque at the pelvis, within a cap.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import block_diag

from ...base.conventions import FloatArray
from ...dynamics.contact_forces import GRIP_EDGES, GRIP_WEIGHT, friction_pyramid, friction_pyramids
from ...world.grips import grip_strength
from ...world.ground import FlatGround
from ...world.world import World
from .prediction import Prediction
from .tracker_settings import TrackerSettings

LARGEST_EDGE_WEIGHT = 1e5
"""Bound of a pyramid edge's weight [N]: far above any force that occurs."""
LEAST_EDGE_COST = 1e-6
"""Cost of a pyramid edge's squared weight that makes the four weights of a point unique [1/N^2]."""


@dataclass(frozen=True, eq=False)
class InputCost:
    """The quadratic cost x' hessian x / 2 of inputs x (n), and their bounds low, high (n).

    stacks: the stacked costs that begin with this one, by those that follow; they end with their tracker
    """

    hessian: FloatArray
    low: FloatArray
    high: FloatArray
    stacks: dict[tuple[InputCost, ...], InputCost] = field(default_factory=dict, init=False, repr=False)

    def stacked(self, others: tuple[InputCost, ...]) -> InputCost:
        """Return this cost and those of the groups that follow as the cost of one group."""
        found = self.stacks.get(others)
        if found is None:
            costs = (self, *others)
            found = self.stacks[others] = InputCost(
                block_diag(*(cost.hessian for cost in costs)),
                np.concatenate([cost.low for cost in costs]),
                np.concatenate([cost.high for cost in costs]),
            )
        return found


@dataclass(frozen=True, eq=False)
class InputGroup:
    """Inputs x (n) of one kind.

    force (n, nv): generalised force of one unit of each input
    gradient (n): linear part of their cost; cost: the quadratic part, and the bounds
    """

    name: str
    force: FloatArray
    gradient: FloatArray
    cost: InputCost


class TrackingInputs:
    """Makes the inputs of a character; edges (4, 3): of the friction pyramid on flat ground.

    torques: of the actuated joints [Nm]
    """

    def __init__(self, world: World, settings: TrackerSettings, assist_cap: float) -> None:
        self.world, self.settings, self.assist_cap = world, settings, assist_cap
        self.edges = friction_pyramid(settings.friction)
        self.torques = joint_torques(world, settings.torque)
        self._contact_costs: dict[tuple[bool, ...], InputCost] = {}
        self._assist_cost = self._make_assist_cost()

    def contacts(self, prediction: Prediction, planned: FloatArray) -> InputGroup:
        """Return the weights of the pyramid edges of P points; planned (P, 3): forces of the plan [N].

        The cost is that of departing from the planned forces.
        """
        edges, points = self._edges(prediction), len(prediction.points)
        force = (edges @ prediction.point_jacobian).reshape(4 * points, len(prediction.bias))
        gradient = -self.settings.force * (edges @ planned[..., None]).ravel()
        held = tuple(prediction.held.tolist())
        if held not in self._contact_costs:
            self._contact_costs[held] = self._make_contact_cost(held)
        return InputGroup("contact forces", force, gradient, self._contact_costs[held])

    def assist(self, jacobian: FloatArray, last: FloatArray) -> InputGroup:
        """Return the external force [N] and torque [Nm] at the pelvis.

        jacobian (6, nv): of the pelvis; last (6): the assist of the last control interval
        """
        gradient = -(self.settings.assist_change / self.assist_cap**2) * last
        return InputGroup("assist", jacobian, gradient, self._assist_cost)

    def _edges(self, prediction: Prediction) -> FloatArray:
        """Return the pyramids' edges: (P, 4, 3), or (4, 3) for all points where the ground is flat."""
        if isinstance(self.world.ground, FlatGround) and not prediction.held.any():
            return self.edges
        edges = friction_pyramids(self.settings.friction * prediction.friction_scale, prediction.normal)
        edges[prediction.held] = GRIP_EDGES
        return edges

    def _make_contact_cost(self, held: tuple[bool, ...]) -> InputCost:
        """Return the cost of the edges of points; that of upright pyramids serves sloped ground, too.

        held: which of the points are grips, whose force is limited
        """
        edges = [GRIP_EDGES if own else self.edges for own in held]
        points = [self.settings.force * own @ own.T + LEAST_EDGE_COST * np.eye(4) for own in edges]
        count = 4 * len(held)
        hessian = np.asarray(block_diag(*points)).reshape(count, count)
        most = np.where(held, GRIP_WEIGHT * grip_strength(self.world.spec), LARGEST_EDGE_WEIGHT)
        return InputCost(hessian, np.zeros(count), np.repeat(most, 4))

    def _make_assist_cost(self) -> InputCost:
        weight, cap = self.settings.assist + self.settings.assist_change, self.assist_cap
        return InputCost(np.eye(6) * weight / max(cap, 1e-9) ** 2, np.full(6, -cap), np.full(6, cap))


def capped_assist(assist: FloatArray, cap: float) -> FloatArray:
    """Return force [N] and torque [Nm] (6), each shortened to the length of the cap where it is longer."""
    both = assist.reshape(2, 3)
    length = np.sqrt((both * both).sum(axis=1, keepdims=True))
    return (both * np.minimum(1.0, cap / np.maximum(length, 1e-12))).ravel()


def joint_torques(world: World, weight: float) -> InputGroup:
    """Return the torques of the actuated joints [Nm]; weight: of torques as shares of their limits."""
    limit, dofs = world.index.torque_limit, world.index.actuated_dof
    force = np.zeros((len(dofs), world.model.nv))
    force[np.arange(len(dofs)), dofs] = 1.0
    cost = InputCost(np.diag(weight / limit**2), -limit, limit)
    return InputGroup("joint torques", force, np.zeros(len(dofs)), cost)
