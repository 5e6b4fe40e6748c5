"""One character of a simulation: passes its state to its controller and applies the commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray, as_slice
from ..world.ground import ObjectState
from ..world.world import World
from .holding import Holding
from .impacts import ImpactSensor
from .kinematic import ClipPlayback, KinematicPart
from .protocol import Command, Controller, State
from .soft_aim import SoftAim


@dataclass(frozen=True, eq=False)
class OutsideForce:
    """A force (3) [N] and a torque (3) [Nm] at the centre of mass of a body of the engine, in world axes."""

    body: int
    force: FloatArray
    torque: FloatArray


class SimulatedCharacter:
    """The character's part of the engine's state.

    hold: number of control intervals for which a command is kept
    """

    def __init__(
        self, world: World, data: mujoco.MjData, control_dt: float, steps_per_tick: int, hold: int
    ) -> None:
        self.world, self.data, self.control_dt, self.hold = world, data, control_dt, hold
        steps = np.arange(hold * steps_per_tick).reshape(hold, -1, 1)
        self.elapsed = steps * world.timestep  # since the command
        self.actuator = as_slice(world.engine.index.actuator)
        self.pushed = [world.body_of(push.segment) for push in world.scene.pushes]
        self.impacts = ImpactSensor(world, data)
        self.holding = Holding(world, data)
        self.soft = None if world.soft is None else SoftAim(world, data, world.soft)
        self.assist: FloatArray = np.zeros(6)
        self.push: FloatArray = np.zeros(3)
        self.outside: Sequence[OutsideForce] = ()  # what pushes and pulls it besides the scene's pushes
        self.controls: FloatArray = np.zeros(0)  # actuator controls of the command: (hold, n, nu)
        self.kinematic_part: KinematicPart | None = None  # segments that always follow a clip
        self.clip: ClipPlayback | None = None  # clip that it plays instead of following its controller

    @property
    def qpos(self) -> FloatArray:
        """Joint coordinates (nq)."""
        return self.data.qpos[self.world.engine.index.qpos]

    def start(self, qpos: FloatArray, qvel: FloatArray) -> None:
        """Set the state; from now on the character follows its controller."""
        self.clip = None
        self.holding.let_go()
        self._set_state(qpos, qvel)
        if self.soft is not None:
            self.soft.start()
        self.impacts.drain()  # forget those of an earlier run

    def play(self, clip: ClipPlayback, tick: int) -> None:
        """Play a clip from a tick on, whatever forces act on the character."""
        model, index = self.world.engine.model, self.world.engine.index
        self.clip, self.assist = clip, np.zeros(6)
        model.actuator_biasprm[index.actuator, 1:3] = 0.0
        self.data.ctrl[index.actuator] = 0.0
        self.holding.let_go()
        self.control(tick, 0)
        self.impacts.drain()

    def begin(self, tick: int, controller: Controller) -> None:
        """Start a control interval; ask the controller for a command when the last one has expired."""
        if self.soft is not None:
            self.soft.aim(tick)
        if self.clip is None and tick % self.hold == 0:
            self.controls = self._apply(controller.command(self.state(tick)))

    def control(self, tick: int, step: int) -> None:
        """Set the controls, or the clip's state, before a step of a control interval."""
        if self.clip is not None:
            self._set_state(*self.clip.at(tick, step * self.world.timestep))
            return
        self.data.ctrl[self.actuator] = self.controls[tick % self.hold, step]
        if self.kinematic_part is not None:
            self.kinematic_part.set_state(self.data, tick, step * self.world.timestep)

    def finish(self, tick: int) -> None:
        """End a control interval: set what follows a clip to the clip's state at the next tick."""
        if self.clip is not None:
            self.control(tick + 1, 0)
        elif self.kinematic_part is not None:
            self.kinematic_part.set_state(self.data, tick + 1, 0.0)

    def _set_state(self, qpos: FloatArray, qvel: FloatArray) -> None:
        index = self.world.engine.index
        self.data.qpos[index.qpos], self.data.qvel[index.dof] = qpos, qvel

    def state(self, tick: int) -> State:
        """Return what the controller sees at a tick; the impacts since the last call are used up."""
        data, index, addresses = self.data, self.world.engine.index, self.world.engine.objects
        objects = ObjectState(data.qpos[addresses.qpos], data.qvel[addresses.dof])
        time, impacts = tick * self.control_dt, self.impacts.drain()
        return State(time, data.qpos[index.qpos], data.qvel[index.dof], objects, impacts)

    def apply_external_forces(self, time_s: float) -> None:
        """Apply the assist at the pelvis, other forces, and the scene's pushes at a time on its axis."""
        forces, self.push = self.data.xfrc_applied, np.zeros(3)
        forces[self.world.engine.index.body] = 0.0
        forces[self.world.engine.index.body[0]] = self.assist
        for body, push in zip(self.pushed, self.world.scene.pushes, strict=True):
            if push.acts_at(time_s):
                forces[body, :3] += push.force
                self.push = self.push + push.force
        for own in self.outside:
            forces[own.body] += np.concatenate([own.force, own.torque])
            self.push = self.push + own.force

    def _apply(self, command: Command) -> FloatArray:
        """Apply a command's gains and assist; return its controls by interval and step (hold, n, nu)."""
        model, data, index = self.world.engine.model, self.data, self.world.engine.index
        model.actuator_biasprm[index.actuator, 1] = -command.kp
        model.actuator_biasprm[index.actuator, 2] = -command.kd
        self.holding.want(command.holds)
        if command.restarts_solver:
            data.qacc_warmstart[:] = 0.0
        if command.controls is not None:
            self.assist = command.assist
            return command.controls[None]
        mujoco.mj_transmission(model, data)  # otherwise the lengths are those of the previous step
        start = data.actuator_length[index.actuator] + command.target_offset
        self.assist = command.assist
        velocity = command.target_velocity + command.target_acceleration * self.elapsed
        target = start + 0.5 * (command.target_velocity + velocity) * self.elapsed
        return np.asarray(command.torque + command.kp * target + command.kd * velocity)
