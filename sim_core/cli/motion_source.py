"""The motion files that a command names, as one motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..analysis.clip_dynamics import DynamicsSettings, mass_of_subject
from ..markers.fit_pipeline import FitOptions, fit_file
from ..markers.read_markers import is_marker_file
from ..motion.motion import Motion
from ..reading.bvh_clip import BvhClip, ReadingChoices, read_bvh
from ..reading.pace_and_size import at_rate, find_pace_and_size
from ..recognition import recognise
from ..recognition.mapping import BoneMapping
from ..scene.aims import Aim
from ..sequence.chain import Chain, ChainPart, chain


@dataclass(frozen=True, eq=False)
class MotionSource:
    """Files as read, their motions, and all of them in sequence.

    first_frames: of each motion in its file, counted from 1
    aims: strikes that the files themselves ask for
    """

    clips: tuple[BvhClip, ...]
    motions: tuple[Motion, ...]
    mapping: BoneMapping
    chained: Chain
    first_frames: tuple[int, ...]
    aims: tuple[Aim, ...] = ()

    @property
    def first(self) -> BvhClip:
        """The first file."""
        return self.clips[0]

    @property
    def motion(self) -> Motion:
        """The motion of all files in sequence."""
        return self.chained.motion

    @property
    def parts(self) -> tuple[ChainPart, ...]:
        """The parts of the sequence."""
        return self.chained.parts

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be guessed, and where the transitions are."""
        notes = dict.fromkeys(note for clip in self.clips for note in clip.notes)
        return (*notes, *self.mapping.notes, *self.chained.notes)

    def frame_text(self, time_s: float) -> str:
        """Return the frame of a file at a time of the motion as text, counted from 1."""
        sample = int(np.argmin(np.abs(self.motion.time - time_s)))
        part = int(self.chained.part[sample])
        ratio = self.motions[part].rate_hz / self.motion.rate_hz
        frame = round(int(self.chained.sample[sample]) * ratio) + self.first_frames[part]
        return f"frame {frame}" if len(self.clips) == 1 else f"frame {frame} of '{self.parts[part].name}'"

    def time_of(self, frame: float) -> float:
        """Return the time of a frame of the first file [s], counted from 1."""
        motion = self.motions[0]
        return float(motion.time[0]) + (frame - self.first_frames[0]) / motion.rate_hz


def read_source(files: Sequence[Path], chosen: ReadingChoices, blend_seconds: float) -> MotionSource:
    """Read files of one character, each continuing where the one before ends; `chosen` is said of all."""
    clips = tuple(read_clip(file, chosen) for file in files)
    motions = tuple(clip.motion for clip in clips)
    mapping = recognise(motions[0].skeleton)
    named = [(file.name, motion) for file, motion in zip(files, motions, strict=True)]
    chained = chain(named, mapping, blend_seconds)
    return MotionSource(clips, motions, mapping, chained, tuple(clip.frames_skipped + 1 for clip in clips))


def read_clip(file: Path, chosen: ReadingChoices) -> BvhClip:
    """Read a BVH or marker file at the rate that is given, or else at the one that its motion shows."""
    clip = _read(file, chosen)
    if chosen.fps is not None:
        return replace(clip, motion=at_rate(clip.motion, chosen.fps))
    if is_marker_file(file):
        return clip
    found = find_pace_and_size(clip.motion, recognise(clip.motion.skeleton), chosen.height_m)
    motion = clip.motion if found.rate_hz is None else at_rate(clip.motion, found.rate_hz)
    return replace(clip, motion=motion, notes=(*clip.notes, *found.notes))


def _read(file: Path, chosen: ReadingChoices) -> BvhClip:
    """Read a BVH file, or fit a motion to the markers of a capture."""
    if not is_marker_file(file):
        return read_bvh(file, chosen)
    fitted = fit_file(file, FitOptions(unit=chosen.unit_m, marker_set=chosen.marker_set))
    mass, notes = chosen.mass_kg, fitted.notes
    if mass is None and chosen.height_m is None:  # a body of another size has another mass
        found = mass_of_subject(fitted, DynamicsSettings())
        mass = found.mass
        notes = notes if mass is None else (*notes, found.note(mass, "subject"))
    return BvhClip(fitted.fit.motion, fitted.file.unit_m, 0, notes, mass_kg=mass)
