"""How heavy a body is, by force plates that carry all of it for a while.

Which mass a body is given for its forces, and where that came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..base.intervals import true_intervals
from .plate_loads import Load

ELSEWHERE = 0.01
"""Of what the body needs, the share that may rest on something else than plates."""
EDGE = 5
"""Samples at both ends whose acceleration is known from one side only."""
LEAST_S = 0.3
"""Plates must carry all for this long [s]. What is not known of the body's speed, 3 cm/s, is 1 % of the
weight over this time."""
LEAST_INTERVAL_S = 0.1
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
    parts = [
        slice(*interval)
        for interval in true_intervals(whole)
        if (interval[1] - interval[0]) * dt >= LEAST_INTERVAL_S
    ]
    seconds = dt * sum(part.stop - part.start for part in parts)
    if seconds < LEAST_S:
        return None
    ratio = sum(carried[part].sum() for part in parts) / sum(needed[part].sum() for part in parts)
    spread = max(abs(carried[part].sum() / needed[part].sum() / ratio - 1.0) for part in parts)
    return Weighing(mass * float(ratio), float(seconds), float(spread)) if spread <= SPREAD else None


MASS_NAMES = ("bodymass", "mass", "weight")
"""What capture software calls the subject's mass, in any case."""
PLAUSIBLE_KG = (10.0, 400.0)
BELIEVED = 0.15
"""Plates that weigh a body as more than this share lighter or heavier than the file says are not believed: it
carried something, or they were not set to zero."""
GIVEN, FROM_PLATES, FROM_FILE, FROM_HEIGHT, FROM_RESULT = "given", "plates", "file", "height", "result"
_WORDS = {
    GIVEN: "as given",
    FROM_PLATES: "as the force plates weigh it",
    FROM_FILE: "as the file says",
    FROM_HEIGHT: "that of an average person of this height",
    FROM_RESULT: "as it was simulated",
}


@dataclass(frozen=True)
class BodyMass:
    """mass [kg]: None leaves it to the height; source: GIVEN, FROM_PLATES, ...

    file_mass [kg]: what the file says; weighed: by force plates. Both also where another mass was taken.
    asked: force plates were asked, though they may not tell it
    """

    mass: float | None
    source: str
    file_mass: float | None = None
    weighed: Weighing | None = None
    asked: bool = False

    def note(self, mass: float) -> str:
        """What the user is told of the mass that was used [kg]."""
        told = f"The body's mass is {mass:.1f} kg, {_WORDS[self.source]}"
        if self.source == FROM_PLATES and self.weighed is not None:
            told += f" over {self.weighed.seconds:.1f} s in which they carry all of it"
            if self.file_mass is not None:
                told += f"; the file says {self.file_mass:.1f} kg, which --mass {self.file_mass:g} would take"
        elif self.weighed is not None:
            told += f"; the force plates weigh {self.weighed.mass:.1f} kg, too far from it to be believed"
        elif self.asked:
            told += "; no force plates carry all of it long and evenly enough to weigh it"
        return f"{told}."

    def figures(self) -> dict[str, Any]:
        return {
            "mass_from": self.source,
            "mass_file_kg": self.file_mass,
            "mass_plates_kg": None if self.weighed is None else self.weighed.mass,
        }


def choose_mass(
    given: float | None, parameters: Mapping[str, float], weighed: Weighing | None, asked: bool = True
) -> BodyMass:
    """As given; else as plates weigh it, unless the file says something quite different; else the file's.

    weighed: None where plates do not tell the mass, or were not asked
    """
    said = file_mass(parameters)
    if given is not None:
        return BodyMass(given, GIVEN, said)
    if weighed is not None and _believed(weighed.mass, said):
        return BodyMass(weighed.mass, FROM_PLATES, said, weighed, asked)
    return BodyMass(said, FROM_HEIGHT if said is None else FROM_FILE, said, weighed, asked)


def file_mass(parameters: Mapping[str, float]) -> float | None:
    """What a marker file says the subject weighs [kg]; None where it says nothing that can be true."""
    named = {name.lower(): value for name, value in parameters.items()}
    return next((named[name] for name in MASS_NAMES if _plausible(named.get(name, 0.0))), None)


def _believed(mass: float, said: float | None) -> bool:
    return _plausible(mass) if said is None else abs(mass / said - 1.0) <= BELIEVED


def _plausible(mass: float) -> bool:
    return PLAUSIBLE_KG[0] < mass < PLAUSIBLE_KG[1]
