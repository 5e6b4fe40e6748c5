"""Walking and marching: from standing, a few strides, back to standing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import BPoly
from scipy.ndimage import maximum_filter1d

from sim_core.base.conventions import FloatArray
from sim_core.motion.motion import Motion

from .. import published
from ..body import SIDES, Body
from ..curves import RATE_HZ, held, sample_times, smooth, through
from ..footwork import TOE_OFF, FootPath, Gait, Step, foot_path
from ..posing import Plan, centre_of_mass, hip_joint, knee_reach, pelvis_turn, pose, standing_plan
from ..zero_moment import com_for_zmp, zmp_of
from .standing import STANCE_HALF_WIDTH

REST_S = 1.2
SHIFT_S = 0.5
STEP_HALF_WIDTH = 0.06
"""Half the distance of the ankles [m]; Perry & Burnfield 2010 give a stride width of 8 to 12 cm."""
MIN_KNEE = np.radians(9.0)
LEVEL_SIGMA_S = 0.06
PELVIS_SIGMA_S = 0.05
"""Smoothing of the pelvis, which does not follow every kick of the swinging leg [s]."""
BALANCE_ITERATIONS = 8

WALK = Gait(
    published.WALK_THIGH,
    published.WALK_KNEE,
    published.WALK_ANKLE,
    published.WALK_STEP_S,
    published.WALK_DOUBLE_SUPPORT_S,
    published.WALK_STRIDE,
)
MARCH = Gait(
    published.MARCH_THIGH,
    published.MARCH_KNEE,
    published.MARCH_ANKLE,
    published.MARCH_STEP_S,
    0.2 * published.MARCH_STEP_S,
    published.MARCH_STRIDE,
)


@dataclass(frozen=True)
class Style:
    """Angles of the upper body [deg] at full stride."""

    pelvis_yaw: float
    pelvis_drop: float
    arm_back: float
    arm_front: float
    elbow_back: float
    elbow_front: float
    trunk_pitch: float


WALK_STYLE = Style(
    published.WALK_PELVIS_YAW,
    published.WALK_PELVIS_DROP,
    published.ARM_BACK,
    published.ARM_FRONT,
    published.ELBOW_BACK,
    published.ELBOW_FRONT,
    0.0,
)
MARCH_STYLE = Style(2.0, 2.0, -20.0, 28.0, 20.0, 60.0, 0.0)


COP_EARLY, COP_LATE = 0.07, 0.16
"""Where the floor pushes against the standing foot after the other lifts and before it lands,
from the ankle [m]; Perry & Burnfield 2010: it runs from the heel to the first toes."""
LOADING_LEAD = 0.3
"""The new foot carries all weight this share of double support before the old one lifts."""
WALK_STRIDES = (0.36, 0.86, 1.0, 1.0, 1.0, 0.90, 0.40)
MARCH_STRIDES = (0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5)
"""Lengths of the steps as shares of the gait's stride; the last one closes up with the other foot."""


def walk(body: Body) -> Motion:
    """Return a walk of a few strides."""
    return _gait(body, WALK, WALK_STYLE, WALK_STRIDES)


def march(body: Body) -> Motion:
    """Return a march of a few strides."""
    return _gait(body, MARCH, MARCH_STYLE, MARCH_STRIDES)


def footsteps(body: Body, gait: Gait, strides: tuple[float, ...]) -> list[Step]:
    """Return alternating steps, right foot first; `strides` are shares of the gait's stride."""
    wide, narrow = STANCE_HALF_WIDTH * body.scale, STEP_HALF_WIDTH * body.scale
    positions = [(0.0, wide), (0.0, -wide)]
    steps = []
    for i, share in enumerate(strides):
        foot = (i + 1) % 2
        last = i >= len(strides) - 1
        x = positions[1 - foot][0] if last else positions[foot][0] + share * gait.stride * body.scale
        y = (1.0 if foot == 0 else -1.0) * (narrow if not last else 2.0 * wide - narrow)
        lift = REST_S + SHIFT_S + i * gait.step_s
        land = lift + gait.step_s - gait.double_support_s
        size = max((x - positions[foot][0]) / (gait.stride * body.scale), 0.5)
        steps.append(Step(foot, lift, land, positions[foot], (x, y), min(size, 1.0)))
        positions[foot] = (x, y)
    return steps


