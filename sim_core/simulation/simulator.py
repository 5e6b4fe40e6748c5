"""Running a controller against the engine.

The loop knows nothing of tracking: it hands the state to a controller, applies its command for
one control interval at the engine's own step, and writes down what happened.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence

import mujoco
import numpy as np

from ..character.model import SENSOR_SIZE
from ..control.protocol import Command, Controller, State
from ..conventions import FloatArray
from ..errors import SimulationError
from ..scene.engine import PREFIX, hold, let_go, prescribe
from ..scene.ground import ObjectState
from ..scene.playback import Played
from .flights import Flight
from .impacts import ImpactSensor
from .trace import HatAverage, Trace
from .world import World, starting_objects

KEPT = 64
"""Intervals whose steps are averaged together."""
OnTick = Callable[[int, State], bool]
"""Called after each control interval; False ends the simulation there."""


class Simulator:
    """One character in one world, stepped under a controller."""

    def __init__(self, world: World, control_dt: float, hold: int = 1) -> None:
        """hold: a command is kept for so many intervals"""
        self.world, self.hold = world, hold
        self.steps_per_tick = round(control_dt / world.timestep)
        if abs(self.steps_per_tick * world.timestep - control_dt) > 1e-9:
            raise SimulationError(
                f"The simulation step {world.timestep:g} s does not divide "
                f"the control interval {control_dt:g} s."
            )
        self.control_dt = control_dt
        steps = np.arange(hold * self.steps_per_tick).reshape(hold, -1, 1)
        self.elapsed = steps * world.timestep  # since the command
        self.data = mujoco.MjData(world.engine.model)
        self.objects = world.engine.objects
        self.pushed = [world.body_of(push.segment) for push in world.scene.pushes]
        self.assist: FloatArray = np.zeros(6)
        self.push: FloatArray = np.zeros(3)
        self.impacts = ImpactSensor(world, self.data)

    def run(
        self,
        controller: Controller,
        qpos: FloatArray,
        qvel: FloatArray,
        ticks: int,
        on_tick: OnTick,
        flights: Sequence[Flight] = (),
    ) -> Trace:
        """Simulates `ticks` control intervals from a starting state; ticks + 1 samples."""
        started = clock.perf_counter()
        data, engine = self.data, self.world.engine
        mujoco.mj_resetData(engine.model, data)
        objects = starting_objects(self.world)
        data.qpos[self.objects.qpos], data.qvel[self.objects.dof] = objects.qpos, objects.qvel
        data.qpos[engine.index.qpos], data.qvel[engine.index.dof] = qpos, qvel
        for flight in flights:
            hold(engine.model, self.objects, flight.thing)
        mujoco.mj_forward(engine.model, data)
        self.impacts.take()  # what is left of an earlier run
        record = _Record(self, ticks + 1)
        record.sample(0)
        done = 0
        while done < ticks:
            state = self._state(done)
            for controls in self._controls(controller.command(state))[: ticks - done]:
                self._push_from_outside(done * self.control_dt + self.world.playback.start_s)
                for flight in flights:
                    if flight.tick == done:
                        self._launch(flight)
                self._interval(controls, self._playback(done), record)
                done += 1
                record.sample(done)
                self._refuse_divergence(done)
                if not on_tick(done, state):
                    return record.trace(done + 1, clock.perf_counter() - started)
        return record.trace(done + 1, clock.perf_counter() - started)

    def _state(self, tick: int) -> State:
        data, index = self.data, self.world.engine.index
        objects = ObjectState(data.qpos[self.objects.qpos], data.qvel[self.objects.dof])
        time, impacts = tick * self.control_dt, self.impacts.take()
        return State(time, data.qpos[index.qpos], data.qvel[index.dof], objects, impacts)

    def _playback(self, tick: int) -> Played | None:
        """States of moving objects at the steps of an interval."""
        if len(self.objects.moving) == 0:
            return None
        steps = np.arange(self.steps_per_tick) * self.world.timestep
        return self.world.playback.at(tick * self.control_dt + steps)

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

    def _push_from_outside(self, time_s: float) -> None:
        """The helping hand at the pelvis, and the pushes of this interval."""
        forces = self.data.xfrc_applied
        forces[:], self.push = 0.0, np.zeros(3)
        forces[self.world.engine.index.body[0]] = self.assist
        for body, push in zip(self.pushed, self.world.scene.pushes, strict=True):
            if push.acts_at(time_s):
                forces[body, :3] += push.force
                self.push = self.push + push.force

    def _launch(self, flight: Flight) -> None:
        model, body = self.world.engine.model, int(self.objects.body[flight.thing])
        let_go(model, self.objects, flight.thing)
        first = int(model.body_dofadr[body])
        self.data.qvel[first : first + 3] = flight.velocity
        spin = self.world.scene.objects[flight.thing].angular_velocity
        self.data.qvel[first + 3 : first + 6] = self.data.xmat[body].reshape(3, 3).T @ spin

    def _interval(self, controls: FloatArray, played: Played | None, record: _Record) -> None:
        model, data, index = self.world.engine.model, self.data, self.world.engine.index
        for step, control in enumerate(controls):
            data.ctrl[index.actuator] = control
            if played is not None:
                prescribe(data, self.objects, played, step)
            mujoco.mj_step(model, data)
            record.step()
            self.impacts.step()

    def _refuse_divergence(self, tick: int) -> None:
        if not np.isfinite(self.data.qpos).all() or np.abs(self.data.qvel).max() > 1e4:
            model = self.world.engine.model
            fastest = int(np.nan_to_num(np.abs(self.data.qvel), nan=np.inf).argmax())
            name = model.body(model.dof_bodyid[fastest]).name
            place = (
                f"at '{name.removeprefix(PREFIX)}'"
                if name.startswith(PREFIX)
                else "for a jump in the source motion"
            )
            raise SimulationError(
                f"The simulation became unstable at {tick * self.control_dt:.2f} s; look {place} there."
            )


class _Record:
    """Fills a trace. What happens at the engine's steps is averaged for many intervals at once."""

    def __init__(self, simulator: Simulator, samples: int) -> None:
        self.simulator = simulator
        engine, steps = simulator.world.engine, simulator.steps_per_tick
        index, objects = engine.index, engine.objects
        slots = len(index.contact_segment)
        self.qpos = np.zeros((samples, len(index.qpos)))
        self.qvel = np.zeros((samples, len(index.dof)))
        self.object_qpos = np.zeros((samples, len(objects.qpos)))
        self.object_qvel = np.zeros((samples, len(objects.dof)))
        self.body_com = np.zeros((samples, len(index.body), 3))
        self.steps, self.averaged = 0, 0
        self.step_torque = np.zeros((KEPT * steps, engine.model.nu))
        self.step_contact = np.zeros((KEPT * steps, SENSOR_SIZE * slots))
        self.step_outside = np.zeros((KEPT * steps, 9))
        self.outside = HatAverage(samples, (9,), steps)
        self.torque = HatAverage(samples, (len(index.actuator),), steps)
        self.contact = HatAverage(samples, (slots, 7), steps)

    def sample(self, k: int) -> None:
        engine, data = self.simulator.world.engine, self.simulator.data
        index, objects = engine.index, engine.objects
        mujoco.mj_kinematics(engine.model, data)
        mujoco.mj_comPos(engine.model, data)
        self.qpos[k], self.qvel[k] = data.qpos[index.qpos], data.qvel[index.dof]
        self.object_qpos[k], self.object_qvel[k] = data.qpos[objects.qpos], data.qvel[objects.dof]
        self.body_com[k] = data.xipos[index.body]
        if self.steps == len(self.step_torque):
            self._average()

    def step(self) -> None:
        data, index, at = self.simulator.data, self.simulator.world.engine.index, self.steps
        self.step_torque[at] = data.actuator_force
        self.step_contact[at] = data.sensordata[index.contact_sensor]
        self.step_outside[at, :6], self.step_outside[at, 6:] = self.simulator.assist, self.simulator.push
        self.steps = at + 1

    def _average(self) -> None:
        """Of contacts: force, place weighted by the force's strength, and that strength."""
        index, steps = self.simulator.world.engine.index, self.simulator.steps_per_tick
        sensed = self.step_contact[: self.steps].reshape(self.steps, -1, SENSOR_SIZE)
        force = -sensed[..., 1:4]  # sensors tell what the character does to the world
        strength = np.linalg.norm(force, axis=-1, keepdims=True)
        contact = np.concatenate([force, strength * sensed[..., 4:7], strength], axis=-1)
        self.outside.add(self.averaged, self.step_outside[: self.steps])
        self.torque.add(self.averaged, self.step_torque[: self.steps, index.actuator])
        self.contact.add(self.averaged, contact)
        self.averaged, self.steps = self.averaged + self.steps // steps, 0

    def trace(self, samples: int, wall_seconds: float) -> Trace:
        if self.steps > 0:
            self._average()
        assist, push = np.split(self.outside.values(samples), [6], axis=-1)
        force, weighted, strength = np.split(self.contact.values(samples), [3, 6], axis=-1)
        return Trace(
            time=np.arange(samples) * self.simulator.control_dt,
            qpos=self.qpos[:samples],
            qvel=self.qvel[:samples],
            body_com=self.body_com[:samples],
            assist=assist,
            push=push,
            torque=self.torque.values(samples),
            contact_force=force,
            contact_point=np.where(strength > 1e-9, weighted / np.maximum(strength, 1e-12), 0.0),
            contact_segment=self.simulator.world.engine.index.contact_segment,
            object_qpos=self.object_qpos[:samples],
            object_qvel=self.object_qvel[:samples],
            wall_seconds=wall_seconds,
            steps=(samples - 1) * self.simulator.steps_per_tick,
        )
