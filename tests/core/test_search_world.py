"""The search among all that acts: trials that expect it, and runs that repeat to the last digit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake.attempt import Attempt
from sim_core.bake.make_reference import make_reference
from sim_core.bake.methods import USUAL
from sim_core.bake.monitor import Monitor
from sim_core.bake.pipeline import run_attempt
from sim_core.bake.search_budget import SearchBudget
from sim_core.bake.search_run import TIMESTEP, SearchedCharacter, SearchRuns
from sim_core.bake.setup import CharacterSetup, set_up
from sim_core.bake.simulate import flights_of
from sim_core.base.conventions import IDENTITY_QUATERNION, FloatArray
from sim_core.base.progress import ignore_progress
from sim_core.motion.motion import CONTROL_DT, Motion
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Hinge, Keys, Launch, Push, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Sphere
from sim_core.search.problem import SearchProblem
from sim_core.search.rollouts import EngineRollouts
from sim_core.search.searched_control import SearchedControl
from sim_core.simulation.protocol import Command, State, idle_command
from sim_core.simulation.simulation import CharacterStart, Simulation
from sim_core.world.world import with_timestep
from tests.core.sample_people import MAPPING, person, standing

SETTINGS = BakeSettings(assist_cap=0.0, find_assist=False)
STONE = SceneObject(
    "stone",
    Role.PROP,
    Box(np.full(3, 0.1)),
    np.array([0.6, 0.0, 1.0]),
    mass=2.0,
    velocity=np.array([-2.0, 0.0, 1.0]),
)
DOOR = SceneObject(
    "door",
    Role.HINGE,
    Box(np.array([0.05, 0.4, 0.9])),
    np.array([0.3, 0.3, 1.0]),
    mass=5.0,
    hinge=Hinge(np.array([0.0, 0.0, 1.0]), -1.0, 1.0, 0.1, 0.4),
)
KEYS = Keys(
    np.array([0.05, 0.2, 0.4]),
    np.array([[0.5, 0.0, 1.1], [0.3, 0.0, 1.1], [0.05, 0.0, 1.15]]),
    np.tile(IDENTITY_QUATERNION, (3, 1)),
)
RAM = SceneObject("ram", Role.MOVING, Box(np.full(3, 0.1)), keys=KEYS)
BALL = SceneObject(
    "ball", Role.PROJECTILE, Sphere(0.1), np.array([0.8, 0.0, 1.1]), mass=1.0,
    angular_velocity=np.array([0.0, 3.0, 1.0]), launch=Launch(0.1, 5.0, "chest"),
)  # fmt: skip
PUSH = Push("chest", np.array([150.0, 0.0, 0.0]), 0.05, 0.1)
SCENES = {
    "push": Scene((), (PUSH,)),
    "prop": Scene((STONE,)),
    "hinge": Scene((DOOR,)),
    "keyed": Scene((RAM,)),
    "projectile": Scene((BALL,)),
}


def setups_of(scene: Scene, people: int = 1) -> tuple[CharacterSetup, ...]:
    """People in a row, half a metre apart, at the time step of searches."""
    jobs = [replace(Job(beside(k), MAPPING, SETTINGS, scene), name=f"person {k}") for k in range(people)]
    setups = set_up(jobs)
    worlds = with_timestep([own.world for own in setups], TIMESTEP)
    return tuple(replace(own, world=world) for own, world in zip(setups, worlds, strict=True))


def beside(index: int) -> Motion:
    motion = person(standing(0.4))
    return replace(motion, position_world=motion.position_world + [0.0, 0.5 * index, 0.0])


class Springs:
    """Plays the controls that pull to the reference, and counts as one block."""

    def __init__(self, problem: SearchProblem) -> None:
        self.problem = problem
        self.template = replace(idle_command(len(problem.sigma)), kp=problem.stiffness, kd=problem.damping)

    def command(self, state: State) -> Command:
        tick, steps = round(state.time / CONTROL_DT), self.problem.rollouts.steps_per_tick
        controls = self.problem.base[tick * steps : (tick + 1) * steps]
        return replace(self.template, controls=controls, restarts_solver=tick == 0)


def expected_and_simulated(scene: Scene, people: int = 1) -> tuple[FloatArray, FloatArray]:
    """Joint coordinates of the whole engine after 0.3 s: by a trial of the first one, and simulated."""
    setups = setups_of(scene, people)
    prepared = [make_reference(own, Attempt(USUAL)) for own in setups]
    references, worlds = [own.reference for own in prepared], [own.world for own in setups]
    flights = flights_of(setups, worlds, references)
    ticks = 30
    rollouts = EngineRollouts(worlds, flights, len(references[0]) - 1, CONTROL_DT, 1)
    problems = [SearchProblem(w, p, rollouts) for w, p in zip(worlds, prepared, strict=True)]
    for problem in problems:
        rollouts.expected[:, problem.actuators] = problem.base
    simulation = Simulation(worlds, CONTROL_DT, [1] * people)
    starts = [
        CharacterStart(Springs(problem), reference.qpos[0], reference.qvel[0])
        for problem, reference in zip(problems, references, strict=True)
    ]
    simulation.run(starts, 0, lambda _: True, flights)
    began = rollouts.state_of(simulation.data)
    simulation.run(starts, ticks, lambda _: True, flights)
    steps = ticks * rollouts.steps_per_tick
    states = problems[0].roll_out(began, 0, problems[0].base[None, :steps])
    rollouts.close()
    return rollouts.split(states[0, -1:])[0][0], simulation.data.qpos.copy()


@pytest.mark.parametrize("name", ["push", "prop", "hinge"])
def test_trials_expect_the_surroundings_to_the_last_digit(name: str) -> None:
    np.testing.assert_array_equal(*expected_and_simulated(SCENES[name]))


def test_trials_expect_others_to_the_last_digit_if_they_do_as_expected() -> None:
    np.testing.assert_array_equal(*expected_and_simulated(Scene((), (PUSH,)), people=2))


def test_trials_expect_objects_with_keys_within_the_error_of_their_integration() -> None:
    """Half a step of the largest speed, 2 m/s: 2 mm, for the object; the body that it pushes is softer."""
    expected, simulated = expected_and_simulated(SCENES["keyed"])
    np.testing.assert_allclose(expected, simulated, atol=4e-3)


def test_trials_expect_launches_in_their_midst() -> None:
    """The solver starts anew at the launch, which its tolerance of 1e-8 lets show."""
    expected, simulated = expected_and_simulated(SCENES["projectile"])
    np.testing.assert_allclose(expected, simulated, atol=1e-4)


def runs_of(scene: Scene, people: int = 1) -> SearchRuns:
    setups, monitor = setups_of(scene, people), Monitor(ignore_progress)
    kept = run_attempt(setups, [Attempt(USUAL)] * people, monitor)
    characters = [
        SearchedCharacter(setup, outcome, outcome.prepared, True)
        for setup, outcome in zip(setups, kept, strict=True)
    ]
    return SearchRuns(characters, SearchBudget(600.0, monitor))


class Replayed:
    """Repeats commands."""

    def __init__(self, commands: dict[int, Command]) -> None:
        self.commands = commands

    def command(self, state: State) -> Command:
        return self.commands[round(state.time / CONTROL_DT)]


@pytest.mark.parametrize(
    ("name", "people"), [("push", 1), ("prop", 1), ("keyed", 1), ("projectile", 1), ("push", 2)]
)
def test_found_controls_give_the_same_motion_in_a_new_simulation(
    name: str, people: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last digit, whatever acts; the others' trackers act on what they see in both."""
    commands: dict[int, Command] = {}
    searched = SearchedControl.command

    def recorded(self: SearchedControl, state: State) -> Command:
        command = commands[round(state.time / CONTROL_DT)] = searched(self, state)
        return command

    monkeypatch.setattr(SearchedControl, "command", recorded)
    runs = runs_of(SCENES[name], people)
    outcomes = runs.searched({0: 10}, [own.trace for own in runs.tracked()])
    record = outcomes[0].search
    assert record is not None and record.start_s == pytest.approx(0.1) and record.simulated_s > 0.0
    assert all(own.search is None for own in outcomes[1:])
    controlled = [own.controlled(own.setup.world) for own in runs.characters]
    starts = [own.start for own in controlled]
    starts[0] = replace(starts[0], controller=Replayed(commands))
    simulation = Simulation(runs.worlds, CONTROL_DT, [1] * people)
    again = simulation.run(starts, runs.ticks, lambda _: True, runs.flights)
    for outcome, trace in zip(outcomes, again, strict=True):
        np.testing.assert_array_equal(outcome.trace.qpos, trace.qpos)
        np.testing.assert_array_equal(outcome.trace.object_qpos, trace.object_qpos)


