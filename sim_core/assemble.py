"""Putting a result together: joints, bones, forces and figures of one bake."""

from __future__ import annotations

import platform
import time as clock
from dataclasses import asdict, dataclass
from typing import Any

import mujoco
import numpy as np
import scipy

from . import metrics, rotations
from .aiming.landing import aim_notes
from .carry_out import Run
from .change_notes import change_notes
from .character.posing import carry_bones, pose_from_motion, segment_centres, segment_poses
from .character.take import Take
from .conventions import FloatArray, IntArray
from .dynamics.momenta import measure_momenta
from .motion import Motion
from .part_words import part_notes
from .reference.prepare import Prepared
from .rehearsal import CONTROL_DT
from .report.soles import Soles, simulated_soles, sole_points
from .report.source import foot_names, measure_source
from .result import NO_BODY, Result
from .scene.ground import ObjectState
from .settings import BakeSettings
from .simulation.trace import Trace
from .simulation.world import World
from .spells import spells
from .version import VERSION

Poses = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Performance:
    """All that is known after a bake.

    source: the take's motion on the control grid; run: None where nothing was simulated
    planned: the motion made possible, where that was all that was asked for
    others: worlds and traces of those that were simulated with it, in the order of the engine's others
    """

    take: Take
    world: World
    source: Motion
    run: Run | None
    others: tuple[tuple[World, Trace], ...] = ()
    planned: Prepared | None = None

    @property
    def prepared(self) -> Prepared | None:
        return self.planned if self.run is None else self.run.prepared


def assemble(performance: Performance, settings: BakeSettings, wall_seconds: dict[str, float]) -> Result:
    take, run = performance.take, performance.run
    source = performance.source if run is None else performance.source.first(len(run.trace.time))
    poses = _AllPoses(performance, source)
    joints = _Joints(take, source, poses.source)
    bones = _bones(performance, poses.new)
    reference_position, reference_quaternion = joints.carried(poses.reference)
    position, quaternion = joints.carried(poses.new)
    simulated = run is not None and bool((run.trace.simulated == 1.0).any())
    measured = measure_source(take, performance.world, poses.source, CONTROL_DT)
    soles = measured.soles if run is None else _soles(performance.world, poses.new, run.trace)
    figures = _metrics(performance, run, poses, joints, soles, wall_seconds) if run and simulated else {}
    source_figures = measured.figures(joints.source_quaternion, joints.parent)
    return Result(
        time=source.time,
        body_name=np.array(take.spec.names),
        body_mass=np.array([s.mass for s in take.spec]),
        body_quaternion_world=poses.new[1],
        joint_name=np.array([take.binding.skeleton.names[b] for b in take.binding.driver]),
        joint_parent=joints.parent,
        joint_position=position,
        joint_quaternion_world=quaternion,
        reference_joint_position=reference_position,
        reference_joint_quaternion_world=reference_quaternion,
        source_joint_position=joints.source_position,
        source_joint_quaternion_world=joints.source_quaternion,
        torque_limit=performance.world.index.torque_limit,
        torque_name=np.array(_axis_names(take)),
        source_time=take.motion.time,
        bone_name=np.array([take.binding.skeleton.names[b] for b in take.binding.bone]),
        bone_position=(bones[0] - take.offset) / take.scale,
        bone_quaternion_world=bones[1],
        bone_detached=take.binding.detached,
        simulated=np.zeros(len(source.time)) if run is None else run.trace.simulated,
        foot_name=foot_names(performance.world),
        foot_slip=soles.slip(CONTROL_DT),
        foot_depth=soles.depth,
        **measured.arrays(),
        **_forces(performance, poses),
        **_props(performance),
        meta=_meta(performance, settings, figures, source_figures, wall_seconds),
    )


class _AllPoses:
    """Segment poses of source, reference and simulation; where one was not made, those of the one before."""

    def __init__(self, performance: Performance, source: Motion) -> None:
        take, run, prepared = performance.take, performance.run, performance.prepared
        self.source: Poses = segment_poses(take.spec, pose_from_motion(take.spec, take.binding, source))
        self.reference, self.new = self.source, self.source
        if prepared is not None:
            self.reference = segment_poses(take.spec, prepared.reference.qpos[: len(source.time)])
            self.new = self.reference if run is None else segment_poses(take.spec, run.trace.qpos)


