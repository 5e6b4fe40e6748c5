"""The motion files that a command names, as one motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..base.files import about_file, names_its_file
from ..markers.session_folder import is_marker_file
from ..motion.motion import Motion
from ..motion.smpl_npz import is_smpl_file
from ..reading.bvh_clip import BvhClip, ReadingChoices
from ..reading.read_motion import read_motion
from ..recognition import recognise
from ..recognition.mapping import BoneMapping
from ..scenario.settings import BakeSettings
from ..scene.aims import Aim
from ..sequence.chain import Chain, ChainPart, chain

RESULT_SUFFIX, PLAY_SUFFIX = ".npz", ".json"
MOTION_KINDS = "BVH, SMPL (.npz), Acclaim (.amc), OpenSim (.mot, .sto), markers or keypoints (C3D, TRC, CSV)"
"""Files that a command takes as a motion, in words."""


@dataclass(frozen=True, eq=False)
class MotionSource:
    """Files as read, their motions, and all of them in sequence.

    first_frames: of each motion in its file, counted from 1
    aims: strikes that the files themselves ask for
    planning_notes: on a motion that was planned, in place of those on its files and transitions
    """

    clips: tuple[BvhClip, ...]
    motions: tuple[Motion, ...]
    mapping: BoneMapping
    chained: Chain
    first_frames: tuple[int, ...]
    aims: tuple[Aim, ...] = ()
    planning_notes: tuple[str, ...] = ()

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
        if self.planning_notes:
            return self.planning_notes
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
    with about_file(files[0]):
        mapping = recognise(motions[0].skeleton)
    named = [(file.name, motion) for file, motion in zip(files, motions, strict=True)]
    chained = chain(named, mapping, blend_seconds)
    return MotionSource(clips, motions, mapping, chained, tuple(clip.frames_skipped + 1 for clip in clips))


def as_subject(settings: BakeSettings, clip: BvhClip) -> BakeSettings:
    """Return the settings with the mass that a file tells; it holds for a body of the subject's size only."""
    stated = (settings.mass, settings.height, settings.character)
    return settings if any(one is not None for one in stated) else replace(settings, mass=clip.mass_kg)


def is_result(file: Path) -> bool:
    """Return whether a file is a result, and not a motion that is an npz file, too."""
    return file.suffix.lower() == RESULT_SUFFIX and not is_smpl_file(file)


@names_its_file
def read_clip(file: Path, chosen: ReadingChoices) -> BvhClip:
    """Read a motion, or fit one to the markers of a capture."""
    if not is_marker_file(file):
        return read_motion(file, chosen)
    from .marker_source import fit_clip  # here, because only markers need all that fits a body to them

    return fit_clip(file, chosen)
