"""Where a segment is played: its own frame, turned about the vertical and moved over the ground.

Nothing in a simulation over flat ground changes when all of it is turned and moved like this. So a segment
is prepared once, and a controller that sees the body in the segment's own frame follows it anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from ..simulation.protocol import Command, Controller, Impact, State


@dataclass(frozen=True, eq=False)
class Placement:
    """A turn (4) about the vertical and then a horizontal shift (3) [m], from a segment to the world."""

    turn: FloatArray = field(default_factory=lambda: IDENTITY_QUATERNION)
    shift: FloatArray = field(default_factory=lambda: np.zeros(3))

    @staticmethod
    def over(yaw: float, own: FloatArray, wanted: FloatArray) -> Placement:
        """Return the turn by an angle [rad] after which points (n, 3) are over others, on average."""
        turn = rotations.about_vertical(yaw)
        away = (wanted - rotations.rotate(turn, own)).mean(axis=0)
        return Placement(turn, away * np.array([1.0, 1.0, 0.0]))

    def poses(self, qpos: FloatArray) -> FloatArray:
        """Return poses (..., nq) of the segment's frame in the world."""
        placed = qpos.copy()
        placed[..., :3] = self.points(qpos[..., :3])
        placed[..., 3:7] = rotations.multiply(self.turn, qpos[..., 3:7])
        return placed

    def rates(self, qvel: FloatArray) -> FloatArray:
        """Return velocities or accelerations (..., nv) in the world; only the root's own change."""
        placed = qvel.copy()
        placed[..., :3] = self.vectors(qvel[..., :3])
        return placed

    def vectors(self, values: FloatArray) -> FloatArray:
        """Return directions or forces (..., 3) in the world."""
        return np.asarray(rotations.rotate(self.turn, values))

    def points(self, values: FloatArray) -> FloatArray:
        """Return points (..., 3) in the world [m]."""
        return np.asarray(rotations.rotate(self.turn, values) + self.shift)

    def after(self, earlier: Placement) -> Placement:
        """Return the placement that is another one first and then this one."""
        return Placement(rotations.multiply(self.turn, earlier.turn), self.points(earlier.shift))

    @property
    def inverse(self) -> Placement:
        """The placement of the world in the segment's frame."""
        back = rotations.conjugate(self.turn)
        return Placement(back, -rotations.rotate(back, self.shift))


class PlacedController:
    """A controller that follows its reference somewhere else, from one of its samples on."""

    def __init__(self, controller: Controller, placement: Placement, later_s: float) -> None:
        """Place a controller; later_s: by how much the run's time is later than the reference's [s]."""
        self.controller, self.placement, self.later_s = controller, placement, later_s
        self.inverse = placement.inverse

    def command(self, state: State) -> Command:
        """Return the controller's command, its assist in the world."""
        own, out = self.inverse, self.placement
        impacts = tuple(Impact(i.segment, i.source, own.vectors(i.impulse)) for i in state.impacts)
        seen = State(
            state.time - self.later_s,
            own.poses(state.qpos),
            own.rates(state.qvel),
            state.objects,
            impacts,
        )
        command = self.controller.command(seen)
        assist = np.concatenate([out.vectors(command.assist[:3]), out.vectors(command.assist[3:])])
        return replace(command, assist=assist)