class _Joints:
    """The mapped joints: each segment's driver bone."""

    def __init__(self, take: Take, source: Motion, poses_source: Poses) -> None:
        binding = take.binding
        self.binding, self.source, self.poses_source = binding, source, poses_source
        position_of = {int(b): i for i, b in enumerate(binding.bone)}
        self.drivers = np.array([position_of[int(b)] for b in binding.driver])
        self.parent: IntArray = take.spec.parents
        self.source_position = source.position_world[:, binding.driver]
        self.source_quaternion = source.quaternion_world[:, binding.driver]

    def carried(self, poses: Poses) -> Poses:
        return carry_bones(self.binding, self.source, self.poses_source, poses, self.drivers)


def _bones(performance: Performance, poses_new: Poses) -> Poses:
    """All mapped bones at the source's own sample times."""
    take = performance.take
    poses_source = segment_poses(take.spec, pose_from_motion(take.spec, take.binding, take.motion))
    if performance.prepared is None:
        return carry_bones(take.binding, take.motion, poses_source, poses_source)
    grid = performance.source.time[: len(poses_new[0])]
    at_source_times = tuple(_interpolated(grid, values, take.motion.time) for values in poses_new)
    poses = (at_source_times[0], rotations.normalise(at_source_times[1]))
    if performance.run is not None:
        played = np.interp(take.motion.time, grid, performance.run.trace.simulated) == 0.0
        for new, own in zip(poses, poses_source, strict=True):
            new[played] = own[played]
    return carry_bones(take.binding, take.motion, poses_source, poses)


def _interpolated(grid: FloatArray, values: FloatArray, time: FloatArray) -> FloatArray:
    """Linear between samples, held at the ends; quaternions must be sign-continuous."""
    values = rotations.continuous(values) if values.shape[-1] == 4 else values
    place = np.clip((time - grid[0]) / (grid[1] - grid[0]), 0.0, len(grid) - 1.0)
    low = np.minimum(place.astype(np.int64), len(grid) - 2)
    share = (place - low)[:, None, None]
    return (1.0 - share) * values[low] + share * values[low + 1]


def _forces(performance: Performance, poses: _AllPoses) -> dict[str, np.ndarray]:
    """Forces of the trace; without a simulation there are none."""
    take = performance.take
    if performance.run is None:
        samples, axes = len(poses.new[0]), len(performance.world.index.actuator)
        return {
            "body_com": segment_centres(take.spec, *poses.new),
            "assist": np.zeros((samples, 6)),
            "torque": np.zeros((samples, axes)),
            "torque_rate": np.zeros((samples, axes)),
            "angular_momentum": np.zeros((samples, 3)),
            "energy": np.zeros(samples),
            "contact_point": np.zeros((samples, 0, 3)),
            "contact_force": np.zeros((samples, 0, 3)),
            "contact_body": np.zeros((samples, 0), dtype=np.int64),
            "contact_other": np.zeros(0, dtype=str),
            "contact_other_body": np.zeros(0, dtype=str),
        }
    trace = performance.run.trace
    touching = np.linalg.norm(trace.contact_force, axis=-1) > 1e-6
    momenta = measure_momenta(performance.world, trace.qpos, trace.qvel)
    return {
        "body_com": trace.body_com,
        "assist": trace.assist,
        "torque": trace.torque,
        "torque_rate": trace.qvel[:, performance.world.index.actuated_dof],
        "angular_momentum": momenta.angular,
        "energy": momenta.energy,
        "contact_point": np.where(touching[..., None], trace.contact_point, 0.0),
        "contact_force": np.where(touching[..., None], trace.contact_force, 0.0),
        "contact_body": np.where(touching, trace.contact_segment, NO_BODY),
        **_others(performance.world, trace),
    }


def _others(world: World, trace: Trace) -> dict[str, np.ndarray]:
    """Names of the characters that contacts are with, and of their bodies; empty for all other contacts."""
    pairs = [
        (other.name, other.spec.names[segment])
        for place, segment in zip(trace.contact_other, trace.contact_other_segment, strict=True)
        if place >= 0
        for other in [world.engine.others[place]]
    ]
    names = np.array([("", "")] * int((trace.contact_other < 0).sum()) + pairs)
    return {"contact_other": names[:, 0], "contact_other_body": names[:, 1]}


