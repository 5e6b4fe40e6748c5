"""A fit from a take to an armature with a new action, in the two halves around the solver."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

from ...sim_core.base import rotations
from ...sim_core.base.errors import InputError
from ...sim_core.jobs.fit_job import FitJob, FitOutcome
from ...sim_core.markers.armature import Armature
from ...sim_core.motion.motion import Motion
from ..bake_writer import WrittenBake, writing_bake
from ..baked_bones import BakedBones
from ..blender_types import ArmatureObject, RigContext
from ..kept_object import KeptObject
from ..mapping_table import fill_table as fill_bone_table
from ..mapping_table import find_mapping
from ..motion_reader import SampledMotion
from ..rig_reader import metres_per_unit, read_skeleton, require_armature
from ..still_motion import still_motion
from .new_armature import make_armature, remove_armature
from .outcome import FitReport, show_fit
from .table import table_of
from .take_object import Clock, TakeObject, as_take, read_take, require_take

SUFFIX = "_fit"


@dataclass(frozen=True, eq=False)
class PreparedFit:
    """A job for the core, and what is needed to write its outcome back.

    armature: to be posed; None makes a new one
    """

    take: KeptObject
    armature: KeptObject | None
    job: FitJob


def prepare_fit(context: RigContext, obj: TakeObject) -> PreparedFit:
    """What the panel asks for."""
    scene, options, unit_m = context.scene, obj.heft_take, metres_per_unit(context.scene)
    table, static = table_of(obj), as_take(options.static)
    job = FitJob(read_take(obj, unit_m), table, quality=options.quality.lower())
    if static is not None:
        # It often has markers that are taken off before the subject moves.
        both = {**table_of(static).rows, **table.rows}
        job = replace(job, static=read_take(static, unit_m), table=replace(table, rows=both))
    if options.target == "NEW":
        return PreparedFit(KeptObject.of(obj), None, job)
    if options.own_armature is None:
        raise InputError("No armature is chosen to be fitted; choose yours, or fit a new one.")
    rig = require_armature(options.own_armature)
    if rig.library is not None:
        raise InputError(f"'{rig.name}' is linked from another file; make a library override of it first.")
    armature = Armature(read_skeleton(rig, scene), find_mapping(rig, scene))
    return PreparedFit(KeptObject.of(obj), KeptObject.of(rig), replace(job, armature=armature))


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
    else:
        rig = require_armature(prepared.armature.require("fit"))
    try:
        written = yield from _write(context, rig, clock, outcome, obj.name + SUFFIX)
    except BaseException:
        if is_new:
            remove_armature(rig)
        raise
    if is_new:
        fill_bone_table(rig.data.heft, outcome.mapping)
    report = FitReport.of(outcome, rig.name, written.action.name, clock, written.notes)
    show_fit(obj, outcome, report)
    obj.heft_take.armature = rig
    _make_active(context, rig)
    return report


def _write(
    context: RigContext, rig: ArmatureObject, clock: Clock, outcome: FitOutcome, name: str
) -> Generator[float, None, WrittenBake]:
    sampled = still_motion(rig, clock.whole_frames(), context.scene)
    baked = BakedBones.of_motion(_own_motion(sampled, clock, outcome), outcome.mapping.all_bones)
    return (yield from writing_bake(context, rig, sampled, baked, name, anew=True))


def _own_motion(sampled: SampledMotion, clock: Clock, outcome: FitOutcome) -> Motion:
    """The fitted motion at the whole frames, on the armature's own bones as they lie at rest."""
    motion, own = outcome.motion.at(clock.seconds(sampled.frame)), sampled.skeleton
    column = [motion.skeleton.index[name] for name in own.names]
    rest = motion.skeleton.rest_quaternion_world[column]
    turn = rotations.multiply(rotations.conjugate(rest), own.rest_quaternion_world)
    quaternion = rotations.multiply(motion.quaternion_world[:, column], turn)
    return Motion(own, motion.time, motion.position_world[:, column], quaternion)


def _make_active(context: RigContext, rig: ArmatureObject) -> None:
    """Ready for Simulate."""
    for obj in context.selected_objects:
        obj.select_set(False)
    rig.select_set(True)
    context.view_layer.objects.active = rig
