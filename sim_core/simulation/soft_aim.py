"""Lets the springs of a character's soft parts pull toward their animation while it is simulated.

Nothing holds them from outside: springs, dampers and what carries their weight are torques between a link and
what it hangs on. No controller knows of them.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..world.soft_model import WorldSoft
from ..world.world import World


class SoftAim:
    """Sets the springs of one character's soft parts at each control tick."""

    def __init__(self, world: World, data: mujoco.MjData, soft: WorldSoft) -> None:
        model, self.data, self.motion = world.engine.model, data, soft.motion
        self.model, self.index = model, world.engine.soft
        self.carrier = world.engine.index.body[self.index.segment]  # (n)
        self.damping = model.dof_damping[self.index.dof]
        self.gravity = world.gravity
        self.held: FloatArray = np.array([[link.held] for link in soft.body.links])

    def start(self) -> None:
        """Put the links where they are animated at the start."""
        self.data.qpos[self.index.qpos] = self.motion.rotation[0]
        self.data.qvel[self.index.dof] = self.motion.velocity[0]

    def aim(self, tick: int) -> None:
        """Set spring targets and known torques for a control interval; after the animation its end stays.

        The spring is bent so that it carries the weight of the animated pose on the segment as it is now.
        """
        motion, sample = self.motion, min(tick, len(self.motion.rotation) - 1)
        self.model.qpos_spring[self.index.qpos] = motion.rotation[sample]
        upright = rotations.conjugate(self.data.xquat[self.carrier])
        weight = rotations.cross(motion.moment[sample], rotations.rotate(upright, self.gravity))
        carried = -self.held * rotations.rotate(rotations.conjugate(motion.turn[sample]), weight)
        follows = self.damping * motion.velocity[sample]
        self.data.qfrc_applied[self.index.dof] = follows + carried
