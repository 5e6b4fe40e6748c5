"""Joint offsets that bring a striker to its target (Zordan, Hodgins 2002, section 4).

Inverse kinematics at the contact changes the limb and, a little, the trunk. The difference is added to the
motion, faded in before the contact and out after it. The pelvis and the standing legs keep their pose.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..dynamics.kinematics import moving_dofs
from ..dynamics.pose_solver import PointGoal, PoseSolver
from ..recognition.mapping import joint_label
from ..reference.reference import pose_changes
from ..world.world import World
from .strike import Strike
from .striker import limb
from .time_warp import window

TARGET_SIGMA = 0.0005
"""How exactly the target is met [m]."""
SIGMA = {"upper_arm": 0.4, "forearm": 0.6, "thigh": 0.4, "shin": 0.6, "abdomen": 0.15, "chest": 0.15}
OTHER_SIGMA = 0.1
"""How far joints may be turned, by body part [rad]; wrists, ankles and the neck turn very little."""
ITERATIONS = 60
OUT_OF_REACH = 0.01
"""A target that is missed by more is refused as out of reach [m]."""


def reach(world: World, strike: Strike, pose: FloatArray, tick: int, point: FloatArray) -> FloatArray:
    """Return the pose (nq) nearest to a given one with the striker at a point (3), as far as possible."""
    model, body = world.model, int(world.index.body[strike.striker.segment])
    moves = moving_dofs(model, body)
    moves[:6] = False  # the pelvis stays, and with it all legs that do not strike
    free = np.flatnonzero(moves)
    parts = [model.body(owner).name.split(".")[0] for owner in model.dof_bodyid[free]]
    sigma = np.array([SIGMA.get(part, OTHER_SIGMA) for part in parts])
    goal = PointGoal(body, strike.striker.points[tick], point, TARGET_SIGMA)
    return PoseSolver(world, free, sigma, ITERATIONS).solve(pose, [goal])


def moved_to(
    world: World, qpos: FloatArray, dt: float, strikes: Sequence[Strike], points: FloatArray
) -> FloatArray:
    """Return poses (T, nq) whose strikers are at given points (K, 3) at their contacts."""
    time, change = dt * np.arange(len(qpos)), np.zeros((len(qpos), world.model.nv))
    for strike, point in zip(strikes, points, strict=True):
        tick = round(strike.time_s / dt)
        reached = reach(world, strike, qpos[tick], tick, point)
        offset = pose_changes(world.model, qpos[tick][None], reached[None])
        change += window(time, strike)[:, None] * offset
    moved = np.array(qpos)
    for pose, step in zip(moved, change, strict=True):
        if step.any():
            mujoco.mj_integratePos(world.model, pose, step, 1.0)
    return moved


def refuse_out_of_reach(world: World, qpos: FloatArray, dt: float, strikes: Sequence[Strike]) -> None:
    """Raise InputError for a target that limb and trunk cannot reach, with the distance that is missing."""
    for strike in strikes:
        tick = round(strike.time_s / dt)
        pose = reach(world, strike, qpos[tick], tick, strike.target)[None]
        reached = strike.striker.path(world.spec, pose, tick)[0]
        missing = float(np.linalg.norm(reached - strike.target))
        if missing > OUT_OF_REACH:
            shoulder = strike.striker.shoulder(world.spec, pose)[0]
            wanted, comes = (float(np.linalg.norm(p - shoulder)) for p in (strike.target, reached))
            top = world.spec.names[limb(strike.striker.segment, world.spec)[-1]]
            raise InputError(
                f"The {strike.striker.name} cannot reach its target at {strike.time_s:.2f} s: that is "
                f"{wanted:.2f} m from the {joint_label(top)}, where it reaches {comes:.2f} m; it comes no "
                f"nearer than {100.0 * missing:.0f} cm; move the target, or strike at another time."
            )
