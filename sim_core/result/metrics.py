"""The measures that every benchmark, report and test uses (docs/metrics.md).

All functions take plain arrays: T samples, J joints, K foot points; SI units, angles in radians
unless the name says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.butterworth import zero_phase
from ..base.conventions import GRAVITY, Z_UP, BoolArray, FloatArray, IntArray

FALL_HEIGHT_SHARE = 0.35
"""Share of the leg length by which the pelvis of a fallen body differs from the reference's height."""
FALL_TILT = np.radians(60.0)
"""Angle between the trunk's up axis and the reference's beyond which a body has fallen [rad]."""
FALL_SECONDS = 0.1
"""Time for which a body must be low or tilted to have fallen [s]."""
LIES_SHARE, LIES_TILT = 0.3, np.radians(60.0)
"""A body lies with its pelvis below this share of its height, and its trunk further from upright [rad]."""
LOST_DEG = 8.0
"""A body that is upright but further than this from its reference has lost the motion [deg]."""
LOADED_N = 5.0
"""A foot point carries weight above this force [N]."""
JITTER_HZ = 12.0
"""Frequency above which joint angles count as jitter [Hz]."""
JITTER_ORDER, JITTER_PAD = 4, 15
"""Order of the high-pass that leaves the jitter, and samples that are added at each end for it."""
NEAR_LIMIT = 0.9
"""Share of a torque limit above which a joint axis works near it."""


@dataclass(frozen=True, kw_only=True)
class MotionMetrics:
    """The measures of a motion that need no simulation; names carry their units."""

    seconds: float
    full: bool
    skate_cm_s: float
    penetration_max_mm: float
    penetration_mean_mm: float
    jitter_deg: float


@dataclass(frozen=True, kw_only=True)
class Metrics(MotionMetrics):
    """The measures of a simulated motion."""

    up_s: float
    joint_error_deg: float
    joint_error_source_deg: float
    joint_error_repaired_deg: float
    root_error_m: float
    root_error_source_m: float
    mpjpe_mm: float
    mpjpe_source_mm: float
    mpjpe_global_mm: float
    mpjpe_global_source_mm: float
    assist_force_mean_n: float
    assist_force_max_n: float
    assist_torque_mean_nm: float
    assist_torque_max_nm: float
    jitter_source_deg: float
    jerk_m_s3: float
    jerk_reference_m_s3: float
    residual_share: float
    effort_share: float
    effort_worst_joint: str
    rtf: float
    limit_ratio: float
    kinematic_share: float


@dataclass(frozen=True, kw_only=True)
class ForceFigures:
    """What the report measures of a motion's forces, besides its other measures.

    The first three are None where a part of the body was held up by forces that are not known.
    """

    residual_share: float | None
    outside_share: float | None
    tipping_m: float | None
    effort_share: float
    effort_worst_joint: str
    effort_max_share: float
    overload_mean: float


def lies(pelvis_height: FloatArray, trunk_up: FloatArray, body_height: float) -> BoolArray:
    """Return whether a body lies (...): pelvis_height (...) above the floor [m], trunk_up (..., 3)."""
    low = np.asarray(pelvis_height) < LIES_SHARE * body_height
    return np.asarray(low & (np.asarray(trunk_up)[..., 2] < np.cos(LIES_TILT)))


def fall_time(
    time: FloatArray,
    pelvis_height: FloatArray,
    reference_height: FloatArray,
    trunk: FloatArray,
    reference_trunk: FloatArray,
    leg_length: float,
    lies_as_planned: BoolArray | None = None,
) -> float | None:
    """Return when the character fell [s], or None; heights (T) [m], trunk quaternions (T, 4).

    lies_as_planned (T): where it lies and should lie, so that it has not fallen however it lies there
    """
    low = np.abs(pelvis_height - reference_height) > FALL_HEIGHT_SHARE * leg_length
    ups = np.sum(rotations.rotate(trunk, Z_UP) * rotations.rotate(reference_trunk, Z_UP), axis=1)
    tilted = np.arccos(np.clip(ups, -1.0, 1.0)) > FALL_TILT
    down = low | tilted
    if lies_as_planned is not None:
        down &= ~lies_as_planned
    needed = max(round(FALL_SECONDS / (time[1] - time[0])), 1)
    run = 0
    for i, fallen in enumerate(down):
        run = run + 1 if fallen else 0
        if run >= needed:
            return float(time[i - needed + 1])
    return None


def local_rotations(quaternion_world: FloatArray, parent: IntArray) -> FloatArray:
    """Return joint rotations (T, J, 4) relative to their parents; roots (parent -1) keep theirs."""
    result = quaternion_world.copy()
    child = np.flatnonzero(parent >= 0)
    result[:, child] = rotations.relative(quaternion_world[:, parent[child]], quaternion_world[:, child])
    return result


def joint_angles_deg(quaternion_world: FloatArray, other_world: FloatArray, parent: IntArray) -> FloatArray:
    """Return the angles (T, J) between local rotations of two motions [deg]."""
    angle = rotations.angle_between(
        local_rotations(quaternion_world, parent), local_rotations(other_world, parent)
    )
    return np.degrees(angle)


def joint_error_deg(quaternion_world: FloatArray, other_world: FloatArray, parent: IntArray) -> FloatArray:
    """Return the angle between local rotations, mean over joints, per sample (T) [deg]."""
    return np.asarray(joint_angles_deg(quaternion_world, other_world, parent).mean(axis=1))


def root_error(position: FloatArray, reference: FloatArray) -> float:
    """Return the mean distance of the pelvis (T, 3) from that of another motion [m]."""
    return float(np.linalg.norm(position - reference, axis=1).mean())


