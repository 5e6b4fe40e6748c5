"""Fits a body to a take: reads the markers, runs the fit, and writes a new action of an armature."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import cast

import bpy
import numpy as np
from bpy.types import Context, EditBone

from ...sim_core.base import rotations
from ...sim_core.base.conventions import Z_UP, FloatArray
from ...sim_core.base.errors import InputError
from ...sim_core.jobs.fit_job import FitJob, FitOutcome, load_fit_outcome, save_fit_job
from ...sim_core.markers.subject import Armature
from ...sim_core.motion.motion import Motion
from ...sim_core.motion.skeleton import NO_PARENT, Skeleton
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.half_written import mark_armature, remove_armature
from ..blender.library_overrides import character_of, refuse_linked
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..jobs.source_state import ObjectHandle
from ..reading.bone_table import fill_bone_table as fill_bone_table
from ..reading.bone_table import find_mapping
from ..reading.motion_reader import SampledMotion, still_motion
from ..reading.rig_reader import metres_per_unit, read_skeleton, require_armature
from ..writing.bake_writer import WrittenBake, undo_bake, writing_bake
from ..writing.baked_bones import BakedBones
from .fit_report import FitReport, show_fit
from .marker_table import table_of
from .take_object import Clock, TakeObject, as_take, read_take, require_take

SUFFIX = "_fit"


@dataclass(frozen=True, eq=False)
class PreparedFit:
    """A job for the core, and what is needed to write its outcome back.

    armature: the armature to pose; None makes a new one
    """

    take: ObjectHandle
    armature: ObjectHandle | None
    job: FitJob


def prepare_fit(context: RigContext, obj: TakeObject) -> PreparedFit:
    """Read the take and the options of the panel."""
    scene, options, unit_m = context.scene, obj.heft_take, metres_per_unit(context.scene)
    table, static = table_of(obj), as_take(options.static)
    job = FitJob(read_take(obj, unit_m), table, quality=options.quality.lower())
    if static is not None:
        # A static trial often has markers that are removed before the subject moves.
        both = {**table_of(static).rows, **table.rows}
        job = replace(job, static=read_take(static, unit_m), table=replace(table, rows=both))
    if options.target == "NEW":
        return PreparedFit(ObjectHandle.of(obj), None, job)
    if options.own_armature is None:
        raise InputError("No armature is chosen for the fit; choose one, or fit a new one.")
    rig = require_armature(options.own_armature)
    refuse_linked(rig)
    armature = Armature(read_skeleton(rig, scene), find_mapping(rig, scene))
    return PreparedFit(ObjectHandle.of(obj), ObjectHandle.of(rig), replace(job, armature=armature))


def finishing_fit(
    context: RigContext, prepared: PreparedFit, outcome: FitOutcome
) -> Generator[float, None, FitReport]:
    """Write an outcome into a new action of a new or the user's armature; a failure changes nothing."""
    obj = require_take(prepared.take.require("fit"))
    clock = Clock.of(obj, context.scene)
    is_new = prepared.armature is None
    if prepared.armature is None:
        unit_m = metres_per_unit(context.scene)
        rig = make_armature(context, f"{obj.name} Body", outcome.motion.skeleton, unit_m)
        mark_armature(rig)
    else:
        rig = require_armature(prepared.armature.require("fit"))
    written = None
    try:
        written = yield from _write(context, rig, clock, outcome, obj.name + SUFFIX)
        obj = require_take(prepared.take.require("fit"))  # a script may have deleted it since
        written.refuse_lost_actions()
    except BaseException:
        if written is not None:
            undo_bake(rig, written)
        if is_new:
            remove_armature(rig)
        raise
    if is_new:
        fill_bone_table(character_of(rig), outcome.mapping)
    report = FitReport.of(outcome, rig.name, written.action.name, clock, written.notes)
    show_fit(obj, outcome, report)
    obj.heft_take.armature = rig
    make_active(context, rig)
    return report


