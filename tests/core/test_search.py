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
from sim_core.search.program import OpenLoop, Part, Program
from sim_core.search.residuals import Residuals, ResidualScales
from sim_core.search.search import Found, SearchSettings, WindowSearch
from sim_core.search.window import WindowSettings, improve
from sim_core.simulation.protocol import Command, State
from sim_core.simulation.simulation import CharacterStart, Simulation
from sim_core.world.world import with_timestep
from tests.core.sample_people import MAPPING, moving, person, standing

SEED = 5


@pytest.fixture(scope="module")
def setup() -> CharacterSetup:
    job = Job(person(standing(0.6)), MAPPING, BakeSettings(assist_cap=0.0))
    (made,) = set_up((job,))
    return replace(made, world=with_timestep((made.world,), 0.002)[0])


@pytest.fixture(scope="module")
def problem(setup: CharacterSetup) -> SearchProblem:
    return SearchProblem(setup.world, make_reference(setup, Attempt(USUAL)), threads=1)


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


def test_rollouts_are_the_same_on_any_number_of_threads(problem: SearchProblem) -> None:
    two = SearchProblem(problem.world, problem.prepared, threads=2)
    rng = np.random.default_rng(SEED)
    controls = problem.base[:40] + problem.stiffness * 0.1 * rng.normal(size=(6, 1, problem.model.nu))
    reference = problem.prepared.reference
    state = problem.state(reference.qpos[0], reference.qvel[0])
    np.testing.assert_array_equal(problem.roll_out(state, controls), two.roll_out(state, controls))
    two.close()


def search(problem: SearchProblem, setup: CharacterSetup, seed: int = 0) -> Found:
    settings = SearchSettings(seed=seed, window=WindowSettings(samples=16, iterations=2))
    qvel = problem.prepared.reference.qvel[0].copy()
    qvel[0] += 0.3  # a push forwards
    finder = WindowSearch(problem, setup.scenario.leg_length, settings)
    return finder.run(0, problem.prepared.reference.qpos[0], qvel, lambda found: True)


def test_a_search_repeats_itself_and_depends_on_its_seed(
    problem: SearchProblem, setup: CharacterSetup
) -> None:
    first, again, other = (search(problem, setup, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.controls, again.controls)
    assert not np.array_equal(first.controls, other.controls)
    assert len(first.controls) == problem.steps and first.gave_up == ""


def test_found_controls_give_the_same_motion_in_the_simulation(
    problem: SearchProblem, setup: CharacterSetup
) -> None:
    """To the last digit: what is found is what is recorded."""
    found, reference = search(problem, setup), problem.prepared.reference
    qvel = reference.qvel[0].copy()
    qvel[0] += 0.3
    controls = found.controls.reshape(-1, problem.steps_per_tick, problem.model.nu)
    block = round(SearchSettings().commit_s / CONTROL_DT)
    played = OpenLoop(0, controls, block, CONTROL_DT, problem.stiffness, problem.damping)
    start = CharacterStart(Program([Part(0, played)], CONTROL_DT), reference.qpos[0], qvel)
    (trace,) = Simulation((setup.world,), CONTROL_DT, (1,)).run((start,), len(controls), lambda _: True)
    np.testing.assert_array_equal(trace.qpos[-1], found.qpos)
    np.testing.assert_array_equal(trace.qvel[-1], found.qvel)
    assert np.abs(trace.torque).max(axis=0).max() <= setup.world.index.torque_limit.max() + 1e-9


def test_a_search_that_stays_far_from_the_motion_is_given_up(
    problem: SearchProblem, setup: CharacterSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From ten metres up nothing leads back to the floor in time."""
    settings = SearchSettings(window=WindowSettings(samples=8, iterations=1))
    finder = WindowSearch(problem, setup.scenario.leg_length, settings)
    monkeypatch.setattr("sim_core.search.search.HOPELESS_WINDOWS", 3)
    away = problem.prepared.reference.qpos[0] + 10.0 * np.eye(problem.model.nq)[2]
    found = finder.run(0, away, problem.prepared.reference.qvel[0], lambda found: True)
    assert found.gave_up and len(found.controls) < problem.steps


def test_a_program_hands_over_at_its_ticks() -> None:
    class Named:
        """Answers with a torque that tells it from the others."""

        def __init__(self, value: float) -> None:
            self.value = value

        def command(self, state: State) -> Command:
            zero = np.zeros(1)
            return Command(np.full(1, self.value), zero, zero, zero, zero, zero, np.zeros(6))

    program = Program([Part(0, Named(1.0)), Part(3, Named(2.0))], 0.01)
    commands = [program.command(State(0.01 * k, np.zeros(0), np.zeros(0))) for k in range(5)]
    assert [float(command.torque[0]) for command in commands] == [1.0, 1.0, 1.0, 2.0, 2.0]
    assert [command.restarts_solver for command in commands] == [False, False, False, True, False]
