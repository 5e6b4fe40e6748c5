"""Aims: strikes that the user asks for, and their JSON in a file or inside a job (docs/aiming.md)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..base.conventions import FloatArray, freeze, frozen
from ..base.errors import InputError
from ..base.files import AnyPath, names_its_file
from ..base.json_files import check_json_objects, dataclass_from_json, read_json_file
from ..base.npz_file import FORMAT_KEY, SCHEMA_KEY, refuse_other_format

BLEND_SECONDS = 0.4
MIN_BLEND, MAX_BLEND = 0.1, 2.0
MAX_SPEED = 30.0
"""Largest speed of a hand or foot [m/s]."""
FARTHEST_M = 1e4
"""Farthest target from the origin; what is farther is a slip [m]."""


@dataclass(frozen=True, eq=False)
class Aim:
    """A bone that should hit a target at a time and with a speed.

    bone: a part of the body (`hand.R`), a mapped bone, or a child of such a bone, such as a weapon
    at (3) or (N, 3): positions of the target [m]; at_time (N): their times, if the target moves [s]
    time: of the contact, on the motion's own time axis [s]; None finds a strike in the motion
    speed: of the bone at the contact [m/s]; 0 keeps that of the motion
    blend: time before and after the contact in which the motion is changed [s]
    point (3): point of the bone that should hit the target, in the bone's axes from its head [m]; None is
    the middle of a part of the body, and the head of any other bone
    """

    bone: str
    at: FloatArray
    at_time: FloatArray = field(default_factory=lambda: np.zeros(1))
    time: float | None = None
    speed: float = 0.0
    blend: float = BLEND_SECONDS
    point: FloatArray | None = None

    def __post_init__(self) -> None:
        positions, times = np.atleast_2d(frozen(self.at)), np.atleast_1d(frozen(self.at_time))
        if positions.ndim != 2 or positions.shape != (len(times), 3) or not np.isfinite(positions).all():
            raise InputError(
                f"The target of '{self.bone}' must be three numbers, or three for each of its times."
            )
        if np.abs(positions).max() > FARTHEST_M:
            raise InputError(
                f"The target of '{self.bone}' is {np.abs(positions).max():.3g} m away; move it within "
                f"{FARTHEST_M:g} m."
            )
        if not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0):
            raise InputError(f"The times of the target of '{self.bone}' must rise from one to the next.")
        object.__setattr__(self, "at", frozen(positions))
        object.__setattr__(self, "at_time", frozen(times))
        if self.point is not None:
            freeze(self, "point")
            if np.shape(self.point) != (3,) or not np.isfinite(self.point).all():
                raise InputError(f"The point of '{self.bone}' must be three numbers.")
        self._refuse_broken_numbers()

    def _refuse_broken_numbers(self) -> None:
        if self.time is not None and not np.isfinite(self.time):
            raise InputError(f"'{self.bone}' strikes at a time that is not a number; give seconds.")
        if not 0.0 <= self.speed <= MAX_SPEED:
            raise InputError(
                f"'{self.bone}' strikes at {self.speed:g} m/s; the speed must be 0 to {MAX_SPEED:g}."
            )
        if not MIN_BLEND <= self.blend <= MAX_BLEND:
            raise InputError(
                f"The blend of '{self.bone}' is {self.blend:g} s; it must be {MIN_BLEND:g} to {MAX_BLEND:g}."
            )

    def target(self, time_s: float) -> FloatArray:
        """Return the position of the target (3) at a time [m]; it rests outside its own times."""
        if len(self.at_time) == 1:
            return self.at[0]
        from scipy.interpolate import make_interp_spline  # takes longer to load than all of Heft's classes

        held = np.clip(time_s, self.at_time[0], self.at_time[-1])
        return np.asarray(make_interp_spline(self.at_time, self.at, k=min(3, len(self.at_time) - 1))(held))

    def scaled(self, factor: float) -> Aim:
        """Return the aim for a body that is larger by a factor."""
        point = None if self.point is None else factor * self.point
        return replace(self, at=factor * self.at, speed=factor * self.speed, point=point)

    def moved(self, offset: FloatArray) -> Aim:
        """Return the aim with its target moved by an offset (3) [m]."""
        return replace(self, at=self.at + offset)


FORMAT = "heft-aims"
SCHEMA = 1


@names_its_file
def load_aims(path: AnyPath) -> tuple[Aim, ...]:
    """Read the aims in a file; any fault in it raises an InputError."""
    return aims_from_dict(read_json_file(path, "aims"), f"'{path}'")


def aims_to_dict(aims: Sequence[Aim]) -> dict[str, Any]:
    """Return the aims as JSON data."""
    return {FORMAT_KEY: FORMAT, SCHEMA_KEY: SCHEMA, "aims": [dataclasses.asdict(aim) for aim in aims]}


def aims_from_dict(data: Mapping[str, Any], where: str) -> tuple[Aim, ...]:
    """Return the aims in JSON data; `where` names its source in error messages."""
    refuse_other_format(data, FORMAT, SCHEMA, where)
    listed = check_json_objects("aims", data.get("aims"), where)
    return tuple(
        dataclass_from_json(Aim, values, f"Aim {number} of {where}")
        for number, values in enumerate(listed, 1)
    )
