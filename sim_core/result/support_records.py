"""Records of what carries a body besides the floor: supports that it misses, hands that hold on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SupportOffer:
    """A step, seat or table that the motion was captured on; text: a question to the user.

    height_m: above the floor [m]; start_s, seconds: from when on, and for how long altogether it is used [s]
    confidence: share of the missing weight that it gives, 0 to 1
    """

    kind: str
    height_m: float
    start_s: float
    seconds: float
    confidence: float
    text: str


@dataclass(frozen=True)
class GripRecord:
    """A hand that holds on to something, as the motion has it; times since the start [s].

    segment: of the hand; start_s, end_s: from when until when it should hold; held_s: for how long it did
    mean_n, peak_n: its force while it held; limit_n: the largest force that it can hold [N]
    lost_s: when it slipped off because it was pulled harder than that; None where it did not
    """

    segment: str
    start_s: float
    end_s: float
    held_s: float
    mean_n: float
    peak_n: float
    limit_n: float
    lost_s: float | None = None
