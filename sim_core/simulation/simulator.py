"""Running a controller against the engine.

The loop knows nothing of tracking: it hands the state to a controller, applies its command for
one control interval at the engine's own step, and writes down what happened.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable

import mujoco
import numpy as np

from ..character.model import SENSOR_SIZE
from ..control.protocol import Command, Controller, State
from ..conventions import FloatArray
from ..errors import SimulationError
from ..scene.engine import prescribe
from ..scene.ground import ObjectState
from ..scene.playback import Played
from .trace import HatAverage, Trace
from .world import World, starting_objects

OnTick = Callable[[int, State], bool]
"""Called after each control interval; False ends the simulation there."""


class Simulator:
    """One character in one world, stepped under a controller."""

    def __init__(self, world: World, control_dt: float) -> None:
        self.world = world
        self.steps_per_tick = round(control_dt / world.timestep)
        if abs(self.steps_per_tick * world.timestep - control_dt) > 1e-9:
            raise SimulationError(
                f"The simulation step {world.timestep:g} s does not divide "
                f"the control interval {control_dt:g} s."
            )
        self.control_dt = control_dt
        self.data = mujoco.MjData(world.engine.model)
        self.objects = world.engine.objects

    def run(
        self, controller: Controller, qpos: FloatArray, qvel: FloatArray, ticks: int, on_tick: OnTick
    ) -> Trace:
        """Simulates `ticks` control intervals from a starting state; ticks + 1 samples."""
        started = clock.perf_counter()
        data, engine = self.data, self.world.engine
        mujoco.mj_resetData(engine.model, data)
        objects = starting_objects(self.world)
        data.qpos[self.objects.qpos], data.qvel[self.objects.dof] = objects.qpos, objects.qvel
        data.qpos[engine.index.qpos], data.qvel[engine.index.dof] = qpos, qvel
        mujoco.mj_forward(engine.model, data)
        record = _Record(self, ticks + 1)
        record.sample(0)
        done = 0
        while done < ticks:
            state = self._state(done)
            self._interval(controller.command(state), record, done)
            done += 1
            record.sample(done)
            self._refuse_divergence(done)
            if not on_tick(done, state):
                break
        return record.trace(done + 1, clock.perf_counter() - started)

    def _state(self, tick: int) -> State:
        data, index = self.data, self.world.engine.index
        objects = ObjectState(data.qpos[self.objects.qpos], data.qvel[self.objects.dof])
        return State(tick * self.control_dt, data.qpos[index.qpos], data.qvel[index.dof], objects)

    def _interval(self, command: Command, record: _Record, tick: int) -> None:
        model, data, index = self.world.engine.model, self.data, self.world.engine.index
        model.actuator_biasprm[index.actuator, 1] = -command.kp
        model.actuator_biasprm[index.actuator, 2] = -command.kd
        mujoco.mj_transmission(model, data)  # else lengths are those of the step before
        start = data.actuator_length[index.actuator] + command.target_offset
        data.xfrc_applied[index.body[0], :] = command.assist
        timestep = self.world.timestep
        played = self._playback(tick * self.control_dt)
        for step in range(self.steps_per_tick):
            elapsed = step * timestep
            velocity = command.target_velocity + command.target_acceleration * elapsed
            target = start + 0.5 * (command.target_velocity + velocity) * elapsed
            data.ctrl[index.actuator] = command.torque + command.kp * target + command.kd * velocity
            if played is not None:
                prescribe(data, self.objects, played, step)
            mujoco.mj_step(model, data)
            record.step(step)
        record.interval(tick, command)

    def _playback(self, start_s: float) -> Played | None:
        """States of moving objects at the steps of an interval."""
        if len(self.objects.moving) == 0:
            return None
        return self.world.playback.at(start_s + np.arange(self.steps_per_tick) * self.world.timestep)

    def _refuse_divergence(self, tick: int) -> None:
        if not np.isfinite(self.data.qpos).all() or np.abs(self.data.qvel).max() > 1e4:
            raise SimulationError(
                f"The simulation became unstable at {tick * self.control_dt:.2f} s; "
                "look for a jump in the source motion there."
            )


class _Record:
    """Fills a trace."""

    def __init__(self, simulator: Simulator, samples: int) -> None:
        self.simulator = simulator
        index, objects = simulator.world.engine.index, simulator.world.engine.objects
        steps, slots = simulator.steps_per_tick, len(index.contact_segment)
        self.qpos = np.zeros((samples, len(index.qpos)))
        self.qvel = np.zeros((samples, len(index.dof)))
        self.object_qpos = np.zeros((samples, len(objects.qpos)))
        self.object_qvel = np.zeros((samples, len(objects.dof)))
        self.body_com = np.zeros((samples, len(index.body), 3))
        self.step_torque = np.zeros((steps, len(index.actuator)))
        self.step_contact = np.zeros((steps, SENSOR_SIZE * slots))
        self.assist = HatAverage(samples, (6,), steps)
        self.torque = HatAverage(samples, (len(index.actuator),), steps)
        self.force = HatAverage(samples, (slots, 3), steps)
        self.point = HatAverage(samples, (slots, 4), steps)

    def sample(self, k: int) -> None:
        engine, data = self.simulator.world.engine, self.simulator.data
        index, objects = engine.index, engine.objects
        mujoco.mj_kinematics(engine.model, data)
        mujoco.mj_comPos(engine.model, data)
        self.qpos[k], self.qvel[k] = data.qpos[index.qpos], data.qvel[index.dof]
        self.object_qpos[k], self.object_qvel[k] = data.qpos[objects.qpos], data.qvel[objects.dof]
        self.body_com[k] = data.xipos[index.body]

    def step(self, step: int) -> None:
        data, index = self.simulator.data, self.simulator.world.engine.index
        self.step_torque[step] = data.actuator_force[index.actuator]
        self.step_contact[step] = data.sensordata[index.contact_sensor]

    def interval(self, tick: int, command: Command) -> None:
        contacts = self.step_contact.reshape(len(self.step_contact), -1, SENSOR_SIZE)
        force = -contacts[..., 1:4]  # sensors tell what the character does to the world
        strength = np.linalg.norm(force, axis=-1, keepdims=True)
        self.assist.add(tick, np.tile(command.assist, (len(contacts), 1)))
        self.torque.add(tick, self.step_torque)
        self.force.add(tick, force)
        self.point.add(tick, strength * np.concatenate([contacts[..., 4:7], np.ones_like(strength)], axis=-1))

    def trace(self, samples: int, wall_seconds: float) -> Trace:
        weighted = self.point.values(samples)
        weight = np.maximum(weighted[..., 3:], 1e-12)
        return Trace(
            time=np.arange(samples) * self.simulator.control_dt,
            qpos=self.qpos[:samples],
            qvel=self.qvel[:samples],
            body_com=self.body_com[:samples],
            assist=self.assist.values(samples),
            torque=self.torque.values(samples),
            contact_force=self.force.values(samples),
            contact_point=np.where(weighted[..., 3:] > 1e-9, weighted[..., :3] / weight, 0.0),
            contact_segment=self.simulator.world.engine.index.contact_segment,
            object_qpos=self.object_qpos[:samples],
            object_qvel=self.object_qvel[:samples],
            wall_seconds=wall_seconds,
            steps=(samples - 1) * self.simulator.steps_per_tick,
        )
