"""The settings of a bake, with the defaults that every entry point shares."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum

import numpy as np

from ..base.errors import InputError


class Stance(Enum):
    """Which feet stand while a balance method acts."""

    ANY = "at all times"
    ONE_FOOT = "while one foot stands"
    TWO_FEET = "while both feet stand"


@dataclass(frozen=True)
class BalanceMethod:
    """A balance method that the user can choose.

    label: its name in Blender; use: when to take it, for tooltips, help and the manual
    acts: the stance in which it acts; elsewhere: the method that acts in all other stances; None is plain
    tracking
    """

    label: str
    use: str
    acts: Stance = Stance.ANY
    elsewhere: str | None = None


BALANCE_METHODS = {
    "footsteps": BalanceMethod(
        "Footsteps",
        "For any motion, and the choice in doubt: moves planned steps, adds some where the body would fall",
    ),
    "swing_hip": BalanceMethod(
        "Swing Hip",
        "For walks and runs without strong pushes: turns the swinging leg, and does nothing else",
        Stance.ONE_FOOT,
    ),
    "three_link": BalanceMethod(
        "Three Links",
        "For walks whose style matters: follows closer than Footsteps while one foot stands; computes longer",
        Stance.ONE_FOOT,
        "footsteps",
    ),
    "full_state": BalanceMethod(
        "Full State",
        "For motions to follow as closely and smoothly as possible; weaker than Footsteps against pushes",
    ),
    "virtual_actuator": BalanceMethod(
        "Virtual Actuator",
        "For standing and boxing on the spot: the legs push as if a force held the body over its feet",
        Stance.TWO_FEET,
        "footsteps",
    ),
    "joint_offset": BalanceMethod(
        "Joint Offset",
        "For standing and boxing on the spot: leans about ankles and hips to stay over its feet",
        Stance.TWO_FEET,
        "footsteps",
    ),
}
"""By the name that settings and options have."""
BALANCES = tuple(BALANCE_METHODS)
QUALITIES = ("draft", "standard", "best")
SOLVERS = ("daqp", "osqp")
LOOPS = ("auto", "on", "off")
"""Whether a motion is simulated as a loop: where it closes, always, or never."""
PARTS = ("whole", "upper", "soft")
"""Parts that can be simulated: the whole body; all but hips and legs, which follow the clip; or nothing but
soft parts, on a body that follows the clip."""
DIAL_WORDS = {
    "effort": "How strong the body is; 0 is weak, 0.5 a strong human, 1 stronger than any",
    "stiffness": "How firmly the motion is followed; 0 loosely, 1 firmly",
    "balance_weight": "What counts more; 0 the motion's style, 1 balance",
    "softness": "How far a part of the body that is hit gives way; 0 stays firm, 1 goes limp",
    "alertness": "How soon the body steps and recovers when it is disturbed; 0 late, 1 early",
    "weight": "How heavy the body is for its strength; 0 half as heavy, 1 twice",
}
"""Dials from 0 to 1 with a sentence for the user; dials.py has the parameters behind them."""
DIALS = tuple(DIAL_WORDS)
RAW = (("tracking_gain", 10.0, 10000.0), ("springs", 0.001, 10.0))
"""Parameters that may be set directly instead of by a dial, with their limits."""


SMALLEST_CAP, LARGEST_CAP = 1e-6, 1e9
"""Limits of an assist that is allowed [N, Nm]: the controller divides by the square of it."""
NUMBERS = {"float": ("a number", (int, float)), "int": ("a whole number", (int,))}
"""What settings that are numbers must be, by the type of their field: words for the user, and types."""


@dataclass(frozen=True)
class BakeSettings:
    """Options of a bake (contract: the result file's documentation).

    quality: one of QUALITIES
    assist_cap: limit of the length of the external root force and of its torque [N, Nm]; 0 is physical
    seed: of all random numbers
    noise: standard deviation added to the starting velocities [rad/s, m/s]
    height: body height [m]; None measures the rig
    mass: total mass [kg]; None takes it from the height
    character: name of a preset character; None builds one from the rig
    balance: one of BALANCES
    balance_weight: from 0, the motion's style, to 1, balance
    solver: one of SOLVERS, of the controller's quadratic programs
    correction: how far the motion may be changed so that forces can produce it, 0 (not at all) to 1
    softness: how far a region that is hit gives way, from 0, not at all, to 1, limp
    recovery_s: from a hit until the region is as firm as before [s]
    only_around_hits: simulate from shortly before a hit until the body is back on its motion, and else play
    only: one of PARTS; what is not simulated follows the clip, held by no forces
    blend_in_s, blend_out_s: duration of the blend from the clip at the start, and back to it at the end [s]
    loop: one of LOOPS; whether the motion is a cycle, and the result becomes one
    self_collision: parts of the body do not pass through each other
    toe_joint: feet bend at their balls, where the rig has toe bones; a body from the rig only
    search: search controls where every method falls; the best quality always searches, a draft never
    search_seconds: wall time that a search may take [s]; None takes it from the motion's duration
    get_up: a character that falls gets up and goes on with its motion, which then lasts longer
    find_assist: look for the least assist that carries a motion that fell
    gain_folder: folder in which gains are kept for later bakes; None keeps none
    effort: how strong the body is, from 0, weak, to 1, stronger than any human
    stiffness: how firmly the motion is followed, from 0, loosely, to 1, firmly
    alertness: how soon the body steps and recovers when it is disturbed, from 0, late, to 1, early
    weight: how heavy the body is for its strength, from 0, light, to 1, heavy
    tracking_gain: k_os [1/s^2] in place of what stiffness gives; springs: k likewise (docs/dials.md)
    simulate: False passes the source to the character and back, for checking a rig
    only_plausible: make the motion possible for forces without simulating it
    """

    quality: str = "standard"
    assist_cap: float = 0.0
    seed: int = 0
    noise: float = 0.0
    height: float | None = None
    mass: float | None = None
    character: str | None = None
    simulate: bool = True
    balance: str = "footsteps"
    balance_weight: float = 0.5
    find_assist: bool = True
    solver: str = "daqp"
    correction: float = 1.0
    softness: float = 0.3
    recovery_s: float = 0.5
    only_around_hits: bool = False
    only: str = "whole"
    blend_in_s: float = 0.0
    blend_out_s: float = 0.0
    loop: str = "auto"
    self_collision: bool = True
    toe_joint: bool = False
    search: bool = True
    search_seconds: float | None = None
    get_up: bool = False
    gain_folder: str | None = None
    effort: float = 0.5
    stiffness: float = 0.5
    alertness: float = 0.5
    weight: float = 0.5
    tracking_gain: float | None = None
    springs: float | None = None
    only_plausible: bool = False

    def __post_init__(self) -> None:
        self._take_plain_numbers()
        self._refuse_unknown_choices()
        self._refuse_values_out_of_range()

    def _take_plain_numbers(self) -> None:
        """Turn numpy's numbers, which scripts have, into Python's, and refuse what is no number."""
        for own in fields(self):
            value = getattr(self, own.name)
            if isinstance(value, np.generic):
                value = value.item()
                object.__setattr__(self, own.name, value)
            kind = str(own.type).removesuffix(" | None")
            known = NUMBERS.get(kind)
            if known is None or (value is None and kind != own.type):
                continue
            words, types = known
            if isinstance(value, bool) or not isinstance(value, types):
                raise InputError(f"{own.name} is {value!r}; it must be {words}.")

    def _refuse_unknown_choices(self) -> None:
        for name, value, known in (
            ("Quality", self.quality, QUALITIES),
            ("Balance", self.balance, BALANCES),
            ("Solver", self.solver, SOLVERS),
            ("The part", self.only, PARTS),
            ("Loop", self.loop, LOOPS),
        ):
            if value not in known:
                raise InputError(f"{name} '{value}' is unknown; choose one of {', '.join(known)}.")
        if self.only != "whole" and self.only_around_hits:
            raise InputError("Only a part of the body, only around hits: one of the two; leave one out.")
        if self.loop == "on" and self.get_up:
            raise InputError("A loop has no time for getting up; leave out one of the two.")

    def _refuse_values_out_of_range(self) -> None:
        for name in ("correction", *DIALS):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{name} is {getattr(self, name)}; it must lie between 0 and 1.")
        if self.seed < 0:
            raise InputError(f"seed is {self.seed}; it must be zero or more.")
        for name in ("assist_cap", "noise", "blend_in_s", "blend_out_s"):
            if not 0.0 <= getattr(self, name) < float("inf"):
                raise InputError(f"{name} is {getattr(self, name)}; it must be zero or more.")
        if self.assist_cap and not SMALLEST_CAP <= self.assist_cap <= LARGEST_CAP:
            raise InputError(
                f"assist_cap is {self.assist_cap}; it must be zero, or lie between {SMALLEST_CAP:g} and "
                f"{LARGEST_CAP:g}."
            )
        ranges = (
            ("height", 0.1, 20.0),
            ("mass", 0.1, 20000.0),
            ("recovery_s", 0.01, 60.0),
            ("search_seconds", 1.0, 86400.0),
            *RAW,
        )
        for name, low, high in ranges:
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise InputError(f"{name} is {value}; it must lie between {low:g} and {high:g}.")
