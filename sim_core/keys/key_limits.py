"""Limits of the errors of reduced keys, and figures of a reduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError

if TYPE_CHECKING:
    from .reduce import ReducedKeys


@dataclass(frozen=True)
class KeyLimits:
    """Largest errors of any bone at any frame: of its rotation [deg] and of its position [mm]."""

    degrees: float = 0.5
    millimetres: float = 2.0

    def __post_init__(self) -> None:
        for name in ("degrees", "millimetres"):
            if not 0.0 < getattr(self, name) < float("inf"):
                raise InputError(
                    f"The largest error in {name} is {getattr(self, name)}; it must be above zero."
                )

    def allowed(self, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return shares (F, N) of the limits: of rotation [rad] and of position [m]."""
        return share * np.radians(self.degrees), share * 0.001 * self.millimetres


@dataclass(frozen=True)
class KeyFigures:
    """Number of keys, number with one at every frame, and the largest errors [deg, mm].

    outside: keys of the source before and after the frames that were reduced
    """

    count: int
    every_frame: int
    degrees: float
    millimetres: float
    outside: int = 0

    @staticmethod
    def of(few: ReducedKeys, frames: int) -> KeyFigures:
        """Return the figures of a reduction over this number of frames."""
        channels = sum(spline.value.shape[1] for spline in few.splines)
        degrees = float(np.degrees(few.turn_rad.max(initial=0.0)))
        return KeyFigures(
            few.key_count, frames * channels, degrees, 1000.0 * float(few.shift_m.max(initial=0.0))
        )

    @staticmethod
    def together(figures: Sequence[KeyFigures]) -> KeyFigures:
        """Return the figures of several reductions together; at least one is needed."""
        return KeyFigures(
            sum(one.count for one in figures),
            sum(one.every_frame for one in figures),
            max(one.degrees for one in figures),
            max(one.millimetres for one in figures),
            sum(one.outside for one in figures),
        )

    @property
    def share(self) -> float:
        """Return the number of keys as a share of one at every frame."""
        return self.count / self.every_frame

    @property
    def sentence(self) -> str:
        """Return the figures in words for the user."""
        outside = f" {self.outside} keys before and after are the source's own." if self.outside else ""
        return (
            f"{self.count} keys in place of {self.every_frame} ({self.share:.0%}), at most "
            f"{self.degrees:.2f} deg and {self.millimetres:.1f} mm from every frame.{outside}"
        )
