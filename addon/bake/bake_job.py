"""Prepares a bake from armatures, runs it, and writes its results into new actions.

The window, the blocking operator and the command line all use these functions.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ...sim_core.base.errors import InputError
from ...sim_core.base.progress import ProgressCallback, ignore_progress
from ...sim_core.drawing.overlay_series import OverlaySeries
from ...sim_core.recognition.mapping import BoneMapping
from ...sim_core.result.result import Result
from ...sim_core.scenario.job import Job
from ...sim_core.scene.aims import Aim
from ...sim_core.scene.scene import Scene
from ..blender import compat
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.library_overrides import character_of, refuse_linked
from ..blender.result_actions import (
    keep_name,
    mark_result,
    protect_source,
    remove_unused_result,
    result_name,
)
from ..blender.steps import as_part
from ..jobs.job_runner import BAKE
from ..jobs.job_session import JobSession
from ..jobs.source_state import FindAction, ObjectHandle, SourceState, no_action
from ..overlay.overlay_store import forget_series, keep_series, making_series
from ..reading.aims import sample_aims
from ..reading.bone_table import fill_bone_table, find_mapping
from ..reading.motion_finding import FoundMotion, common_fps, finding_motion, show_found
from ..reading.motion_reader import SampledMotion, sample_motion
from ..reading.parts import uses_bone_shares, with_loop
from ..reading.rig_reader import require_armature
from ..reading.scene_reader import sample_scene
from ..reading.sequence_reader import finding_sequence
from ..reading.source_action import animated_range, shows_result, source_of
from ..report.report_export import mark_worst_frames
from ..report.report_store import show_check, show_report
from ..writing.bake_writer import WrittenBake, refuse_changed_rig, undo_bake, writing_bake
from ..writing.baked_bones import BakedBones
from ..writing.few_keys import KeyChoice, stances_of
from ..writing.key_options import limits_of, show_figures
from ..writing.prop_writer import PropPaths, making_props, write_props
from .bake_options import Participant, options_of
from .bake_report import BakeReport, hit_notes, show_outcome, strike_notes, window_notes
from .compare import current_display, restore_display, show_source_only, showing_sources
from .end_notes import end_notes


@dataclass(frozen=True, eq=False)
class PreparedBake:
    """A job for the core, and what is needed to write its result back.

    found: what was found about the motion
    source_name: base of the new action's name; empty uses the name of the object's action
    made: the source is what the result has followed, and no action of the armature
    """

    source: SourceState
    sampled: SampledMotion
    job: Job
    found: FoundMotion
    source_name: str = ""
    notes: tuple[str, ...] = ()
    made: bool = False


def prepare_bakes(
    context: RigContext, participants: Sequence[Participant], as_shown: bool = False
) -> Generator[float, None, tuple[PreparedBake, ...]]:
    """Read all rigs and their motions, yielding the share done after each sample.

    Several motions are cut to the frames that all of them have. The scene is read once, for all of them.
    as_shown: read results where they are shown, not their sources
    """
    reads: list[_Read] = []
    objects = [] if as_shown else [require_armature(participant.object) for participant in participants]
    with showing_sources(objects):
        for number, participant in enumerate(participants):
            reading = _read(context, participant, compat.action_of if as_shown else source_of)
            reads.append((yield from as_part(reading, number, len(participants))))
        if len(reads) > 1:
            reads = _in_common_frames(reads)
        fps = common_fps([read.found for read in reads])
        frames = (int(reads[0].sampled.frame[0]), int(reads[0].sampled.frame[-1]))
        scene = yield from sample_scene(context, *frames, fps)
        aims = []
        for read, participant in zip(reads, participants, strict=True):
            obj = require_armature(participant.object)
            aims.append((yield from sample_aims(context, obj, read.mapping, *frames, fps)))
    return tuple(
        _prepared(read, participant, _Surroundings(scene, own, fps), alone=len(reads) == 1)
        for read, participant, own in zip(reads, participants, aims, strict=True)
    )


@dataclass(frozen=True, eq=False)
class _Surroundings:
    """What one character has about it: the scene, its strikes, and frames per second of the motion."""

    scene: Scene
    aims: tuple[Aim, ...]
    fps: float


def _prepared(read: _Read, participant: Participant, about: _Surroundings, alone: bool) -> PreparedBake:
    sampled, frames = read.sampled, (int(read.sampled.frame[0]), int(read.sampled.frame[-1]))
    sampled = sampled.at_fps(about.fps)
    settings, name = read.found.settings(participant.options.settings, about.fps), read.source.object.name
    soft, share = participant.options.soft, sampled.bone_share
    job = Job(sampled.motion, read.mapping, settings, about.scene, name, about.aims, share, soft)
    job, notes = with_loop(participant.object, job, frames, alone)
    return PreparedBake(read.source, sampled, job, read.found, read.source_name, (*read.notes, *notes))


@dataclass(frozen=True, eq=False)
class _Read:
    """Everything that was read from one armature; see PreparedBake."""

    source: SourceState
    sampled: SampledMotion
    found: FoundMotion
    mapping: BoneMapping
    source_name: str
    notes: tuple[str, ...]


def _read(context: RigContext, participant: Participant, find: FindAction) -> Generator[float, None, _Read]:
    obj, options = require_armature(participant.object), participant.options
    refuse_linked(obj)
    mapping = find_mapping(obj, context.scene)
    clips, name, height = options.sequence, "", options.settings.height
    if clips:
        found = yield from finding_sequence(context, obj, clips, mapping, options.blend_seconds, height)
        _refuse_collapsed(found.sampled, mapping)
        name = clips[0].name if len(clips) == 1 else f"{clips[0].name}_to_{clips[-1].name}"
    else:
        start, end = options.frame_start, options.frame_end
        _refuse_single_pose(obj, start, end)
        sampled = yield from sample_motion(context, obj, start, end, uses_bone_shares(obj))
        _refuse_collapsed(sampled, mapping)
        found = yield from finding_motion(obj, sampled, mapping, height)
    source = yield from SourceState.reading(obj, "simulate", no_action if clips else find)
    return _Read(source, found.sampled, found, mapping, name, found.notes)


def _refuse_single_pose(obj: ArmatureObject, frame_start: int, frame_end: int) -> None:
    if frame_start == frame_end and animated_range(obj) == (frame_start, frame_end):
        raise InputError(
            "The action is a single pose, so there is no motion to simulate; choose an action that moves, "
            "or a frame range of your own to hold the pose."
        )


def _in_common_frames(reads: Sequence[_Read]) -> list[_Read]:
    start = max(int(read.sampled.frame[0]) for read in reads)
    end = min(int(read.sampled.frame[-1]) for read in reads)
    if end <= start:
        names = ", ".join(f"'{read.source.object.name}'" for read in reads)
        raise InputError(f"{names} have no frames in common; make their animations overlap.")
    cut = [replace(read, sampled=read.sampled.between(start, end)) for read in reads]
    note = f"Only frames {start} to {end}, which all characters share, were simulated."
    return [
        replace(new, notes=(*new.notes, note)) if len(new.sampled.frame) < len(old.sampled.frame) else new
        for old, new in zip(reads, cut, strict=True)
    ]


def finishing_bakes(
    context: RigContext, prepared: Sequence[PreparedBake], results: Sequence[Result]
) -> Generator[float, None, tuple[BakeReport, ...]]:
    """Write results into new actions of their armatures, yielding the share done.

    If one cannot be written, none is; nothing is changed if the generator is closed early.
    """
    for each in prepared:
        refuse_changed_rig(prepared_armature(each), each.sampled)
        yield from each.source.refusing_changed_keys()
    prepared = [
        replace(each, sampled=each.sampled.lengthened(result.source_time))
        for each, result in zip(prepared, results, strict=True)
    ]
    series = []
    for each, result in zip(prepared, results, strict=True):
        making = making_series(prepared_armature(each), each.sampled, result, each.made)
        series.append((yield from making))
    first, limits = prepared[0].sampled, limits_of(prepared_armature(prepared[0]).heft_keys)
    paths = PropPaths.of_result(first, results[0])
    props = yield from making_props(context, paths, limits)
    written = yield from _write_all(context, prepared, results)
    # The rest is one step, so that a cancel cannot leave it incomplete.
    reports = [_finish(*each) for each in zip(prepared, results, written, series, strict=True)]
    prop_notes = write_props(paths, props)
    if prop_notes:
        reports[0] = replace(reports[0], notes=(*reports[0].notes, *prop_notes))
        show_outcome(prepared_armature(prepared[0]).heft.outcome, reports[0])
    mark_worst_frames(context.scene, [prepared_armature(each) for each in prepared])
    return tuple(reports)


def prepared_armature(prepared: PreparedBake) -> ArmatureObject:
    """Return the armature that a bake was prepared for."""
    return prepared.source.armature()


def _write_all(
    context: RigContext, prepared: Sequence[PreparedBake], results: Sequence[Result]
) -> Generator[float, None, list[WrittenBake]]:
    written: list[WrittenBake] = []
    armatures = [prepared_armature(each) for each in prepared]
    before = [current_display(obj) for obj in armatures]
    try:
        for number, (each, result) in enumerate(zip(prepared, results, strict=True)):
            obj = prepared_armature(each)
            show_source_only(obj)
            source = compat.action_of(obj)
            baked = BakedBones.from_result(result, each.sampled)
            base = each.source_name or (source.action.name if source is not None else obj.name)
            keys = _key_choice(obj, each, result)
            loop = result.meta.loop is not None
            writing = writing_bake(context, obj, each.sampled, baked, result_name(base), keys=keys, loop=loop)
            written.append((yield from as_part(writing, number, len(prepared))))
        # What a script has changed is refused here, where all can still be taken back.
        for each, done in zip(prepared, written, strict=True):
            prepared_armature(each)
            done.refuse_lost_actions()
    except BaseException:
        # Without the checks of prepared_armature: edited bones are no reason to leave a part of a bake.
        for obj, done in zip(armatures, written, strict=False):
            undo_bake(obj, done)
        for obj, display in zip(armatures, before, strict=True):
            with suppress(ReferenceError):  # it or its action was deleted
                restore_display(obj, display)
        raise
    return written


def _key_choice(obj: ArmatureObject, prepared: PreparedBake, result: Result) -> KeyChoice | None:
    limits = limits_of(obj.heft_keys)
    if limits is None:
        return None
    return KeyChoice(limits, stances_of(result, prepared.sampled, prepared.job.mapping))


def _finish(
    prepared: PreparedBake, result: Result, written: WrittenBake, series: OverlaySeries
) -> BakeReport:
    """Record what was written, store it for the panel, and return the report."""
    obj = prepared_armature(prepared)
    notes = [*prepared.notes, *result.meta.notes]
    notes += [*window_notes(result, prepared.sampled), *hit_notes(result, prepared.sampled)]
    notes += strike_notes(result, prepared.sampled)
    notes += _end_notes(prepared, result, written)
    notes += written.notes
    notes += record_bake(obj, written)
    report = BakeReport.of(written.action.name, prepared, result, tuple(notes))
    keep_series(obj, series)
    if not character_of(obj).rows:
        fill_bone_table(character_of(obj), prepared.job.mapping)
    show_outcome(obj.heft.outcome, report)
    show_found(obj, prepared.found, prepared.job.settings, prepared.sampled.fps)
    show_figures(obj.heft_keys, written.keys)
    show_report(obj, result, prepared.sampled)
    return report


def _end_notes(prepared: PreparedBake, result: Result, written: WrittenBake) -> list[str]:
    """Return what is said of the ends, where the source's own frames go on as a part of the motion."""
    if prepared.made or prepared.source_name:
        return []
    baked, scale = BakedBones.from_result(result, prepared.sampled), result.meta.character.scale
    found = end_notes(written.source, baked, prepared.sampled, prepared.job.mapping, scale)
    # A rest pose that was left out before the motion is no part of it.
    return [note for row, note in found if row or not prepared.found.rest_frames]


