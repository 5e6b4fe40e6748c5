"""Rehearsals of getting up: controls are found on trial, and only those that make the body stand are played.

A search may lose the body on the way up. Played at once, that would be a second fall. So each way is tried in
a copy of the simulation first, from the state in which the body lies, and the commands of a try that stands
are repeated in the simulation that is kept. Equal commands from an equal state come to the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import mujoco

from ..motion.motion import CONTROL_DT
from ..search.search import WindowSearch
from ..search.searched_control import ImpactObserver, SearchedControl
from ..simulation.projectiles import Flight
from ..simulation.protocol import Command, Controller, State, idle_command
from ..simulation.simulation import CharacterStart, Simulation
from ..world.world import World

CarriesOn = Callable[[int, mujoco.MjData], bool]
"""Asked at a control tick of a rehearsal, with its engine's state, whether a tracker can go on from there."""


@dataclass(frozen=True)
class Variant:
    """One way of trying: the times of the guide's poses are stretched, and the search looks so far ahead."""

    stretch: float
    horizon_s: float


VARIANTS = (Variant(1.0, 0.4), Variant(1.0, 0.6), Variant(1.2, 0.6))
"""In the order in which they are tried. Where a search with a short horizon loses the body while it rises,
one that looks further ahead may keep it, or a slower plan."""


@dataclass(frozen=True, eq=False)
class Rehearsed:
    """The commands of every control interval of a rehearsal, and whether the body stands after them."""

    commands: tuple[Command, ...]
    stands: bool


def rehearse(
    search: WindowSearch,
    world: World,
    data: mujoco.MjData,
    first: int,
    last: int,
    flights: Sequence[Flight],
    carries_on: CarriesOn,
    on_tick: Callable[[int], bool],
) -> Rehearsed:
    """Simulate a search from an engine's state at the first tick until a tracker can go on.

    It ends earlier where the search gives up, or where on_tick returns False, and at the last tick.
    """
    simulation, ended = Simulation([world], CONTROL_DT, [1]), list[bool]()

    def take_over(own_tick: int) -> Controller | None:
        stands = carries_on(own_tick, simulation.data)
        if not stands and not search.gave_up:
            return None
        ended.append(stands)
        return _Limp(len(search.problem.sigma))

    control = SearchedControl(
        _Limp(len(search.problem.sigma)),
        search,
        0,
        engine_state=lambda: search.problem.rollouts.state_of(simulation.data),
        take_over=take_over,
        observe=lambda _: None,
    )
    recorder = _Recorder(control, first)
    index, reached = world.engine.index, first

    def on_trial(tick: int) -> bool:
        nonlocal reached
        reached = tick
        return not ended and on_tick(tick)

    start = CharacterStart(recorder, data.qpos[index.qpos], data.qvel[index.dof])
    simulation.run([start], last, on_trial, flights, first_tick=first, data=data, records_inputs=False)
    searched = recorder.commands[: control.end_tick] if ended else recorder.commands
    return Rehearsed(tuple(searched), ended[0] if ended else reached == last)


class Repeated:
    """A controller that repeats the commands of a rehearsal, and then whoever takes over."""

    def __init__(
        self, commands: Sequence[Command], take_over: Callable[[int], Controller], observe: ImpactObserver
    ) -> None:
        self.commands, self.take_over, self.observe = commands, take_over, observe
        self.after: Controller | None = None

    def command(self, state: State) -> Command:
        """Return the command of the control interval that starts at the state's time."""
        tick = round(state.time / CONTROL_DT)
        if tick < len(self.commands):
            self.observe(state)
            return self.commands[tick]
        if self.after is not None:
            return self.after.command(state)
        self.after = self.take_over(tick)
        return replace(self.after.command(state), restarts_solver=True)


class _Recorder:
    """Keeps the commands of a controller whose time begins at a later tick than the simulation's."""

    def __init__(self, controller: Controller, first: int) -> None:
        self.controller, self.first = controller, first
        self.commands: list[Command] = []

    def command(self, state: State) -> Command:
        own = replace(state, time=state.time - self.first * CONTROL_DT)
        self.commands.append(self.controller.command(own))
        return self.commands[-1]


class _Limp:
    """Whoever stands in for a tracker when a rehearsal is over."""

    def __init__(self, axes: int) -> None:
        self.axes = axes

    def command(self, state: State) -> Command:
        return idle_command(self.axes)
