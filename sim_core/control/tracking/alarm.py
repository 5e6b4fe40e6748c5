"""When a body that is off its plan takes a step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Alarm:
    """What calls for a step that was not planned.

    off_plan [m]: the capture point is further than this from where it should be, and
    outside: further from the middle of the touching points, in standard deviations of those
    sure: before a planned step, share of what can be held at best that is counted on
    reach [m]: a foot is not put further from the one that stands, nor a planned step further off its place
    """

    off_plan: float = 0.06
    outside: float = 1.5
    sure: float = 0.9
    reach: float = 0.6

    def after(self, patience: float) -> Alarm:
        """Steps come later with more patience; 1 changes nothing."""
        return Alarm(self.off_plan * patience, self.outside * patience, self.sure * patience, self.reach)
