"""One pose at a time: a step of the physics engine as a damped Gauss-Newton step.

Points are pulled to their targets by the engine's soft constraints (physics-engine movement analysis
dissertation, ch. 5.2), without gravity and from rest, so that there is no lag: with the reference
acceleration -r / h^2 a step of length h solves J dq = -r, with the mass matrix as damping. Joint limits and
springs towards a prior pose are the engine's own.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..base.progress import FractionCallback, ignore_progress
from .fit_body import STEP_S, EngineBody, JointedBody
from .points import Attachments, current_positions
from .pose_terms import cauchy_weights

ODDS = 19.0
"""Weight of a point relative to the masses that it moves: d / (1 - d) with the impedance d = 0.95."""


@dataclass(frozen=True, eq=False)
class Pull:
    """Targets of M points.

    target (M, 3) [m]; NaN for points without one
    weight (M): 1 is that of a marker
    scale [m]: beyond this distance the weight of a point falls; None: never
    """

    target: FloatArray
    weight: FloatArray | None = None
    scale: float | None = None


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
        """Set the pose (nq) that joint springs pull to, initially the neutral pose."""
        self.engine.model.qpos_spring[:] = qpos

    def solve(self, qpos: FloatArray, pull: Pull, steps: int) -> FloatArray:
        """Return the pose (nq) after some steps from `qpos`."""
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
        """Set targets and weights of all points for the next step."""
        model = self.engine.model
        here = current_positions(self.engine, self._bodies, self.points.offset)
        away = np.where(seen[:, None], pull.target - here, 0.0)
        distance = np.sqrt((away * away).sum(axis=1))
        odds = np.full(len(distance), ODDS) if pull.weight is None else ODDS * pull.weight
        if pull.scale is not None:
            odds = odds * cauchy_weights(distance, pull.scale)
        impedance = np.clip(odds / (1.0 + odds), 1e-4, 0.9999)
        model.eq_data[:, 3:6] = here + away
        model.eq_solimp[:, 0] = model.eq_solimp[:, 1] = impedance
        model.eq_solref[:, 0] = -impedance / STEP_S**2
        model.eq_solref[:, 1] = -1e-6


STEPS = 3
"""Number of Gauss-Newton steps for each frame."""
FIRST_STEPS = 40
"""Number of steps for the first frame, whose start is far from the solution."""


def track(
    solver: EngineSolver,
    target: FloatArray,
    start: FloatArray,
    first: int,
    scale: float,
    steps: int = STEPS,
    report_fraction: FractionCallback = ignore_progress,
) -> FloatArray:
    """Return poses (T, nq) for targets (T, M, 3), from frame `first` with pose `start` to both ends.

    Each frame starts from the pose of its neighbour.
    """
    poses = np.zeros((len(target), len(start)))
    poses[first] = solver.solve(start, Pull(target[first], scale=scale), FIRST_STEPS)
    onwards, back = range(first + 1, len(target)), range(first - 1, -1, -1)
    done = 0
    for frames, before in ((onwards, -1), (back, 1)):
        for t in frames:
            poses[t] = solver.solve(poses[t + before], Pull(target[t], scale=scale), steps)
            done += 1
            if done % 100 == 0:
                report_fraction(done / len(target))
    return poses


def mean_pose(solver: EngineSolver, poses: FloatArray) -> FloatArray:
    """Return the mean of poses (T, nq), with the first pose's root."""
    engine = solver.engine
    middle = poses[0]
    for _ in range(3):
        away = engine.differences(np.tile(middle, (len(poses), 1)), poses).mean(axis=0)
        middle = engine.moved(middle[None], away[None])[0]
    middle[:7] = poses[0, :7]
    return middle
