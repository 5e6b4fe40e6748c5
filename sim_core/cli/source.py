"""The motion files that a command names, as one motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..base.errors import InputError
from ..markers.fit_pipeline import FitOptions, fit_file
from ..markers.read_markers import is_marker_file
from ..motion.bvh_reader import BvhClip, read_bvh
from ..motion.motion import Motion
from ..recognition import recognise
from ..recognition.mapping import BoneMapping
from ..scene.aims import Aim
from ..sequence.chain import Chain, ChainPart, chain


@dataclass(frozen=True, eq=False)
class Source:
    """Files as read, their motions, and all of them in sequence.

    first_frames: of each motion in its file, counted from 1
    aims: what it shall strike, by itself
    """

    clips: tuple[BvhClip, ...]
    motions: tuple[Motion, ...]
    mapping: BoneMapping
    chained: Chain
    first_frames: tuple[int, ...]
    aims: tuple[Aim, ...] = ()

    @property
    def first(self) -> BvhClip:
        return self.clips[0]

    @property
    def motion(self) -> Motion:
        return self.chained.motion

    @property
    def parts(self) -> tuple[ChainPart, ...]:
        return self.chained.parts

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be guessed, and where the transitions are."""
        told = dict.fromkeys(note for clip in self.clips for note in clip.notes)
        return (*told, *self.mapping.notes, *self.chained.notes)

    def place_of(self, time_s: float) -> str:
        """A time of the motion in words: the frame of its file, counted from 1."""
        sample = int(np.argmin(np.abs(self.motion.time - time_s)))
        part = int(self.chained.part[sample])
        ratio = self.motions[part].rate_hz / self.motion.rate_hz
        frame = round(int(self.chained.sample[sample]) * ratio) + self.first_frames[part]
        return f"frame {frame}" if len(self.clips) == 1 else f"frame {frame} of '{self.parts[part].name}'"

    def time_of(self, frame: float) -> float:
        """When a frame of the first file comes [s], counted from 1."""
        motion = self.motions[0]
        return float(motion.time[0]) + (frame - self.first_frames[0]) / motion.rate_hz


def read_source(files: Sequence[Path], unit: float | None, fps: float | None, blend_seconds: float) -> Source:
    """Files of one character, the next going on where the one before ends.

    unit [m], fps [Hz]: of all files, where their own are wrong
    """
    clips = tuple(read_clip(file, unit, fps) for file in files)
    motions = tuple(clip.motion for clip in clips)
    mapping = recognise(motions[0].skeleton)
    named = [(file.name, motion) for file, motion in zip(files, motions, strict=True)]
    chained = chain(named, mapping, blend_seconds)
    return Source(clips, motions, mapping, chained, tuple(clip.frames_skipped + 1 for clip in clips))


def read_clip(file: Path, unit: float | None, fps: float | None) -> BvhClip:
    clip = _read(file, unit)
    return clip if fps is None else replace(clip, motion=_at_rate(clip.motion, fps))


def _read(file: Path, unit: float | None) -> BvhClip:
    """A BVH file, or the motion that explains the markers of a capture."""
    if not is_marker_file(file):
        return read_bvh(file, unit)
    fitted = fit_file(file, FitOptions(unit=unit))
    return BvhClip(fitted.fit.motion, fitted.file.unit_m, 0, fitted.notes)


def _at_rate(motion: Motion, fps: float) -> Motion:
    """The same frames at another rate."""
    if not 0.0 < fps < float("inf"):
        raise InputError(f"--fps is {fps:g}; it must be a number above zero.")
    time = motion.time[0] + np.arange(len(motion.time)) / fps
    return Motion(motion.skeleton, time, motion.position_world, motion.quaternion_world)