def record_bake(obj: ArmatureObject, written: WrittenBake) -> tuple[str, ...]:
    """Record source and result of a bake for the comparison; return notes about the replaced result."""
    source, baked = written.source, written.action
    forget_series(obj)
    before, source_before = obj.heft.baked_action, obj.heft.source_action
    name_before = "" if before is None else before.name
    obj.heft_compare.share = 1.0
    obj.heft_compare.had_action = source is not None
    mark_result(baked, written.checksum)
    obj.heft.baked_action = baked
    obj.heft.source_action = source.action if source is not None else None
    obj.heft.source_slot = source.slot.identifier if source is not None and source.slot is not None else ""
    protect_source(source_before)
    kept = remove_unused_result(before)
    keep_name(baked, name_before)
    return (kept,) if kept else ()


def _refuse_collapsed(sampled: SampledMotion, mapping: BoneMapping) -> None:
    mapped = {bone for slot in mapping for bone in mapping.bones[slot]}
    lost = [bone for bone in sampled.collapsed_bones if bone in mapped]
    if lost:
        raise InputError(f"Bone '{lost[0]}' is scaled to zero or NaN in the frame range; fix its scale keys.")


class BakeSession(JobSession[tuple[PreparedBake, ...], tuple[BakeReport, ...]]):
    """One bake in steps; the last `step` returns the reports, one for each armature."""

    def __init__(self, context: RigContext, participants: Sequence[Participant]) -> None:
        about = [participant.object for participant in participants]
        super().__init__(
            about,
            reading_of(context, participants),
            jobs_of,
            finishing_bakes,
            sources=sources_of,
            frame_at=frame_of,
        )


