"""The unit of lengths, from the size that a body has in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.errors import InputError

CMU_UNIT_M = 0.0254 / 0.45
"""Unit of the CMU motions, which are in inches divided by 0.45 [m]."""

UNITS_M = {
    "metres": 1.0,
    "centimetres": 0.01,
    "millimetres": 0.001,
    "decimetres": 0.1,
    "inches": 0.0254,
    "feet": 0.3048,
    "the CMU unit": CMU_UNIT_M,
}
TYPICAL_HEIGHT_M = 1.7
RARE_UNITS = ("feet",)
"""Units of files that no importer makes rigs of; a rig of 5 m is a giant rather than a body in feet."""
PLAUSIBLE_HEIGHT_M = (1.2, 2.3)
POSSIBLE_HEIGHT_M = (0.4, 4.0)
"""Heights that a body may have where the unit is stated."""


@dataclass(frozen=True)
class Unit:
    """A unit of length: metres, and its name; None where no known unit gives a plausible body."""

    metres: float
    name: str | None


def fitting_unit(height: float, rare: bool = True) -> Unit:
    """Return the unit in which a body of this height is plausible; a known one if there is one.

    rare: whether it may be one of RARE_UNITS
    """
    fitting = {
        name: unit
        for name, unit in UNITS_M.items()
        if _plausible(height * unit) and (rare or name not in RARE_UNITS)
    }
    if not fitting:
        return Unit(TYPICAL_HEIGHT_M / height, None)
    name = min(fitting, key=lambda key: abs(np.log(height * fitting[key] / TYPICAL_HEIGHT_M)))
    return Unit(fitting[name], name)


def find_unit(height: float, given_m: float | None, stated_m: float | None = None) -> tuple[float, str]:
    """Return the metres per file unit of a body of a height [file units], and a note for the user.

    given_m: as the user says; stated_m: as the file's format says, which a body nobody can have contradicts
    """
    if given_m is not None:
        return given_m, f"One file unit is {given_m:g} m as given; the body is {height * given_m:.2f} m tall."
    if stated_m is not None:
        return _checked(height * stated_m, stated_m)
    if height <= 0.0:
        return 1.0, "The skeleton has no size; the file is taken to be in metres."
    unit = fitting_unit(height)
    if unit.name is None:
        return unit.metres, (
            f"No known unit gives a plausible body height; the file was scaled by {unit.metres:.4g} "
            f"to a height of {TYPICAL_HEIGHT_M} m."
        )
    body = f"that makes the body {height * unit.metres:.2f} m tall"
    return unit.metres, f"The file is taken to be in {unit.name} ({unit.metres:.6g} m): {body}."


def _checked(height_m: float, stated_m: float) -> tuple[float, str]:
    """Return the unit that a format fixes, if a body has the height that it gives."""
    if not POSSIBLE_HEIGHT_M[0] <= height_m <= POSSIBLE_HEIGHT_M[1]:
        raise InputError(
            f"The body would be {height_m:.3g} m tall in the unit of its format ({stated_m:g} m); check the "
            "file's lengths, or state its unit (--unit)."
        )
    return stated_m, f"The body is {height_m:.2f} m tall."


def _plausible(height_m: float) -> bool:
    return PLAUSIBLE_HEIGHT_M[0] <= height_m <= PLAUSIBLE_HEIGHT_M[1]
