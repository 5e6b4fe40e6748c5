"""Motions of benchmarks: captures, parts of captures, and several in sequence."""

from __future__ import annotations

import numpy as np

from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.recognition.mapping import BoneMapping
from sim_core.sequence.chain import chain

from .clips import CMU, SECONDS, CaptureClip


def read_clip(clip: CaptureClip) -> Motion:
    """Return the beginning of a capture, at its true rate."""
    motion = read_bvh(clip.file).motion
    if clip.fps is not None:
        time = np.arange(len(motion.time)) / clip.fps
        motion = Motion(motion.skeleton, time, motion.position_world, motion.quaternion_world)
    return motion.between(0.0, SECONDS)


def motion_of(label: str) -> tuple[Motion, BoneMapping]:
    """Return the motion of a label, and its bone mapping.

    Labels are '02_01', '02_05:0-3' (seconds of a capture) and '02_05:0-3+02_01' (one after the other).
    """
    parts = [(part, _part(part)) for part in label.split("+")]
    mapping = recognise(parts[0][1].skeleton)
    return chain(parts, mapping).motion, mapping


def _part(label: str) -> Motion:
    name, _, seconds = label.partition(":")
    start, end = map(float, seconds.split("-")) if seconds else (0.0, SECONDS)
    return read_bvh(CMU / f"{name}.bvh").motion.between(start, end)