def _props(performance: Performance) -> dict[str, np.ndarray]:
    """Names and poses of what the character can push; without a simulation there are none."""
    engine, run = performance.world.engine, performance.run
    things = np.concatenate([engine.objects.hinged, engine.objects.props])
    if run is None or len(things) == 0:
        return {}
    data, body = mujoco.MjData(engine.model), engine.objects.body[things]
    position = np.zeros((len(run.trace.time), len(things), 3))
    quaternion = np.zeros((*position.shape[:2], 4))
    for k, qpos in enumerate(run.trace.object_qpos):
        data.qpos[engine.objects.qpos] = qpos
        mujoco.mj_kinematics(engine.model, data)
        position[k], quaternion[k] = data.xpos[body], data.xquat[body]
    return {
        "prop_name": np.array([performance.world.scene.objects[thing].name for thing in things]),
        "prop_position": position,
        "prop_quaternion": quaternion,
    }


def _soles(world: World, poses: Poses, trace: Trace) -> Soles:
    objects = map(ObjectState, trace.object_qpos, trace.object_qvel)
    return simulated_soles(world, sole_points(world, *poses), trace.contact_force, objects)


def _metrics(
    performance: Performance,
    run: Run,
    poses: _AllPoses,
    joints: _Joints,
    soles: Soles,
    wall_seconds: dict[str, float],
) -> dict[str, Any]:
    trace, take, reference = run.trace, performance.take, run.prepared.reference
    poses_new, poses_reference, own = poses.new, poses.reference, trace.simulated == 1.0
    quaternion = joints.carried(poses_new)[1]
    error = metrics.joint_error_deg(quaternion, joints.carried(poses_reference)[1], joints.parent)
    error_source = metrics.joint_error_deg(quaternion, joints.source_quaternion, joints.parent)
    deepest, depth = metrics.penetration_mm(soles.height)
    force, torque = metrics.norms(trace.assist[own, :3]), metrics.norms(trace.assist[own, 3:])
    busy, worst = metrics.effort(trace.torque[own], performance.world.index.torque_limit, _axis_names(take))
    full_seconds = (len(reference) - 1) * reference.dt
    up = full_seconds if run.failure is None else run.failure.fell_at
    figures = metrics.Metrics(
        seconds=full_seconds,
        up_s=up,
        full=run.failure is None,
        joint_error_deg=float(error[own].mean()),
        joint_error_source_deg=float(error_source[own].mean()),
        root_error_m=metrics.root_error(poses_new[0][own, 0], poses_reference[0][own, 0]),
        assist_force_mean_n=force[0],
        assist_force_max_n=force[1],
        assist_torque_mean_nm=torque[0],
        assist_torque_max_nm=torque[1],
        skate_cm_s=metrics.skate_cm_s(soles.points, soles.loaded, reference.dt, soles.ground_velocity),
        penetration_max_mm=deepest,
        penetration_mean_mm=depth,
        jitter_deg=metrics.jitter_deg(quaternion, joints.parent, reference.dt),
        jitter_source_deg=metrics.jitter_deg(joints.source_quaternion, joints.parent, reference.dt),
        residual_share=_residual(take, trace, reference.dt),
        effort_share=busy,
        effort_worst_joint=worst,
        rtf=float(trace.time[-1] / trace.wall_seconds),
        kinematic_share=trace.kinematic_share(np.array([s.mass for s in take.spec])),
        limit_ratio=sum(wall_seconds.values()) / _bare_seconds(performance, trace),
    )
    return figures.as_dict()


def _residual(take: Take, trace: Trace, dt: float) -> float:
    """Over the times that were wholly simulated, each by its length."""
    masses, outside = np.array([s.mass for s in take.spec]), trace.assist[:, :3] + trace.push
    pieces = [slice(*piece) for piece in spells(trace.simulated == 1.0) if piece[1] - piece[0] > 2]
    share = [
        metrics.residual_share(trace.body_com[p], masses, trace.contact_force[p], outside[p], dt)
        for p in pieces
    ]
    lengths = [p.stop - p.start for p in pieces]
    return float(np.sqrt(np.average(np.square(share), weights=lengths))) if pieces else 0.0


