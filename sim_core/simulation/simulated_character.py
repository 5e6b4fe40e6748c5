"""One character's part in a simulation: its state goes to its controller, the command to its joints."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..world.ground import ObjectState
from ..world.world import World
from .impacts import ImpactSensor
from .kinematic import ClipPlayback, KinematicPart
from .protocol import Command, Controller, State


class SimulatedCharacter:
    """Owns the character's slice of the engine's state.

    hold: a command is kept for so many intervals
    """

    def __init__(
        self, world: World, data: mujoco.MjData, control_dt: float, steps_per_tick: int, hold: int
    ) -> None:
        self.world, self.data, self.control_dt, self.hold = world, data, control_dt, hold
        steps = np.arange(hold * steps_per_tick).reshape(hold, -1, 1)
        self.elapsed = steps * world.timestep  # since the command
        self.pushed = [world.body_of(push.segment) for push in world.scene.pushes]
        self.impacts = ImpactSensor(world, data)
        self.assist: FloatArray = np.zeros(6)
        self.push: FloatArray = np.zeros(3)
        self.controls: FloatArray = np.zeros(0)  # of the command: (hold, n, nu)
        self.seen: State | None = None  # what the last command was made from
        self.carried: KinematicPart | None = None  # a part of it that follows its clip all the same
        self.clip: ClipPlayback | None = None  # what it plays instead of following its controller

    @property
    def qpos(self) -> FloatArray:
        return self.data.qpos[self.world.engine.index.qpos]

    def start(self, qpos: FloatArray, qvel: FloatArray) -> None:
        """From here on it follows its controller."""
        self.clip = None
        self._put(qpos, qvel)
        self.impacts.drain()  # what is left of an earlier run

    def play(self, clip: ClipPlayback, tick: int) -> None:
        """From here on it plays a clip, whatever pushes it."""
        model, index = self.world.engine.model, self.world.engine.index
        self.clip, self.assist = clip, np.zeros(6)
        model.actuator_biasprm[index.actuator, 1:3] = 0.0
        self.data.ctrl[index.actuator] = 0.0
        self.control(tick, 0)
        self.impacts.drain()

    def begin(self, tick: int, controller: Controller) -> None:
        """At the start of each interval; asks for a command when the last one is used up."""
        if self.clip is None and tick % self.hold == 0:
            self.seen = self.state(tick)
            self.controls = self._controls(controller.command(self.seen))

    def control(self, tick: int, step: int) -> None:
        """Before each step of an interval."""
        if self.clip is not None:
            self._put(*self.clip.at(tick, step * self.world.timestep))
            return
        self.data.ctrl[self.world.engine.index.actuator] = self.controls[tick % self.hold, step]
        if self.carried is not None:
            self.carried.put(self.data, tick, step * self.world.timestep)

    def arrive(self, tick: int) -> None:
        """At the end of an interval: what plays, or is carried, is where its clip says."""
        if self.clip is not None:
            self.control(tick + 1, 0)
        elif self.carried is not None:
            self.carried.put(self.data, tick + 1, 0.0)

    def _put(self, qpos: FloatArray, qvel: FloatArray) -> None:
        index = self.world.engine.index
        self.data.qpos[index.qpos], self.data.qvel[index.dof] = qpos, qvel

    def state(self, tick: int) -> State:
        data, index, about = self.data, self.world.engine.index, self.world.engine.objects
        objects = ObjectState(data.qpos[about.qpos], data.qvel[about.dof])
        time, impacts = tick * self.control_dt, self.impacts.drain()
        return State(time, data.qpos[index.qpos], data.qvel[index.dof], objects, impacts)

    def push_from_outside(self, time_s: float) -> None:
        """The helping hand at the pelvis, and the pushes of this interval."""
        forces, self.push = self.data.xfrc_applied, np.zeros(3)
        forces[self.world.engine.index.body] = 0.0
        forces[self.world.engine.index.body[0]] = self.assist
        for body, push in zip(self.pushed, self.world.scene.pushes, strict=True):
            if push.acts_at(time_s):
                forces[body, :3] += push.force
                self.push = self.push + push.force

    def _controls(self, command: Command) -> FloatArray:
        """Lets a command begin: the springs' targets by interval and step (hold, n, nu)."""
        model, data, index = self.world.engine.model, self.data, self.world.engine.index
        model.actuator_biasprm[index.actuator, 1] = -command.kp
        model.actuator_biasprm[index.actuator, 2] = -command.kd
        mujoco.mj_transmission(model, data)  # else lengths are those of the step before
        start = data.actuator_length[index.actuator] + command.target_offset
        self.assist = command.assist
        velocity = command.target_velocity + command.target_acceleration * self.elapsed
        target = start + 0.5 * (command.target_velocity + velocity) * self.elapsed
        return np.asarray(command.torque + command.kp * target + command.kd * velocity)