def _write(
    context: RigContext, rig: ArmatureObject, clock: Clock, outcome: FitOutcome, name: str
) -> Generator[float, None, WrittenBake]:
    sampled = still_motion(rig, clock.whole_frames(), context.scene)
    baked = BakedBones.of_motion(own_motion(sampled, clock, outcome.motion), outcome.mapping.all_bones)
    return (yield from writing_bake(context, rig, sampled, baked, name, from_scratch=True))


def own_motion(sampled: SampledMotion, clock: Clock, whole: Motion) -> Motion:
    """Return a motion from time 0 on at the whole frames, for the armature's own rest pose."""
    motion, own = whole.at(clock.seconds(sampled.frame)), sampled.skeleton
    column = [motion.skeleton.index[name] for name in own.names]
    rest = motion.skeleton.rest_quaternion_world[column]
    turn = rotations.multiply(rotations.conjugate(rest), own.rest_quaternion_world)
    quaternion = rotations.multiply(motion.quaternion_world[:, column], turn)
    return Motion(own, motion.time, motion.position_world[:, column], quaternion)


def make_active(context: RigContext, rig: ArmatureObject) -> None:
    """Select only the armature, so that it can be simulated next."""
    for obj in context.selected_objects:
        obj.select_set(False)
    rig.select_set(True)
    context.view_layer.objects.active = rig


FIT = JobKind("fit", "fit", "fit", save_fit_job, load_fit_outcome)


class FitSession(JobSession[PreparedFit, FitReport]):
    """One fit in steps; the last `step` returns its report."""

    def __init__(self, context: RigContext, obj: TakeObject) -> None:
        reading = _reading(context, ObjectHandle.of(obj))
        super().__init__([obj], reading, lambda prepared: [prepared.job], _finish, FIT, "Reading the markers")


def _reading(context: RigContext, kept: ObjectHandle) -> Generator[float, None, PreparedFit]:
    """Read the take in one step, because all samples are in one mesh."""
    prepared = prepare_fit(context, require_take(kept.require("fit")))
    yield 1.0
    return prepared


def _finish(
    context: RigContext, prepared: PreparedFit, results: tuple[FitOutcome, ...]
) -> Generator[float, None, FitReport]:
    return finishing_fit(context, prepared, results[0])


LEAF_SHARE = 0.5
"""Length of a bone without children, relative to its parent's."""
SHORTEST_M = 0.01
"""Blender deletes bones without length; joints may lie in one place [m]."""


def make_armature(context: Context, name: str, skeleton: Skeleton, unit_m: float) -> ArmatureObject:
    """Make an armature at the world's origin, with bones that point to their first child."""
    if context.mode != "OBJECT":
        # The user may have changed the mode during the fit; editing bones needs Object Mode first.
        bpy.ops.object.mode_set(mode="OBJECT")
    armature = bpy.data.armatures.new(name)
    obj = bpy.data.objects.new(name, armature)
    context.collection.objects.link(obj)
    context.view_layer.objects.active = obj
    head, tail = skeleton.rest_position_world / unit_m, _tails(skeleton) / unit_m
    bpy.ops.object.mode_set(mode="EDIT")
    made: list[EditBone] = []
    for bone, parent in enumerate(skeleton.parents):
        edited = armature.edit_bones.new(skeleton.names[bone])
        edited.head, edited.tail = head[bone].tolist(), tail[bone].tolist()
        if parent != NO_PARENT:
            edited.parent = made[parent]
        made.append(edited)
    bpy.ops.object.mode_set(mode="OBJECT")
    return cast(ArmatureObject, obj)


def _tails(skeleton: Skeleton) -> FloatArray:
    """Return the tails of all bones (N, 3) [m]: at a child, or else on from the parent; never at the head."""
    head = skeleton.rest_position_world
    tail = np.empty_like(head)
    for bone, parent in enumerate(skeleton.parents):
        along = [head[child] - head[bone] for child in skeleton.children[bone]]
        if parent != NO_PARENT:
            along.append(LEAF_SHARE * (head[bone] - head[parent]))
            along.append(LEAF_SHARE * (tail[parent] - head[parent]))
        long = (offset for offset in along if np.linalg.norm(offset) > SHORTEST_M)
        tail[bone] = head[bone] + next(long, SHORTEST_M * Z_UP)
    return tail
