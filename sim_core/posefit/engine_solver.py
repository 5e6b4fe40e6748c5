"""One pose at a time: a step of the physics engine as a damped Gauss-Newton step.

Points are pulled to their targets by the engine's soft constraints (physics-engine movement analysis
dissertation, ch. 5.2), without gravity and from rest, so that nothing lags: with the reference acceleration
-r / h^2 a step of length h solves J dq = -r, with the mass matrix as damping. Joint limits and springs
towards a prior pose are the engine's own.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import BoolArray, FloatArray
from .fit_body import STEP_S, EngineBody, JointedBody
from .points import Attachments, current_places
from .pose_terms import cauchy_weights

ODDS = 19.0
"""How a point that fits is weighed against the masses it moves: d / (1 - d) with d = 0.95."""


@dataclass(frozen=True, eq=False)
class Pull:
    """Where M points should be.

    target (M, 3) [m]; NaN leaves a point alone
    weight (M): 1 is a marker's; scale [m]: beyond this distance a point loses its force; None: never
    axes (M, 3): along which world axes a point is pulled; None: all
    dead_zone (M): nearer than this is near enough [m]; None: 0
    """

    target: FloatArray
    weight: FloatArray | None = None
    scale: float | None = None
    axes: BoolArray | None = None
    dead_zone: FloatArray | None = None


class EngineSolver:
    """Pulls points of a body to targets, starting from any pose."""

    def __init__(self, body: JointedBody, points: Attachments) -> None:
        spec = mujoco.MjSpec()
        for i, (link, offset) in enumerate(zip(points.link, points.offset, strict=True)):
            made = spec.add_equality(name=f"point/{i}", type=mujoco.mjtEq.mjEQ_CONNECT)
            made.objtype = mujoco.mjtObj.mjOBJ_BODY
            made.name1, made.name2 = body.links[int(link)].name, "world"
            made.data[:3] = offset
        self.engine = EngineBody(body, spec)
        self.points = points
        self._bodies = self.engine.body[points.link]
        self.set_prior(self.engine.neutral)

    def set_prior(self, qpos: FloatArray) -> None:
        """The pose that joint springs pull to (nq); without one it is the neutral pose."""
        self.engine.model.qpos_spring[:] = qpos

    def solve(self, qpos: FloatArray, pull: Pull, steps: int) -> FloatArray:
        """The pose (nq) after some steps from `qpos`."""
        model, data = self.engine.model, self.engine.data
        seen: BoolArray = np.asarray(np.isfinite(pull.target).all(axis=1))
        data.eq_active[:] = seen
        data.qpos[:] = qpos
        for _ in range(steps):
            mujoco.mj_kinematics(model, data)
            self._aim(pull, seen)
            data.qvel[:] = 0.0
            mujoco.mj_step(model, data)
        return np.array(data.qpos)

    def _aim(self, pull: Pull, seen: BoolArray) -> None:
        """Sets targets and weights of all points for the next step."""
        model = self.engine.model
        here = current_places(self.engine, self._bodies, self.points.offset)
        away = np.where(seen[:, None], pull.target - here, 0.0)
        if pull.axes is not None:
            away = np.where(pull.axes, away, 0.0)
        distance = np.sqrt((away * away).sum(axis=1))
        if pull.dead_zone is not None:
            share = np.clip(1.0 - pull.dead_zone / np.maximum(distance, 1e-9), 0.0, 1.0)
            away, distance = away * share[:, None], distance * share
        odds = np.full(len(distance), ODDS) if pull.weight is None else ODDS * pull.weight
        if pull.scale is not None:
            odds = odds * cauchy_weights(distance, pull.scale)
        share_d = np.clip(odds / (1.0 + odds), 1e-4, 0.9999)
        model.eq_data[:, 3:6] = here + away
        model.eq_solimp[:, 0] = model.eq_solimp[:, 1] = share_d
        model.eq_solref[:, 0] = -share_d / STEP_S**2
        model.eq_solref[:, 1] = -1e-6
