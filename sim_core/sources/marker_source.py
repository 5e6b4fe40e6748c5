"""The motion of a marker file: a skeleton that is fitted, and the subject's mass."""

from __future__ import annotations

from pathlib import Path

from ..analysis.clip_dynamics import DynamicsSettings, mass_of_subject
from ..markers.fit_pipeline import FitOptions, FittedFile, fit_file
from ..reading.bvh_clip import BvhClip, ReadingChoices


def fit_clip(file: Path, chosen: ReadingChoices) -> BvhClip:
    """Return the motion that is fitted to the markers of a capture, as a clip."""
    return fitted_clip(fit_file(file, fit_options(chosen)), chosen)


def fit_options(chosen: ReadingChoices) -> FitOptions:
    """Return what is stated about a marker file as options of its fit."""
    return FitOptions(unit=chosen.unit_m, marker_set=chosen.marker_set, fps=chosen.fps)


def fitted_clip(fitted: FittedFile, chosen: ReadingChoices) -> BvhClip:
    """Return a fit as a clip, with the mass of its subject."""
    mass, notes = chosen.mass_kg, fitted.notes
    if mass is None and chosen.height_m is None:  # a body of another size has another mass
        take, mapping = fitted.take, fitted.mapping
        found = mass_of_subject(fitted.fit.motion, mapping, take.parameters, DynamicsSettings(), take.plates)
        mass = found.mass
        notes = notes if mass is None else (*notes, found.note(mass, "subject"))
    return BvhClip(fitted.fit.motion, fitted.file.unit_m, 0, notes, mass_kg=mass)
