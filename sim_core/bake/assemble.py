"""Step 6, assemble: the result of a bake for each character."""

from __future__ import annotations

import numpy as np

from ..character.posing import bones_on_segments
from ..motion.motion import CONTROL_DT, Motion
from ..report.motion_measures import MotionMeasures, foot_names, measure_plausible, measure_source
from ..report.soles import Soles, simulated_soles, sole_points
from ..result.result import Result
from ..scenario.settings import BakeSettings
from ..simulation.trace import Trace
from ..world.ground import ObjectState
from ..world.world import World
from .baked import BakedCharacter
from .engine_facts import EngineFacts
from .figures import axis_names, simulated_figures
from .meta import meta_of
from .model import inputs_of, model_of
from .poses import MappedJoints, Poses, SegmentPoses, bones_of
from .simulated_arrays import forces_of, props_of
from .soft_bones import with_soft_bones


def assemble(
    baked: BakedCharacter,
    settings: BakeSettings,
    wall_seconds: dict[str, float],
    engine: EngineFacts | None = None,
) -> Result:
    """Return the result of a bake for one character.

    wall_seconds: by phase of the bake; engine: shared with those that were simulated with it
    """
    engine = engine or EngineFacts(baked)
    scenario, outcome, source = baked.scenario, baked.outcome, baked.source
    poses = SegmentPoses(baked, source)
    # First, because it takes much memory, and little of the result is there yet.
    measured = measure_source(scenario, baked.world, poses.source, CONTROL_DT)
    joints = MappedJoints(scenario, source, poses.source)
    bones = with_soft_bones(baked, poses.new, bones_of(baked, poses.new))
    reference_position, reference_quaternion = joints.following(poses.reference)
    position, quaternion = joints.following(poses.new)
    planned = None if baked.planned is None else _planned(baked, source, poses)
    soles = (planned or measured).soles
    if outcome is not None and not outcome.trace.kinematic_segments:  # kinematic feet move as the source's do
        soles = _soles(baked.world, poses.new, outcome.trace)
    metrics = None
    if outcome is not None and (outcome.trace.simulated == 1.0).any():
        metrics = simulated_figures(baked, outcome, poses, joints, soles, wall_seconds, engine)
    model_qpos, mjcf = model_of(baked, engine)
    inputs, mjb = inputs_of(baked, engine)
    return Result(
        time=source.time,
        body_name=np.array(scenario.spec.names),
        body_mass=np.array([s.mass for s in scenario.spec]),
        body_quaternion_world=poses.new[1],
        joint_name=np.array([scenario.binding.skeleton.names[b] for b in scenario.binding.driver]),
        joint_parent=joints.parent,
        joint_position=position,
        joint_quaternion_world=quaternion,
        reference_joint_position=reference_position,
        reference_joint_quaternion_world=reference_quaternion,
        source_joint_position=joints.source_position,
        source_joint_quaternion_world=joints.source_quaternion,
        torque_limit=baked.world.index.torque_limit,
        torque_name=np.array(axis_names(scenario)),
        source_time=scenario.motion.time,
        bone_name=np.array(bones.names),
        bone_position=scenario.on_rig(bones.position, scenario.motion.time),
        bone_quaternion_world=bones.quaternion,
        bone_detached=bones.detached,
        simulated=np.zeros(len(source.time)) if outcome is None else outcome.trace.simulated,
        foot_name=foot_names(baked.world),
        foot_slip=soles.slip(CONTROL_DT),
        foot_depth=soles.depth,
        **measured.source_arrays(),
        **({} if planned is None else planned.force_arrays("plausible")),
        **forces_of(baked, poses),
        **props_of(baked),
        model_qpos=model_qpos,
        engine_body=baked.world.engine.index.body,
        **inputs,
        meta=meta_of(
            baked,
            settings,
            wall_seconds,
            metrics=metrics,
            source_metrics=measured.figures(joints.source_quaternion, joints.parent),
            plausible_metrics=None if planned is None else planned.figures(quaternion, joints.parent),
            mjcf=mjcf,
            mjb=mjb,
        ),
    )


def _planned(baked: BakedCharacter, source: Motion, poses: SegmentPoses) -> MotionMeasures:
    """Measure the motion that was made plausible, on its bones as the source is."""
    scenario, bone = baked.scenario, baked.scenario.binding.bone
    position, quaternion = source.position_world.copy(), source.quaternion_world.copy()
    position[:, bone], quaternion[:, bone] = bones_on_segments(
        scenario.binding, source, poses.source, poses.new
    )
    motion = Motion(source.skeleton, source.time, position, quaternion)
    return measure_plausible(scenario, baked.world, poses.new, motion, CONTROL_DT)


def _soles(world: World, poses: Poses, trace: Trace) -> Soles:
    objects = map(ObjectState, trace.object_qpos, trace.object_qvel)
    return simulated_soles(world, sole_points(world, *poses), trace.contact_force, objects)
