"""Simulate an abstract model by itself: a springy pendulum, a hopper, or a pendulum that stands."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..hopper.hopper import STEP_S, Hopper, Wish
from ..hopper.pendulum import SpringLeg, pendulum_motion
from ..hopper.standing import largest_push

KINDS = ("pendulum", "hopper", "standing")
LIMITS = {
    "hop": (0.001, 10.0),
    "speed": (-20.0, 20.0),
    "seconds": (0.1, 3600.0),
    "leg": (0.01, 100.0),
    "frequency": (0.1, 1000.0),
    "mass": (0.001, 1e6),
    "ankle": (0.0, 1000.0),
    "foot": (0.0, 10.0),
}
"""Smallest and largest value of each option."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", metavar="MODEL", choices=KINDS, help=f"one of {', '.join(KINDS)}")
    for name, metavar, default, summary in (
        ("--hop", "M", 0.1, "height of the apex over touchdown [m]"),
        ("--speed", "V", 0.0, "forward speed [m/s]"),
        ("--seconds", "S", 10.0, "how long [s]"),
        ("--leg", "M", 0.9, "length of the leg [m]"),
        ("--frequency", "W", 14.0, "frequency of the leg's spring [rad/s]"),
        ("--mass", "KG", 70.0, "mass [kg]"),
        ("--ankle", "K", 1.5, "stiffness of the ankle of one that stands; 1 just holds it upright"),
        ("--foot", "M", 0.2, "length of its foot [m]"),
    ):
        shown = f"{summary} (default: {default:g})"
        parser.add_argument(name, metavar=metavar, type=float, default=default, help=shown)


def _refuse_values_out_of_range(options: argparse.Namespace) -> None:
    for name, (low, high) in LIMITS.items():
        value = getattr(options, name)
        if not low <= value <= high:
            raise InputError(f"--{name} is {value:g}; it must lie between {low:g} and {high:g}.")


def _refuse_too_few(hops: int, seconds: float) -> None:
    if hops < 2:
        raise InputError(f"In {seconds:g} s the model makes {hops} hops, but 2 are needed; raise --seconds.")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of the model."""
    _refuse_values_out_of_range(options)
    leg = SpringLeg(options.mass, options.leg, options.frequency)
    if options.model == "standing":
        return {"largest_push_m_s": largest_push(options.leg, options.ankle, 0.5 * options.foot)}
    if options.model == "hopper":
        hops = Hopper(leg, 0.1 * options.mass * options.leg**2).run(
            Wish(options.hop, options.speed), options.seconds
        )
        if not hops.fell:
            _refuse_too_few(len(hops.apexes), options.seconds)
        half = len(hops.hip) // 2
        return {
            "hops": len(hops.apexes),
            "height_m": float(hops.apexes[len(hops.apexes) // 2 :].mean()) - options.leg,
            "speed_m_s": float(hops.hip[-1, 0] - hops.hip[half, 0]) / ((len(hops.hip) - half) * STEP_S),
            "failed": int(hops.fell),
        }
    angle = float(np.arctan2(0.5 * options.speed * leg.contact_s(1.0), options.leg))
    made = pendulum_motion(leg, options.hop, options.speed, angle, options.seconds)
    _refuse_too_few(len(made.landings_s), options.seconds)
    return {
        "hops": len(made.landings_s),
        "period_s": float(np.diff(made.landings_s).mean()),
        "period_in_place_s": leg.period_s(options.hop),
        "energy_j": float(made.energy[0]),
        "energy_spread_j": float(np.ptp(made.energy)),
    }
