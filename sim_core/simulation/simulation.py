"""The simulation loop: steps the engine under the control of each character's controller.

The loop is independent of how characters are controlled: at each control interval it passes the state of each
character to its controller, applies the commands at every step of the engine, and records the result.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import SimulationError
from ..scene.playback import ObjectMotion
from ..world.scene_model import PREFIX, hold_projectile, prescribe_motion, release_projectile
from ..world.start_state import initial_object_state
from ..world.world import World
from .character_contacts import CharacterContacts
from .engine_inputs import InputRecorder
from .projectiles import Flight
from .protocol import Controller
from .record import Recording, TraceRecorder
from .simulated_character import SimulatedCharacter
from .trace import Trace

OnTick = Callable[[int], bool]
"""Called with the number of finished control intervals; returns False to end the simulation."""


@dataclass(frozen=True, eq=False)
class CharacterStart:
    """A character's controller and its initial state qpos (nq), qvel (nv)."""

    controller: Controller
    qpos: FloatArray
    qvel: FloatArray


class PlaybackSwitch(Protocol):
    """Decides at each tick whether characters play their clips or follow their controllers."""

    def begin(self) -> None:
        """Prepare for a run; called before the first tick, with the engine in its initial state."""
        ...

    def switch(self, tick: int) -> None:
        """Start or stop the playback of clips; called at the start of each tick."""
        ...


