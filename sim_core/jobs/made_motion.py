"""Motions that are made from a character's clips, instead of being one of them: simulated like any other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.worker_process import EventWriter
from ..live.repeated import of_whole_motion
from ..motion.motion import Motion
from ..result.result import save_result
from ..scenario.job import Job


def bake_made(clip: Job, made: Motion, notes: tuple[str, ...], path: Path, events: EventWriter) -> None:
    """Simulate a motion with the character and the settings of a clip's job, and write the result."""
    from ..bake.pipeline import bake  # here, because Blender needs only the files

    settings, motion = of_whole_motion(clip.settings), _in_time_of(clip.motion, made)
    job = replace(clip, motion=motion, settings=settings, aims=(), bone_share=None)
    result = bake(job, events.progress)
    result = replace(result, meta=result.meta.with_notes(*notes))
    for note in result.meta.notes:
        events.send("message", text=note)
    save_result(result, path)


def _in_time_of(clip: Motion, made: Motion) -> Motion:
    """Return a motion from the start of a clip on, with its samples in a second."""
    samples = int(made.duration * clip.rate_hz + 1e-6) + 1
    later = replace(made, time=made.time - made.time[0] + clip.time[0])
    return later.at(clip.time[0] + np.arange(samples) / clip.rate_hz)
