"""Stances: when heels and toes rest on the ground, found with hysteresis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..base.intervals import true_intervals
from ..character.joint_repair import repair_motion
from ..motion.motion import Motion, low_pass_values
from ..recognition.mapping import SIDES
from ..reference.contacts import REFERENCE_LEG_LENGTH, without_short_intervals
from .retarget_rig import RetargetRig

SPEED, HEIGHT = 0.30, 0.045
"""A heel or a pair of toes that is slower [m/s] and lower [m] has landed, on a leg of 0.86 m."""
LEAVES = 1.5
"""It leaves the ground when it is this many times as fast or as high."""

SLID, LET_GO_SECONDS = 0.2, 0.1
"""A stance whose point has slid this far [m] ends; its foot is released for a time [s]."""
TREMBLING_HZ = 10.0
"""Cutoff of the low-pass for rotations of feet; faster ones are capture noise [Hz]."""


@dataclass(frozen=True, eq=False)
class FootPath:
    """One foot over time.

    ankle_world (T, 3) [m]; axes_world (T, 4): the part's axes; sole (4, 3): see RetargetRig.sole
    """

    ankle_world: FloatArray
    axes_world: FloatArray
    sole: FloatArray

    @property
    def points_world(self) -> FloatArray:
        """Sole points (T, 4, 3) [m]."""
        return self.ankle_world[:, None] + rotations.rotate(self.axes_world[:, None], self.sole)


def foot_path(rig: RetargetRig, motion: Motion, side: str) -> FootPath:
    """Return the path of a foot in a motion."""
    slot = f"foot.{side}"
    return FootPath(
        motion.position_world[:, rig.bone(slot)],
        rig.part_axes(motion.quaternion_world, slot),
        rig.sole(side),
    )


def steady_feet(rig: RetargetRig, motion: Motion) -> tuple[Motion, tuple[str, ...]]:
    """Return the motion without impossible samples and without trembling of feet, and notes on it."""
    repair = repair_motion(rig.character.binding, motion)
    repaired, quaternion = repair.motion, np.array(repair.motion.quaternion_world)
    feet = [rig.bone(f"foot.{side}") for side in SIDES]
    quaternion[:, feet] = rotations.normalise(
        low_pass_values(quaternion[:, feet], motion.rate_hz, TREMBLING_HZ)
    )
    return Motion(motion.skeleton, motion.time, repaired.position_world, quaternion), repair.notes


def standing_height(rig: RetargetRig, motion: Motion, rests: dict[str, BoolArray]) -> float:
    """Return the median height of a resting foot's lowest point above the ground [m]."""
    low = [foot_path(rig, motion, s).points_world[..., 2].min(axis=1)[rests[s].any(axis=1)] for s in SIDES]
    heights = np.concatenate(low)
    return float(np.median(heights)) - rig.character.ground_height if len(heights) else 0.0


def find_stances(rig: RetargetRig, motion: Motion) -> dict[str, BoolArray]:
    """Return side -> whether the heel and the toes rest on the ground (T, 2)."""
    size = rig.leg_length / REFERENCE_LEG_LENGTH
    dt = 1.0 / motion.rate_hz
    found = {}
    for side in SIDES:
        points = foot_path(rig, motion, side).points_world
        pairs = points.reshape(len(points), 2, 2, 3).mean(axis=2)
        speed = np.linalg.norm(np.gradient(pairs, dt, axis=0), axis=2) / np.sqrt(size)
        height = (pairs @ Z_UP - rig.character.ground_height) / size
        measure = np.maximum(speed / SPEED, height / HEIGHT)
        rests = np.stack([with_hysteresis(measure[:, k] < 1.0, measure[:, k] < LEAVES) for k in (0, 1)], 1)
        rests = without_short_intervals(rests, dt)
        for k in (0, 1):
            _release(rests[:, k], pairs[:, k] / size, round(LET_GO_SECONDS / dt))
        found[side] = rests
    return found


def _release(rests: np.ndarray, position: FloatArray, pause: int) -> None:
    """End stances (T) whose point (T, 3) has slid too far for some samples, so that feet can shuffle."""
    for first, past in true_intervals(rests):
        begin = first
        while begin < past:
            slid = np.linalg.norm((position[begin:past] - position[begin])[:, :2], axis=1) > SLID
            if not slid.any():
                break
            here = begin + int(np.argmax(slid))
            rests[here : min(here + pause, past)] = False
            begin = here + pause


def with_hysteresis(begins: BoolArray, stays: BoolArray) -> BoolArray:
    """Return flags (T) that hold throughout each interval of `stays` from where `begins` first holds."""
    flags = np.zeros(len(begins), dtype=bool)
    for first, past in true_intervals(stays):
        starts = np.flatnonzero(begins[first:past])
        if len(starts):
            flags[first + starts[0] : past] = True
    return flags
