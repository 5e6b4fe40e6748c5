"""Prepares a retargeting from one armature to another, runs it, and writes new actions."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Bone

from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.jobs.retarget_job import (
    RetargetJob,
    RetargetOutcome,
    load_retarget_outcome,
    save_retarget_job,
    simulated_motion,
)
from ...sim_core.motion.motion import Motion
from ...sim_core.recognition.mapping import BoneMapping
from ...sim_core.retarget.retarget_options import Feet, RetargetOptions
from ...sim_core.scene.scene import FLAT
from ..bake.bake_job import record_bake
from ..bake.bake_options import frame_range, settings_of
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.library_overrides import character_of, refuse_linked
from ..blender.result_actions import mark_result, replace_earlier, result_name
from ..blender.steps import as_part
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..jobs.source_state import ObjectHandle, SourceState, no_action
from ..reading.bone_table import fill_bone_table, find_mapping
from ..reading.mesh_reader import read_meshes
from ..reading.motion_finding import common_fps, finding_motion
from ..reading.motion_reader import SampledMotion, sample_motion, still_motion
from ..reading.rig_reader import metres_per_unit, read_skeleton
from ..reading.scene_reader import sample_scene
from ..reading.source_action import source_name
from ..writing.bake_writer import WrittenBake, refuse_changed_rig, undo_bake, writing_bake
from ..writing.baked_bones import BakedBones
from ..writing.control_rig.control_writer import has_controls
from ..writing.key_options import limits_of
from ..writing.prop_writer import PropPaths, making_props, write_props
from .retarget_inputs import TargetObject, require_source_of, sample_reaches, target_of
from .retarget_report import RetargetReport, show_retarget

SUFFIX = "_retarget"


@dataclass(frozen=True, eq=False)
class SourceMotion:
    """A motion with its table of bones and its name.

    fps: frames per second of the motion; its time counts from frame 0
    """

    motion: Motion
    mapping: BoneMapping
    name: str
    fps: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class PreparedRetarget:
    """A job for the core, and what is needed to write its outcome back."""

    target: SourceState
    source: SourceMotion
    first_frame: int
    job: RetargetJob


Together = tuple[PreparedRetarget, ...]
"""Characters who are retargeted together."""
Reports = tuple[RetargetReport, ...]


def retarget_options_of(target: TargetObject) -> RetargetOptions:
    """Return the options of the panel, without targets of hands and feet."""
    chosen = target.heft_retarget
    return RetargetOptions(
        keep_path=chosen.path == "KEEP",
        scale_time=chosen.timing == "SCALE",
        feet=Feet[chosen.feet],
        hands=chosen.hands,
        hold_hands=chosen.hold_hands,
    )


def preparing(
    context: RigContext, target: TargetObject, simulate: bool
) -> Generator[float, None, PreparedRetarget]:
    """Read the source that the panel names, its motion and the scene, in small steps."""
    source = require_source_of(target)
    start, end = frame_range(context, source)
    sampled = yield from as_part(sample_motion(context, source, start, end), 0, 2)
    mapping = find_mapping(source, context.scene)
    found = yield from finding_motion(source, sampled, mapping, None)
    fps = common_fps([found])
    motion = found.sampled.at_fps(fps).motion
    if found.pace.moves_like_m is not None:
        motion = motion.scaled(found.pace.moves_like_m / found.pace.height_m)
    read = SourceMotion(motion, mapping, source_name(source), fps, found.notes)
    first_frame = int(found.sampled.frame[0])
    return (yield from as_part(prepared_with(context, target, read, first_frame, simulate), 1, 2))


def prepared_with(
    context: RigContext,
    target: TargetObject,
    source: SourceMotion,
    first_frame: int,
    simulate: bool,
    options: RetargetOptions | None = None,
) -> Generator[float, None, PreparedRetarget]:
    """Return the job for a motion that was read; `options` replace the panel's."""
    refuse_linked(target)
    skeleton, mapping = read_skeleton(target, context.scene), find_mapping(target, context.scene)
    wish = options or retarget_options_of(target)
    reaches = yield from as_part(sample_reaches(context, target, source.fps), 0, 2)
    last_frame = int(np.ceil(source.motion.time[-1] * source.fps))
    scene = FLAT
    if target.heft_retarget.ground == "SCENE":
        scene = yield from as_part(sample_scene(context, first_frame, last_frame, source.fps), 1, 2)
    return PreparedRetarget(
        (yield from SourceState.reading(target, "retarget", no_action)),
        source,
        first_frame,
        RetargetJob(
            source.motion,
            source.mapping,
            skeleton,
            mapping,
            replace(wish, reaches=(*wish.reaches, *reaches)),
            scene,
            settings_of(target) if simulate else None,
            target.name,
            read_meshes(target, skeleton, context.scene) if wish.hands else None,
        ),
    )