def zmp_path(body: Body, gait: Gait, steps: list[Step], time: FloatArray) -> FloatArray:
    """Return the wanted zero-moment point (T, 2): under the standing foot, from its middle to its ball."""
    ahead = published.STANDING_COM_AHEAD * body.scale
    positions = [np.array(steps[1].start), np.array(steps[0].start)]
    knots, points = [REST_S], [0.5 * (positions[0] + positions[1]) + [ahead, 0.0]]
    for step in steps:
        stand = positions[1 - step.foot]
        knots += [step.lift_s - LOADING_LEAD * gait.double_support_s, step.land_s]
        points += [stand + [COP_EARLY * body.scale, 0.0], stand + [COP_LATE * body.scale, 0.0]]
        positions[step.foot] = np.array(step.end)
    knots.append(steps[-1].land_s + SHIFT_S)
    points.append(0.5 * (positions[0] + positions[1]) + [ahead, 0.0])
    both = np.array(points)
    return np.stack([held(through(knots, list(both[:, axis])), time) for axis in range(2)], axis=1)


def _landing_curve(steps: list[Step], values: tuple[float, float], rest: float) -> BPoly:
    """Return a curve with one value when the left foot lands, and another when the right one does."""
    knots = [REST_S] + [step.land_s for step in steps] + [steps[-1].land_s + 1.5 * SHIFT_S]
    levels = [rest] + [rest + step.size * (values[step.foot] - rest) for step in steps[:-1]]
    return through(knots, [np.radians(v) for v in (*levels, rest, rest)])


def _mid_curve(steps: list[Step], values: tuple[float, float]) -> BPoly:
    """Return a curve with one value while the left foot swings, and another for the right."""
    mids = [0.5 * (step.lift_s + step.land_s) for step in steps]
    levels = [0.0] + [step.size * values[step.foot] for step in steps] + [0.0]
    knots = [REST_S, *mids, steps[-1].land_s + SHIFT_S]
    return through(knots, [np.radians(v) for v in levels])


def _upper_body(plan: Plan, style: Style, steps: list[Step]) -> Plan:
    """Set pelvis, trunk and arms: each arm swings with the other side's leg."""
    time = plan.time
    arm = (style.arm_back, style.arm_front)
    elbow = (style.elbow_back, style.elbow_front)
    yaw = held(_landing_curve(steps, (-style.pelvis_yaw, style.pelvis_yaw), 0.0), time)
    shoulders = [held(_landing_curve(steps, values, 0.0), time) for values in (arm, arm[::-1])]
    elbows = [held(_landing_curve(steps, values, 15.0), time) for values in (elbow, elbow[::-1])]
    lean = through(
        [REST_S, steps[1].land_s, steps[-2].land_s, steps[-1].land_s + SHIFT_S],
        [0.0, np.radians(style.trunk_pitch), np.radians(style.trunk_pitch), 0.0],
    )
    return replace(
        plan,
        pelvis_yaw=yaw,
        trunk_yaw=-0.8 * yaw,
        pelvis_roll=held(_mid_curve(steps, (-style.pelvis_drop, style.pelvis_drop)), time),
        pelvis_pitch=held(lean, time),
        trunk_pitch=held(lean, time),
        shoulder=np.stack(shoulders, axis=1),
        elbow=np.stack(elbows, axis=1),
    )


def _stance_knee(gait: Gait, path: FootPath, steps: list[Step]) -> FloatArray:
    """Return the wanted knee flexion while a foot carries weight (T)."""
    rest = np.radians(published.STANDING_KNEE)
    phase = path.phase
    knee = published.cycle_curve(gait.knee)(np.mod(phase, 1.0))
    walking = (phase > TOE_OFF) & (phase < len(steps))
    return np.where(walking, knee, rest)