def test_a_tracker_tries_to_take_over_without_a_trace() -> None:
    """A try leaves the engine and the projectiles that wait as they were."""
    runs = runs_of(SCENES["projectile"])
    tracker = runs.characters[0].controlled(runs.worlds[0])
    simulation = Simulation(runs.worlds, CONTROL_DT, [1])
    simulation.run([tracker.start], 5, lambda _: True, runs.flights)
    before = simulation.data.qpos.copy(), runs.worlds[0].engine.model.geom_contype.copy()
    assert runs.carries_on(0, 5, simulation.data)
    np.testing.assert_array_equal(simulation.data.qpos, before[0])
    np.testing.assert_array_equal(runs.worlds[0].engine.model.geom_contype, before[1])


def test_both_of_two_characters_that_fall_are_searched_in_one_run() -> None:
    """Each is pushed hard enough that its tracker does not stay up."""
    hard = [replace(PUSH, force=np.array([600.0, 0.0, 0.0]), character=name) for name in ("", "person 1")]
    runs = runs_of(Scene((), tuple(hard)), people=2)
    outcomes = runs.searched({0: 5, 1: 8}, [own.trace for own in runs.tracked()])
    assert [own.search.start_s for own in outcomes if own.search] == pytest.approx([0.05, 0.08])
