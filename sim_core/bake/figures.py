"""The figures of a simulated motion (docs/metrics.md)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..base.conventions import FloatArray
from ..base.intervals import true_intervals
from ..report.soles import Soles
from ..result import metrics
from ..scenario.scenario import Scenario
from ..simulation.trace import Trace
from .attempt import Outcome
from .baked import BakedCharacter
from .engine_facts import EngineFacts
from .poses import MappedJoints, SegmentPoses


def simulated_figures(
    baked: BakedCharacter,
    outcome: Outcome,
    poses: SegmentPoses,
    joints: MappedJoints,
    soles: Soles,
    wall_seconds: Mapping[str, float],
    engine: EngineFacts,
) -> metrics.Metrics:
    """Return the measures of a simulated motion; errors, assist and effort only where it was simulated."""
    trace, scenario, reference = outcome.trace, baked.scenario, outcome.prepared.reference
    poses_new, poses_reference, own = poses.new, poses.reference, outcome.follows_clip
    own &= trace.simulated == 1.0
    position, quaternion = joints.following(poses_new)
    wanted_position, wanted_quaternion = joints.following(poses_reference)
    error = metrics.joint_error_deg(quaternion, wanted_quaternion, joints.parent)
    error_source = metrics.joint_error_deg(quaternion, joints.source_quaternion, joints.parent)
    at_reference = _position_errors(position[own], wanted_position[own])
    at_source = _position_errors(position[own], joints.source_position[own])
    error_repaired = metrics.joint_error_deg(quaternion, joints.repaired_quaternion, joints.parent)
    deepest, depth = metrics.penetration_mm(soles.height)
    force, torque = metrics.norms(trace.assist[own, :3]), metrics.norms(trace.assist[own, 3:])
    busy, worst = metrics.effort(trace.torque[own], baked.world.index.torque_limit, axis_names(scenario))
    full_seconds = (len(reference) - 1) * reference.dt
    up = full_seconds if outcome.failure is None else outcome.failure.fell_at
    return metrics.Metrics(
        seconds=full_seconds,
        up_s=up,
        full=outcome.failure is None,
        joint_error_deg=float(error[own].mean()),
        joint_error_source_deg=float(error_source[own].mean()),
        joint_error_repaired_deg=float(error_repaired[own].mean()),
        root_error_m=metrics.root_error(poses_new[0][own, 0], poses_reference[0][own, 0]),
        root_error_source_m=metrics.root_error(poses_new[0][own, 0], poses.source[0][own, 0]),
        mpjpe_mm=at_reference[0],
        mpjpe_source_mm=at_source[0],
        mpjpe_global_mm=at_reference[1],
        mpjpe_global_source_mm=at_source[1],
        assist_force_mean_n=force[0],
        assist_force_max_n=force[1],
        assist_torque_mean_nm=torque[0],
        assist_torque_max_nm=torque[1],
        skate_cm_s=metrics.skate_cm_s(soles.points, soles.loaded, reference.dt, soles.ground_velocity),
        penetration_max_mm=deepest,
        penetration_mean_mm=depth,
        jitter_deg=metrics.jitter_deg(quaternion, joints.parent, reference.dt),
        jitter_source_deg=metrics.jitter_deg(joints.source_quaternion, joints.parent, reference.dt),
        jerk_m_s3=metrics.jerk_rms(position[own], reference.dt),
        jerk_reference_m_s3=metrics.jerk_rms(wanted_position[own], reference.dt),
        residual_share=_residual(scenario, trace, reference.dt),
        effort_share=busy,
        effort_worst_joint=worst,
        rtf=float(trace.time[-1] / trace.wall_seconds),
        kinematic_share=trace.kinematic_share(np.array([s.mass for s in scenario.spec])),
        limit_ratio=sum(wall_seconds.values()) / engine.bare_seconds,
    )


def _position_errors(position: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Return the mean distance of joints (T, J, 3) [m], relative to the root and in the world [mm]."""
    relative = metrics.mpjpe_mm(metrics.from_root(position), metrics.from_root(other))
    return float(relative.mean()), float(metrics.mpjpe_mm(position, other).mean())


def _residual(scenario: Scenario, trace: Trace, dt: float) -> float:
    """Return the unexplained force over body weight, RMS over the intervals that were wholly simulated."""
    masses, outside = np.array([s.mass for s in scenario.spec]), trace.assist[:, :3] + trace.push
    pieces = [slice(*piece) for piece in true_intervals(trace.simulated == 1.0) if piece[1] - piece[0] > 2]
    share = [
        metrics.residual_share(trace.body_com[p], masses, trace.contact_force[p], outside[p], dt)
        for p in pieces
    ]
    lengths = [p.stop - p.start for p in pieces]
    return float(np.sqrt(np.average(np.square(share), weights=lengths))) if pieces else 0.0


def axis_names(scenario: Scenario) -> tuple[str, ...]:
    """Return the joint axes that a torque acts on, such as 'shin.L/x'."""
    return tuple(f"{s.name}/{'xyz'[a]}" for s in scenario.spec for a in range(s.joint.kind.torque_axes))
