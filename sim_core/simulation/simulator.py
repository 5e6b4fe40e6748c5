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
from .trace import HatAverage, Trace
from .world import World

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
        self.elapsed = np.arange(self.steps_per_tick)[:, None] * world.timestep
        self.data = mujoco.MjData(world.model)

    def run(
        self, controller: Controller, qpos: FloatArray, qvel: FloatArray, ticks: int, on_tick: OnTick
    ) -> Trace:
        """Simulates `ticks` control intervals from a starting state; ticks + 1 samples."""
        started = clock.perf_counter()
        data, index = self.data, self.world.index
        mujoco.mj_resetData(self.world.model, data)
        data.qpos[index.qpos], data.qvel[index.dof] = qpos, qvel
        mujoco.mj_forward(self.world.model, data)
        record = _Record(self, ticks + 1)
        record.sample(0)
        done = 0
        while done < ticks:
            state = State(done * self.control_dt, data.qpos[index.qpos].copy(), data.qvel[index.dof].copy())
            self._interval(controller.command(state), record, done)
            done += 1
            record.sample(done)
            self._refuse_divergence(done)
            if not on_tick(done, state):
                break
        return record.trace(done + 1, clock.perf_counter() - started)

    def _interval(self, command: Command, record: _Record, tick: int) -> None:
        model, data, index = self.world.model, self.data, self.world.index
        model.actuator_biasprm[index.actuator, 1] = -command.kp
        model.actuator_biasprm[index.actuator, 2] = -command.kd
        mujoco.mj_transmission(model, data)  # else lengths are those of the step before
        start = data.actuator_length[index.actuator] + command.target_offset
        data.xfrc_applied[index.body[0], :] = command.assist
        velocity = command.target_velocity + command.target_acceleration * self.elapsed
        target = start + 0.5 * (command.target_velocity + velocity) * self.elapsed
        controls = command.torque + command.kp * target + command.kd * velocity
        for step, control in enumerate(controls):
            data.ctrl[index.actuator] = control
            mujoco.mj_step(model, data)
            record.step(step)
        record.interval(tick, command)

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
        index = simulator.world.index
        steps, slots = simulator.steps_per_tick, len(index.contact_segment)
        self.qpos = np.zeros((samples, len(index.qpos)))
        self.qvel = np.zeros((samples, len(index.dof)))
        self.body_com = np.zeros((samples, len(index.body), 3))
        self.step_torque = np.zeros((steps, simulator.world.model.nu))
        self.step_contact = np.zeros((steps, SENSOR_SIZE * slots))
        self.assist = HatAverage(samples, (6,), steps)
        self.torque = HatAverage(samples, (len(index.actuator),), steps)
        self.contact = HatAverage(samples, (slots, 7), steps)

    def sample(self, k: int) -> None:
        model, data, index = self.simulator.world.model, self.simulator.data, self.simulator.world.index
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        self.qpos[k], self.qvel[k] = data.qpos[index.qpos], data.qvel[index.dof]
        self.body_com[k] = data.xipos[index.body]

    def step(self, step: int) -> None:
        data, index = self.simulator.data, self.simulator.world.index
        self.step_torque[step] = data.actuator_force
        self.step_contact[step] = data.sensordata[index.contact_sensor]

    def interval(self, tick: int, command: Command) -> None:
        """Of contacts: force, place weighted by the force's strength, and that strength."""
        sensed = self.step_contact.reshape(len(self.step_contact), -1, SENSOR_SIZE)
        contact = np.empty_like(sensed)
        force, strength = contact[..., :3], contact[..., 6:]
        np.negative(sensed[..., 1:4], out=force)  # sensors tell what the character does to the world
        np.sqrt((force * force).sum(axis=-1, keepdims=True), out=strength)
        np.multiply(sensed[..., 4:7], strength, out=contact[..., 3:6])
        self.assist.add(tick, np.broadcast_to(command.assist, (len(sensed), 6)))
        self.torque.add(tick, self.step_torque[:, self.simulator.world.index.actuator])
        self.contact.add(tick, contact)

    def trace(self, samples: int, wall_seconds: float) -> Trace:
        force, weighted, strength = np.split(self.contact.values(samples), [3, 6], axis=-1)
        return Trace(
            time=np.arange(samples) * self.simulator.control_dt,
            qpos=self.qpos[:samples],
            qvel=self.qvel[:samples],
            body_com=self.body_com[:samples],
            assist=self.assist.values(samples),
            torque=self.torque.values(samples),
            contact_force=force,
            contact_point=np.where(strength > 1e-9, weighted / np.maximum(strength, 1e-12), 0.0),
            contact_segment=self.simulator.world.index.contact_segment,
            wall_seconds=wall_seconds,
            steps=(samples - 1) * self.simulator.steps_per_tick,
        )