def bake_and_wait(
    context: RigContext, participants: Sequence[Participant], report: ProgressCallback = ignore_progress
) -> tuple[BakeReport, ...]:
    """Run a whole bake and report its progress."""
    return BakeSession(context, participants).wait(context, report)


def reading_of(
    context: RigContext, participants: Sequence[Participant], as_shown: bool = False
) -> Generator[float, None, tuple[PreparedBake, ...]]:
    """Return a generator that reads the participants once its turn comes, also if they were renamed."""
    kept = [(ObjectHandle.of(each.object), each.options) for each in participants]

    def reading() -> Generator[float, None, tuple[PreparedBake, ...]]:
        now = [Participant(require_armature(obj.require("simulate")), options) for obj, options in kept]
        return (yield from prepare_bakes(context, now, as_shown))

    return reading()


def sources_of(prepared: tuple[PreparedBake, ...]) -> list[SourceState]:
    """Return the state of each armature when it was read."""
    return [each.source for each in prepared]


def frame_of(prepared: tuple[PreparedBake, ...], time_s: float) -> int:
    """Return the frame at a time since the first sample [s]."""
    return prepared[0].sampled.frame_at(time_s)


def jobs_of(prepared: tuple[PreparedBake, ...]) -> list[Job]:
    """Return the core's job for each armature."""
    return [each.job for each in prepared]


CHECK = replace(BAKE, work="check", verb="check")


class CheckSession(JobSession[tuple[PreparedBake, ...], str]):
    """A check of an armature's motion as it is shown; the last `step` returns a sentence."""

    def __init__(self, context: RigContext, obj: ArmatureObject) -> None:
        participant = Participant(obj, options_of(context, obj, simulate=False))
        reading = reading_of(context, [participant], as_shown=True)
        super().__init__([obj], reading, jobs_of, _finish_check, CHECK, sources=sources_of, frame_at=frame_of)


def _finish_check(
    context: RigContext, prepared: Sequence[PreparedBake], results: tuple[Result, ...]
) -> Generator[float, None, str]:
    obj = prepared_armature(prepared[0])
    checked_result = shows_result(obj)
    show_check(obj, results[0], prepared[0].sampled, of_result=checked_result)
    mark_worst_frames(context.scene, [obj])
    yield 1.0
    report = obj.heft_report
    score, what = (report.after, "result") if checked_result else (report.before, "source")
    return f"Score of the {what}: {score:.0f} of 100 ({report.verdict}); {len(report.worst)} problem frames."
