"""The forces behind a recorded motion, with what its file states about the subject and measured on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..analysis.analysis import Analysis
from ..analysis.body_mass import BodyMass
from ..analysis.clip_dynamics import DynamicsSettings, analyse_motion, mass_of_subject
from ..analysis.force_table import FileFrame, read_loads
from ..analysis.plate_loads import Load
from ..markers.fit_pipeline import FittedFile
from ..markers.marker_take import ForcePlate
from ..motion.motion import Motion
from ..recognition.mapping import BoneMapping
from .motion_source import MotionSource


@dataclass(frozen=True, eq=False)
class Recording:
    """A motion to analyse; frame: axes and clock of its file; parameters: numbers about the subject."""

    motion: Motion
    mapping: BoneMapping
    frame: FileFrame = field(default_factory=lambda: FileFrame(np.eye(3)))
    parameters: Mapping[str, float] = field(default_factory=dict)
    plates: tuple[ForcePlate, ...] = ()


def fitted_recording(fitted: FittedFile) -> Recording:
    """Return the recording that a fit explains."""
    take, frame = fitted.take, FileFrame(fitted.file.world_from_file)
    return Recording(fitted.fit.motion, fitted.mapping, frame, take.parameters, take.plates)


def read_recording(source: MotionSource, height_m: float | None) -> Recording:
    """Return the recording in a motion file; a mass in it holds for a body of the subject's own height."""
    first = source.first
    stated = {"mass": first.mass_kg} if first.mass_kg is not None and height_m is None else {}
    frame = FileFrame(first.world_from_file, first.start_s)
    return Recording(source.motion, source.mapping, frame, stated)


def forces_behind(
    recording: Recording, settings: DynamicsSettings, forces: Path | None = None
) -> tuple[Analysis, BodyMass]:
    """Return the forces behind a recording, and whose mass they are for.

    forces: a file of ground forces that were measured at the same time
    """
    motion, mapping, plates = recording.motion, recording.mapping, recording.plates
    loads: tuple[Load, ...] = ()
    notes: tuple[str, ...] = ()
    if forces is not None:
        loads, notes = read_loads(forces, recording.frame, motion, mapping)
    mass = mass_of_subject(motion, mapping, recording.parameters, settings, plates, loads)
    analysis = analyse_motion(motion, mapping, replace(settings, mass=mass.mass), plates, loads)
    return replace(analysis, notes=(mass.note(analysis.mass), *notes, *analysis.notes)), mass
