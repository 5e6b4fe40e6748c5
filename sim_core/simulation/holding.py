"""Hands that hold while a simulation runs: when they close, where, and when they slip off."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray
from ..world.grips import CARRY_DAMPING, CARRY_STIFFNESS, DAMPING, STIFFNESS, TURN_DAMPING, TURN_STIFFNESS
from ..world.world import World

REACH = 0.04
"""Distance from a hand to what it holds up to which its fingers close around it [m]."""
TORN_OFF = 0.06
"""Distance from where a hand has closed at which it has slipped off [m]."""
LEAST_SHARE = 0.3
"""Of an axis across the pull, before shares are scaled: damping acts there, too."""


class Holding:
    """The grips of one character: pairs (K) of a hand and of what it can hold.

    holds (K): pairs that hold now; lost (K): those that slipped off, and stay open until they should be
    closed_at (K, 3): where palms were when the fingers closed, in the frame of what they hold [m]
    anchor (K, 3): where they are held, in that frame [m]; it follows a palm that is pulled harder than the
    hand can hold
    """

    def __init__(self, world: World, data: mujoco.MjData) -> None:
        self.world, self.data, self.grips = world, data, world.engine.grips
        pairs = len(self.grips.site)
        self.holds: BoolArray = np.zeros(pairs, dtype=bool)
        self.lost: BoolArray = np.zeros(pairs, dtype=bool)
        self.closed_at: FloatArray = np.zeros((pairs, 3))
        self.anchor: FloatArray = np.zeros((pairs, 3))
        self.stiffness, self.damping = np.full((pairs, 1), STIFFNESS), np.full((pairs, 1), DAMPING)
        self.stiffness[self.grips.carried], self.damping[self.grips.carried] = CARRY_STIFFNESS, CARRY_DAMPING

    def let_go(self) -> None:
        """Open all hands."""
        self.want(np.zeros(len(self.holds), dtype=bool))

    def want(self, wanted: BoolArray) -> None:
        """Close or open the hands (K) at a control tick; the engine's positions must be up to date.

        A hand closes only around something that is near it, and once it has slipped off it stays open until
        it was meant to be open.
        """
        if len(self.holds) == 0:
            return
        wanted = wanted if len(wanted) else np.zeros_like(self.holds)
        palm = self._palms()
        slipped = self.holds & (np.linalg.norm(palm - self.closed_at, axis=1) > TORN_OFF)
        self.lost = (self.lost | slipped) & wanted
        closes = wanted & ~self.holds & ~self.lost
        if closes.any():
            closes &= self.grips.distance(self.world.engine.model, self.data, 2.0 * REACH) < REACH
            self._close(closes, palm)
        self.holds = (self.holds | closes) & wanted & ~self.lost
        self._slip(palm)
        self._apply(palm)

    def _palms(self) -> FloatArray:
        """Return where palms are in the frames of what they can hold (K, 3) [m]."""
        away = self.data.site_xpos[self.grips.site] - self.data.xpos[self.grips.body]
        return rotations.rotate(rotations.conjugate(self.data.xquat[self.grips.body]), away)

    def _close(self, closes: BoolArray, palm: FloatArray) -> None:
        """Put anchors where palms (K, 3) are, and turn those on carried objects as the palms are turned."""
        model, data, grips = self.world.engine.model, self.data, self.grips
        self.closed_at[closes] = self.anchor[closes] = palm[closes]
        carried = np.zeros_like(closes)
        carried[grips.carried] = closes[grips.carried]
        turned = rotations.from_matrix(data.site_xmat[grips.site[carried]].reshape(-1, 3, 3))
        own = rotations.conjugate(data.xquat[grips.body[carried]])
        model.site_quat[grips.anchor[carried]] = rotations.multiply(own, turned)

    def _slip(self, palm: FloatArray) -> None:
        """Let the anchors follow where the springs would pull harder than a hand can hold."""
        pull = self.anchor - palm
        force = np.linalg.norm(self.stiffness * pull, axis=1)
        most = np.minimum(1.0, self.grips.limit / np.maximum(force, 1e-9))
        self.anchor = palm + most[:, None] * pull

    def _apply(self, palm: FloatArray) -> None:
        """Set the springs of the engine: force = -stiffness x position - damping x velocity, from anchors."""
        model, grips, on = self.world.engine.model, self.grips, self.holds[:, None]
        model.site_pos[grips.anchor[self.holds]] = self.anchor[self.holds]
        model.actuator_biasprm[grips.actuator, 1] = -self.stiffness * on
        model.actuator_biasprm[grips.actuator, 2] = -self.damping * on
        most = grips.limit * self._shares(palm)
        model.actuator_forcerange[grips.actuator] = np.stack([-most, most], axis=-1)
        model.actuator_biasprm[grips.turn, 1] = -TURN_STIFFNESS * on[grips.carried]
        model.actuator_biasprm[grips.turn, 2] = -TURN_DAMPING * on[grips.carried]

    def _shares(self, palm: FloatArray) -> FloatArray:
        """Return how the strength of each hand is shared among the axes of its anchor (K, 3), by its pull.

        Their squares add up to 1, so that the force of springs and dampers together is never longer than what
        a hand can hold.
        """
        axes = rotations.conjugate(self.world.engine.model.site_quat[self.grips.anchor])
        pull = np.abs(rotations.rotate(axes, self.anchor - palm))
        share = np.maximum(pull / np.maximum(np.linalg.norm(pull, axis=1, keepdims=True), 1e-9), LEAST_SHARE)
        return np.asarray(share / np.linalg.norm(share, axis=1, keepdims=True))
