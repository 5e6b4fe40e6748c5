"""Paths of the feet: rolling over heel and ball in stance, published leg angles in swing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BPoly, CubicSpline

from sim_core.base.conventions import FloatArray

from .body import HEEL_REST, TOE_TIP_REST, Body
from .curves import RATE_HZ, ease, held, smooth, through
from .published import cycle_curve

TOE_OFF = 0.62
"""Phase of the gait cycle at which the foot leaves the ground (Perry & Burnfield 2010)."""

PELVIS_RISE = 0.03
"""The hips are this much higher when the feet pass than when both stand [m] (Perry & Burnfield 2010)."""

CLEARANCE = 0.015
"""Extra height soon after lifting and soon before landing, so that toes and heel do not scrape [m]."""

SWING_PHASES = (0.62, 0.70, 0.77, 0.84, 0.91, 1.0)

ROLL_SIGMA_S = 0.02

ROLL_PHASES = (0.35, 0.42, 0.50, 0.56, 0.62, 0.66, 0.73, 0.80, 0.87, 0.94, 1.0, 1.08)
"""The foot is flat before the first and after the last of these."""

TOE_BEND_LIMIT = np.radians(45.0)
"""The bend of the toes approaches this limit, and the foot rolls over their tip [rad]."""


@dataclass(frozen=True)
class Gait:
    """A gait: published leg angles over the cycle [deg], its timing and its stride."""

    thigh: tuple[float, ...]
    knee: tuple[float, ...]
    ankle: tuple[float, ...]
    step_s: float
    double_support_s: float
    stride: float

    def foot_pitch(self, phase: FloatArray) -> FloatArray:
        """Return the foot's pitch, toes up positive [rad]: the sum of the leg's angles."""
        pitch = np.array(self.thigh) - np.array(self.knee) + np.array(self.ankle)
        return cycle_curve(tuple(pitch))(phase)

    def ankle_from_hip(self, phase: FloatArray, body: Body) -> FloatArray:
        """Return the ankle from the hip, forward and up (..., 2) [m]."""
        thigh, knee = cycle_curve(self.thigh)(phase), cycle_curve(self.knee)(phase)
        a, b = body.thigh_length, body.shin_length
        forward = a * np.sin(thigh) + b * np.sin(thigh - knee)
        up = -a * np.cos(thigh) - b * np.cos(thigh - knee)
        return np.stack([forward, up], axis=-1)


@dataclass(frozen=True)
class Step:
    """The swing of one foot; start and end are ankle positions on the floor (x, y) [m]."""

    foot: int
    lift_s: float
    land_s: float
    start: tuple[float, float]
    end: tuple[float, float]
    size: float
    """Length over the gait's own stride; at least what keeps the toes clear."""


@dataclass(frozen=True)
class FootPath:
    """The path of a foot.

    ankle (T, 3) [m], pitch (T), toe_bend (T) [rad], phase (T) of the cycle, down (T): carries weight
    """

    ankle: FloatArray
    pitch: FloatArray
    toe_bend: FloatArray
    phase: FloatArray
    down: FloatArray


def _roll(gait: Gait, step: Step) -> CubicSpline:
    """Return foot pitch from heel rise before a step to flat after it, level at both ends."""
    flight = step.land_s - step.lift_s
    stride_s = 2.0 * gait.step_s
    knots = []
    for phase in ROLL_PHASES:
        if phase <= TOE_OFF:
            knots.append(step.lift_s + (phase - TOE_OFF) * stride_s)
        elif phase <= 1.0:
            knots.append(step.lift_s + (phase - TOE_OFF) / (1.0 - TOE_OFF) * flight)
        else:
            knots.append(step.land_s + (phase - 1.0) * stride_s)
    pitch = step.size * gait.foot_pitch(np.array(ROLL_PHASES))
    pitch[[0, -1]] = 0.0
    curve = through(knots, list(pitch))
    fine = np.arange(knots[0] - 4.0 * ROLL_SIGMA_S, knots[-1] + 4.0 * ROLL_SIGMA_S, 1.0 / RATE_HZ)
    level = smooth(held(curve, fine), ROLL_SIGMA_S)
    level[[0, -1]] = 0.0
    return CubicSpline(fine, level, bc_type="clamped")


def _stance_end(roll: CubicSpline, instant_s: float, inwards: float, body: Body) -> FloatArray:
    """Return shift, speed and acceleration (3, 2) of the standing ankle when it lifts or lands."""
    times = instant_s + inwards * np.arange(8) / (4.0 * RATE_HZ)
    order = np.argsort(times)
    path = CubicSpline(times[order], ankle_shift(roll(times[order]), body))
    return np.stack([path(instant_s, nu) for nu in range(3)])


