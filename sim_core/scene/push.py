"""Pushes: forces from outside that disturb a character for a while. They never help it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..conventions import FloatArray, frozen
from ..errors import InputError


@dataclass(frozen=True, eq=False)
class Push:
    """segment: the part of the body, such as chest, whose centre of mass is pushed

    force (3) [N]: in the world; start_s [s]: on the character's own time axis; duration_s [s]
    character: whose part it is, by its name; the first one's without
    """

    segment: str
    force: FloatArray
    start_s: float
    duration_s: float
    character: str = ""

    def __post_init__(self) -> None:
        force = frozen(self.force)
        if force.shape != (3,) or not np.isfinite(force).all():
            raise InputError(f"The force of the push on '{self.segment}' must be three numbers.")
        object.__setattr__(self, "force", force)
        if not np.isfinite(self.start_s) or not 0.0 < self.duration_s < float("inf"):
            raise InputError(
                f"The push on '{self.segment}' starts at {self.start_s:g} s and lasts {self.duration_s:g} s; "
                "it must last longer than zero."
            )

    def acts_at(self, time_s: float) -> bool:
        """Whether it acts during the control interval that begins now."""
        return -1e-6 <= time_s - self.start_s < self.duration_s - 1e-6
