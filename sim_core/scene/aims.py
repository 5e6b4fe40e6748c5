"""A strike that is asked for.

Aims as JSON: in a file of their own, and inside a job (docs/aiming.md).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from ..base.conventions import FloatArray, frozen
from ..base.errors import InputError
from ..base.files import AnyPath
from ..base.json_files import check_json_objects, dataclass_from_json, read_json_file
from ..base.npz_file import FORMAT_KEY, SCHEMA_KEY

BLEND_SECONDS = 0.4
SHORTEST_BLEND, LONGEST_BLEND = 0.1, 2.0
FASTEST = 30.0
"""No hand or foot is faster [m/s]."""


@dataclass(frozen=True, eq=False)
class Aim:
    """A bone that shall be at a target, at a time and with a speed.

    bone: a part of the body (`hand.R`), a mapped bone, or a bone that such a one carries: a weapon
    at (3) or (N, 3): the target [m]; at_time (N): when it is there, if it moves [s]
    time: of the contact, on the motion's own axis [s]; None finds a strike in the motion
    speed: of what strikes, at the contact [m/s]; 0 leaves it as it is
    blend: how long before and after the contact the motion is changed [s]
    point (3): what shall meet the target, in the bone's axes from its head [m]; None is the middle of a
    part of the body, and the head of any other bone
    """

    bone: str
    at: FloatArray
    at_time: FloatArray = field(default_factory=lambda: np.zeros(1))
    time: float | None = None
    speed: float = 0.0
    blend: float = BLEND_SECONDS
    point: FloatArray | None = None

    def __post_init__(self) -> None:
        places, times = np.atleast_2d(frozen(self.at)), np.atleast_1d(frozen(self.at_time))
        if places.ndim != 2 or places.shape != (len(times), 3) or not np.isfinite(places).all():
            raise InputError(
                f"The target of '{self.bone}' must be three numbers, or three for each of its times."
            )
        if not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0):
            raise InputError(f"The times of the target of '{self.bone}' must rise from one to the next.")
        object.__setattr__(self, "at", frozen(places))
        object.__setattr__(self, "at_time", frozen(times))
        if self.point is not None:
            object.__setattr__(self, "point", frozen(self.point))
            if np.shape(self.point) != (3,) or not np.isfinite(self.point).all():
                raise InputError(f"The point of '{self.bone}' must be three numbers.")
        self._refuse_broken_numbers()

    def _refuse_broken_numbers(self) -> None:
        if self.time is not None and not np.isfinite(self.time):
            raise InputError(f"'{self.bone}' strikes at a time that is not a number.")
        if not 0.0 <= self.speed <= FASTEST:
            raise InputError(
                f"'{self.bone}' strikes at {self.speed:g} m/s; the speed must be 0 to {FASTEST:g}."
            )
        if not SHORTEST_BLEND <= self.blend <= LONGEST_BLEND:
            raise InputError(
                f"The blend of '{self.bone}' is {self.blend:g} s; "
                f"it must be {SHORTEST_BLEND:g} to {LONGEST_BLEND:g}."
            )

    def target(self, time_s: float) -> FloatArray:
        """Where the target is (3) [m] at a time on the motion's own axis; it rests outside its path."""
        if len(self.at_time) == 1:
            return self.at[0]
        held = np.clip(time_s, self.at_time[0], self.at_time[-1])
        return np.asarray(make_interp_spline(self.at_time, self.at, k=min(3, len(self.at_time) - 1))(held))

    def scaled(self, factor: float) -> Aim:
        """The same aim of a body that is larger by a factor."""
        point = None if self.point is None else factor * self.point
        return replace(self, at=factor * self.at, speed=factor * self.speed, point=point)

    def moved(self, offset: FloatArray) -> Aim:
        """The same target elsewhere."""
        return replace(self, at=self.at + offset)


FORMAT = "heft-aims"
SCHEMA = 1


def load_aims(path: AnyPath) -> tuple[Aim, ...]:
    """The aims in a file; whatever is wrong with it is told as an InputError."""
    return aims_from_dict(read_json_file(path, "aims"), f"'{path}'")


def aims_to_dict(aims: Sequence[Aim]) -> dict[str, Any]:
    return {FORMAT_KEY: FORMAT, SCHEMA_KEY: SCHEMA, "aims": [dataclasses.asdict(aim) for aim in aims]}


def aims_from_dict(data: Mapping[str, Any], where: str) -> tuple[Aim, ...]:
    """`where` names the source of the data in error messages."""
    if data.get(FORMAT_KEY) != FORMAT or data.get(SCHEMA_KEY) != SCHEMA:
        raise InputError(
            f"{where} has format '{data.get(FORMAT_KEY)}', schema {data.get(SCHEMA_KEY)}, "
            f"but '{FORMAT}', {SCHEMA} is needed."
        )
    listed = check_json_objects("aims", data.get("aims"), where)
    return tuple(
        dataclass_from_json(Aim, values, f"Aim {number} of {where}")
        for number, values in enumerate(listed, 1)
    )
