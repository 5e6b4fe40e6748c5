"""Rehearsals of getting up: what stood on trial is repeated to the letter, and then somebody takes over."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sim_core.bake.get_up_rehearsal import VARIANTS, Rehearsed, Repeated, rehearse
from sim_core.base.conventions import FloatArray
from sim_core.getup.guide import load_guide
from sim_core.motion.motion import CONTROL_DT
from sim_core.simulation.protocol import Command, State, idle_command
from sim_core.simulation.simulation import CharacterStart, Simulation
from sim_core.world.world import World, with_timestep
from tests.core.sample_motions import scene, still

FIRST, TICKS, BLOCK = 7, 30, 5


class Search:
    """Pushes at random, by a block of ticks, and gives up after some of them."""

    def __init__(self, world: World, hopeless_after: int) -> None:
        self.world, self.planned, self.hopeless_after = world, 0, hopeless_after
        self.rng, axes = np.random.default_rng(3), world.model.nu
        reference = SimpleNamespace(dt=CONTROL_DT)
        self.problem = SimpleNamespace(
            sigma=np.zeros(axes),
            prepared=SimpleNamespace(reference=reference),
            stiffness=np.full(axes, 50.0),
            damping=np.full(axes, 5.0),
            rollouts=SimpleNamespace(state_of=lambda data: data.qpos.copy()),
        )
        self.no_controls: FloatArray = np.zeros((0, self.steps, axes))

    @property
    def steps(self) -> int:
        return round(CONTROL_DT / self.world.timestep)

    @property
    def gave_up(self) -> str:
        return "hopeless" if self.planned > self.hopeless_after else ""

    def plan(self, state: FloatArray, tick: int) -> FloatArray:
        self.planned += BLOCK
        return 20.0 * self.rng.normal(size=(BLOCK, self.steps, len(self.problem.sigma)))


class Limp:
    def __init__(self, axes: int) -> None:
        self.axes = axes

    def command(self, state: State) -> Command:
        return idle_command(self.axes)


@pytest.fixture(scope="module")
def fallen() -> Simulation:
    """A body that has been limp for some ticks."""
    made = scene(still())
    simulation = Simulation([made.world], CONTROL_DT, [1])
    start = CharacterStart(Limp(made.world.model.nu), made.qpos[0], np.zeros(made.world.model.nv))
    simulation.run([start], FIRST, lambda _: True, records_inputs=False)
    return simulation


def rehearsed(
    simulation: Simulation, stands_at: int = 10**6, hopeless_after: int = 10**6
) -> tuple[Rehearsed, FloatArray]:
    """A rehearsal, and where the body was at its last tick."""
    world = with_timestep([simulation.world], simulation.world.timestep)[0]
    search: Any = Search(world, hopeless_after)
    seen: list[FloatArray] = []

    def carries_on(tick: int, data: Any) -> bool:
        seen.append(data.qpos.copy())
        return tick >= stands_at

    found = rehearse(search, world, simulation.data, FIRST, TICKS, (), carries_on, lambda _: True)
    return found, seen[-1]


def test_a_rehearsal_changes_nothing_and_its_commands_come_to_the_same(fallen: Simulation) -> None:
    before = fallen.data.qpos.copy()
    found, at_end = rehearsed(fallen, stands_at=15)
    assert np.array_equal(fallen.data.qpos, before)
    assert found.stands and len(found.commands) == 15
    again = Simulation([fallen.world], CONTROL_DT, [1])
    axes = fallen.world.model.nu
    repeated = Repeated(found.commands, lambda _: Limp(axes), lambda _: None)

    class Later:
        def command(self, state: State) -> Command:
            return repeated.command(replace(state, time=state.time - FIRST * CONTROL_DT))

    start = CharacterStart(Later(), np.zeros(0), np.zeros(0))
    again.run([start], FIRST + 15, lambda _: True, first_tick=FIRST, data=fallen.data)
    assert np.array_equal(again.data.qpos, at_end), "equal commands from an equal state"


def test_a_rehearsal_that_loses_the_body_says_so(fallen: Simulation) -> None:
    found, _ = rehearsed(fallen, hopeless_after=8)
    assert not found.stands and len(found.commands) == 10


def test_found_controls_up_to_the_end_need_nobody_to_take_over(fallen: Simulation) -> None:
    found, _ = rehearsed(fallen)
    assert found.stands and len(found.commands) == TICKS - FIRST


def test_whoever_takes_over_starts_with_a_fresh_solver() -> None:
    commands, asked = [replace(idle_command(2), kp=np.full(2, k)) for k in (1.0, 2.0)], []

    def take_over(tick: int) -> Limp:
        asked.append(tick)
        return Limp(2)

    repeated = Repeated(commands, take_over, lambda _: None)
    given = [repeated.command(State(k * CONTROL_DT, np.zeros(0), np.zeros(0))) for k in range(4)]
    assert given[:2] == commands and asked == [2]
    assert [own.restarts_solver for own in given] == [False, False, True, False]


def test_a_stretched_guide_takes_longer_and_goes_the_same_way() -> None:
    guide = load_guide()
    slow = guide.stretched(1.5)
    assert [key.seconds for key in slow.rise] == pytest.approx([1.5 * key.seconds for key in guide.rise])
    assert [key.joints for key in slow.ways[0].keys] == [key.joints for key in guide.ways[0].keys]
    assert VARIANTS[0].stretch == 1.0, "the plan as it is comes first"
