"""Hands that hold on to bars while a simulation runs: when they close, where, and when they slip off."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..world.grips import DAMPING, STIFFNESS
from ..world.world import World

REACH = 0.04
"""Distance from a hand to a bar up to which its fingers close around it [m]."""
TORN_OFF = 0.06
"""Distance from where a hand has closed at which it has slipped off [m]."""
LEAST_SHARE = 0.3
"""Of an axis across the pull, before shares are scaled: damping acts there, too."""


class Holding:
    """The grips of one character.

    holds (H): hands that hold now; lost (H): those that slipped off, and stay open until they should be
    closed_at (H, 3): where palms were when the fingers closed [m]
    anchor (H, 3): where they are held [m]; it follows a palm that is pulled harder than the hand can hold
    """

    def __init__(self, world: World, data: mujoco.MjData) -> None:
        self.world, self.data, self.grips = world, data, world.engine.grips
        hands = len(self.grips.site)
        self.holds: BoolArray = np.zeros(hands, dtype=bool)
        self.lost: BoolArray = np.zeros(hands, dtype=bool)
        self.closed_at: FloatArray = np.zeros((hands, 3))
        self.anchor: FloatArray = np.zeros((hands, 3))

    def let_go(self) -> None:
        """Open all hands."""
        self.want(np.zeros(len(self.holds), dtype=bool))

    def want(self, wanted: BoolArray) -> None:
        """Close or open the hands (H) at a control tick; the engine's positions must be up to date.

        A hand closes only around something that is near it, and once it has slipped off it stays open until
        it was meant to be open.
        """
        if len(self.holds) == 0:
            return
        wanted = wanted if len(wanted) else np.zeros_like(self.holds)
        palm = self.data.site_xpos[self.grips.site]
        slipped = self.holds & (np.linalg.norm(palm - self.closed_at, axis=1) > TORN_OFF)
        self.lost = (self.lost | slipped) & wanted
        closes = wanted & ~self.holds & ~self.lost
        if closes.any():
            closes &= self.grips.distance(self.world.engine.model, self.data, 2.0 * REACH) < REACH
            self.closed_at[closes] = self.anchor[closes] = palm[closes]
        self.holds = (self.holds | closes) & wanted & ~self.lost
        self._slip(palm)
        self._apply()

    def _slip(self, palm: FloatArray) -> None:
        """Let the anchors follow where the springs would pull harder than a hand can hold."""
        pull = self.anchor - palm
        force = np.linalg.norm(STIFFNESS * pull, axis=1)
        most = np.minimum(1.0, self.grips.limit / np.maximum(force, 1e-9))
        self.anchor = palm + most[:, None] * pull

    def _apply(self) -> None:
        """Set the springs of the engine: force = control - stiffness x position - damping x velocity."""
        model, actuator, on = self.world.engine.model, self.grips.actuator, self.holds[:, None]
        model.actuator_biasprm[actuator, 1] = -STIFFNESS * on
        model.actuator_biasprm[actuator, 2] = -DAMPING * on
        most = self.grips.limit * self._shares()
        model.actuator_forcerange[actuator] = np.stack([-most, most], axis=-1)
        self.data.ctrl[actuator] = STIFFNESS * on * self.anchor

    def _shares(self) -> FloatArray:
        """Return how the strength of each hand is shared out among the axes (H, 3), by its pull.

        Their squares add up to 1, so that the force of springs and dampers together is never longer than what
        a hand can hold.
        """
        pull = np.abs(self.anchor - self.data.site_xpos[self.grips.site])
        share = np.maximum(pull / np.maximum(np.linalg.norm(pull, axis=1, keepdims=True), 1e-9), LEAST_SHARE)
        return np.asarray(share / np.linalg.norm(share, axis=1, keepdims=True))
