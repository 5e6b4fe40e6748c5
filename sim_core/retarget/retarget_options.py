"""Options of a retargeting, among them positions that a hand or a foot shall reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.conventions import FloatArray, freeze
from ..base.errors import InputError
from ..base.intervals import smooth_step
from ..base.json_files import check_json_objects, dataclass_from_json

if TYPE_CHECKING:
    from .retarget_rig import RetargetRig

BLEND_S = 0.25
"""A limb begins to leave its path this long before a range, and is back on it as long after [s]."""
LIMBS = ("hand.L", "hand.R", "foot.L", "foot.R")
"""Limbs that can reach given positions."""


@dataclass(frozen=True, eq=False)
class Reach:
    """A palm, or the sole below an ankle, is at a position from `first_s` to `last_s` of the result.

    place_world: (3), or (N, 3) for one that moves with time_s (N) of the result [m]
    """

    slot: str
    place_world: FloatArray
    first_s: float
    last_s: float
    time_s: FloatArray | None = None

    def __post_init__(self) -> None:
        freeze(self, "place_world")
        if self.time_s is not None:
            freeze(self, "time_s")

    def share(self, time: FloatArray) -> FloatArray:
        """Return how far the reach applies (T), from 0 to 1."""
        outside = np.maximum(self.first_s - time, time - self.last_s)
        return smooth_step(1.0 - outside / BLEND_S)

    def positions(self, time: FloatArray) -> FloatArray:
        """Return the positions of the limb (T, 3) [m]."""
        if self.time_s is None:
            return np.tile(self.place_world, (len(time), 1))
        return np.stack([np.interp(time, self.time_s, axis) for axis in self.place_world.T], axis=1)


def check_reaches(reaches: Sequence[Reach], target: RetargetRig) -> None:
    """Raise InputError for reaches that the target cannot have."""
    for reach in reaches:
        if reach.slot not in LIMBS:
            raise InputError(f"'{reach.slot}' cannot reach a position; choose one of {', '.join(LIMBS)}.")
        if reach.slot not in target.mapping:
            raise InputError(f"The target has no bone for '{reach.slot}'; assign one or remove this reach.")
        wanted = (3,) if reach.time_s is None else (len(reach.time_s), 3)
        if reach.place_world.shape != wanted or not np.all(np.isfinite(reach.place_world)):
            raise InputError(f"The position for '{reach.slot}' must be three numbers in metres.")
        if not reach.first_s <= reach.last_s:
            raise InputError(
                f"The range for '{reach.slot}' ends at {reach.last_s:g} s before it begins at "
                f"{reach.first_s:g} s; swap the two."
            )


class Feet(Enum):
    """How feet are treated.

    FIT: feet keep their positions in stances, unless source and target are the same body
    LOCK: they do so on any body, which removes the source's skating; FREE: only the style counts
    """

    FIT = "fit"
    LOCK = "lock"
    FREE = "free"


@dataclass(frozen=True)
class RetargetOptions:
    """keep_path: same steps in the world; otherwise the path scales with the legs.

    scale_time: slower on longer legs, by the square root of their ratio; otherwise the timing is kept
    hands: hands that meet or touch the body still do
    hold_hands: hands that stay at one position of the world in the source stay at one position
    reaches: given positions of hands and feet
    """

    keep_path: bool = False
    scale_time: bool = False
    feet: Feet = Feet.FIT
    hands: bool = True
    hold_hands: bool = False
    reaches: tuple[Reach, ...] = ()


def options_to_dict(options: RetargetOptions) -> dict[str, Any]:
    """Return the options as JSON values."""
    values = {field.name: getattr(options, field.name) for field in fields(options)}
    reaches = [{field.name: getattr(one, field.name) for field in fields(one)} for one in options.reaches]
    return {**values, "feet": options.feet.value, "reaches": reaches}


def options_from_dict(data: Mapping[str, Any], where: str) -> RetargetOptions:
    """Return options from JSON values; `where` names their origin in error messages."""
    values = dict(data)
    try:
        values["feet"] = Feet(values.get("feet"))
    except ValueError:
        known = ", ".join(feet.value for feet in Feet)
        raise InputError(f"What feet do in {where} is '{values['feet']}'; choose one of {known}.") from None
    reaches = check_json_objects("reaches", values.get("reaches"), where)
    values["reaches"] = tuple(dataclass_from_json(Reach, one, f"A reach of {where}") for one in reaches)
    options: RetargetOptions = dataclass_from_json(RetargetOptions, values, f"The options of {where}")
    return options