def _share(paths: list[FootPath], sigma_s: float) -> FloatArray:
    """Return each leg's share in the pelvis' height (T, 2): alone in single support, mixed in double."""
    down = np.stack([path.down for path in paths], axis=1)
    weight = smooth(down, sigma_s) * down + 1e-9
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _level(plan: Plan, body: Body, knees: FloatArray, share: FloatArray) -> Plan:
    """Set the pelvis' height so that the standing leg's knee bends as wanted and both legs reach."""
    hips = pelvis_turn(plan)
    wanted, limit = np.zeros(len(plan.time)), np.full(len(plan.time), np.inf)
    longest = knee_reach(body, np.array(MIN_KNEE))
    for i, side in enumerate(SIDES):
        above = plan.pelvis[:, 2] - hip_joint(plan, body, hips, side)[:, 2]
        away = (plan.ankle[:, i] - hip_joint(plan, body, hips, side))[:, :2]
        far = np.sum(away**2, axis=-1)
        base = plan.ankle[:, i, 2] + above
        wanted += share[:, i] * (base + np.sqrt(np.maximum(knee_reach(body, knees[:, i]) ** 2 - far, 0.01)))
        limit = np.minimum(limit, base + np.sqrt(np.maximum(longest**2 - far, 0.01)))
    return replace(plan, pelvis=np.column_stack([plan.pelvis[:, :2], _below(wanted, limit)]))


def _below(wanted: FloatArray, limit: FloatArray) -> FloatArray:
    """Return the wanted height, smoothed, and lowered where the smooth curve would pass the limit."""
    window = int(2.0 * LEVEL_SIGMA_S * RATE_HZ) | 1
    raw = np.minimum(wanted, limit)
    for _ in range(40):
        level = smooth(raw, LEVEL_SIGMA_S)
        over = np.maximum(level - limit, 0.0)
        if not over.any():
            break
        raw = raw - maximum_filter1d(over + 1e-4 * (over > 0.0), window)
    return level


def _gait(body: Body, gait: Gait, style: Style, strides: tuple[float, ...]) -> Motion:
    steps = footsteps(body, gait, strides)
    time = sample_times(steps[-1].land_s + SHIFT_S + REST_S)
    starts = (steps[1].start, steps[0].start)
    own = [[step for step in steps if step.foot == foot] for foot in range(2)]
    paths = [foot_path(gait, own[foot], starts[foot], time, body) for foot in range(2)]
    plan = _upper_body(standing_plan(body, time, STANCE_HALF_WIDTH * body.scale), style, steps)
    plan = replace(
        plan,
        ankle=np.stack([path.ankle for path in paths], axis=1),
        foot_pitch=np.stack([path.pitch for path in paths], axis=1),
        toe_bend=np.stack([path.toe_bend for path in paths], axis=1),
    )
    knees = np.stack([_stance_knee(gait, paths[i], own[i]) for i in range(2)], axis=1)
    return _balanced(plan, body, zmp_path(body, gait, steps, time), knees, _share(paths, 0.06))


def _balanced(plan: Plan, body: Body, zmp: FloatArray, knees: FloatArray, share: FloatArray) -> Motion:
    """Move the pelvis until the whole body's zero-moment point follows the wanted one."""
    height = 0.57 * body.height
    com = com_for_zmp(zmp, height)
    pelvis = plan.pelvis.copy()
    pelvis[:, :2] = com - [published.STANDING_COM_AHEAD * body.scale * 0.5, 0.0]
    plan = _level(replace(plan, pelvis=pelvis), body, knees, share)
    for _ in range(BALANCE_ITERATIONS):
        for _ in range(3):
            pelvis = plan.pelvis.copy()
            pelvis[:, :2] += smooth(com - centre_of_mass(pose(plan, body), body)[:, :2], PELVIS_SIGMA_S)
            plan = _level(replace(plan, pelvis=pelvis), body, knees, share)
        com = com + 0.6 * com_for_zmp(smooth(zmp - zmp_of(pose(plan, body), body), 0.05), height)
    return pose(plan, body)
