"""What a fit reports: colours of the markers, errors in the table, and notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...sim_core.jobs.fit_job import FitOutcome
from ...sim_core.markers.faults import Fault
from ...sim_core.markers.fit_file import used_words
from ..blender.mesh_attributes import write_numbers
from .display_nodes import ERROR, UNFITTED
from .take_object import Clock, TakeObject

MOST_FAULTS = 200
"""Largest number of faults stored in the file; a take with more needs the capture software."""


@dataclass(frozen=True)
class MarkerError:
    """Distances of one marker from the fitted body."""

    label: str
    rms_cm: float
    worst_cm: float
    worst_frame: int


@dataclass(frozen=True)
class FitReport:
    """The new action, errors by marker, and notes for the user.

    used: how many of the file's markers were used; warnings: what is implausible about the fit
    """

    armature_name: str
    action_name: str
    rms_cm: float
    used: str
    errors: tuple[MarkerError, ...]
    faults: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @staticmethod
    def of(
        outcome: FitOutcome, armature_name: str, action_name: str, clock: Clock, notes: tuple[str, ...]
    ) -> FitReport:
        """Return the report of an outcome, with the scene's frames."""
        errors = [_error(label, figures, clock) for label, figures in outcome.by_marker.items()]
        return FitReport(
            armature_name,
            action_name,
            float(outcome.metrics["marker_rms_cm"]),
            used_words(outcome.metrics),
            tuple(error for error in errors if error is not None),
            tuple(_sentence(fault, clock) for fault in outcome.faults),
            outcome.warnings,
            (*outcome.notes, *notes),
        )

    @property
    def worst(self) -> MarkerError:
        """The marker with the largest distance."""
        return max(self.errors, key=lambda error: error.worst_cm)

    @property
    def sentence(self) -> str:
        """One sentence about the outcome."""
        worst = self.worst
        warning = f"{self.warnings[0]} " if self.warnings else ""
        return (
            f"{warning}Fitted '{self.action_name}' of '{self.armature_name}': marker error "
            f"{self.rms_cm:.1f} cm (RMS, {self.used}), at most {worst.worst_cm:.1f} cm "
            f"({worst.label} at frame {worst.worst_frame})."
        )


def show_fit(obj: TakeObject, outcome: FitOutcome, report: FitReport) -> None:
    """Colour the markers by their errors and store the report for the panel."""
    take = obj.heft_take
    distance = np.full((len(outcome.distance), len(take.rows)), UNFITTED)
    number = {row.label: i for i, row in enumerate(take.rows)}
    columns = [number[label] for label in outcome.labels]
    distance[:, columns] = np.where(np.isfinite(outcome.distance), outcome.distance, UNFITTED)
    write_numbers(obj.data, ERROR, distance)
    obj.data.update()
    by_label = {error.label: error for error in report.errors}
    for row in take.rows:
        error = by_label.get(row.label)
        row.fitted = error is not None
        if error is not None:
            row.rms_cm, row.worst_cm, row.worst_frame = error.rms_cm, error.worst_cm, error.worst_frame
    take.fitted, take.rms_cm, take.used = True, report.rms_cm, report.used
    for kept, texts in (
        (take.fit_warnings, report.warnings),
        (take.fit_notes, report.notes),
        (take.faults, report.faults[:MOST_FAULTS]),
    ):
        kept.clear()
        for text in texts:
            kept.add().text = text


def _error(label: str, figures: Mapping[str, float | None], clock: Clock) -> MarkerError | None:
    """Return the errors of a marker, or None if it was never used."""
    rms, worst, frame = (figures[name] for name in ("rms_cm", "worst_cm", "worst_frame"))
    if rms is None or worst is None or frame is None:
        return None
    # The core counts samples from 1.
    return MarkerError(label, rms, worst, round(clock.frame(frame - 1)))


def _sentence(fault: Fault, clock: Clock) -> str:
    """Return a fault's sentence with the scene's frames; a fault counts from 0 and prints from 1."""
    first, last = (round(clock.frame(sample)) - 1 for sample in (fault.first, fault.last))
    return replace(fault, first=first, last=last).sentence