def mpjpe_mm(position: FloatArray, other: FloatArray) -> FloatArray:
    """Return the distance between positions (T, J, 3) [m], mean over joints, per sample (T) [mm]."""
    return np.asarray(1000.0 * np.linalg.norm(position - other, axis=-1).mean(axis=-1))


def from_root(position: FloatArray) -> FloatArray:
    """Return positions (T, J, 3) relative to the first joint, which is the root."""
    return position - position[:, :1]


def skate_cm_s(
    points: FloatArray, loaded: np.ndarray, dt: float, ground_velocity: FloatArray | float = 0.0
) -> float:
    """Return the mean horizontal speed of loaded foot points relative to the ground [cm/s].

    points [m], ground_velocity [m/s] (T, K, 3); loaded (T, K)
    """
    speed = slip_cm_s(points, dt, ground_velocity)[loaded]
    return float(speed.mean()) if len(speed) else 0.0


def slip_cm_s(points: FloatArray, dt: float, ground_velocity: FloatArray | float = 0.0) -> FloatArray:
    """Return horizontal speeds (T, K) of points (T, K, 3) [m] relative to the ground [cm/s]."""
    slip = np.gradient(points, dt, axis=0) - ground_velocity
    return np.asarray(100.0 * np.linalg.norm(slip[..., :2], axis=-1))


def direction_error_deg(direction: FloatArray, other: FloatArray) -> FloatArray:
    """Return angles (...) between vectors (..., 3) [deg]."""
    across = np.linalg.norm(np.cross(direction, other), axis=-1)
    return np.degrees(np.arctan2(across, np.sum(direction * other, axis=-1)))


def jerk_rms(points: FloatArray, dt: float) -> float:
    """Return the RMS of the third derivative of points (T, ..., 3) [m/s^3]."""
    jerk = np.diff(points, 3, axis=0) / dt**3
    return float(np.sqrt((jerk**2).sum(axis=-1).mean())) if len(jerk) else 0.0


def penetration_mm(height: FloatArray) -> tuple[float, float]:
    """Return how deep the deepest foot point is below ground, maximum and mean over time [mm].

    height (T, K) [m]: of the points above ground
    """
    depth = np.maximum(-height.min(axis=1), 0.0)
    return float(1000.0 * depth.max()), float(1000.0 * depth.mean())


def jitter_deg(quaternion_world: FloatArray, parent: IntArray, dt: float) -> float:
    """Return the RMS over time and joints of joint angles above 12 Hz [deg]."""
    return float(np.sqrt((tremble_deg(quaternion_world, parent, dt) ** 2).mean()))


def tremble_deg(quaternion_world: FloatArray, parent: IntArray, dt: float) -> FloatArray:
    """Return joint angles above 12 Hz, RMS over joints, per sample (T) [deg]."""
    rate = 1.0 / dt
    if rate < 2.5 * JITTER_HZ or len(quaternion_world) < 24:
        return np.zeros(len(quaternion_world))
    local = rotations.continuous(local_rotations(quaternion_world, parent))
    # A small rotation's quaternion differs from one by half the angle.
    fast = 2.0 * np.degrees(zero_phase(local, rate, JITTER_HZ, JITTER_ORDER, "highpass", JITTER_PAD))
    return np.asarray(np.sqrt((fast**2).sum(axis=-1).mean(axis=-1)))


def residual_share(
    body_com: FloatArray,
    body_mass: FloatArray,
    contact_force: FloatArray,
    outside_force: FloatArray,
    dt: float,
) -> float:
    """Return the RMS of m (a - g) - contact forces - external forces, over body weight.

    body_com (T, B, 3) [m], body_mass (B) [kg], contact_force (T, K, 3), outside_force (T, 3) [N]
    """
    mass = float(body_mass.sum())
    com = np.einsum("tbi,b->ti", body_com, body_mass) / mass
    acceleration = (com[2:] - 2.0 * com[1:-1] + com[:-2]) / dt**2
    left = mass * (acceleration + GRAVITY * Z_UP) - contact_force.sum(axis=1)[1:-1] - outside_force[1:-1]
    return float(np.sqrt((left**2).sum(axis=1).mean()) / (mass * GRAVITY)) if len(left) else 0.0


def effort(torque: FloatArray, limit: FloatArray, names: tuple[str, ...]) -> tuple[float, str]:
    """Return the share of time in which some axis exceeds 90 % of its torque limit, and the worst axis."""
    used = effort_share(torque, limit)
    worst = int(np.argmax((used > NEAR_LIMIT).mean(axis=0) + 1e-3 * used.max(axis=0)))
    return float((used > NEAR_LIMIT).any(axis=1).mean()), names[worst]


def effort_share(torque: FloatArray, limit: FloatArray) -> FloatArray:
    """Return joint torques (T, D) as shares of their limits (D); 0 where the limit is infinite."""
    return np.asarray(np.abs(torque) / limit)


def overload(torque: FloatArray, limit: FloatArray) -> FloatArray:
    """Return how far the busiest joint axis exceeds its limit, as a share of it, per sample (T)."""
    return np.maximum(effort_share(torque, limit).max(axis=1, initial=0.0) - 1.0, 0.0)


def rms(values: FloatArray) -> float:
    """Return the root mean square of values (T); 0 without any."""
    return float(np.sqrt((values**2).mean())) if len(values) else 0.0


def norms(vectors: FloatArray) -> tuple[float, float]:
    """Return mean and maximum length of vectors (T, 3)."""
    lengths = np.linalg.norm(vectors, axis=1)
    return float(lengths.mean()), float(lengths.max())
