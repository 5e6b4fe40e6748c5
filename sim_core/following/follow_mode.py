"""How a stream is followed: with a delay in which its next steps are seen, or at once."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.errors import InputError
from ..motion.motion import CONTROL_DT
from .choices import LEAST_DELAY_S, MOST_DELAY_S, USUAL_DELAY_S


@dataclass(frozen=True)
class FollowMode:
    """How a stream is followed.

    delay: samples by which the character is behind the performer; its reference is prepared within them
    ahead: samples that are prepared at least, continued from the newest frame where nothing has come
    every: samples after which the next window is prepared
    """

    delay: int
    ahead: int
    every: int


def delayed(delay_s: float = USUAL_DELAY_S) -> FollowMode:
    """Return the mode with look-ahead: contacts, filter and balance are prepared before they are needed."""
    if not LEAST_DELAY_S <= delay_s <= MOST_DELAY_S:
        raise InputError(
            f"A delay of {delay_s:g} s cannot be used; choose {LEAST_DELAY_S:g} to {MOST_DELAY_S:g} s, or "
            "the direct mode, which has none."
        )
    return FollowMode(round(delay_s / CONTROL_DT), 30, 20)


DIRECT = FollowMode(0, 30, 5)
"""No look-ahead: the next moments are guessed, and the performer has to balance the character."""
