"""How controller and simulator talk: state in, torques out.

The simulator is a black box to the controller (da Silva et al. 2008, section 3): it sees joint
coordinates and velocities, of the body and of the objects about it, and feels what hits it; nothing else
of the engine's state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..base.conventions import FloatArray
from ..world.ground import NO_OBJECTS, ObjectState


@dataclass(frozen=True, eq=False)
class Impact:
    """impulse (3) [Ns] that a thing, an object or another character, gave a segment; places in lists."""

    segment: int
    thing: int
    impulse: FloatArray


@dataclass(frozen=True, eq=False)
class State:
    """time [s] since the start of the reference; qpos (nq), qvel (nv): of the body; objects: about it.

    impacts: of objects on the body since the last command
    """

    time: float
    qpos: FloatArray
    qvel: FloatArray
    objects: ObjectState = NO_OBJECTS
    impacts: tuple[Impact, ...] = ()


@dataclass(frozen=True, eq=False)
class Command:
    """What the body does until the next command.

    torque (nu): feed-forward [Nm]
    target_offset (nu): from the present joint angles to where the springs pull [rad]
    target_velocity (nu) [rad/s], target_acceleration (nu) [rad/s^2]: how that place moves on
    kp (nu) [Nm/rad], kd (nu) [Nms/rad]: of the springs, which act at every simulation step
    assist (6): external force [N] and torque [Nm] at the pelvis, in the world
    """

    torque: FloatArray
    target_offset: FloatArray
    target_velocity: FloatArray
    target_acceleration: FloatArray
    kp: FloatArray
    kd: FloatArray
    assist: FloatArray


class Controller(Protocol):
    def command(self, state: State) -> Command:
        """The command for the coming control interval."""
        ...
