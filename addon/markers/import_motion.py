"""Imports motions that Blender itself cannot read, as a new armature with an action."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...sim_core.base.conventions import BoolArray
from ...sim_core.base.wording import for_blender
from ...sim_core.jobs.motion_job import MotionJob, MotionOutcome, load_motion_outcome, save_motion_job
from ...sim_core.motion.motion import Motion
from ...sim_core.motion.skeleton import local_from_world
from ..blender.blender_types import RigContext
from ..blender.half_written import mark_armature, remove_armature
from ..blender.library_overrides import character_of
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..reading.bone_table import fill_bone_table
from ..reading.motion_reader import still_motion
from ..reading.rig_reader import metres_per_unit
from ..writing.bake_writer import writing_bake
from ..writing.baked_bones import BakedBones
from .fit import make_active, make_armature, own_motion
from .import_takes import ImportOptions, frame_rate
from .take_object import Clock

MOTION = JobKind("motion", "reading", "import", save_motion_job, load_motion_outcome)
STAYS_M = 1e-4
"""Distance by which a bone may move on its parent without a key of its location [m]."""


@dataclass(frozen=True)
class ImportedMotion:
    """The new armature and its action, and notes for the user."""

    armature_name: str
    action_name: str
    file_name: str
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """One sentence about what was imported."""
        return f"Imported '{self.file_name}' as '{self.action_name}' of '{self.armature_name}'."


class MotionSession(JobSession[MotionJob, ImportedMotion]):
    """One import in steps; the last `step` returns what was imported."""

    def __init__(self, context: RigContext, job: MotionJob, options: ImportOptions) -> None:
        fps = context.scene.render.fps / context.scene.render.fps_base

        def frame_at(_: MotionJob, time_s: float) -> int:
            return options.frame_start + round(time_s * fps)

        def finish(
            context: RigContext, prepared: MotionJob, results: tuple[MotionOutcome, ...]
        ) -> Generator[float, None, ImportedMotion]:
            return _finishing(context, Path(prepared.file), results[0], options)

        super().__init__(
            [],
            _prepared(job),
            lambda prepared: [prepared],
            finish,
            MOTION,
            "Reading the file",
            frame_at=frame_at,
        )


def _prepared(job: MotionJob) -> Generator[float, None, MotionJob]:
    """Nothing of the scene is needed."""
    yield 1.0
    return job


def _finishing(
    context: RigContext, path: Path, outcome: MotionOutcome, options: ImportOptions
) -> Generator[float, None, ImportedMotion]:
    """Make the armature and its action; a failure changes nothing."""
    scene, motion = context.scene, outcome.motion
    before = (scene.render.fps, scene.render.fps_base)
    if options.set_rate:
        scene.render.fps, scene.render.fps_base = frame_rate(motion.rate_hz)
    fps = scene.render.fps / scene.render.fps_base
    clock = Clock(fps, options.frame_start / fps, motion.rate_hz, len(motion.time))
    rig = make_armature(context, path.stem, motion.skeleton, metres_per_unit(scene))
    mark_armature(rig)
    try:
        sampled = still_motion(rig, clock.whole_frames(), scene)
        own = own_motion(sampled, clock, motion)
        baked = BakedBones.of_motion(own, own.skeleton.names)
        baked = replace(baked, detached=baked.detached | _moves(own))
        written = yield from writing_bake(context, rig, sampled, baked, path.stem, from_scratch=True)
    except BaseException:
        remove_armature(rig)
        scene.render.fps, scene.render.fps_base = before
        raise
    fill_bone_table(character_of(rig), outcome.mapping)
    if options.set_range:
        scene.frame_start, scene.frame_end = int(sampled.frame[0]), int(sampled.frame[-1])
    make_active(context, rig)
    told = (for_blender(note, lambda s: round(clock.frame(s * clock.rate_hz))) for note in outcome.notes)
    return ImportedMotion(rig.name, written.action.name, path.name, (*told, *written.notes))


def _moves(motion: Motion) -> BoolArray:
    """Return which bones move on their parents (N), as the knees of some models do."""
    offset, _ = local_from_world(motion.position_world, motion.quaternion_world, motion.skeleton.parents)
    return np.asarray(np.ptp(offset, axis=0).max(axis=1) > STAYS_M)
