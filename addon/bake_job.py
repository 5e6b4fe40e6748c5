"""A bake from armatures to their new actions, in the two halves around the simulation.

The window, the blocking operator and the command line all go this way.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import bpy

from ..sim_core.base.errors import InputError
from ..sim_core.drawing.overlay_series import OverlaySeries
from ..sim_core.recognition.mapping import BoneMapping
from ..sim_core.result.result import Result
from ..sim_core.scenario.job import Job
from ..sim_core.scenario.settings import BakeSettings
from ..sim_core.scene.aims import Aim
from ..sim_core.scene.scene import Scene
from ..sim_core.sequence.chain import BLEND_SECONDS
from . import compat
from .action_clips import ActionClip, clips_of, require_source
from .aim_reader import sample_aims
from .bake_writer import SUFFIX, WrittenBake, refuse_changed_rig, take_back, writing_bake
from .baked_bones import BakedBones
from .blender_types import ArmatureObject, RigContext
from .compare.own_result import keep_source, mark, retire
from .compare.show import show_again, show_for_bake, shown_now, sources_shown
from .compare.sources import source_of
from .keys.few_keys import KeyChoice
from .keys.properties import limits_of, show_figures
from .keys.stances import stances_of
from .mapping_table import fill_table, find_mapping
from .motion_reader import SampledMotion, sample_motion
from .outcome import BakeReport, hit_notes, show_outcome, strike_notes, window_notes
from .overlay.store import forget_series, keep_series, making_series
from .parts.bone_share import is_used
from .parts.loop import settled
from .parts.properties import part_settings
from .prop_writer import making_props, write_props
from .report.show import show_report
from .report.timeline import mark_worst_frames
from .rig_reader import require_armature
from .scene_reader import sample_scene
from .sequence_reader import sample_sequence
from .setting_presets import dial_settings
from .source_action import animated_range
from .source_state import SourceState, no_action
from .steps import part_of, run_through


@dataclass(frozen=True)
class BakeOptions:
    """What to bake and how.

    frame_start, frame_end: both ends are included
    sequence: clips to bake in place of the frame range, if there are any
    """

    frame_start: int
    frame_end: int
    settings: BakeSettings
    sequence: tuple[ActionClip, ...] = ()
    blend_seconds: float = BLEND_SECONDS


@dataclass(frozen=True, eq=False)
class Participant:
    """An armature that takes part in a bake, and how."""

    object: ArmatureObject
    options: BakeOptions


@dataclass(frozen=True, eq=False)
class PreparedBake:
    """A job for the core, and what is needed to write its result back.

    source_name: what the new action is called after; empty takes the object's action
    """

    source: SourceState
    sampled: SampledMotion
    job: Job
    source_name: str = ""
    notes: tuple[str, ...] = ()


def options_of(context: RigContext, obj: ArmatureObject, simulate: bool = True) -> BakeOptions:
    """The options that the panel shows for an armature."""
    require_source(require_armature(obj))
    bake = obj.heft
    sequence = clips_of(obj) if bake.source_mode == "SEQUENCE" else ()
    settings = replace(settings_of(obj, simulate), **part_settings(obj.heft_parts, context.scene))
    return BakeOptions(*frame_range(context, obj), settings, sequence, bake.blend_seconds)


def settings_of(obj: ArmatureObject, simulate: bool = True) -> BakeSettings:
    """How the panel says that an armature is simulated."""
    bake = obj.heft
    return BakeSettings(
        quality=bake.quality,
        assist_cap=bake.assist_cap,
        only_around_hits=bake.only_around_hits,
        self_collision=bake.self_collision,
        simulate=simulate,
        **dial_settings(obj),
    )


def participants_of(context: RigContext, simulate: bool = True) -> tuple[Participant, ...]:
    """The active armature and those that are selected with it, each with the options of its own."""
    return tuple(Participant(obj, options_of(context, obj, simulate)) for obj in armatures_of(context))


def plausible_participants_of(context: RigContext) -> tuple[Participant, ...]:
    """The same, for motions that are made possible for forces and not simulated."""
    return tuple(
        replace(
            each, options=replace(each.options, settings=replace(each.options.settings, only_plausible=True))
        )
        for each in participants_of(context)
    )


def armatures_of(context: RigContext) -> list[ArmatureObject]:
    """The active armature, then the other ones that are selected."""
    selected = [obj for obj in context.view_layer.objects.selected if obj.type == "ARMATURE"]
    return [context.object, *(require_armature(obj) for obj in selected if obj != context.object)]


def frame_range(context: RigContext, obj: ArmatureObject) -> tuple[int, int]:
    """The frames that the panel's choice stands for."""
    scene, bake = context.scene, obj.heft
    if bake.range_mode == "CUSTOM":
        return bake.frame_start, bake.frame_end
    found = animated_range(obj) if bake.range_mode == "ACTION" else None
    if found is not None:
        return found
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end


