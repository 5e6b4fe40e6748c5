"""Paths of the feet: rolling over heel and ball in stance, published leg angles in swing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BPoly, CubicSpline

from sim_core.base.conventions import FloatArray

from .body import Body
from .curves import RATE_HZ, ease, held, smooth, through
from .published import cycle_curve
from .rollover import ankle_shift, toe_bend

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


@dataclass(frozen=True)
class Gait:
    """A way of walking: published leg angles over the cycle [deg], and its timing and length."""

    thigh: tuple[float, ...]
    knee: tuple[float, ...]
    ankle: tuple[float, ...]
    step_s: float
    double_support_s: float
    stride: float

    def foot_pitch(self, phase: FloatArray) -> FloatArray:
        """Toes up positive [rad]: what the leg's angles add up to."""
        pitch = np.array(self.thigh) - np.array(self.knee) + np.array(self.ankle)
        return cycle_curve(tuple(pitch))(phase)

    def ankle_from_hip(self, phase: FloatArray, body: Body) -> FloatArray:
        """(..., 2) forward and up [m]."""
        thigh, knee = cycle_curve(self.thigh)(phase), cycle_curve(self.knee)(phase)
        a, b = body.thigh_length, body.shin_length
        forward = a * np.sin(thigh) + b * np.sin(thigh - knee)
        up = -a * np.cos(thigh) - b * np.cos(thigh - knee)
        return np.stack([forward, up], axis=-1)


@dataclass(frozen=True)
class Step:
    """One foot's flight; places are ankle positions on the floor (x, y) [m]."""

    foot: int
    lift_s: float
    land_s: float
    start: tuple[float, float]
    end: tuple[float, float]
    size: float
    """Length over the gait's own stride; at least what keeps the toes clear."""


@dataclass(frozen=True)
class FootPath:
    """ankle (T, 3) [m], pitch (T), toe_bend (T) [rad], phase (T) of the cycle, down (T): carries weight."""

    ankle: FloatArray
    pitch: FloatArray
    toe_bend: FloatArray
    phase: FloatArray
    down: FloatArray


def _roll(gait: Gait, step: Step) -> CubicSpline:
    """Foot pitch from heel rise before a step to flat after it, level at both ends."""
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
    """Shift, speed and acceleration (3, 2) of the standing ankle when it lifts or lands."""
    times = instant_s + inwards * np.arange(8) / (4.0 * RATE_HZ)
    order = np.argsort(times)
    path = CubicSpline(times[order], ankle_shift(roll(times[order]), body))
    return np.stack([path(instant_s, nu) for nu in range(3)])


def _swing(gait: Gait, step: Step, roll: CubicSpline, body: Body) -> BPoly:
    """Ankle path (x, z) in flight: the published one, bent to meet stance at both ends, C2.

    A cubic bends place and speed; acceleration is met within the first and last piece, so that
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
    for end, place in zip(ends, (step.start, step.end), strict=True):
        end[0] += [place[0], body.rest_head("foot.L")[2]]
    errors = [ends[0][:2] - wanted[0, :2], ends[1][:2] - wanted[-1, :2]]
    bend = BPoly.from_derivatives([step.lift_s, step.land_s], errors)
    for order in range(3):
        wanted[:, order] += bend(knots, nu=order)
    wanted[0], wanted[-1] = ends
    return BPoly.from_derivatives(knots, wanted)


def foot_path(
    gait: Gait, steps: list[Step], start: tuple[float, float], time: FloatArray, body: Body
) -> FootPath:
    """One foot over its own steps in order, from its starting place."""
    count, height = len(time), body.rest_head("foot.L")[2]
    place = np.tile([start[0], start[1], height], (count, 1))
    pitch, bend, down = np.zeros(count), np.zeros(count), np.ones(count)
    for step in steps:
        roll = _roll(gait, step)
        swing = _swing(gait, step, roll, body)
        before = (time >= roll.x[0]) & (time < step.lift_s)
        flight = (time >= step.lift_s) & (time < step.land_s)
        after = time >= step.land_s
        pitch = np.where(time >= roll.x[0], roll(np.clip(time, roll.x[0], roll.x[-1])), pitch)
        place[after] = [*step.end, height]
        standing = before | after
        place[np.ix_(standing, [0, 2])] += ankle_shift(pitch[standing], body)
        moved = swing(time[flight])
        place[flight, 0], place[flight, 2] = moved[:, 0], moved[:, 1]
        across = ease(time, step.lift_s, step.land_s)
        place[:, 1] += np.where(after, 0.0, across * (step.end[1] - step.start[1]))
        down[flight] = 0.0
        relax = 1.0 - ease(time, step.lift_s, step.land_s)
        rising = (time >= roll.x[0]) & (time < step.land_s)
        bend[rising] = (relax * toe_bend(pitch))[rising]
    return FootPath(place, pitch, bend, _phase(steps, time), down)


def _phase(steps: list[Step], time: FloatArray) -> FloatArray:
    """Phase of the cycle: 0 at landing, TOE_OFF at lifting, 1 at the next landing; level outside."""
    times, phases = [], []
    for i, step in enumerate(steps):
        times += [step.lift_s, step.land_s]
        phases += [i + TOE_OFF, i + 1.0]
    return np.interp(time, times, phases)
