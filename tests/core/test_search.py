"""The search for controls: its parts alone, and a stand that is found again from a wrong start."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim_core.bake.attempt import Attempt
from sim_core.bake.make_reference import make_reference
from sim_core.bake.methods import USUAL
from sim_core.bake.setup import CharacterSetup, set_up
from sim_core.base.conventions import FloatArray
from sim_core.dynamics.centroidal import measure_momenta
from sim_core.motion.motion import CONTROL_DT
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.search.features import measure_features
from sim_core.search.improvement import elite_mean, regressed_steps
from sim_core.search.problem import SearchProblem
from sim_core.search.residuals import Residuals, ResidualScales
from sim_core.search.rollouts import EngineRollouts
from sim_core.search.search import SearchSettings, WindowSearch
from sim_core.search.searched_control import SearchedControl
from sim_core.search.window import WindowSettings, improve
from sim_core.simulation.protocol import Command, Controller, State
from sim_core.simulation.simulation import CharacterStart, Simulation
from sim_core.simulation.trace import Trace
from sim_core.world.world import with_timestep
from tests.core.sample_people import MAPPING, moving, person, standing

SEED = 5


@pytest.fixture(scope="module")
def setup() -> CharacterSetup:
    job = Job(person(standing(0.6)), MAPPING, BakeSettings(assist_cap=0.0))
    (made,) = set_up((job,))
    return replace(made, world=with_timestep((made.world,), 0.002)[0])


def problem_of(setup: CharacterSetup, threads: int = 1) -> SearchProblem:
    prepared = make_reference(setup, Attempt(USUAL))
    ticks = len(prepared.reference) - 1
    rollouts = EngineRollouts((setup.world,), (), ticks, CONTROL_DT, threads)
    return SearchProblem(setup.world, prepared, rollouts)


@pytest.fixture(scope="module")
def problem(setup: CharacterSetup) -> SearchProblem:
    return problem_of(setup)


def random_states(setup: CharacterSetup) -> tuple[FloatArray, FloatArray]:
    """Poses of a lively motion with random velocities."""
    (lively,) = set_up((Job(person(moving()), MAPPING, BakeSettings()),))
    qpos = lively.source_qpos[::20]
    return qpos, np.random.default_rng(SEED).normal(size=(len(qpos), setup.world.model.nv))


def test_centre_of_mass_and_momentum_are_the_engines(setup: CharacterSetup) -> None:
    """The same sums in another order: equal to rounding, 1e-12 of values of the order of one."""
    qpos, qvel = random_states(setup)
    found = measure_features(setup.scenario.spec, qpos, qvel)
    model, root = setup.world.model, int(setup.world.index.body[0])
    data = mujoco.MjData(model)
    for k in range(len(qpos)):
        data.qpos[:], data.qvel[:] = qpos[k], qvel[k]
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        np.testing.assert_allclose(found.com[k], data.subtree_com[root], atol=1e-12)
        np.testing.assert_allclose(found.com_velocity[k], data.subtree_linvel[root], atol=1e-11)
    angular = measure_momenta(setup.world, qpos, qvel).angular
    np.testing.assert_allclose(found.angular_momentum, angular, atol=1e-10)


def test_a_state_has_no_residuals_against_itself(setup: CharacterSetup) -> None:
    qpos, qvel = random_states(setup)
    states = measure_features(setup.scenario.spec, qpos, qvel)
    residuals = Residuals(setup.scenario.spec, setup.scenario.leg_length, ResidualScales())
    assert np.abs(residuals(states, states)).max() < 1e-6  # the angle of equal rotations is good to 1e-8
    shifted = measure_features(setup.scenario.spec, qpos + np.eye(qpos.shape[1])[2] * 0.05, qvel)
    # Five centimetres up are one unit of height and change nothing else.
    np.testing.assert_allclose((residuals(shifted, states) ** 2).sum(axis=1), 1.0, atol=1e-6)


def test_the_regressed_step_solves_a_linear_problem() -> None:
    """With more samples than parameters and no noise the model is exact, but for the damping."""
    rng = np.random.default_rng(SEED)
    matrix, wanted = rng.normal(size=(12, 4)), rng.normal(size=4)
    centre = np.zeros(4)
    samples = rng.normal(size=(40, 4))
    residuals = (samples - wanted) @ matrix.T
    steps = list(regressed_steps(samples, residuals, centre, -matrix @ wanted, np.ones(4)))
    errors = [float(np.linalg.norm(step - wanted)) for step in steps]
    assert min(errors) < 0.1 * np.linalg.norm(wanted)


def test_the_mean_of_the_best_lies_between_them() -> None:
    samples = np.arange(16.0)[:, None]
    mean = elite_mean(samples, (samples[:, 0] - 3.0) ** 2)
    assert 0.0 < mean[0] < 6.0


@pytest.mark.parametrize("seed", range(3))
def test_a_window_is_never_made_worse(seed: int) -> None:
    """Rosenbrock's valley, whose residuals are not linear."""

    def evaluate(x: FloatArray) -> FloatArray:
        return np.stack([10.0 * (x[:, 1] - x[:, 0] ** 2), 1.0 - x[:, 0]], axis=1)

    start = np.array([-1.2, 1.0])
    rng = np.random.default_rng(seed)
    better = improve(evaluate, start, np.ones(2), rng, WindowSettings(samples=32, iterations=8))
    first = float((evaluate(start[None]) ** 2).sum())
    assert better.cost == pytest.approx(float((evaluate(better.parameters[None]) ** 2).sum()))
    assert better.cost < 0.2 * first