@dataclass(frozen=True, eq=False)
class _Written:
    """The new actions of one target."""

    target: TargetObject
    prepared: PreparedRetarget
    outcome: RetargetOutcome
    kinematic: WrittenBake
    simulated: WrittenBake | None

    def undo(self) -> None:
        """Take the actions away again."""
        if self.simulated is not None:
            undo_bake(self.target, self.simulated)
        undo_bake(self.target, self.kinematic)


def finishing(
    context: RigContext, prepared: Together, outcomes: tuple[RetargetOutcome, ...]
) -> Generator[float, None, Reports]:
    """Write outcomes into new actions of their targets; a failure or closing changes nothing."""
    done: list[_Written] = []
    paths = _prop_paths(context, prepared[0], outcomes[0])
    props = yield from making_props(context, paths, limits_of(prepared[0].target.armature().heft_keys))
    try:
        for number, (own, outcome) in enumerate(zip(prepared, outcomes, strict=True)):
            written = yield from as_part(_writing(context, own, outcome), number, len(prepared))
            done.append(written)
            written.kinematic.refuse_lost_actions()
    except BaseException:
        for written in reversed(done):
            written.undo()
        raise
    first, *others = (_report(context, written) for written in done)
    return replace(first, notes=(*first.notes, *write_props(paths, props))), *others


def _prop_paths(context: RigContext, prepared: PreparedRetarget, outcome: RetargetOutcome) -> PropPaths:
    """Return where props go: as simulated, or else with the hands of the retargeted motion."""
    result, scale, time = outcome.simulated, 1.0, outcome.motion.time
    keys = {one.name: one.keys for one in outcome.props if one.keys is not None}
    names = tuple(keys)
    position: FloatArray = np.zeros((len(time), len(keys), 3))
    quaternion: FloatArray = np.zeros((len(time), len(keys), 4))
    for number, own in enumerate(keys.values()):
        position[:, number], quaternion[:, number] = own.position, own.quaternion
    if result is not None:
        names, time, scale = tuple(result.prop_name.tolist()), result.time, result.meta.character.scale
        position, quaternion = result.prop_position, result.prop_quaternion
    objects = {one.name: one for one in prepared.job.scene.objects}
    first = scale * np.array([objects[name].position for name in names]).reshape(-1, 3)
    frames, metres = _frames(prepared, outcome), metres_per_unit(context.scene)
    times = frames / prepared.source.fps
    return PropPaths(names, time, position, quaternion, frames, times, metres, scale * metres, first)


def _writing(
    context: RigContext, prepared: PreparedRetarget, outcome: RetargetOutcome
) -> Generator[float, None, _Written]:
    target = target_of(prepared.target.armature())
    frames = _frames(prepared, outcome)
    still = still_motion(target, frames, context.scene)
    refuse_changed_rig(target, still)
    baked = _moved_bones(prepared, outcome, frames)
    named = f"{prepared.source.name}{SUFFIX}"
    parts = 1 if outcome.simulated is None else 2
    written = yield from as_part(
        writing_bake(context, target, _with_carriers(context, target, still, baked), baked, named), 0, parts
    )
    simulated = None
    try:
        if outcome.simulated is not None:
            simulated = yield from as_part(
                _writing_simulated(context, target, prepared, outcome, frames), 1, 2
            )
    except BaseException:
        undo_bake(target, written)
        raise
    return _Written(target, prepared, outcome, written, simulated)


