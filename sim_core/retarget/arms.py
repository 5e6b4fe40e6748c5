"""Arms that bring palms to their goals, on a trunk that stays as it is."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import Y_LEFT, FloatArray
from ..motion.motion import Motion
from ..recognition.mapping import SIDES
from .actor import Actor
from .hands import HandGoals, palm_offset
from .limbs import LimbSolver, Pulled, reach_turns
from .style import Turned

ARM = ("clavicle", "upper_arm", "forearm", "hand")
PALM_SHARE, TRUNK_SHARE = 0.99, 0.9999
"""How firmly palms and trunk are held."""


class Arms:
    """The solver of a target's arms."""

    def __init__(self, target: Actor) -> None:
        self.target = target
        spine = len(target.mapping.bones.get("spine", ()))
        self.root = ("spine", spine - 1) if spine else ("hips", 0)
        self.sides = [side for side in SIDES if f"hand.{side}" in target.mapping]
        self.held = Pulled(self.root[0], 0.3 * target.leg_length * np.eye(3), TRUNK_SHARE)
        palms = [Pulled(f"hand.{side}", palm_offset(target, side)[None], PALM_SHARE) for side in self.sides]
        chains = [
            [f"{part}.{side}" for part in ARM if f"{part}.{side}" in target.mapping] for side in self.sides
        ]
        self.solver = LimbSolver(target, self.root, chains, [self.held, *palms])

    def reach(self, motion: Motion, goals: HandGoals) -> Turned:
        """Rotations of the arms' bones, with palms at their goals where these differ from the style."""
        target, rows = self.target, np.flatnonzero(goals.changed)
        turned = {b: motion.quaternion_world[rows, b] for b in self.solver.bones}
        root = motion.position_world[rows, target.bone(*self.root)]
        style = self.solver.poses_of(turned, root)
        for side in self.sides:
            self._begin(turned, motion.position_world[rows], side, goals.palm_world[side][rows])
        trunk = target.axes_of(turned[target.bone(*self.root)], *self.root)[:, None]
        held = root[:, None] + rotations.rotate(trunk, self.held.offset)
        palms = [goals.palm_world[side][rows][:, None] for side in self.sides]
        poses = self.solver.reach(
            style, np.concatenate([held, *palms], axis=1), self.solver.poses_of(turned, root)
        )
        result = {b: motion.quaternion_world[:, b].copy() for b in self.solver.bones[1:]}
        found = self.solver.rotations_of(poses)
        for bone, rotation in result.items():
            rotation[rows] = found[bone]
        return result

    def _begin(self, turned: Turned, place: FloatArray, side: str, palm: FloatArray) -> None:
        """Bends and turns an arm towards its goal; place (T, N, 3): of all joints."""
        target = self.target
        upper, fore, hand = (target.bone(f"{part}.{side}") for part in ARM[1:])
        axes = target.axes_of(turned[hand], f"hand.{side}")
        wrist = palm - rotations.rotate(axes, palm_offset(target, side))
        # An elbow bends the other way round than a knee.
        sideways = -rotations.rotate(target.axes_of(turned[upper], f"upper_arm.{side}"), Y_LEFT)
        turns = reach_turns(place[:, upper], place[:, fore], place[:, hand], wrist, sideways)
        for bone, turn in zip((upper, fore), turns, strict=True):
            turned[bone] = rotations.multiply(turn, turned[bone])
