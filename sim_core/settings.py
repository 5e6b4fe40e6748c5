"""What a bake can be told, with the defaults that every way in shares."""

from __future__ import annotations

from dataclasses import dataclass

from .control.hit_reaction import HitSettings
from .errors import InputError

QUALITIES = ("draft", "standard", "best")
BALANCES = ("footsteps", "swing_hip", "three_link", "full_state", "virtual_actuator", "joint_offset")
"""Centroidal LQR with footsteps; the swing-hip rule of da Silva et al. 2008; a body of three links that
balances for the character; feedback of the character's whole state; a virtual actuator, and offsets of hips
and ankles, both of Zordan, Hodgins 2002."""
SOLVERS = ("daqp", "osqp")
PARTS = ("whole", "upper")
"""What of the body is simulated: all of it; or trunk, head and arms, on hips and legs that follow the clip."""


@dataclass(frozen=True)
class BakeSettings:
    """Options of a bake (contract: the result file's documentation).

    quality: one of QUALITIES
    assist_cap: limit of the external root force and torque per axis [N, Nm]; 0 is physical
    seed: of every random draw
    noise: standard deviation added to the starting velocities [rad/s, m/s]
    height: body height [m]; None measures the rig
    mass: total mass [kg]; None takes it from the height
    character: name of a preset character; None builds one from the rig
    balance: one of BALANCES
    balance_weight: of three_link, from 0, the motion's style, to 1, balance
    solver: one of SOLVERS, of the controller's quadratic programs
    correction: how far the motion may be changed so that forces can produce it, 0 (not at all) to 1
    softness: how far a region that is hit gives way, from 0, not at all, to 1, limp
    recovery_s: from a hit until the region is as firm as before [s]
    only_around_hits: simulate just before a hit until the body is back on its motion; all else is the clip
    only: one of PARTS; what is not simulated follows the clip, held by no forces
    blend_in_s, blend_out_s: how long the clip goes over into the simulation, and that back into the clip [s]
    self_collision: parts of the body do not pass through each other
    find_assist: look for the least assist that carries a motion that fell
    gain_folder: where gains that take long are kept for later bakes; None keeps none
    simulate: False passes the source through character and back, for checking a rig
    only_plausible: the motion is made possible for forces, and not simulated
    """

    quality: str = "standard"
    assist_cap: float = 15.0
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
    softness: float = HitSettings.softness
    recovery_s: float = HitSettings.recovery_s
    only_around_hits: bool = False
    only: str = "whole"
    blend_in_s: float = 0.0
    blend_out_s: float = 0.0
    self_collision: bool = True
    gain_folder: str | None = None
    only_plausible: bool = False

    def __post_init__(self) -> None:
        if self.quality not in QUALITIES:
            raise InputError(f"Quality '{self.quality}' is unknown; choose one of {', '.join(QUALITIES)}.")
        if self.balance not in BALANCES:
            raise InputError(f"Balance '{self.balance}' is unknown; choose one of {', '.join(BALANCES)}.")
        if self.solver not in SOLVERS:
            raise InputError(f"Solver '{self.solver}' is unknown; choose one of {', '.join(SOLVERS)}.")
        if self.only not in PARTS:
            raise InputError(f"The part '{self.only}' is unknown; choose one of {', '.join(PARTS)}.")
        if self.only != "whole" and self.only_around_hits:
            raise InputError("Only a part of the body, only around hits: one of the two; leave one out.")
        for name in ("correction", "balance_weight", "softness"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{name} is {getattr(self, name)}; it must lie between 0 and 1.")
        if self.seed < 0:
            raise InputError(f"seed is {self.seed}; it must be zero or more.")
        for name in ("assist_cap", "noise", "blend_in_s", "blend_out_s"):
            if not 0.0 <= getattr(self, name) < float("inf"):
                raise InputError(f"{name} is {getattr(self, name)}; it must be zero or more.")
        for name, low, high in (("height", 0.1, 20.0), ("mass", 0.1, 20000.0), ("recovery_s", 0.01, 60.0)):
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise InputError(f"{name} is {value}; it must lie between {low:g} and {high:g}.")