def _writing_simulated(
    context: RigContext,
    target: ArmatureObject,
    prepared: PreparedRetarget,
    outcome: RetargetOutcome,
    frames: IntArray,
) -> Generator[float, None, WrittenBake]:
    """Write the simulated motion into a copy of the new action, so that fingers move as in it."""
    assert outcome.simulated is not None
    reading = sample_motion(context, target, int(frames[0]), int(frames[-1]))
    sampled = yield from as_part(reading, 0, 2)
    motion = simulated_motion(outcome.motion, outcome.simulated).at(frames / prepared.source.fps)
    baked = BakedBones.of_motion(motion, prepared.job.target_mapping.all_bones)
    name = result_name(f"{prepared.source.name}{SUFFIX}")
    return (yield from as_part(writing_bake(context, target, sampled, baked, name), 1, 2))


def _report(context: RigContext, done: _Written) -> RetargetReport:
    target, prepared, outcome = done.target, done.prepared, done.outcome
    written, simulated = done.kinematic, done.simulated
    last = written if simulated is None else simulated
    if not character_of(target).rows:
        fill_bone_table(character_of(target), prepared.job.target_mapping)
    kept = () if simulated is None else record_bake(target, simulated)
    kept += _replace_shown(target, written, simulated)
    notes = dict.fromkeys((*prepared.source.notes, *outcome.notes, *written.notes, *last.notes, *kept))
    report = RetargetReport.of(
        target.name,
        written.action.name,
        None if simulated is None else simulated.action.name,
        outcome,
        prepared.first_frame,
        prepared.source.fps,
        tuple(notes),
    )
    show_retarget(target.heft_retarget, report)
    return report


def _replace_shown(
    target: TargetObject, written: WrittenBake, simulated: WrittenBake | None
) -> tuple[str, ...]:
    """Replace the actions of an earlier retargeting; return notes about those that are kept."""
    shown = target.heft_retarget
    pairs = [(shown.action, written), (shown.simulated_action, simulated or written)]
    shown.action = shown.simulated_action = None
    mark_result(written.action, written.checksum)
    return tuple(filter(None, (replace_earlier(earlier, new.action) for earlier, new in pairs)))


def _frames(prepared: PreparedRetarget, outcome: RetargetOutcome) -> IntArray:
    last = int(np.floor(outcome.motion.time[-1] * prepared.source.fps + 1e-3))
    return np.arange(prepared.first_frame, max(last, prepared.first_frame + 1) + 1)


def _moved_bones(prepared: PreparedRetarget, outcome: RetargetOutcome, frames: IntArray) -> BakedBones:
    motion = outcome.motion.at(frames / prepared.source.fps)
    names = {*prepared.job.target_mapping.all_bones, *outcome.turned_bones}
    return BakedBones.of_motion(motion, names)


def _with_carriers(
    context: RigContext, target: ArmatureObject, still: SampledMotion, baked: BakedBones
) -> SampledMotion:
    """Key the bones above those that move at rest, because an older action may have moved them.

    Hidden mechanism bones of a control rig are left out, because nobody moves them by hand.
    """
    skeleton = still.skeleton
    above = {bone for name in baked.names for bone in skeleton.ancestors(skeleton.index[name])}
    carriers = [skeleton.names[bone] for bone in sorted(above) if skeleton.names[bone] not in baked.names]
    if has_controls(context, target, baked):
        carriers = [name for name in carriers if _is_shown(target.data.bones[name])]
    return replace(still, keyed_bones=tuple(carriers))


def _is_shown(bone: Bone) -> bool:
    return not bone.collections or any(one.is_visible_effectively for one in bone.collections)


RETARGET = JobKind("retarget", "retargeting", "retarget", save_retarget_job, load_retarget_outcome)


class RetargetSession(JobSession[Together, Reports]):
    """Targets that are retargeted together, in steps; the last `step` returns their reports."""

    def __init__(
        self, targets: Sequence[TargetObject], reading: Generator[float, None, Together]
    ) -> None:
        super().__init__(
            targets,
            reading,
            lambda prepared: [one.job for one in prepared],
            finishing,
            RETARGET,
            sources=lambda prepared: [one.target for one in prepared],
        )


def panel_session(context: RigContext, targets: Sequence[TargetObject], simulate: bool) -> RetargetSession:
    """Return a session for the panel's choices on all targets."""
    kept = [ObjectHandle.of(target) for target in targets]

    def reading() -> Generator[float, None, Together]:
        found = []
        for number, one in enumerate(kept):
            own = preparing(context, target_of(one.require("retarget")), simulate)
            found.append((yield from as_part(own, number, len(kept))))
        return tuple(found)

    return RetargetSession(targets, reading())
