"""The interface between a controller and the simulation: a state in, a command out.

The simulation is a black box to the controller (da Silva et al. 2008, section 3): a controller sees the joint
coordinates and velocities of its character and of the scene's objects, and the impacts on the character, but
nothing else of the engine's state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..world.ground import NO_OBJECTS, ObjectState


@dataclass(frozen=True, eq=False)
class Impact:
    """Impulse (3) [Ns] on a segment in the world frame.

    segment: index of the segment
    source: index of what caused it, among the scene's objects followed by the other characters
    """

    segment: int
    source: int
    impulse: FloatArray


@dataclass(frozen=True, eq=False)
class State:
    """What a controller sees.

    time: since the start of the reference [s]
    qpos (nq), qvel (nv): joint coordinates and velocities of the character
    objects: joint coordinates and velocities of the scene's objects
    impacts: on the character since the last command
    """

    time: float
    qpos: FloatArray
    qvel: FloatArray
    objects: ObjectState = NO_OBJECTS
    impacts: tuple[Impact, ...] = ()


@dataclass(frozen=True, eq=False)
class Command:
    """Joint torques of a character until the next command: feed-forward plus proportional-derivative springs.

    torque (nu): feed-forward [Nm]
    target_offset (nu): from the joint angles at the time of the command to the springs' targets [rad]
    target_velocity (nu) [rad/s], target_acceleration (nu) [rad/s^2]: of the springs' targets
    kp (nu) [Nm/rad], kd (nu) [Nms/rad]: gains of the springs, which act at every step of the engine
    assist (6): external force [N] and torque [Nm] at the pelvis, in the world frame
    controls (n, nu): of every engine step of one control interval, in place of torque and spring targets
    holds (K): grips that should hold, as in Grips; none where the scene has nothing to hold
    restarts_solver: the engine's constraint solver forgets its last solution, as at the start of a rollout
    """

    torque: FloatArray
    target_offset: FloatArray
    target_velocity: FloatArray
    target_acceleration: FloatArray
    kp: FloatArray
    kd: FloatArray
    assist: FloatArray
    controls: FloatArray | None = None
    restarts_solver: bool = False
    holds: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=bool))


def idle_command(axes: int) -> Command:
    """Return the command of limp joints without any damping."""
    none = np.zeros(axes)
    return Command(none, none, none, none, none, none, np.zeros(6))


class Controller(Protocol):
    """Computes a character's commands."""

    def command(self, state: State) -> Command:
        """Return the command for the coming control interval."""
        ...
