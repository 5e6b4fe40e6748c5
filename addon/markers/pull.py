"""Pull: the motion of an armature moved towards its control markers, as a new action."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import cast

import numpy as np

from ...sim_core.base.conventions import FloatArray
from ...sim_core.base.errors import InputError
from ...sim_core.jobs.control_job import ControlJob, load_control_motion, save_control_job
from ...sim_core.motion.motion import Motion
from ...sim_core.posefit.control_points import ControlMarker
from ..bake.bake_job import record_bake
from ..bake.bake_options import frame_range
from ..blender import compat
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.matrices import from_blender
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..jobs.source_state import ObjectHandle, SourceState
from ..reading.bone_table import find_mapping
from ..reading.motion_reader import SampledMotion, current_frame_kept, sample_motion
from ..reading.rig_reader import require_armature
from ..reading.source_action import require_animation
from ..writing.bake_writer import writing_bake
from ..writing.baked_bones import BakedBones
from .control_markers import ControlObject, controls_of

SUFFIX = "_pulled"
PULL = JobKind("pull", "pull", "pull", save_control_job, load_control_motion)


@dataclass(frozen=True)
class PullReport:
    """The new action and notes for the user."""

    action_name: str
    count: int
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """One sentence about the outcome."""
        return f"{self.count} control marker(s) pulled into '{self.action_name}'."


@dataclass(frozen=True, eq=False)
class PreparedPull:
    """A job for the core, and what is needed to write its motion back."""

    source: SourceState
    sampled: SampledMotion
    job: ControlJob


class PullSession(JobSession[PreparedPull, PullReport]):
    """One pull in steps; the last `step` returns its report."""

    def __init__(self, context: RigContext, obj: ArmatureObject) -> None:
        require_animation(obj)
        if not controls_of(context, obj):
            raise InputError(f"No control marker pulls '{obj.name}'; add one to a bone in Pose Mode.")
        super().__init__(
            [obj],
            _reading(context, ObjectHandle.of(obj)),
            lambda prepared: [prepared.job],
            _finish,
            PULL,
            sources=lambda prepared: [prepared.source],
        )


def _reading(context: RigContext, kept: ObjectHandle) -> Generator[float, None, PreparedPull]:
    """Read the armature's motion, then the control markers at its whole frames."""
    obj = require_armature(kept.require("pull"))
    mapping, controls = find_mapping(obj, context.scene), controls_of(context, obj)
    sampled = yield from sample_motion(context, obj, *frame_range(context, obj))
    samples = [_ControlSamples(control) for control in controls]
    with current_frame_kept(context.scene):
        for frame in sampled.frame:
            context.scene.frame_set(int(frame))
            for sample in samples:
                sample.add(context)
            yield 1.0
    whole, motion = sampled.frame_sample, sampled.motion
    whole_motion = Motion(
        motion.skeleton, motion.time[whole], motion.position_world[whole], motion.quaternion_world[whole]
    )
    pulls = tuple(sample.finish(sampled.metres_per_unit) for sample in samples)
    source = yield from SourceState.reading(obj, "pull", compat.action_of)
    return PreparedPull(source, sampled, ControlJob(whole_motion, mapping, pulls))


class _ControlSamples:
    """Positions and settings of a control marker over time."""

    def __init__(self, obj: ControlObject) -> None:
        self._obj = obj
        self._position: list[FloatArray] = []
        self._weight: list[float] = []
        self._dead_zone_m: list[float] = []

    def add(self, context: RigContext) -> None:
        evaluated = cast(ControlObject, self._obj.evaluated_get(context.evaluated_depsgraph_get()))
        self._position.append(from_blender(evaluated.matrix_world)[:3, 3])
        self._weight.append(evaluated.heft_control.weight)
        self._dead_zone_m.append(evaluated.heft_control.dead_zone_m)

    def finish(self, unit_m: float) -> ControlMarker:
        control = self._obj.heft_control
        return ControlMarker(
            control.bone,
            unit_m * np.array(self._position),
            np.array(self._weight),
            np.array([control.use_x, control.use_y, control.use_z]),
            np.array(self._dead_zone_m),
        )


def _finish(
    context: RigContext, prepared: PreparedPull, results: tuple[Motion, ...]
) -> Generator[float, None, PullReport]:
    """Write the pulled motion into a new action; a failure changes nothing."""
    obj, sampled = prepared.source.armature(), prepared.sampled
    yield from prepared.source.refusing_changed_keys()
    source = compat.action_of(obj)
    baked = BakedBones.of_motion(results[0], prepared.job.mapping.all_bones)
    name = (obj.name if source is None else source.action.name) + SUFFIX
    written = yield from writing_bake(context, obj, sampled, baked, name)
    notes = (*written.notes, *record_bake(obj, written))
    return PullReport(written.action.name, len(prepared.job.controls), notes)