def state_at_start(problem: SearchProblem, moved: FloatArray | float = 0.0) -> FloatArray:
    """The engine's state at the start of the reference, moved in joint coordinates."""
    data = mujoco.MjData(problem.rollouts.model)
    data.qpos[:] = problem.prepared.reference.qpos[0] + moved
    data.qvel[:] = problem.prepared.reference.qvel[0]
    return problem.rollouts.state_of(data)


def test_rollouts_are_the_same_on_any_number_of_threads(
    problem: SearchProblem, setup: CharacterSetup
) -> None:
    two = problem_of(setup, threads=2)
    rng = np.random.default_rng(SEED)
    offsets = 0.1 * rng.normal(size=(6, 1, len(problem.sigma)))
    controls = problem.base[:40] + problem.stiffness * offsets
    state = state_at_start(problem)
    np.testing.assert_array_equal(problem.roll_out(state, 0, controls), two.roll_out(state, 0, controls))
    two.rollouts.close()


class Limp:
    """Leaves the joints alone."""

    def command(self, state: State) -> Command:
        zero = np.zeros(len(state.qvel) - 6)
        return Command(zero, zero, zero, zero, zero, zero, np.zeros(6))


def run_search(
    problem: SearchProblem, setup: CharacterSetup, seed: int = 0, first_tick: int = 0, until: int = 1000
) -> tuple[Trace, SearchedControl, list[Command]]:
    """Search in a simulation after a push forwards; return its trace, the controller and all commands."""
    settings = SearchSettings(seed=seed, window=WindowSettings(samples=16, iterations=2))
    search = WindowSearch(problem, setup.scenario.leg_length, settings)
    simulation = Simulation((setup.world,), CONTROL_DT, (1,))
    control = SearchedControl(
        Limp(),
        search,
        first_tick,
        lambda: problem.rollouts.state_of(simulation.data),
        lambda tick: Limp() if tick >= until else None,
        lambda _: None,
    )
    commands: list[Command] = []

    class Recorded:
        """Keeps all commands."""

        def command(self, state: State) -> Command:
            commands.append(control.command(state))
            return commands[-1]

    (trace,) = simulation.run((pushed(problem, Recorded()),), simulation_ticks(problem), lambda _: True)
    return trace, control, commands


def simulation_ticks(problem: SearchProblem) -> int:
    return len(problem.prepared.reference) - 1


def pushed(problem: SearchProblem, controller: Controller) -> CharacterStart:
    reference = problem.prepared.reference
    qvel = reference.qvel[0].copy()
    qvel[0] += 0.3
    return CharacterStart(controller, reference.qpos[0], qvel)


def test_a_search_repeats_itself_and_depends_on_its_seed(
    problem: SearchProblem, setup: CharacterSetup
) -> None:
    first, again, other = (run_search(problem, setup, seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.qpos, again.qpos)
    assert not np.array_equal(first.qpos, other.qpos)
    assert np.abs(first.torque).max(axis=0).max() <= setup.world.index.torque_limit.max() + 1e-9


def test_found_controls_give_the_same_motion_in_a_new_simulation(
    problem: SearchProblem, setup: CharacterSetup
) -> None:
    """To the last digit: what is found is what is recorded."""
    trace, _, commands = run_search(problem, setup)

    class Replayed:
        """Repeats the commands."""

        def command(self, state: State) -> Command:
            return commands[round(state.time / CONTROL_DT)]

    simulation = Simulation((setup.world,), CONTROL_DT, (1,))
    start = pushed(problem, Replayed())
    (again,) = simulation.run((start,), simulation_ticks(problem), lambda _: True)
    np.testing.assert_array_equal(trace.qpos, again.qpos)
    np.testing.assert_array_equal(trace.qvel, again.qvel)


def test_a_window_expects_what_the_simulation_does(problem: SearchProblem, setup: CharacterSetup) -> None:
    """To the last digit, because the solver starts without a memory in both."""
    trace, _, commands = run_search(problem, setup)
    block = round(SearchSettings().commit_s / CONTROL_DT)
    blocks = [own.controls for own in commands[:block] if own.controls is not None]
    state = state_at_start(problem)
    problem.rollouts.split(state[None])[1][0, 0] += 0.3
    expected = problem.roll_out(state, 0, np.concatenate(blocks)[None])[0, -1]
    np.testing.assert_array_equal(problem.rollouts.split(expected[None])[0][0], trace.qpos[block])


def test_a_search_that_stays_far_from_the_motion_is_given_up(
    problem: SearchProblem, setup: CharacterSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From ten metres up nothing leads back to the floor in time."""
    settings = SearchSettings(window=WindowSettings(samples=8, iterations=1))
    search = WindowSearch(problem, setup.scenario.leg_length, settings)
    monkeypatch.setattr("sim_core.search.search.HOPELESS_WINDOWS", 3)
    away = state_at_start(problem, 10.0 * np.eye(setup.world.model.nq)[2])
    given_up = []
    for tick in (0, 10, 20):
        given_up.append(search.gave_up)
        search.plan(away, tick)
    assert not any(given_up) and search.gave_up


def test_controls_are_handed_over_at_their_ticks(problem: SearchProblem, setup: CharacterSetup) -> None:
    """Limp joints, found controls from tick 7 on, and limp joints again once somebody takes over."""
    _, control, commands = run_search(problem, setup, first_tick=7, until=27)
    found = [own.controls is not None for own in commands]
    assert found == [7 <= tick < 27 for tick in range(len(commands))]
    assert (control.first_tick, control.end_tick) == (7, 27)
    restarts = [tick for tick, own in enumerate(commands) if own.restarts_solver]
    assert restarts == [7, 17, 27]