class Simulation:
    """All characters of one engine, stepped under their controllers."""

    def __init__(self, worlds: Sequence[World], control_dt: float, holds: Sequence[int]) -> None:
        """Set up the characters of several worlds that share one engine.

        holds: for each character, the number of control intervals for which a command is kept
        """
        world = worlds[0]
        self.engine, self.timestep, self.control_dt = world.engine, world.timestep, control_dt
        self.scene, self.playback, self.world = world.scene, world.playback, world
        self.steps_per_tick = round(control_dt / self.timestep)
        if abs(self.steps_per_tick * self.timestep - control_dt) > 1e-9:
            raise SimulationError(
                f"The simulation step {self.timestep:g} s does not divide "
                f"the control interval {control_dt:g} s."
            )
        self.data = mujoco.MjData(self.engine.model)
        self.objects = self.engine.objects
        self.characters = [
            SimulatedCharacter(own, self.data, control_dt, self.steps_per_tick, intervals)
            for own, intervals in zip(worlds, holds, strict=True)
        ]
        self.character_contacts = CharacterContacts(worlds, self.data)

    def run(
        self,
        starts: Sequence[CharacterStart],
        ticks: int,
        on_tick: OnTick,
        flights: Sequence[Flight] = (),
        playback_switch: PlaybackSwitch | None = None,
        first_tick: int = 0,
        data: mujoco.MjData | None = None,
        records_inputs: bool = True,
    ) -> tuple[Trace, ...]:
        """Simulate control intervals up to `ticks`; return a trace for each character, from its start on.

        first_tick: the interval at which the simulation starts
        data: of a simulation that has come to this interval, to start from in place of the initial states
        records_inputs: whether a replay may be wanted; a trial whose trace is thrown away needs none
        """
        began = clock.perf_counter()
        self.begin(starts, flights, first_tick, data)
        if playback_switch is not None:
            playback_switch.begin()
        recording = self.record(ticks - first_tick, records_inputs)
        done, keep_going = first_tick, True
        while done < ticks and keep_going:
            if playback_switch is not None:
                playback_switch.switch(done)
            self.tick(done, [start.controller for start in starts], flights, recording)
            done += 1
            keep_going = on_tick(done)
        return recording.traces(self.control_dt, clock.perf_counter() - began)

    def record(self, ticks: int, records_inputs: bool = True) -> Recording:
        """Return a recording of at most so many control intervals, which begins at the present state."""
        recorders = [
            TraceRecorder(character.world, self.data, ticks + 1, self.steps_per_tick)
            for character in self.characters
        ]
        inputs = None
        if records_inputs:
            inputs = InputRecorder(self.engine.model, self.data, ticks, self.steps_per_tick)
        self.character_contacts.clear()
        recording = Recording(recorders, inputs, self.character_contacts)
        self.update_positions()
        recording.sample()
        return recording

    def tick(
        self,
        tick: int,
        controllers: Sequence[Controller],
        flights: Sequence[Flight] = (),
        recording: Recording | None = None,
    ) -> None:
        """Simulate one control interval under the characters' controllers."""
        for character, controller in zip(self.characters, controllers, strict=True):
            character.begin(tick, controller)
        self.advance(tick, flights, recording)
        self.update_positions()
        if recording is not None:
            recording.sample()
        self._refuse_divergence(tick + 1)

    def begin(
        self,
        starts: Sequence[CharacterStart],
        flights: Sequence[Flight] = (),
        first_tick: int = 0,
        data: mujoco.MjData | None = None,
    ) -> None:
        """Bring the engine to its initial state, or to that of `data`; see run."""
        model = self.engine.model
        if data is None:
            mujoco.mj_resetData(model, self.data)
            objects = initial_object_state(self.world)
            self.data.qpos[self.objects.qpos], self.data.qvel[self.objects.dof] = objects.qpos, objects.qvel
            for character, start in zip(self.characters, starts, strict=True):
                character.start(start.qpos, start.qvel)
        else:
            mujoco.mj_copyData(self.data, model, data)
        for flight in flights:
            change = release_projectile if flight.tick < first_tick else hold_projectile
            change(model, self.objects, flight.object_index)
        if data is None:
            mujoco.mj_forward(model, self.data)

    def update_positions(self) -> None:
        """Bring the engine's body positions up to date with its joint coordinates."""
        mujoco.mj_kinematics(self.engine.model, self.data)
        mujoco.mj_comPos(self.engine.model, self.data)

    def advance(
        self,
        tick: int,
        flights: Sequence[Flight],
        recording: Recording | None = None,
    ) -> None:
        """Simulate one control interval that all characters have started."""
        recorders = () if recording is None else recording.recorders
        inputs = None if recording is None else recording.inputs
        make_step = partial(mujoco.mj_step, self.engine.model, self.data) if inputs is None else inputs.step
        for character in self.characters:
            character.apply_external_forces(tick * self.control_dt + self.playback.start_s)
        for flight in flights:
            if flight.tick == tick:
                self._launch(flight)
        played = self._playback(tick)
        for step in range(self.steps_per_tick):
            for character in self.characters:
                character.control(tick, step)
            if played is not None:
                prescribe_motion(self.data, self.objects, played, step)
            make_step()
            self.character_contacts.step()
            for character in self.characters:
                character.impacts.step()
            for character, recorder in zip(self.characters, recorders, strict=False):
                recorder.step(character.assist, character.push)
        for character in self.characters:
            character.finish(tick)

    def _playback(self, tick: int) -> ObjectMotion | None:
        """States of the moving objects at the steps of a control interval; None if there are none."""
        if len(self.objects.moving) == 0:
            return None
        steps = np.arange(self.steps_per_tick) * self.timestep
        return self.playback.at(tick * self.control_dt + steps)

    def _launch(self, flight: Flight) -> None:
        model, body = self.engine.model, int(self.objects.body[flight.object_index])
        release_projectile(model, self.objects, flight.object_index)
        first = int(model.body_dofadr[body])
        self.data.qvel[first : first + 3] = flight.velocity
        spin = self.scene.objects[flight.object_index].angular_velocity
        self.data.qvel[first + 3 : first + 6] = self.data.xmat[body].reshape(3, 3).T @ spin

    def _refuse_divergence(self, tick: int) -> None:
        if not np.isfinite(self.data.qpos).all() or np.abs(self.data.qvel).max() > 1e4:
            model = self.engine.model
            fastest = int(np.nan_to_num(np.abs(self.data.qvel), nan=np.inf).argmax())
            name = model.body(model.dof_bodyid[fastest]).name
            cause = (
                f"at '{name.removeprefix(PREFIX)}'"
                if name.startswith(PREFIX)
                else "for a jump in the source motion, or for a force that is too large,"
            )
            raise SimulationError(
                f"The simulation became unstable at {tick * self.control_dt:.2f} s; look {cause} there."
            )
