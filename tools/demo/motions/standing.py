"""Standing and squatting: both feet flat, centre of mass over them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.motion.motion import Motion

from .. import published
from ..body import SIDES, Body
from ..curves import ease, sample_times
from ..posing import COM_ITERATIONS, Plan, hip_joint, knee_reach, nearer_com, pelvis_turn, pose, standing_plan

STANCE_HALF_WIDTH = 0.10
"""Half the distance of the ankles [m], for a body of 1.75 m."""


def crouched(plan: Plan, body: Body, knee: FloatArray, com_ahead: FloatArray) -> Plan:
    """Place the pelvis so that the knees bend by `knee` (T) and the mass is over the feet.

    com_ahead (T): distance of the centre of mass before the ankles' middle [m]
    """
    com = plan.ankle.mean(axis=1)
    com[:, 0] += com_ahead
    plan = _at_knee(plan, body, knee)
    for _ in range(COM_ITERATIONS):
        plan = _at_knee(nearer_com(plan, body, com, (0, 1)), body, knee)
    return plan


def _at_knee(plan: Plan, body: Body, knee: FloatArray) -> Plan:
    heights = []
    for i, side in enumerate(SIDES):
        hip = hip_joint(plan, body, pelvis_turn(plan), side)
        far = np.sum((plan.ankle[:, i] - hip)[:, :2] ** 2, axis=-1)
        above = plan.pelvis[:, 2] - hip[:, 2]
        heights.append(plan.ankle[:, i, 2] + above + np.sqrt(knee_reach(body, knee) ** 2 - far))
    return replace(plan, pelvis=np.column_stack([plan.pelvis[:, :2], np.mean(heights, axis=0)]))


def bent(plan: Plan, depth: FloatArray, trunk_deg: float) -> Plan:
    """Bend pelvis and trunk by a share `depth` (T) of an angle."""
    lean = depth * np.radians(trunk_deg)
    return replace(plan, pelvis_pitch=0.85 * lean, trunk_pitch=lean)


def standing(body: Body) -> Motion:
    """Return quiet standing with sway."""
    time = sample_times(3.0)
    plan = standing_plan(body, time, STANCE_HALF_WIDTH * body.scale)
    awake = ease(time, 0.2, 1.0) - ease(time, 2.0, 2.8)
    sway = published.STANDING_SWAY * awake * np.sin(2.0 * np.pi * 0.3 * (time - 0.2))
    ahead = body.scale * (published.STANDING_COM_AHEAD + sway)
    knee = np.full(len(time), np.radians(published.STANDING_KNEE))
    breath = np.radians(1.5) * awake * np.sin(2.0 * np.pi * 0.25 * (time - 0.2))
    plan = replace(plan, trunk_pitch=breath, shoulder=np.stack([breath, breath], axis=1))
    return pose(crouched(plan, body, knee, ahead), body)


def squat(body: Body) -> Motion:
    """Return a squat."""
    down_s = published.SQUAT_DOWN_S
    time = sample_times(0.5 + down_s + 0.3 + down_s + 0.7)
    depth = ease(time, 0.5, 0.5 + down_s) - ease(time, 0.8 + down_s, 0.8 + 2.0 * down_s)
    stand, low = np.radians(published.STANDING_KNEE), np.radians(published.SQUAT_KNEE)
    plan = bent(standing_plan(body, time, STANCE_HALF_WIDTH * body.scale), depth, published.SQUAT_TRUNK)
    arms = np.radians(published.SQUAT_ARMS) * depth
    plan = replace(plan, shoulder=np.stack([arms, arms], axis=1))
    ahead = np.full(len(time), published.STANDING_COM_AHEAD * body.scale)
    return pose(crouched(plan, body, stand + (low - stand) * depth, ahead), body)
