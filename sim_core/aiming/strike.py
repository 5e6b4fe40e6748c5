"""Strikes of a motion: the times at which a striker is fastest while moving away from the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..character.spec import CharacterSpec
from ..scene.aims import MIN_BLEND, Aim
from .striker import Striker

FAST = 0.5
"""The speed of a strike is at least this share of the highest speed in the motion."""

APART_S = 0.1
"""Shortest time between two strikes [s]."""


@dataclass(frozen=True, eq=False)
class Strike:
    """An aim with its contact time.

    time_s: of the contact, since the start of the simulation [s]
    before_s, after_s: how long before and after the contact the motion is changed [s]
    target (3): position of the target at the contact [m]
    """

    aim: Aim
    striker: Striker
    time_s: float
    before_s: float
    after_s: float
    target: FloatArray


@dataclass(frozen=True, eq=False)
class StrikeContact:
    """Position (3) [m] and speed [m/s] of a striker at its contact."""

    position: FloatArray
    speed: float


def contact_of(strike: Strike, spec: CharacterSpec, qpos: FloatArray, dt: float) -> StrikeContact:
    """Return the contact of a strike in poses (T, nq) at a fixed interval; it may lie between two samples."""
    path = CubicSpline(dt * np.arange(len(qpos)), strike.striker.path(spec, qpos))
    return StrikeContact(path(strike.time_s), float(np.linalg.norm(path(strike.time_s, 1))))


def find_strikes(
    aims: Sequence[tuple[Aim, Striker]], spec: CharacterSpec, qpos: FloatArray, dt: float, start_s: float
) -> tuple[Strike, ...]:
    """Return the strikes of all aims in order of time; the window of each ends where another one strikes.

    start_s: time of the first pose on the motion's own time axis
    """
    end_s = dt * (len(qpos) - 1)
    timed = []
    for aim, striker in aims:
        time_s = (
            _nearest_strike(aim, striker, spec, qpos, dt, start_s) if aim.time is None else aim.time - start_s
        )
        if not MIN_BLEND <= time_s <= end_s - MIN_BLEND:
            raise InputError(
                f"'{aim.bone}' strikes at {start_s + time_s:.2f} s, but the motion goes from {start_s:.2f} "
                f"to {start_s + end_s:.2f} s; strike {MIN_BLEND:g} s from its ends or farther."
            )
        timed.append((time_s, aim, striker))
    timed.sort(key=lambda item: item[0])
    edges = [0.0, *(item[0] for item in timed), end_s]
    return tuple(
        Strike(
            aim,
            striker,
            time_s,
            min(aim.blend, _free_time(time_s - before, aim)),
            min(aim.blend, _free_time(after - time_s, aim)),
            aim.target(start_s + time_s),
        )
        for (time_s, aim, striker), before, after in zip(timed, edges, edges[2:], strict=False)
    )


def _free_time(seconds: float, aim: Aim) -> float:
    if seconds < MIN_BLEND:
        raise InputError(
            f"'{aim.bone}' strikes {seconds:.2f} s from another strike; "
            f"leave {MIN_BLEND:g} s or more between them."
        )
    return seconds


def _nearest_strike(
    aim: Aim, striker: Striker, spec: CharacterSpec, qpos: FloatArray, dt: float, start_s: float
) -> float:
    """Return the time of the motion's strike that comes nearest to the target [s]."""
    path = striker.path(spec, qpos)
    times = strike_times(path, striker.shoulder(spec, qpos), dt)
    if not len(times):
        raise InputError(f"'{aim.bone}' does not strike in this motion; say at which frame it should.")
    positions = path[np.round(times / dt).astype(int)]
    misses = [np.linalg.norm(p - aim.target(start_s + t)) for p, t in zip(positions, times, strict=True)]
    return float(times[int(np.argmin(misses))])


def strike_times(path: FloatArray, shoulder: FloatArray, dt: float) -> FloatArray:
    """Return times [s] at which a path (T, 3) is fastest while it leads away from its shoulder (T, 3)."""
    from scipy.signal import find_peaks  # here, because it loads scipy.stats, which only strikes need

    velocity = np.gradient(path, dt, axis=0)
    speed = np.linalg.norm(velocity, axis=1)
    peaks, _ = find_peaks(speed, height=FAST * float(speed.max()), distance=max(round(APART_S / dt), 1))
    inside = (peaks * dt > MIN_BLEND) & ((len(path) - 1 - peaks) * dt > MIN_BLEND)
    outward = ((path - shoulder) * velocity).sum(axis=1) > 0.0
    best = peaks[inside & outward[peaks]]
    return dt * (best if len(best) else peaks[inside])
