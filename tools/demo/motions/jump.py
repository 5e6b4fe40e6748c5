"""A countermovement jump: dip, push off the balls of the feet, ballistic flight, landing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import BPoly

from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.motion.motion import Motion

from .. import published
from ..body import Body
from ..curves import ease, held, sample_times, through
from ..footwork import ankle_shift, toe_bend
from ..posing import COM_ITERATIONS, Plan, centre_of_mass, nearer_com, pose, standing_plan
from .standing import STANCE_HALF_WIDTH, crouched

RISE = 0.13
"""Rise of the centre of mass in flight [m], for a body of 1.75 m."""
FOOT_LIFT = 0.14
TAKE_OFF_KNEE = 44.0
REST_S, DIP_S, ABSORB_S, RECOVER_S = 0.5, 0.6, 0.34, 0.9
OVER_BALL = 0.11
"""Distance of the centre of mass before the ankles while only the balls carry [m]."""


@dataclass(frozen=True)
class Timing:
    """Instants of the jump [s] and its take-off speed [m/s]."""

    speed: float
    dip: float
    low: float
    take_off: float
    landing: float
    lowest: float
    recovered: float

    @property
    def flight(self) -> float:
        """Return the duration of the flight [s]."""
        return self.landing - self.take_off


def timing(body: Body) -> Timing:
    """Return the instants of the jump of a body."""
    speed = float(np.sqrt(2.0 * GRAVITY * RISE * body.scale))
    flight = 2.0 * speed / GRAVITY
    low = REST_S + DIP_S
    take_off = low + published.JUMP_PUSH_S
    lowest = take_off + flight + ABSORB_S
    return Timing(speed, REST_S, low, take_off, take_off + flight, lowest, lowest + RECOVER_S)


def jump(body: Body) -> Motion:
    """Return a countermovement jump."""
    t = timing(body)
    time = sample_times(t.recovered + REST_S)
    plan = _limbs(standing_plan(body, time, STANCE_HALF_WIDTH * body.scale), body, t)
    com = np.zeros((len(time), 3))
    com[:, 0] = _com_ahead(body, t, time)
    com[:, 2] = _com_height(plan, body, t, time)
    plan = crouched(plan, body, _rough_knee(t, time), com[:, 0])
    for _ in range(COM_ITERATIONS):
        plan = nearer_com(plan, body, com, (0, 1, 2))
    return pose(plan, body)


def _rough_knee(t: Timing, time: FloatArray) -> FloatArray:
    stand, low, up, land = np.radians(
        (published.STANDING_KNEE, published.JUMP_KNEE_LOW, TAKE_OFF_KNEE, published.JUMP_LANDING_KNEE)
    )
    knots = [t.dip, t.low, t.take_off, t.landing, t.lowest, t.recovered]
    return held(through(knots, [stand, low, up, up, land, stand]), time)


def _limbs(plan: Plan, body: Body, t: Timing) -> Plan:
    """Set feet, trunk and arms; the feet lift smoothly although the mass flies a parabola."""
    time = plan.time
    tip = np.radians(published.JUMP_HEEL_RISE)
    heel = held(
        through(
            [
                t.low + 0.3 * published.JUMP_PUSH_S,
                t.take_off,
                t.take_off + 0.3 * t.flight,
                t.landing,
                t.landing + 0.16,
            ],
            [0.0, -0.85 * tip, -tip, -0.85 * tip, 0.0],
        ),
        time,
    )
    u = np.clip((time - t.take_off) / t.flight, 0.0, 1.0)
    bump = 32.0 * (u * (1.0 - u)) ** 2.5
    ankle = plan.ankle.copy()
    shift = ankle_shift(heel, body)
    shift[:, 1] += FOOT_LIFT * body.scale * bump
    ankle[..., [0, 2]] += shift[:, None]
    low_trunk = np.radians(published.JUMP_TRUNK_LOW)
    lean = held(
        through(
            [t.dip, t.low, t.take_off, t.landing, t.lowest, t.recovered],
            [0.0, low_trunk, 0.15 * low_trunk, 0.2 * low_trunk, 0.8 * low_trunk, 0.0],
        ),
        time,
    )
    arms = held(
        through(
            [t.dip, t.low, t.take_off, t.landing, t.lowest, t.recovered],
            list(np.radians([0.0, -25.0, 45.0, 40.0, 25.0, 0.0])),
        ),
        time,
    )
    return replace(
        plan,
        ankle=ankle,
        foot_pitch=np.stack([heel, heel], axis=1),
        toe_bend=np.stack([toe_bend(heel) * (1.0 - 0.7 * bump)] * 2, axis=1),
        pelvis_pitch=0.85 * lean,
        trunk_pitch=lean,
        shoulder=np.stack([arms, arms], axis=1),
    )


def _com_ahead(body: Body, t: Timing, time: FloatArray) -> FloatArray:
    """Return the centre of mass over the feet's middle, and over the balls while only these carry [m]."""
    forward = ease(time, t.dip, t.take_off - 0.08) - ease(time, t.landing + 0.05, t.recovered)
    stand = published.STANDING_COM_AHEAD
    return body.scale * (stand + (OVER_BALL - stand) * forward)


def _com_height(plan: Plan, body: Body, t: Timing, time: FloatArray) -> FloatArray:
    """Return the height of the centre of mass [m]: C2, with exact free fall from take-off to landing."""
    knee = _rough_knee(t, time)
    posed = centre_of_mass(pose(crouched(plan, body, knee, _com_ahead(body, t, time)), body), body)[:, 2]
    stand, low, up, lowest = np.interp([0.0, t.low, t.take_off, t.lowest], time, posed)
    push = 0.9 * GRAVITY
    before = BPoly.from_derivatives(
        [t.dip, t.low, t.take_off],
        [[stand, 0.0, 0.0], [low, 0.0, push], [up, t.speed, -GRAVITY]],
    )
    after = BPoly.from_derivatives(
        [t.landing, t.lowest, t.recovered],
        [[up, -t.speed, -GRAVITY], [lowest, 0.0, 0.5 * push], [stand, 0.0, 0.0]],
    )
    since = time - t.take_off
    flying = up + t.speed * since - 0.5 * GRAVITY * since**2
    height = np.where(time < t.take_off, held(before, time), flying)
    return np.where(time > t.landing, held(after, time), height)