def _swing(gait: Gait, step: Step, roll: CubicSpline, body: Body) -> BPoly:
    """Return the C2 ankle path (x, z) in swing: the published one, adapted to stance at both ends.

    A cubic adapts position and speed; acceleration is adapted within the first and last piece, so that
    the published shape stays between.
    """
    flight = step.land_s - step.lift_s
    events = np.array(SWING_PHASES)
    knots = step.lift_s + (events - TOE_OFF) / (1.0 - TOE_OFF) * flight
    fine = np.linspace(TOE_OFF, 1.0, 60)
    fine_s = step.lift_s + (fine - TOE_OFF) / (1.0 - TOE_OFF) * flight
    shape = gait.ankle_from_hip(fine, body) * step.size
    shape[:, 0] += step.size * body.scale * gait.stride / (2.0 * gait.step_s) * (fine_s - step.lift_s)
    passing = np.linspace(0.0, 1.0, 60)
    steep = 729.0 / 16.0 * (passing * (1.0 - passing)) ** 2 * (passing**2 + (1.0 - passing) ** 2)
    shape[:, 1] += body.scale * (PELVIS_RISE * 16.0 * (passing * (1.0 - passing)) ** 2 + CLEARANCE * steep)
    curve = CubicSpline(fine_s, shape)
    wanted = np.stack([curve(knots), curve(knots, 1), curve(knots, 2)], axis=1)
    ends = [_stance_end(roll, step.lift_s, -1.0, body), _stance_end(roll, step.land_s, 1.0, body)]
    for end, position in zip(ends, (step.start, step.end), strict=True):
        end[0] += [position[0], body.rest_head("foot.L")[2]]
    errors = [ends[0][:2] - wanted[0, :2], ends[1][:2] - wanted[-1, :2]]
    bend = BPoly.from_derivatives([step.lift_s, step.land_s], errors)
    for order in range(3):
        wanted[:, order] += bend(knots, nu=order)
    wanted[0], wanted[-1] = ends
    return BPoly.from_derivatives(knots, wanted)


def foot_path(
    gait: Gait, steps: list[Step], start: tuple[float, float], time: FloatArray, body: Body
) -> FootPath:
    """Return the path of one foot over its own steps in order, from its starting position."""
    count, height = len(time), body.rest_head("foot.L")[2]
    position = np.tile([start[0], start[1], height], (count, 1))
    pitch, bend, down = np.zeros(count), np.zeros(count), np.ones(count)
    for step in steps:
        roll = _roll(gait, step)
        swing = _swing(gait, step, roll, body)
        before = (time >= roll.x[0]) & (time < step.lift_s)
        flight = (time >= step.lift_s) & (time < step.land_s)
        after = time >= step.land_s
        pitch = np.where(time >= roll.x[0], roll(np.clip(time, roll.x[0], roll.x[-1])), pitch)
        position[after] = [*step.end, height]
        standing = before | after
        position[np.ix_(standing, [0, 2])] += ankle_shift(pitch[standing], body)
        moved = swing(time[flight])
        position[flight, 0], position[flight, 2] = moved[:, 0], moved[:, 1]
        across = ease(time, step.lift_s, step.land_s)
        position[:, 1] += np.where(after, 0.0, across * (step.end[1] - step.start[1]))
        down[flight] = 0.0
        relax = 1.0 - ease(time, step.lift_s, step.land_s)
        rising = (time >= roll.x[0]) & (time < step.land_s)
        bend[rising] = (relax * toe_bend(pitch))[rising]
    return FootPath(position, pitch, bend, _phase(steps, time), down)


def _phase(steps: list[Step], time: FloatArray) -> FloatArray:
    """Return the phase of the cycle: 0 at landing, TOE_OFF at lifting, 1 at the next landing."""
    times, phases = [], []
    for i, step in enumerate(steps):
        times += [step.lift_s, step.land_s]
        phases += [i + TOE_OFF, i + 1.0]
    return np.interp(time, times, phases)


def toe_bend(pitch: FloatArray) -> FloatArray:
    """Return the bend of the toes against the foot [rad] in stance with a pitch (toes up positive) [rad]."""
    heel_up = np.maximum(-pitch, 0.0)
    return np.asarray(-TOE_BEND_LIMIT * np.expm1(-heel_up / TOE_BEND_LIMIT))


def ankle_shift(pitch: FloatArray, body: Body) -> FloatArray:
    """Return the shift of the ankle from that over the flat foot, (..., 2) forward and up [m]."""
    heel, tip = (body.rest_point(point, "L")[[0, 2]] for point in (HEEL_REST, TOE_TIP_REST))
    ankle, ball = (body.rest_head(bone)[[0, 2]] for bone in ("foot.L", "toe.L"))
    on_heel = heel + _tilted(ankle - heel, pitch)
    toes_pitch = pitch + toe_bend(pitch)
    on_toes = tip + _tilted(ball - tip, toes_pitch) + _tilted(ankle - ball, pitch)
    return np.asarray(np.where((pitch > 0.0)[..., None], on_heel, on_toes) - ankle)


def _tilted(arm: FloatArray, pitch: FloatArray) -> FloatArray:
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([arm[0] * c - arm[1] * s, arm[0] * s + arm[1] * c], axis=-1)
