"""Running controllers against the engine.

The loop knows nothing of tracking: it hands each character's state to its controller, applies the commands
for one control interval at the engine's own step, and writes down what happened.

Running one controller against the engine.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import SimulationError
from ..scene.playback import Played
from ..world.scene_model import PREFIX, hold_projectile, prescribe_motion, release_projectile
from ..world.world import World, initial_object_state
from .character_contacts import CharacterContacts
from .projectiles import Flight
from .protocol import Controller, State
from .record import Record
from .simulated_character import SimulatedCharacter
from .trace import Trace

OnTick = Callable[[int], bool]
"""Called after each control interval; False ends the simulation there."""


@dataclass(frozen=True, eq=False)
class Start:
    """How a character begins: who controls it, and its starting state."""

    controller: Controller
    qpos: FloatArray
    qvel: FloatArray


class Switching(Protocol):
    def begin(self) -> None:
        """Before the first tick, with the engine at its start."""
        ...

    def switch(self, tick: int) -> None:
        """At the start of a tick; may put performers elsewhere."""
        ...


class Simulation:
    """All characters of one engine, stepped under their controllers."""

    def __init__(self, worlds: Sequence[World], control_dt: float, holds: Sequence[int]) -> None:
        """worlds: of one engine; holds: for how many intervals each character keeps a command"""
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
            SimulatedCharacter(own, self.data, control_dt, self.steps_per_tick, kept)
            for own, kept in zip(worlds, holds, strict=True)
        ]
        self.character_contacts = CharacterContacts(worlds, self.data)

    def run(
        self,
        starts: Sequence[Start],
        ticks: int,
        on_tick: OnTick,
        flights: Sequence[Flight] = (),
        switching: Switching | None = None,
    ) -> tuple[Trace, ...]:
        """Simulates `ticks` control intervals; a trace of ticks + 1 samples for each character.

        switching: decides at each tick who follows its controller, and who does not
        """
        began = clock.perf_counter()
        self._begin(starts, flights)
        if switching is not None:
            switching.begin()
        records = [Record(p.world, self.data, ticks + 1, self.steps_per_tick) for p in self.characters]
        self._sample(records, 0)
        done, goes_on = 0, True
        while done < ticks and goes_on:
            if switching is not None:
                switching.switch(done)
            for character, start in zip(self.characters, starts, strict=True):
                character.begin(done, start.controller)
            self.advance(done, flights, records)
            done += 1
            self._sample(records, done)
            self._refuse_divergence(done)
            goes_on = on_tick(done)
        seconds = clock.perf_counter() - began
        return tuple(
            record.trace(done + 1, self.control_dt, seconds, place, self.character_contacts)
            for place, record in enumerate(records)
        )

    def _begin(self, starts: Sequence[Start], flights: Sequence[Flight]) -> None:
        mujoco.mj_resetData(self.engine.model, self.data)
        objects = initial_object_state(self.world)
        self.data.qpos[self.objects.qpos], self.data.qvel[self.objects.dof] = objects.qpos, objects.qvel
        for character, start in zip(self.characters, starts, strict=True):
            character.start(start.qpos, start.qvel)
        for flight in flights:
            hold_projectile(self.engine.model, self.objects, flight.thing)
        mujoco.mj_forward(self.engine.model, self.data)
        self.character_contacts.clear()

    def _sample(self, records: Sequence[Record], sample: int) -> None:
        mujoco.mj_kinematics(self.engine.model, self.data)
        mujoco.mj_comPos(self.engine.model, self.data)
        for record in records:
            record.sample(sample)

    def advance(self, tick: int, flights: Sequence[Flight], records: Sequence[Record] = ()) -> None:
        """One control interval, as all performers have begun it."""
        for character in self.characters:
            character.push_from_outside(tick * self.control_dt + self.playback.start_s)
        for flight in flights:
            if flight.tick == tick:
                self._launch(flight)
        played = self._playback(tick)
        for step in range(self.steps_per_tick):
            for character in self.characters:
                character.control(tick, step)
            if played is not None:
                prescribe_motion(self.data, self.objects, played, step)
            mujoco.mj_step(self.engine.model, self.data)
            self.character_contacts.step()
            for character in self.characters:
                character.impacts.step()
            for character, record in zip(self.characters, records, strict=False):
                record.step(character.assist, character.push)
        for character in self.characters:
            character.arrive(tick)

    def _playback(self, tick: int) -> Played | None:
        """States of moving objects at the steps of an interval."""
        if len(self.objects.moving) == 0:
            return None
        steps = np.arange(self.steps_per_tick) * self.timestep
        return self.playback.at(tick * self.control_dt + steps)

    def _launch(self, flight: Flight) -> None:
        model, body = self.engine.model, int(self.objects.body[flight.thing])
        release_projectile(model, self.objects, flight.thing)
        first = int(model.body_dofadr[body])
        self.data.qvel[first : first + 3] = flight.velocity
        spin = self.scene.objects[flight.thing].angular_velocity
        self.data.qvel[first + 3 : first + 6] = self.data.xmat[body].reshape(3, 3).T @ spin

    def _refuse_divergence(self, tick: int) -> None:
        if not np.isfinite(self.data.qpos).all() or np.abs(self.data.qvel).max() > 1e4:
            model = self.engine.model
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


OnState = Callable[[int, State], bool]
"""Called after each control interval with the state that the command was made from; False ends it all."""


class Simulator:
    """An ensemble of one character."""

    def __init__(self, world: World, control_dt: float, hold: int = 1) -> None:
        """hold: a command is kept for so many intervals"""
        self.simulation = Simulation((world,), control_dt, (hold,))
        self.data, self.character = self.simulation.data, self.simulation.characters[0]

    def run(
        self,
        controller: Controller,
        qpos: FloatArray,
        qvel: FloatArray,
        ticks: int,
        on_tick: OnState,
        flights: Sequence[Flight] = (),
    ) -> Trace:
        """Simulates `ticks` control intervals from a starting state; ticks + 1 samples."""

        def after(tick: int) -> bool:
            assert self.character.seen is not None
            return on_tick(tick, self.character.seen)

        return self.simulation.run((Start(controller, qpos, qvel),), ticks, after, flights)[0]
