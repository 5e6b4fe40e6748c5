"""How heavy a body is, by force plates that carry all of it for a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..conventions import FloatArray
from ..spells import spells
from .loads import Load

ELSEWHERE = 0.01
"""Of what the body needs, the share that may rest on something else than plates."""
EDGE = 5
"""Samples at both ends whose acceleration is known from one side only."""
LEAST_S = 0.3
"""Plates must carry all for this long [s]. What is not known of the body's speed, 3 cm/s, is 1 % of the
weight over this time."""
LEAST_SPELL_S = 0.1
"""A shorter spell says too little to be compared with the others [s]."""
SPREAD = 0.03
"""Spells that differ by more than this share of the mass do not weigh the same body, or not all of it."""


@dataclass(frozen=True)
class Weighing:
    """mass [kg]; seconds: how long plates carried all; spread: of the spells, from the mean, as a share"""

    mass: float
    seconds: float
    spread: float


def weigh(
    mass: float, needed: FloatArray, elsewhere: FloatArray, loads: Sequence[Load], dt: float
) -> Weighing | None:
    """The mass with which plates carry exactly what the motion needs; None where they do not tell it.

    needed (T): the vertical force that a body of `mass` needs for its weight and acceleration [N]
    elsewhere (T): what of it is estimated to rest on something else than the plates [N]
    loads: at the same times
    """
    carried = np.sum([load.force[:, 2] for load in loads], axis=0)
    whole = (carried > 0.0) & (elsewhere < ELSEWHERE * needed)
    whole[:EDGE] = whole[-EDGE:] = False
    parts = [slice(*spell) for spell in spells(whole) if (spell[1] - spell[0]) * dt >= LEAST_SPELL_S]
    seconds = dt * sum(part.stop - part.start for part in parts)
    if seconds < LEAST_S:
        return None
    ratio = sum(carried[part].sum() for part in parts) / sum(needed[part].sum() for part in parts)
    spread = max(abs(carried[part].sum() / needed[part].sum() / ratio - 1.0) for part in parts)
    return Weighing(mass * float(ratio), float(seconds), float(spread)) if spread <= SPREAD else None
