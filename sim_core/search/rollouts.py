"""Trial simulations of the whole engine on several threads, with everything that acts on it.

The engine's rollouts play controls and forces, but set no states. So objects with keys, whose states the
simulation prescribes at every step, are driven by the forces that give them their velocities, and launches
split a rollout in two. The characters that are not searched are held by springs to where they are expected.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise

import mujoco
import numpy as np
from mujoco import rollout

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..simulation.projectiles import Flight
from ..world.scene_model import MOVING_MASS, hold_projectile, release_projectile
from ..world.world import World

STIFFNESS = 2.0
"""Of the springs, as torque limits per radian [1/rad]."""
DAMPING = 0.1
"""Of the springs, as a share of their stiffness [s]."""


def spring_gains(world: World) -> tuple[FloatArray, FloatArray]:
    """Return stiffness (nu) [Nm/rad] and damping (nu) [Nms/rad] of a character's springs in trials."""
    stiffness = STIFFNESS * world.index.torque_limit
    return stiffness, DAMPING * stiffness


def spring_controls(
    world: World, qpos: FloatArray, qvel: FloatArray, torque: FloatArray, steps_per_tick: int
) -> FloatArray:
    """Return controls (steps + 1, nu) of springs that pull to a motion and feed its torques forward.

    qpos (T, nq), qvel (T, nv), torque (T, nu): at the control ticks; the controls are linear between them
    """
    model, data = world.model, mujoco.MjData(world.model)
    length, velocity = np.zeros((2, len(qpos), model.nu))
    for t in range(len(qpos)):
        data.qpos[:], data.qvel[:] = qpos[t], qvel[t]
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        length[t], velocity[t] = data.actuator_length, data.actuator_velocity
    stiffness, damping = spring_gains(world)
    at_ticks = torque + stiffness * length + damping * velocity
    steps = np.arange((len(qpos) - 1) * steps_per_tick + 1) / steps_per_tick
    ticks = np.arange(len(qpos))
    return np.stack([np.interp(steps, ticks, column) for column in at_ticks.T], axis=1)


