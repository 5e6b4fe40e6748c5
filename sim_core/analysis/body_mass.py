"""The mass of a body: weighed by force plates, read from the file, given, or estimated from the height."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..base.intervals import true_intervals
from .plate_loads import Load

ELSEWHERE = 0.01
"""Largest share of the needed force that may rest on something else than plates."""
EDGE = 5
"""Samples at both ends whose acceleration is only known from one side."""
LEAST_S = 0.3
"""Shortest total time for which plates must carry the whole body [s]. Over this time an error of 3 cm/s in
the body's velocity is 1 % of the weight."""
LEAST_INTERVAL_S = 0.1
"""Shorter intervals are left out of the comparison [s]."""
SPREAD = 0.03
"""Intervals must agree within this share of the mass, or part of the body was not weighed."""


@dataclass(frozen=True)
class Weighing:
    """A mass measured by force plates.

    mass [kg]; seconds: total time for which plates carried the whole body
    spread: largest relative difference between an interval's mass and the mean
    """

    mass: float
    seconds: float
    spread: float


def weigh(
    mass: float, needed: FloatArray, elsewhere: FloatArray, loads: Sequence[Load], dt: float
) -> Weighing | None:
    """Return the mass with which plates carry exactly what the motion needs; None if they cannot tell it.

    needed (T): the vertical force that a body of `mass` needs for its weight and acceleration [N]
    elsewhere (T): the part of it that is estimated to rest on something else than the plates [N]
    loads: forces of the plates at the same times
    """
    measured = np.sum([load.force[:, 2] for load in loads], axis=0)
    whole = (measured > 0.0) & (elsewhere < ELSEWHERE * needed)
    whole[:EDGE] = whole[-EDGE:] = False
    parts = [
        slice(*interval)
        for interval in true_intervals(whole)
        if (interval[1] - interval[0]) * dt >= LEAST_INTERVAL_S
    ]
    seconds = dt * sum(part.stop - part.start for part in parts)
    if seconds < LEAST_S:
        return None
    ratio = sum(measured[part].sum() for part in parts) / sum(needed[part].sum() for part in parts)
    spread = max(abs(measured[part].sum() / needed[part].sum() / ratio - 1.0) for part in parts)
    return Weighing(mass * float(ratio), float(seconds), float(spread)) if spread <= SPREAD else None


MASS_NAMES = ("bodymass", "mass", "weight")
"""Names of the subject's mass in capture software, in lower case."""
PLAUSIBLE_KG = (10.0, 400.0)
"""Range of plausible masses [kg]."""
BELIEVED = 0.15
"""Plates whose mass differs from the file's by more than this share are not used: the subject carried
something, or the plates were not set to zero."""
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
    """The chosen mass of a body and where it comes from.

    mass [kg]: None estimates it from the height; source: GIVEN, FROM_PLATES, ...
    file_mass [kg]: as the file says; weighed: by force plates. Both are kept even if another mass was chosen.
    asked: whether force plates were evaluated, even without success
    """

    mass: float | None
    source: str
    file_mass: float | None = None
    weighed: Weighing | None = None
    asked: bool = False

    def note(self, mass: float, whose: str = "body") -> str:
        """Return a sentence for the user about the mass that was used [kg], or that is known of somebody."""
        text = f"The {whose}'s mass is {mass:.1f} kg, {_WORDS[self.source]}"
        if self.source == FROM_PLATES and self.weighed is not None:
            text += f" over {self.weighed.seconds:.1f} s in which they carry all of it"
            if self.file_mass is not None:
                text += f"; the file says {self.file_mass:.1f} kg, which --mass {self.file_mass:g} would take"
        elif self.weighed is not None:
            text += f"; the force plates weigh {self.weighed.mass:.1f} kg, too far from it to be believed"
        elif self.asked:
            text += "; no force plates carry all of it long and evenly enough to weigh it"
        return f"{text}."

    def figures(self) -> dict[str, Any]:
        """Return the masses for the metrics."""
        return {
            "mass_from": self.source,
            "mass_file_kg": self.file_mass,
            "mass_plates_kg": None if self.weighed is None else self.weighed.mass,
        }


def choose_mass(
    given: float | None, parameters: Mapping[str, float], weighed: Weighing | None, asked: bool = True
) -> BodyMass:
    """Return the given mass, else that of the plates if it is close to the file's, else the file's.

    weighed: None if plates cannot tell the mass or were not evaluated
    """
    stated = file_mass(parameters)
    if given is not None:
        return BodyMass(given, GIVEN, stated)
    if weighed is not None and _believed(weighed.mass, stated):
        return BodyMass(weighed.mass, FROM_PLATES, stated, weighed, asked)
    return BodyMass(stated, FROM_HEIGHT if stated is None else FROM_FILE, stated, weighed, asked)


def file_mass(parameters: Mapping[str, float]) -> float | None:
    """Return the subject's mass in a marker file [kg]; None if there is no plausible one."""
    named = {name.lower(): value for name, value in parameters.items()}
    return next((named[name] for name in MASS_NAMES if _plausible(named.get(name, 0.0))), None)


def _believed(mass: float, stated: float | None) -> bool:
    return _plausible(mass) if stated is None else abs(mass / stated - 1.0) <= BELIEVED


def _plausible(mass: float) -> bool:
    return PLAUSIBLE_KG[0] < mass < PLAUSIBLE_KG[1]
