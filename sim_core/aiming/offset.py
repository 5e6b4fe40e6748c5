"""Joint offsets that bring a striker to its target (Zordan, Hodgins 2002, section 4).

Inverse kinematics at the contact changes the limb, and the trunk a little; the difference is added to
the motion, faded in before the contact and out after it. Pelvis and legs that stand stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..character.part_names import joint_words
from ..dynamics.kinematics import moving_dofs
from ..dynamics.pose_solver import PointGoal, PoseSolver
from ..reference.reference import pose_changes
from ..world.world import World
from .strike import Strike
from .striker import limb
from .time_warp import window

PLACE_SIGMA = 0.0005
"""How exactly the target is met [m]."""
SIGMA = {"upper_arm": 0.4, "forearm": 0.6, "thigh": 0.4, "shin": 0.6, "abdomen": 0.15, "chest": 0.15}
OTHER_SIGMA = 0.1
"""How far joints may be turned for it, by part [rad]; wrists, ankles and the neck hardly."""
ITERATIONS = 60
OUT_OF_REACH = 0.01
"""A target that is missed by more cannot be reached [m]."""


def reach(world: World, strike: Strike, pose: FloatArray, tick: int, place: FloatArray) -> FloatArray:
    """The pose (nq) nearest to that of a sample with the striker at a place (3), or as near as it comes."""
    model, body = world.model, int(world.index.body[strike.striker.segment])
    moves = moving_dofs(model, body)
    moves[:6] = False  # the pelvis stays, and with it all legs that do not strike
    free = np.flatnonzero(moves)
    parts = [model.body(owner).name.split(".")[0] for owner in model.dof_bodyid[free]]
    sigma = np.array([SIGMA.get(part, OTHER_SIGMA) for part in parts])
    goal = PointGoal(body, strike.striker.points[tick], place, PLACE_SIGMA)
    return PoseSolver(world, free, sigma, ITERATIONS).solve(pose, [goal])


def moved_to(
    world: World, qpos: FloatArray, dt: float, strikes: Sequence[Strike], places: FloatArray
) -> FloatArray:
    """Poses (T, nq) whose strikers are at places (K, 3) at their contacts."""
    time, change = dt * np.arange(len(qpos)), np.zeros((len(qpos), world.model.nv))
    for strike, place in zip(strikes, places, strict=True):
        tick = round(strike.time_s / dt)
        reached = reach(world, strike, qpos[tick], tick, place)
        offset = pose_changes(world.model, qpos[tick][None], reached[None])
        change += window(time, strike)[:, None] * offset
    moved = np.array(qpos)
    for pose, step in zip(moved, change, strict=True):
        if step.any():
            mujoco.mj_integratePos(world.model, pose, step, 1.0)
    return moved


def refuse_out_of_reach(world: World, qpos: FloatArray, dt: float, strikes: Sequence[Strike]) -> None:
    """Targets that limb and trunk do not come to are refused, with how far they are."""
    for strike in strikes:
        tick = round(strike.time_s / dt)
        pose = reach(world, strike, qpos[tick], tick, strike.target)[None]
        place = strike.striker.path(world.spec, pose, tick)[0]
        missing = float(np.linalg.norm(place - strike.target))
        if missing > OUT_OF_REACH:
            shoulder = strike.striker.shoulder(world.spec, pose)[0]
            wanted, comes = (float(np.linalg.norm(p - shoulder)) for p in (strike.target, place))
            top = world.spec.names[limb(strike.striker.segment, world.spec)[-1]]
            raise InputError(
                f"The {strike.striker.name} cannot reach its target at {strike.time_s:.2f} s: that is "
                f"{wanted:.2f} m from the {joint_words(top)}, where it reaches {comes:.2f} m; it comes no "
                f"nearer than {100.0 * missing:.0f} cm; move the target, or strike at another time."
            )