def _axis_names(take: Take) -> tuple[str, ...]:
    return tuple(f"{s.name}/{'xyz'[a]}" for s in take.spec for a in range(s.joint.kind.torque_axes))


def _bare_seconds(performance: Performance, trace: Trace) -> float:
    """What the engine alone would have needed: a part of the steps, from recorded states, scaled up."""
    engine = performance.world.engine
    model, index, objects = engine.model, engine.index, engine.objects
    data = mujoco.MjData(model)
    states = np.linspace(0, len(trace.qpos) - 1, 20).astype(int)
    spent = 0.0
    for k in states:
        data.qpos[index.qpos], data.qvel[index.dof] = trace.qpos[k], trace.qvel[k]
        data.qpos[objects.qpos], data.qvel[objects.dof] = trace.object_qpos[k], trace.object_qvel[k]
        for world, other in performance.others:
            place = world.engine.index
            data.qpos[place.qpos], data.qvel[place.dof] = other.qpos[k], other.qvel[k]
        mujoco.mj_forward(model, data)
        started = clock.perf_counter()
        mujoco.mj_step(model, data, nstep=10)
        spent += clock.perf_counter() - started
    return spent / (10 * len(states)) * trace.steps


def _meeting_notes(performance: Performance) -> tuple[str, ...]:
    """What the user should know about characters that touch."""
    if performance.run is None:
        return ()
    trace, notes = performance.run.trace, []
    for place, other in enumerate(performance.world.engine.others):
        met = trace.contact_force[:, trace.contact_other == place]
        force = np.linalg.norm(met.sum(axis=1), axis=-1)
        if force.max(initial=0.0) > metrics.LOADED_N:
            seconds = CONTROL_DT * np.count_nonzero(force > metrics.LOADED_N)
            notes.append(
                f"It touches '{other.name}' for {seconds:.2f} s, with at most {force.max():.0f} N; its "
                "motion was prepared as if it were alone, so where one holds the other it may go astray."
            )
    return tuple(notes)


def _gains(run: Run | None) -> dict[str, int]:
    """How many sets of gains were found in the folder, and how many computed."""
    return {} if run is None else {"read": run.gains_read, "made": run.gains_made}


def _meta(
    performance: Performance,
    settings: BakeSettings,
    figures: dict[str, Any],
    source_figures: dict[str, Any],
    wall_seconds: dict[str, float],
) -> dict[str, Any]:
    take = performance.take
    failure = None if performance.run is None else performance.run.failure
    return {
        "versions": {
            "heft": VERSION,
            "mujoco": mujoco.__version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "python": platform.python_version(),
        },
        "settings": asdict(settings),
        "seed": settings.seed,
        "pushes": [asdict(push) | {"force": push.force.tolist()} for push in performance.world.scene.pushes],
        "metrics": figures,
        "source_metrics": source_figures,
        "fell_at": None if failure is None else failure.fell_at,
        "failure": None if failure is None else failure.as_dict(),
        "wall_seconds": wall_seconds,
        "notes": [
            *take.spec.notes,
            *change_notes({} if performance.prepared is None else performance.prepared.change),
            *(() if performance.run is None else aim_notes(performance.run.landings, performance.run.rounds)),
            *part_notes(settings),
            *_meeting_notes(performance),
            *(() if failure is None else failure.notes),
        ],
        "name": take.name,
        "others": [other.name for other in performance.world.engine.others],
        **take.body_facts,
        "ground_height": performance.world.ground_height,
        "reference": {} if performance.prepared is None else performance.prepared.change,
        "way": None if performance.run is None else performance.run.way,
        "hits": [] if performance.run is None else [asdict(hit) for hit in performance.run.hits],
        "strikes": [] if performance.run is None else [s.as_dict() for s in performance.run.landings],
        "rounds": 0 if performance.run is None else performance.run.rounds,
        "gains": _gains(performance.run),
        "simulated": [] if performance.run is None else performance.run.trace.windows,
        "ways_tried": [] if performance.run is None else list(performance.run.tried),
    }
