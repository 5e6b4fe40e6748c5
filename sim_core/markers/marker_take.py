"""Markers over time as a capture recorded them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..base.conventions import BoolArray, FloatArray, freeze
from ..base.errors import InputError


@dataclass(frozen=True, eq=False)
class ForcePlate:
    """Measurements of a force plate in the floor.

    corners_world (4, 3) [m]
    time (S) [s], at the plate's own rate
    force_world (S, 3): on the subject [N]; moment_world (S, 3): about the plate's centre [Nm]
    pressure_world (S, 3): centre of pressure on the plate [m]; NaN while unloaded
    """

    corners_world: FloatArray
    time: FloatArray
    force_world: FloatArray
    moment_world: FloatArray
    pressure_world: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "corners_world", "time", "force_world", "moment_world", "pressure_world")


@dataclass(frozen=True, eq=False)
class MarkerTake:
    """Markers of one subject over time, in the world's axes.

    name: of the subject or of the part of the file; "" if there is only one
    labels (M): unique, without the subject's prefix; unlabelled points get a generated label
    labelled (M): False where the file gives a point no name
    time (T): seconds, evenly spaced
    position_world (T, M, 3): [m]; NaN where the marker was not seen
    residual (T, M): how well the cameras agree [m]; NaN where unknown
    first_frame: the number of the first sample in the file
    plates: force plates
    outputs: results of the capture software (angles, moments), by name (T, 3), in the file's own units
    parameters: numbers about the subject in the file, in its own units
    """

    name: str
    labels: tuple[str, ...]
    labelled: BoolArray
    time: FloatArray
    position_world: FloatArray
    residual: FloatArray
    first_frame: int = 1
    plates: tuple[ForcePlate, ...] = ()
    outputs: Mapping[str, FloatArray] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        samples, count = len(self.time), len(self.labels)
        object.__setattr__(self, "labels", tuple(self.labels))
        freeze(self, "labelled", dtype=np.bool_)
        freeze(self, "time", "position_world", "residual")
        if self.position_world.shape != (samples, count, 3) or self.residual.shape != (samples, count):
            raise InputError(f"The markers' arrays do not fit {samples} frames of {count} markers.")
        doubled = sorted({label for label in self.labels if self.labels.count(label) > 1})
        if doubled:
            raise InputError(
                f"Two markers are called '{doubled[0]}'; rename one of them in the capture software."
            )

    @property
    def rate_hz(self) -> float:
        """Sampling rate [Hz]."""
        return (len(self.time) - 1) / float(self.time[-1] - self.time[0])

    @property
    def seen(self) -> BoolArray:
        """Whether a marker has a position (T, M)."""
        return np.asarray(np.isfinite(self.position_world).all(axis=2))

    def index(self, label: str) -> int:
        """Return the index of a label."""
        return self.labels.index(label)

    def chosen(self, labels: Sequence[str]) -> MarkerTake:
        """Return the take with these markers only, in this order."""
        columns = [self.labels.index(label) for label in labels]
        return replace(
            self,
            labels=tuple(labels),
            labelled=self.labelled[columns],
            position_world=self.position_world[:, columns],
            residual=self.residual[:, columns],
        )

    def between(self, start_s: float, end_s: float) -> MarkerTake:
        """Return the samples from start to end, counted from the first sample; time is kept."""
        elapsed = self.time - self.time[0]
        keep = np.flatnonzero((elapsed >= start_s - 1e-9) & (elapsed <= end_s + 1e-9))
        if len(keep) < 2:
            lasts = float(elapsed[-1])
            raise InputError(
                f"Nothing lies between {start_s:g} s and {end_s:g} s; the take lasts "
                f"{lasts:.2f} s, so choose a time within it."
            )
        return replace(
            self,
            time=self.time[keep],
            position_world=self.position_world[keep],
            residual=self.residual[keep],
            first_frame=self.first_frame + int(keep[0]),
            outputs={name: values[keep] for name, values in self.outputs.items()},
        )


@dataclass(frozen=True, eq=False)
class MarkerFile:
    """The contents of a file.

    takes: one for each subject and for each section of time; at least one
    unit_m: metres per unit of the file
    notes: assumptions that were made, for the user
    world_from_file (3, 3): from the file's axes to those of the world
    """

    takes: tuple[MarkerTake, ...]
    unit_m: float
    notes: tuple[str, ...] = ()
    world_from_file: FloatArray = field(default_factory=lambda: np.eye(3))

    def take(self, name: str | None = None) -> MarkerTake:
        """Return the take of this name or of this number, counted from 1; the first one for None."""
        if name is None:
            return self.takes[0]
        by_name = {take.name: take for take in self.takes}
        by_name |= {str(number): take for number, take in enumerate(self.takes, start=1)}
        if name not in by_name:
            known = ", ".join(f"'{take.name}'" for take in self.takes)
            raise InputError(f"There is no take '{name}' in the file; it has {known}.")
        return by_name[name]