def prepare_bakes(
    context: RigContext, participants: Sequence[Participant]
) -> Generator[float, None, tuple[PreparedBake, ...]]:
    """Read all rigs and their motions, giving back control after each sample with the share done.

    Several are cut to the frames that all of them have. What is about them is read for the first one.
    """
    reads: list[_Read] = []
    with sources_shown([require_armature(participant.object) for participant in participants]):
        for number, participant in enumerate(participants):
            reads.append((yield from part_of(_read(context, participant), number, len(participants))))
        if len(reads) > 1:
            reads = _in_common_frames(reads)
        frames = reads[0].sampled.frame
        scene = yield from sample_scene(context, int(frames[0]), int(frames[-1]))
    return tuple(
        _prepared(read, participant, scene, alone=len(reads) == 1)
        for read, participant in zip(reads, participants, strict=True)
    )


def _prepared(read: _Read, participant: Participant, scene: Scene, alone: bool) -> PreparedBake:
    sampled, frames = read.sampled, (int(read.sampled.frame[0]), int(read.sampled.frame[-1]))
    settings, name = participant.options.settings, read.source.object.name
    job = Job(sampled.motion, read.mapping, settings, scene, name, read.aims, sampled.bone_share)
    job, notes = settled(participant.object, job, frames, alone)
    return PreparedBake(read.source, sampled, job, read.source_name, (*read.notes, *notes))


@dataclass(frozen=True, eq=False)
class _Read:
    """What was read of one armature; see PreparedBake."""

    source: SourceState
    sampled: SampledMotion
    mapping: BoneMapping
    source_name: str
    notes: tuple[str, ...]
    aims: tuple[Aim, ...]


def _read(context: RigContext, participant: Participant) -> Generator[float, None, _Read]:
    obj, options = require_armature(participant.object), participant.options
    if obj.library is not None:
        raise InputError(f"'{obj.name}' is linked from another file; make a library override of it first.")
    mapping = find_mapping(obj, context.scene)
    clips, name = options.sequence, ""
    notes: tuple[str, ...] = ()
    if clips:
        sampled, notes = yield from sample_sequence(context, obj, clips, mapping, options.blend_seconds)
        name = clips[0].name if len(clips) == 1 else f"{clips[0].name}_to_{clips[-1].name}"
    else:
        start, end = options.frame_start, options.frame_end
        sampled = yield from sample_motion(context, obj, start, end, is_used(obj))
    _refuse_collapsed(sampled, mapping)
    aims = yield from sample_aims(context, obj, mapping, int(sampled.frame[0]), int(sampled.frame[-1]))
    source = yield from SourceState.reading(obj, "simulate", no_action if clips else source_of)
    return _Read(source, sampled, mapping, name, notes, aims)


def _in_common_frames(reads: Sequence[_Read]) -> list[_Read]:
    start = max(int(read.sampled.frame[0]) for read in reads)
    end = min(int(read.sampled.frame[-1]) for read in reads)
    if end <= start:
        names = ", ".join(f"'{read.source.object.name}'" for read in reads)
        raise InputError(f"{names} have no frames in common; let their animations play at the same time.")
    cut = [replace(read, sampled=read.sampled.between(start, end)) for read in reads]
    told = f"Frames {start} to {end}, which all characters have, were simulated."
    return [
        replace(new, notes=(*new.notes, told)) if len(new.sampled.frame) < len(old.sampled.frame) else new
        for old, new in zip(reads, cut, strict=True)
    ]


def finish_bakes(
    context: RigContext, prepared: Sequence[PreparedBake], results: Sequence[Result]
) -> tuple[BakeReport, ...]:
    """Write results into new actions of the armatures they came from; none where one cannot be written."""
    return run_through(finishing_bakes(context, prepared, results))


