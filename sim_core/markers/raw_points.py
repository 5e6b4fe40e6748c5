"""Points as a file holds them, before units, axes and labels are interpreted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..base.conventions import FloatArray

ABSENT = (-10000.0, -9998.0)
"""Range of a number that some systems write for all coordinates of a marker that was not seen."""


@dataclass(frozen=True, eq=False)
class RawPlate:
    """A force plate in the file's axes and units; see ForcePlate.

    moment_unit: metres per unit of length in the moments
    """

    corners: FloatArray
    force: FloatArray
    moment: FloatArray
    pressure: FloatArray
    rate_hz: float
    moment_unit: float = 1e-3


@dataclass(frozen=True, eq=False)
class RawPoints:
    """One section of a file.

    labels (P): as written, with prefixes
    position (T, P, 3): in the file's units and axes; gaps are NaN
    residual (T, P): in the file's units; NaN where unknown
    unit, up: as the file declares them ("mm", "+Z"); "" if it does not
    """

    labels: tuple[str, ...]
    rate_hz: float
    start_s: float
    first_frame: int
    position: FloatArray
    residual: FloatArray
    unit: str = ""
    up: str = ""
    plates: tuple[RawPlate, ...] = ()
    outputs: Mapping[str, FloatArray] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def with_gaps(position: FloatArray) -> FloatArray:
    """Return positions (T, P, 3) with NaN where a marker was not seen: zero, NaN or -9999 in all three."""
    absent = (position == 0.0).all(axis=2) | ~np.isfinite(position).all(axis=2)
    absent |= ((position > ABSENT[0]) & (position < ABSENT[1])).all(axis=2)
    return np.where(absent[..., None], np.nan, position)
