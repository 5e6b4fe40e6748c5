"""Legs that reach the goals of their feet; the hips come down where legs are too short."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.ndimage import gaussian_filter1d

from ..base import rotations
from ..base.conventions import Y_LEFT, Z_UP, FloatArray
from ..motion.motion import Motion, low_pass_values
from ..recognition.mapping import SIDES
from .gaps import smooth_hull
from .limbs import LimbSolver, PulledPoints, reach_turns
from .retarget_rig import RetargetRig
from .stances import FootPath
from .style import BoneRotations, posed

LEG = ("thigh", "shin", "foot")
FOOT_SHARE, HIPS_SHARE = 0.99, 0.5
"""How firmly soles and hips are held."""
STRAIGHT = 0.99
"""Share of a leg's length that a foot may be away from its hip if the style has no straighter leg."""
DROP_SECONDS = 0.05
"""Hips come down and rise again over this time [s]."""
FOLLOW_SECONDS = 0.1
"""The mean displacement of both feet, smoothed over this time, also moves the hips [s]."""
CALM_HZ = 6.0
"""What the solution adds to the path of the trunk has nothing faster [Hz]."""
ABOVE = 0.3
"""A point this many leg lengths above the hips keeps the pelvis from tilting."""


class Legs:
    """The solver of a target's legs."""

    def __init__(self, target: RetargetRig) -> None:
        self.target = target
        inverse = rotations.conjugate(target.axes_rest_world["hips"])
        joints = [
            rotations.rotate(inverse, target.rest(f"thigh.{side}") - target.rest("hips")) for side in SIDES
        ]
        above = np.mean(joints, axis=0) + ABOVE * target.leg_length * Z_UP
        self.held = PulledPoints("hips", np.array([*joints, above]), HIPS_SHARE)
        soles = [PulledPoints(f"foot.{side}", target.sole(side), FOOT_SHARE) for side in SIDES]
        chains = [[f"{part}.{side}" for part in LEG] for side in SIDES]
        self.solver = LimbSolver(target, ("hips", 0), chains, [self.held, *soles])

    def stand(self, motion: Motion, feet: Mapping[str, FootPath]) -> tuple[BoneRotations, FloatArray]:
        """Return rotations of hips and legs with feet on their paths, and the hips' positions (T, 3)."""
        position = motion.position_world + following(self.target, motion, feet)[:, None]
        position = position - _drop(self.target, position, feet, motion.rate_hz)[:, None, None] * Z_UP
        turned = {bone: motion.quaternion_world[:, bone] for bone in self.solver.bones}
        root = position[:, self.target.bone("hips")]
        hips = self.target.part_axes(motion.quaternion_world, "hips")[:, None]
        held = root[:, None] + rotations.rotate(hips, self.held.offset)
        goals = np.concatenate([held, *(feet[side].points_world for side in SIDES)], axis=1)
        style = self.solver.poses_of(turned, root)
        for side in SIDES:
            self._begin(turned, position, side, feet[side])
        poses = self.solver.reach(style, goals, self.solver.poses_of(turned, root))
        return self._calm(motion, position, self.solver.rotations_of(poses), poses[:, :3])

    def _calm(
        self, motion: Motion, style: FloatArray, solved: BoneRotations, root: FloatArray
    ) -> tuple[BoneRotations, FloatArray]:
        """Return the legs with hips (T, 3) that carry the trunk smoothly, and feet where they were.

        Each frame is solved alone, so the hips tremble by fractions of a millimetre, which hands would show.
        style (T, N, 3): where the joints would be without that [m]
        """
        target = self.target
        turned = {bone: motion.quaternion_world[:, bone] for bone in target.part_bones} | solved
        position = posed(target, turned, root, motion.time).position_world
        carried = target.bone("spine" if "spine" in target.mapping else "hips")
        away = position[:, carried] - style[:, carried]
        shift = low_pass_values(away, motion.rate_hz, CALM_HZ) - away
        for side in SIDES:
            thigh, shin, foot = (target.bone(f"{part}.{side}") for part in LEG)
            sideways = rotations.rotate(target.axes_of(solved[thigh], f"thigh.{side}"), Y_LEFT)
            hip, knee, ankle = (position[:, bone] + shift for bone in (thigh, shin, foot))
            turns = reach_turns(hip, knee, ankle, position[:, foot], sideways)
            for bone, turn in zip((thigh, shin), turns, strict=True):
                solved[bone] = rotations.multiply(turn, solved[bone])
        return solved, root + shift

    def _begin(self, turned: BoneRotations, position: FloatArray, side: str, path: FootPath) -> None:
        """Bend and turn a leg towards its goal; position (T, N, 3): of all joints."""
        target = self.target
        thigh, shin, foot = (target.bone(f"{part}.{side}") for part in LEG)
        sideways = rotations.rotate(target.axes_of(turned[thigh], f"thigh.{side}"), Y_LEFT)
        turns = reach_turns(
            position[:, thigh], position[:, shin], position[:, foot], path.ankle_world, sideways
        )
        for bone, turn in zip((thigh, shin), turns, strict=True):
            turned[bone] = rotations.multiply(turn, turned[bone])
        turned[foot] = target.bone_rotation(path.axes_world, f"foot.{side}")


def following(target: RetargetRig, motion: Motion, feet: Mapping[str, FootPath]) -> FloatArray:
    """Return the mean displacement of the feet's goals (T, 3) [m].

    moving the hips by it preserves leg directions
    """
    away = [feet[side].ankle_world - motion.position_world[:, target.bone(f"foot.{side}")] for side in SIDES]
    width = FOLLOW_SECONDS * motion.rate_hz
    return np.asarray(gaussian_filter1d(np.mean(away, axis=0), width, axis=0, mode="nearest"))


def _drop(
    target: RetargetRig, position: FloatArray, feet: Mapping[str, FootPath], rate_hz: float
) -> FloatArray:
    """Return how far hips must come down (T) so that legs reach, smoothed over time [m]."""
    drop = np.zeros(len(position))
    for side in SIDES:
        hip, knee, ankle = (position[:, target.bone(f"{part}.{side}")] for part in LEG)
        length = float(np.linalg.norm(knee[0] - hip[0]) + np.linalg.norm(ankle[0] - knee[0]))
        styled = np.linalg.norm(hip - ankle, axis=1)
        reach = np.maximum(styled, STRAIGHT * length)
        away = hip - feet[side].ankle_world
        aside = (away[:, :2] ** 2).sum(axis=1)
        # Where a foot is out of reach at any height, coming down by half a leg is enough.
        height = np.sqrt(np.maximum(reach**2 - aside, (0.5 * length) ** 2))
        drop = np.maximum(drop, away[:, 2] - height)
    width = max(round(DROP_SECONDS * rate_hz), 1) + 1
    return smooth_hull(drop, 2 * width, width)
