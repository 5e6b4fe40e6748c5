"""A bake from an armature to its new action, in the two halves around the simulation.

The window, the blocking operator and the command line all go this way.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import bpy
from bpy.types import Action

from ..sim_core.errors import InputError
from ..sim_core.job import Job
from ..sim_core.recognition.mapping import BoneMapping
from ..sim_core.result import Result
from ..sim_core.sequence.chain import BLEND_SECONDS
from ..sim_core.settings import BakeSettings
from . import compat
from .action_clips import ActionClip, clips_of, require_source
from .bake_check import bones_off_target, held_note
from .bake_writer import SUFFIX, write_bake
from .baked_bones import BakedBones
from .blender_types import ArmatureObject, RigContext
from .mapping_table import fill_table, find_mapping
from .motion_reader import SampledMotion, sample_motion
from .outcome import BakeReport, hit_notes, show_outcome
from .prop_writer import write_props
from .rig_reader import require_armature
from .scene_reader import sample_scene
from .sequence_reader import sample_sequence
from .source_action import animated_range


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
class PreparedBake:
    """A job for the core, and what is needed to write its result back.

    source_name: what the new action is called after; empty takes the object's action
    """

    object_name: str
    sampled: SampledMotion
    job: Job
    source_name: str = ""
    notes: tuple[str, ...] = ()


def options_of(context: RigContext, obj: ArmatureObject, simulate: bool = True) -> BakeOptions:
    """The options that the panel shows for an armature."""
    require_source(require_armature(obj))
    bake, character = obj.heft, obj.data.heft
    settings = BakeSettings(
        quality=bake.quality,
        assist_cap=bake.assist_cap,
        correction=bake.correction,
        softness=bake.softness,
        recovery_s=bake.recovery_s,
        height=character.height or None,
        mass=character.mass or None,
        simulate=simulate,
    )
    sequence = clips_of(obj) if bake.source_mode == "SEQUENCE" else ()
    return BakeOptions(*frame_range(context, obj), settings, sequence, bake.blend_seconds)


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


def prepare_bake(
    context: RigContext, obj: ArmatureObject, options: BakeOptions
) -> Generator[float, None, PreparedBake]:
    """Read the rig and its motion, giving back control after each sample with the share done."""
    require_armature(obj)
    if obj.library is not None:
        raise InputError(f"'{obj.name}' is linked from another file; make a library override of it first.")
    mapping = find_mapping(obj, context.scene)
    clips, name = options.sequence, ""
    notes: tuple[str, ...] = ()
    if clips:
        sampled, notes = yield from sample_sequence(context, obj, clips, mapping, options.blend_seconds)
        name = clips[0].name if len(clips) == 1 else f"{clips[0].name}_to_{clips[-1].name}"
    else:
        sampled = yield from sample_motion(context, obj, options.frame_start, options.frame_end)
    _refuse_collapsed(sampled, mapping)
    scene = yield from sample_scene(context, int(sampled.frame[0]), int(sampled.frame[-1]))
    return PreparedBake(obj.name, sampled, Job(sampled.motion, mapping, options.settings, scene), name, notes)


def finish_bake(context: RigContext, prepared: PreparedBake, result: Result) -> BakeReport:
    """Write a result into a new action of the armature it came from."""
    found: bpy.types.Object | None = bpy.data.objects.get(prepared.object_name)
    if found is None or found.type != "ARMATURE":
        raise InputError(f"'{prepared.object_name}' was deleted or renamed in the meantime; simulate again.")
    obj = require_armature(found)
    source = compat.action_of(obj)
    baked = BakedBones.from_result(result, prepared.sampled)
    base = prepared.source_name or (source.action.name if source is not None else obj.name)
    written = write_bake(context, obj, prepared.sampled, baked, base + SUFFIX)
    notes = [*prepared.notes, *(str(note) for note in result.meta.get("notes", ()))]
    notes += hit_notes(result, prepared.sampled)
    notes += write_props(context, prepared.sampled, result)
    notes += held_note(bones_off_target(context, obj, prepared.sampled, baked))
    if source is not None and written.source_got_fake_user:
        notes.append(f"'{source.action.name}' now has a fake user, so that it is kept when you save.")
    report = BakeReport.of(written.action.name, prepared.job, result, prepared.sampled, tuple(notes))
    _remember(obj, source, written.action)
    if not obj.data.heft.rows:
        fill_table(obj.data.heft, prepared.job.mapping)
    show_outcome(obj.heft.outcome, report)
    return report


def restore_source(obj: ArmatureObject) -> str:
    """Make the action that was baked the object's action again; its name."""
    bake = obj.heft
    if bake.source_action is None or obj.animation_data is None:
        raise InputError(f"'{obj.name}' has no bake whose source is still there; choose its action by hand.")
    slots = bake.source_action.slots if compat.has_slots() else ()
    slot = next((slot for slot in slots if slot.identifier == bake.source_slot), None)
    compat.assign_action(obj.animation_data, compat.SlottedAction(bake.source_action, slot))
    return bake.source_action.name


def _remember(obj: ArmatureObject, source: compat.SlottedAction | None, baked: Action) -> None:
    """Note where the bake came from, for going back."""
    obj.heft.baked_action = baked
    obj.heft.source_action = source.action if source is not None else None
    obj.heft.source_slot = source.slot.identifier if source is not None and source.slot is not None else ""


def _refuse_collapsed(sampled: SampledMotion, mapping: BoneMapping) -> None:
    mapped = {bone for slot in mapping for bone in mapping.bones[slot]}
    lost = [bone for bone in sampled.collapsed_bones if bone in mapped]
    if lost:
        raise InputError(f"Bone '{lost[0]}' is scaled to zero or NaN in the frame range; fix its scale keys.")
