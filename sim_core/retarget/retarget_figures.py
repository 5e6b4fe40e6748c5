"""Quality figures of a retargeted motion, compared with its source."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..motion.motion import Motion
from ..recognition.mapping import SIDES
from ..result.metrics import direction_error_deg, jerk_rms, penetration_mm, slip_cm_s
from .retarget import Retargeted
from .retarget_rig import RetargetRig
from .stances import foot_path

ARM_BONES = (("upper_arm", "forearm"), ("forearm", "hand"))
LEG_BONES = (("thigh", "shin"), ("shin", "foot"))


def retarget_figures(outcome: Retargeted) -> dict[str, Any]:
    """Return figures of feet in stances, of directions of limbs and trunk, and of the jerk of the feet."""
    slips, heights, lows, jerks = [], [], [], []
    motion = outcome.motion
    for side in SIDES:
        own = foot_path(outcome.target, motion, side)
        source = foot_path(outcome.source, outcome.repaired, side)
        rests, points = outcome.rests[side], own.points_world
        pairs = points.reshape(len(points), 2, 2, 3).mean(axis=2)
        under = outcome.floor.under(points)
        ground_velocity = under.velocity.reshape(len(points), 2, 2, 3).mean(axis=2)
        slips.append(slip_cm_s(pairs, 1.0 / motion.rate_hz, ground_velocity)[rests])
        low = under.clearance
        lows.append(low)
        heights.append(np.abs(low.min(axis=1))[rests.any(axis=1)])
        jerk = jerk_rms(source.ankle_world, 1.0 / outcome.repaired.rate_hz)
        time_scale = motion.duration / outcome.repaired.duration
        scaled = jerk * outcome.leg_ratio / time_scale**3
        jerks.append(jerk_rms(own.ankle_world, 1.0 / motion.rate_hz) / max(scaled, 1e-9))
    slip, height = np.concatenate(slips), np.concatenate(heights)
    upper = _errors(outcome, ARM_BONES, trunk=True)
    legs = _errors(outcome, LEG_BONES, trunk=False)
    return {
        "leg_ratio": outcome.leg_ratio,
        "skate_cm_s": float(slip.mean()) if len(slip) else 0.0,
        "skate_p95_cm_s": float(np.percentile(slip, 95)) if len(slip) else 0.0,
        "penetration_max_cm": 0.1 * penetration_mm(np.concatenate(lows, axis=1))[0],
        "contact_height_cm": 100.0 * float(height.mean()) if len(height) else 0.0,
        "upper_deg": float(upper.mean()),
        "upper_max_deg": float(upper.max()),
        "legs_deg": float(legs.mean()),
        "legs_max_deg": float(legs.max()),
        "foot_jerk_ratio": max(jerks),
    }


def _errors(outcome: Retargeted, bones: tuple[tuple[str, str], ...], trunk: bool) -> FloatArray:
    """Return angles (T, K) between directions in the target and in the source [deg]."""
    errors = []
    pairs = [(f"{a}.{side}", f"{b}.{side}") for a, b in bones for side in SIDES]
    for first, second in pairs:
        both = (outcome.source.mapping, outcome.target.mapping)
        if all(slot in mapping for slot in (first, second) for mapping in both):
            own, other = (_apart(rig, motion, first, second) for rig, motion in _two(outcome))
            errors.append(direction_error_deg(own, other))
    if trunk and all(f"upper_arm.{s}" in rig.mapping for s in SIDES for rig, _ in _two(outcome)):
        own, other = (_trunk(rig, motion) for rig, motion in _two(outcome))
        errors.append(direction_error_deg(own, other))
    return np.stack(errors, axis=1) if errors else np.zeros((1, 1))


def _two(outcome: Retargeted) -> tuple[tuple[RetargetRig, Motion], tuple[RetargetRig, Motion]]:
    return (outcome.target, outcome.motion), (outcome.source, outcome.repaired)


def _apart(rig: RetargetRig, motion: Motion, first: str, second: str) -> FloatArray:
    position = motion.position_world
    return position[:, rig.bone(second)] - position[:, rig.bone(first)]


def _trunk(rig: RetargetRig, motion: Motion) -> FloatArray:
    """Return vectors from the middle of the hips to that of the shoulders (T, 3)."""
    return np.mean([_apart(rig, motion, f"thigh.{s}", f"upper_arm.{s}") for s in SIDES], axis=0)