def finishing_bakes(
    context: RigContext, prepared: Sequence[PreparedBake], results: Sequence[Result]
) -> Generator[float, None, tuple[BakeReport, ...]]:
    """Like finish_bakes, giving back control on the way; nothing is changed when it is closed."""
    for each in prepared:
        refuse_changed_rig(prepared_armature(each), each.sampled)
        yield from each.source.refusing_changed_keys()
    series = []
    for each, result in zip(prepared, results, strict=True):
        series.append((yield from making_series(prepared_armature(each), each.sampled, result)))
    first, limits = prepared[0].sampled, limits_of(prepared_armature(prepared[0]).heft_keys)
    props = yield from making_props(context, first, results[0], limits)
    written = yield from _write_all(context, prepared, results)
    # From here on all is one step, so that nothing can be half done.
    reports = [_finish(*each) for each in zip(prepared, results, written, series, strict=True)]
    told = write_props(first, results[0], props)
    if told:
        reports[0] = replace(reports[0], notes=(*reports[0].notes, *told))
        show_outcome(prepared_armature(prepared[0]).heft.outcome, reports[0])
    mark_worst_frames(context.scene, [prepared_armature(each) for each in prepared])
    return tuple(reports)


def prepared_armature(prepared: PreparedBake) -> ArmatureObject:
    """The armature that a bake was prepared for."""
    return prepared.source.armature()


def _write_all(
    context: RigContext, prepared: Sequence[PreparedBake], results: Sequence[Result]
) -> Generator[float, None, list[WrittenBake]]:
    written: list[WrittenBake] = []
    before = [shown_now(prepared_armature(each)) for each in prepared]
    try:
        for number, (each, result) in enumerate(zip(prepared, results, strict=True)):
            obj = prepared_armature(each)
            show_for_bake(obj)
            source = compat.action_of(obj)
            baked = BakedBones.from_result(result, each.sampled)
            base = each.source_name or (source.action.name if source is not None else obj.name)
            keys = _key_choice(obj, each, result)
            loop = "loop" in result.meta
            writing = writing_bake(context, obj, each.sampled, baked, base + SUFFIX, keys=keys, loop=loop)
            written.append((yield from part_of(writing, number, len(prepared))))
    except BaseException:
        for each, done in zip(prepared, written, strict=False):
            take_back(prepared_armature(each), done)
        for each, shown in zip(prepared, before, strict=True):
            show_again(prepared_armature(each), shown)
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
    """Tell what was written, and remember it."""
    obj = prepared_armature(prepared)
    notes = [*prepared.notes, *(str(note) for note in result.meta.get("notes", ()))]
    notes += [*window_notes(result, prepared.sampled), *hit_notes(result, prepared.sampled)]
    notes += strike_notes(result, prepared.sampled)
    notes += written.notes
    notes += remember(obj, written)
    report = BakeReport.of(written.action.name, prepared.job, result, prepared.sampled, tuple(notes))
    keep_series(obj, series)
    if not obj.data.heft.rows:
        fill_table(obj.data.heft, prepared.job.mapping)
    show_outcome(obj.heft.outcome, report)
    show_figures(obj.heft_keys, written.keys)
    show_report(obj, result, prepared.sampled)
    return report


def remember(obj: ArmatureObject, written: WrittenBake) -> tuple[str, ...]:
    """Note where the bake came from, for going back; sentences about the one before, which it replaces."""
    source, baked = written.source, written.action
    forget_series(obj)
    before, source_before = obj.heft.baked_action, obj.heft.source_action
    name_before = "" if before is None else before.name
    obj.heft_compare.share = 1.0
    obj.heft_compare.had_action = source is not None
    mark(baked, written.checksum)
    obj.heft.baked_action = baked
    obj.heft.source_action = source.action if source is not None else None
    obj.heft.source_slot = source.slot.identifier if source is not None and source.slot is not None else ""
    keep_source(source_before)
    kept = retire(before)
    if name_before not in bpy.data.actions and baked.name.startswith(f"{name_before}."):
        baked.name = name_before  # not a number more with each bake
    return (kept,) if kept else ()


def _refuse_collapsed(sampled: SampledMotion, mapping: BoneMapping) -> None:
    mapped = {bone for slot in mapping for bone in mapping.bones[slot]}
    lost = [bone for bone in sampled.collapsed_bones if bone in mapped]
    if lost:
        raise InputError(f"Bone '{lost[0]}' is scaled to zero or NaN in the frame range; fix its scale keys.")
