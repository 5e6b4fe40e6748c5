"""Detection of a wrong frame rate: by the fall of flights, or else by the time that legs swing in steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..base.conventions import GRAVITY
from ..character.from_rig import RigCharacter
from ..motion.motion import Motion
from .steps import Swings, find_swings, impossible_share

USUAL_HZ = np.array([24.0, 25.0, 30.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0])
USUAL_WITHIN = 0.09
"""An estimate within this share of a usual rate means that rate."""
WRONG_BEYOND = 1.25
"""Ratio of rates below which nothing is reported, because a body's masses are not known better."""
NOT_TAKEN_OVER = 1.1
"""The same where the importer took over no rate: then that of the scene is no better than its neighbours."""
PERSON_M = (1.0, 2.3)
"""Heights that a person may have [m]."""

CAPTURE_HZ = np.array([24.0, 30.0, 60.0, 120.0])
"""Rates that steps can tell from each other."""
SWING_S = 0.45
"""Usual duration of a swing, between a march and a stroll, for a leg of 0.86 m [s]."""
SHORTEST_SWING_S, LONGEST_SWING_S = 0.30, 0.85
"""Swings outside of this range raise a doubt about the rate [s]."""
TOO_LONG_S = 1.1
"""Swings that take longer show a wrong rate [s]."""
IMPOSSIBLE_SHARE = 0.5
"""Share of frames with impossible pressure from which short swings show a wrong rate."""
EXPLAINED = 0.5
"""At the right rate at most this part of them remains."""


class RateClaim(Enum):
    """Who says at which rate the frames are to be played."""

    HEADER = "the header of a file, which is often wrong"
    IMPORTED = "the scene into which a motion was imported; importers keep frames rather than times"
    KEYED = "an animator, who keyed it at this rate"


@dataclass(frozen=True)
class RateFinding:
    """A frame rate that does not fit the motion.

    header_hz: as played; usual_hz: the rate that fits
    confident: whether nothing but the rate can be the reason; reason: one clause
    by_flights: whether the fall in the air shows it, which is stronger evidence than steps
    """

    header_hz: float
    usual_hz: float
    confident: bool
    reason: str
    by_flights: bool = True

    def in_doubt(self) -> RateFinding:
        """Return the finding as one that is told and not used."""
        return replace(self, confident=False)

    @property
    def message(self) -> str:
        """One sentence for the user."""
        if self.confident:
            return (
                f"Read at {self.usual_hz:g} frames a second instead of {self.header_hz:g}, because "
                f"{self.reason}."
            )
        return (
            f"The frame rate may be {self.usual_hz:g} instead of {self.header_hz:g}, because {self.reason}; "
            f"{self.header_hz:g} was kept."
        )


def check_frame_rate(
    character: RigCharacter, motion: Motion, fall: float | None, beyond: float = WRONG_BEYOND
) -> RateFinding | None:
    """Return how a motion contradicts its frame rate; None when it does not.

    fall: the acceleration of its flights [m/s^2], None without flights
    beyond: ratio of rates from which flights contradict
    """
    if fall is not None:
        return _by_fall(fall, motion.rate_hz, character.spec.height, beyond)
    swings = find_swings(character, motion)
    return None if swings is None else _by_swings(character, motion, swings)


def _by_fall(fall: float, header_hz: float, height: float, beyond: float) -> RateFinding | None:
    estimated_hz = header_hz * np.sqrt(GRAVITY / fall)
    usual_hz = float(USUAL_HZ[np.argmin(np.abs(np.log(USUAL_HZ / estimated_hz)))])
    wrong = abs(np.log(usual_hz / header_hz)) > np.log(beyond)
    if not wrong or abs(np.log(usual_hz / estimated_hz)) > USUAL_WITHIN:
        return None
    fitting_height = height * GRAVITY / fall
    size_fits = PERSON_M[0] < fitting_height < PERSON_M[1]
    reason = f"in the air it falls at {fall:.1f} m/s^2 instead of {GRAVITY}"
    if size_fits:
        reason += f", unless it moves like a body of {fitting_height:.2f} m"
    return RateFinding(round(header_hz, 2), usual_hz, not size_fits, reason)


def _by_swings(character: RigCharacter, motion: Motion, swings: Swings) -> RateFinding | None:
    header_hz = motion.rate_hz
    if SHORTEST_SWING_S <= swings.seconds <= LONGEST_SWING_S:
        return None
    seconds_at = swings.seconds * header_hz / CAPTURE_HZ
    usual_hz = float(CAPTURE_HZ[np.argmin(np.abs(np.log(seconds_at / SWING_S)))])
    if abs(np.log(usual_hz / header_hz)) <= np.log(WRONG_BEYOND):
        return None
    if usual_hz > header_hz:
        confident = swings.seconds > TOO_LONG_S
    else:
        before = impossible_share(character, motion, header_hz)
        after = impossible_share(character, motion, usual_hz)
        confident = before > IMPOSSIBLE_SHARE and after < EXPLAINED * before
    reason = (
        f"a swing of the legs takes {swings.seconds:.2f} s in {swings.count} steps, "
        "where half a second is usual"
    )
    return RateFinding(round(header_hz, 2), usual_hz, confident, reason, by_flights=False)
