"""Feet and hips on the ground of a scene: steps on a flat floor are moved onto the scene's surfaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_dilation

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray
from ..recognition.mapping import SIDES
from ..reference.foot_trajectories import FootTrajectories
from ..reference.footsteps import find_source_steps
from ..scene.playback import Playback
from ..scene.scene import Scene
from ..world.ground import FlatGround, ObjectState, make_ground
from .stances import FootPath


@dataclass(frozen=True, eq=False)
class Surfaces:
    """Ground below points (T, K, 3): their clearance (T, K) [m] and its velocity (T, K, 3) [m/s]."""

    clearance: FloatArray
    velocity: FloatArray


class SceneFloor:
    """A scene's ground over the time (T) of a motion [s]; level: of the motion's own floor [m].

    Hinged boards stay in their initial pose; how they tip is only found by a simulation.
    """

    def __init__(self, scene: Scene, level: float, time: FloatArray) -> None:
        self.level, self.ground = level, make_ground(scene, level)
        played = Playback(scene.underfoot, float(time[0])).at(time - time[0])
        hinges = [o.hinge.angle for o in scene.underfoot.objects if o.hinge is not None]
        angles = np.tile(np.array(hinges, dtype=np.float64), (len(time), 1))
        self.objects = [
            ObjectState(*state)
            for state in zip(
                np.hstack([played.qpos, angles]), np.hstack([played.qvel, 0.0 * angles]), strict=True
            )
        ]

    @property
    def is_flat(self) -> bool:
        """Whether the ground is a flat floor."""
        return isinstance(self.ground, FlatGround)

    def under(self, points: FloatArray) -> Surfaces:
        """Return the surfaces below points (T, K, 3) [m]."""
        found = [self.ground.below(row, state) for row, state in zip(points, self.objects, strict=True)]
        height, upright = (np.array([getattr(one, name) for one in found]) for name in ("height", "normal"))
        return Surfaces(
            (points[..., 2] - height) * upright[..., 2], np.array([one.velocity for one in found])
        )


def on_ground(
    feet: Mapping[str, FootPath], rests: Mapping[str, BoolArray], floor: SceneFloor, dt: float
) -> tuple[dict[str, FootPath], FloatArray]:
    """Move feet that rest (T, 2: heel, toes) on a flat floor to the scene's ground.

    Returns the feet and the shift of the hips (T, 3) [m].
    """
    points = np.concatenate([feet[side].points_world for side in SIDES], axis=1)
    # Locks of feet hold for a sample more on both sides.
    held = [np.asarray(binary_dilation(rests[side], np.ones((3, 1)))) for side in SIDES]
    touches: BoolArray = np.concatenate([np.repeat(rest, 2, axis=1) for rest in held], axis=1)
    foot = np.repeat([0, 1], points.shape[1] // 2)
    soles = find_source_steps(points, touches, foot, floor.level, dt)
    tracks = FootTrajectories(floor.ground, floor.objects, soles, points, foot, floor.level, dt)
    placed = {}
    for side, track in zip(SIDES, tracks.feet, strict=True):
        path = feet[side]
        ankle = np.array([track.moved(t, position) for t, position in enumerate(path.ankle_world)])
        axes = rotations.multiply(rotations.from_matrix(track.rotation), path.axes_world)
        placed[side] = FootPath(ankle, axes, path.sole)
    return placed, tracks.body_offset()