class EngineRollouts:
    """Rolls out controls on a copy of the engine's model.

    expected (steps + 1, nu): controls of all characters that trials assume, by engine step
    steps_rolled_out: number of engine steps of all trials so far
    """

    def __init__(
        self, worlds: Sequence[World], flights: Sequence[Flight], ticks: int, control_dt: float, threads: int
    ) -> None:
        """Set up for the characters of one engine; ticks: number of control intervals in all."""
        world = worlds[0]
        self.timestep, self.control_dt = world.timestep, control_dt
        self.steps_per_tick = round(control_dt / self.timestep)
        self.model, self.objects = copy.copy(world.engine.model), world.engine.objects
        # Sensors only observe; without them a step is cheaper.
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SENSOR
        # Whether an object sleeps is no part of the state that a rollout starts from.
        self.model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        for own in worlds:
            stiffness, damping = spring_gains(own)
            self.model.actuator_biasprm[own.engine.index.actuator, 1] = -stiffness
            self.model.actuator_biasprm[own.engine.index.actuator, 2] = -damping
        self.start_s = world.playback.start_s
        self.pushes = [(own.body_of(push.segment), push) for own in worlds for push in own.scene.pushes]
        self.launches = [(flight.tick * self.steps_per_tick, flight) for flight in flights]
        self.spin = [o.angular_velocity for o in world.scene.objects]
        self.steps = ticks * self.steps_per_tick
        played = world.playback.at(np.arange(self.steps + 1) * self.timestep)
        self.driving_force = MOVING_MASS * np.diff(played.qvel, axis=0) / self.timestep
        self.expected = np.zeros((self.steps + 1, self.model.nu))
        self.steps_rolled_out = 0
        self._rollout = rollout.Rollout(nthread=threads)
        self._data = [mujoco.MjData(self.model) for _ in range(max(threads, 1))]

    def state_of(self, data: mujoco.MjData) -> FloatArray:
        """Return the engine's state, from which trials can start."""
        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.zeros(mujoco.mj_stateSize(self.model, full))
        mujoco.mj_getState(self.model, data, state, full)
        return state

    def split(self, states: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return qpos (n, nq) and qvel (n, nv) of engine states (n, .)."""
        ends = 1 + self.model.nq, 1 + self.model.nq + self.model.nv
        return states[:, 1 : ends[0]], states[:, ends[0] : ends[1]]

    def roll_out(self, state: FloatArray, step: int, controls: FloatArray, actuators: IntArray) -> FloatArray:
        """Return the states (n, steps, .) after every engine step from a state at an engine step on.

        controls (n, steps, .): of some actuators, in place of the expected ones
        """
        count, steps = controls.shape[:2]
        self.steps_rolled_out += count * steps
        cuts = {launch for launch, _ in self.launches if step < launch < step + steps}
        states, parts = np.tile(state, (count, 1)), list[FloatArray]()
        for begin, end in pairwise(sorted({step, step + steps} | cuts)):
            self._launch(states, begin)
            spec, played = self._played(begin, controls[:, begin - step : end - step], actuators)
            part, _ = self._rollout.rollout(self.model, self._data, states, played, control_spec=spec)
            parts.append(np.asarray(part))
            states = parts[-1][:, -1].copy()
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _played(self, step: int, controls: FloatArray, actuators: IntArray) -> tuple[int, FloatArray]:
        """Return what is played from a step on (n, steps, .), and which parts of the state that is."""
        count, steps = controls.shape[:2]
        kinds, forces = mujoco.mjtState, list[FloatArray]()
        spec = int(kinds.mjSTATE_CTRL)
        if len(self.objects.moving):
            spec |= int(kinds.mjSTATE_QFRC_APPLIED)
            driving = np.zeros((steps, self.model.nv))
            driving[:, self.objects.moving_dof] = self.driving_force[step : step + steps]
            forces.append(driving)
        pushing = self._pushes(step, steps)
        if pushing.any():
            spec |= int(kinds.mjSTATE_XFRC_APPLIED)
            forces.append(pushing)
        if not forces and len(actuators) == self.model.nu:
            return spec, controls
        all_controls = np.repeat(self.expected[None, step : step + steps], count, axis=0)
        all_controls[:, :, actuators] = controls
        same = np.concatenate([np.zeros((steps, 0)), *forces], axis=1)
        return spec, np.concatenate([all_controls, np.repeat(same[None], count, axis=0)], axis=2)

    def _pushes(self, step: int, steps: int) -> FloatArray:
        """Return the outside forces on all bodies (steps, 6 nbody); a push acts for whole intervals."""
        force = np.zeros((steps, self.model.nbody, 6))
        ticks = np.arange(step, step + steps) // self.steps_per_tick
        for body, push in self.pushes:
            acts = [push.acts_at(tick * self.control_dt + self.start_s) for tick in ticks]
            force[acts, body, :3] += push.force
        return force.reshape(steps, -1)

    def _launch(self, states: FloatArray, step: int) -> None:
        """Hold the projectiles that wait at a step, release the others, and launch those that start there."""
        qpos, qvel = self.split(states)
        for launch, flight in self.launches:
            change = hold_projectile if step < launch else release_projectile
            change(self.model, self.objects, flight.object_index)
            if launch != step:
                continue
            body = int(self.objects.body[flight.object_index])
            at = int(self.model.jnt_qposadr[self.model.body_jntadr[body]])
            dof = int(self.model.body_dofadr[body])
            turn = rotations.conjugate(qpos[:, at + 3 : at + 7])
            qvel[:, dof : dof + 3] = flight.velocity
            qvel[:, dof + 3 : dof + 6] = rotations.rotate(turn, self.spin[flight.object_index])

    def close(self) -> None:
        """End the threads."""
        self._rollout.close()
