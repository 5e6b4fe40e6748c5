"""The dynamic filter: right equations, small changes, and a motion that the ground can carry afterwards."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.dynamics.centroidal import measure_centroidal
from sim_core.reference.dynamic_filter import Filtered, FilterSettings, _resting_positions
from sim_core.reference.filter_equations import NormalEquations
from sim_core.reference.reference import pose_changes
from tests.core.sample_motions import (
    DT,
    Scene,
    Steps,
    dynamic_filter,
    jump,
    prepared,
    scene,
    simulate,
    still,
    walk,
)


def filtered(made: Scene) -> Filtered:
    return dynamic_filter(made).run(made.qpos)


def share_of_weight(made: Scene, residual: FloatArray) -> float:
    """RMS of the force (T, 6) over body weight."""
    force = np.linalg.norm(residual[:, :3], axis=1)
    return float(np.sqrt((force**2).mean()) / (made.world.spec.mass * GRAVITY))


def change(made: Scene, qpos: FloatArray) -> FloatArray:
    """From the scene's poses to others (T, nv) [m, rad]."""
    result = np.zeros((len(qpos), made.world.model.nv))
    for t in range(len(qpos)):
        mujoco.mj_differentiatePos(made.world.model, result[t], 1.0, made.qpos[t], qpos[t])
    return result


@pytest.fixture(scope="module")
def walked() -> tuple[Scene, Filtered]:
    made = scene(walk(1.3))
    return made, filtered(made)


@pytest.fixture(scope="module")
def jumped() -> tuple[Scene, Filtered]:
    """A jump captured as if gravity were 15 % weaker."""
    made = scene(jump(0.85))
    return made, filtered(made)


class Costs:
    """The filter's cost about a motion at rest, as a vector whose squares it sums.

    At rest the momentum matrix does not change with the step to first order, so nothing of the
    dynamics is dropped from the equations but a term that the ridge makes small.
    """

    def __init__(self, made: Scene, lean: float) -> None:
        self.scene, self.model = made, made.world.model
        self.filter = dynamic_filter(made)
        tilt = lean * (np.arange(self.model.nv) == 4)
        self.qpos = self.moved(made.qpos, np.tile(tilt, (len(made.qpos), 1)))
        rng = np.random.default_rng(3)
        self.source = self.moved(self.qpos, 1e-4 * rng.normal(size=(len(self.qpos), self.model.nv)))
        frames = measure_centroidal(made.world, self.qpos, made.schedule.support)
        # Where points rest is found anew in each iteration, and held within it.
        self.places = _resting_positions(frames.points, made.schedule.touches, self.filter.contact_ground)
        evaluated = self.filter._evaluate(self.qpos, self.source)
        self.cost, self.system = evaluated.cost, self.filter._equations(evaluated)

    def moved(self, qpos: FloatArray, step: FloatArray) -> FloatArray:
        result = qpos.copy()
        for t in range(len(qpos)):
            mujoco.mj_integratePos(self.model, result[t], step[t], 1.0)
        return result

    def errors(self, step: FloatArray) -> FloatArray:
        qpos = self.moved(self.qpos, step)
        frames = measure_centroidal(self.scene.world, qpos, self.scene.schedule.support)
        moved = pose_changes(self.model, self.source, qpos)
        prior, chosen = self.filter.prior, FilterSettings()
        sharp = np.diff(moved, n=2, axis=0) / (chosen.acceleration * DT**2)
        points = (frames.points - self.places) * self.scene.schedule.touches[..., None] / chosen.point
        forces = self.filter._evaluate(qpos, self.source).ground.residual
        return np.concatenate([a.ravel() for a in (prior * moved, prior * sharp, points, forces)])


@pytest.mark.parametrize("lean", [0.0, 0.3])
def test_the_equations_are_the_derivatives_of_the_cost(lean: float) -> None:
    """Along random directions d: gradient d = e' e_d and d' H d = |e_d|^2, e_d by differences."""
    costs = Costs(scene(still(0.05)), lean)
    rng, errors = np.random.default_rng(5), costs.errors(np.zeros_like(costs.system.gradient))
    assert costs.cost == pytest.approx(errors @ errors)
    shape = costs.system.gradient.shape
    for i in range(8):
        # Every other direction is the same in all frames: nothing accelerates, but the forces' arms change.
        d = rng.normal(size=shape) if i % 2 else np.tile(rng.normal(size=shape[1]), (shape[0], 1))
        slope = (costs.errors(1e-6 * d) - costs.errors(-1e-6 * d)) / 2e-6
        blocks, samples = costs.system.blocks, len(d)
        curvature = np.einsum("ti,tij,tj->", d, blocks[0], d) + 2.0 * sum(
            np.einsum("ti,tij,tj->", d[:-k], blocks[k, : samples - k], d[k:]) for k in (1, 2)
        )
        # The ridge of 1e-2 leaves terms of its square in the gradient, and the turn of 1e-4 rad from the
        # source likewise. Curvature also lacks how changed arms share out what the forces do explain
        # (Kaufman's approximation): second order in the residual, here below a hundredth.
        size = np.linalg.norm(slope)
        assert curvature == pytest.approx(size**2, rel=1e-2)
        assert np.sum(costs.system.gradient * d) == pytest.approx(
            errors @ slope, abs=1e-3 * size * np.linalg.norm(errors)
        )


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), samples=st.integers(3, 7), nv=st.integers(1, 5))
def test_the_banded_solution_is_that_of_the_whole_matrix(seed: int, samples: int, nv: int) -> None:
    rng = np.random.default_rng(seed)
    rows: list[FloatArray] = [rng.normal(size=(samples - 2, 6, nv)) for _ in range(3)]
    error, moved = rng.normal(size=(samples - 2, 6)), rng.normal(size=(samples, nv))
    weight, diagonal = rng.uniform(size=nv), 0.5 + rng.uniform(size=nv)
    system = NormalEquations(samples, nv)
    system.add_diagonal(diagonal, moved)
    system.add_second_difference(weight, moved)
    system.add_rows(rows, error)
    # The same as one tall least-squares problem over all frames.
    tall, wanted = (
        [np.kron(np.eye(samples), np.diag(np.sqrt(diagonal)))],
        [(np.sqrt(diagonal) * moved).ravel()],
    )
    for t in range(samples - 2):
        frames = [np.eye(samples)[t + i] for i in range(3)]
        second = frames[0] - 2.0 * frames[1] + frames[2]
        tall.append(np.kron(second, np.diag(np.sqrt(weight))))
        wanted.append(np.sqrt(weight) * (second @ moved))
        tall.append(np.sum([np.kron(frame, row[t]) for frame, row in zip(frames, rows, strict=True)], axis=0))
        wanted.append(error[t])
    expected = np.linalg.lstsq(np.vstack(tall), -np.concatenate(wanted), rcond=None)[0]
    assert system.solve().ravel() == pytest.approx(expected, abs=1e-8)


def test_whoever_stands_is_left_alone() -> None:
    made = scene(still(0.3))
    result = filtered(made)
    moved = np.abs(change(made, result.qpos))
    assert moved[:, :3].max() < 1e-3
    assert np.degrees(moved[:, 3:].max()) < 0.1
    assert share_of_weight(made, result.residual) < 1e-3
    # Forces in the ends' frames are unknown.
    weight = made.world.spec.mass * GRAVITY
    assert result.support_force[1:-1, :, 2].sum(axis=1) == pytest.approx(weight, rel=1e-2)


def test_what_was_simulated_is_hardly_changed() -> None:
    """A body's own forces moved it, so they can be found again."""
    steps = still(0.5)
    bow = 0.1 * np.sin(np.pi * steps.performance.time / 0.5) ** 2
    bowing = replace(steps.performance, turns={**steps.performance.turns, "spine": np.outer(bow, [0, 1, 0])})
    made = scene(Steps(bowing, steps.stands))
    made = replace(made, qpos=simulate(made, prepared(made)).qpos)
    after = filtered(made)
    moved = np.abs(change(made, after.qpos))
    # The engine's contacts are soft: soles are a millimetre or two below the ground, which the filter undoes.
    assert moved[:, :3].max() < 0.005
    assert np.degrees(moved[:, 3:]).max() < 1.0
    assert np.degrees(moved[:, 3:]).mean() < 0.1
    assert share_of_weight(made, after.residual) < 0.02


def test_a_walk_becomes_possible(walked: tuple[Scene, Filtered]) -> None:
    made, result = walked
    assert share_of_weight(made, result.residual_before) > 0.04
    assert share_of_weight(made, result.residual) < 0.02


def test_a_walk_stays_what_it_was(walked: tuple[Scene, Filtered]) -> None:
    made, result = walked
    moved = np.abs(change(made, result.qpos))
    assert moved[:, :3].mean() < 0.02
    assert np.degrees(moved[:, 3:]).mean() < 1.5


def test_ground_forces_push_inside_their_cones_and_only_where_soles_touch(
    walked: tuple[Scene, Filtered],
) -> None:
    made, result = walked
    force = result.support_force
    assert force[..., 2].min() >= 0.0
    sideways = np.abs(force[..., :2]).sum(axis=-1)
    assert np.all(sideways <= FilterSettings().friction * force[..., 2] + 1e-9)
    assert not force[~made.schedule.touches].any()


def test_forces_and_residual_are_what_the_motion_needs(walked: tuple[Scene, Filtered]) -> None:
    made, result = walked
    com = measure_centroidal(made.world, result.qpos, made.schedule.support).com
    needed = made.world.spec.mass * (np.diff(com, n=2, axis=0) / DT**2 + [0.0, 0.0, GRAVITY])
    given = result.support_force.sum(axis=1)[1:-1] + result.residual[1:-1, :3]
    assert np.abs(given - needed).max() < 1e-6 * made.world.spec.mass * GRAVITY


def test_resting_soles_lie_on_the_ground_and_do_not_slide(walked: tuple[Scene, Filtered]) -> None:
    made, result = walked
    points = measure_centroidal(made.world, result.qpos, made.schedule.support).points
    for k, touches in enumerate(made.schedule.touches.T):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], touches.astype(int), [0]])))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            resting = points[start:end, k]
            assert np.abs(resting[:, 2]).max() < 0.005
            assert np.ptp(resting[:, :2], axis=0).max() < 0.01


def test_in_flight_the_body_falls_with_gravity(jumped: tuple[Scene, Filtered]) -> None:
    made, result = jumped
    com = measure_centroidal(made.world, result.qpos, made.schedule.support).com
    airborne = ~np.asarray(made.schedule.touches.any(axis=1))[1:-1]
    fall = np.diff(com, n=2, axis=0)[airborne] / DT**2
    source = measure_centroidal(made.world, made.qpos, made.schedule.support).com
    before = np.diff(source, n=2, axis=0)[airborne, 2].mean() / DT**2
    assert before == pytest.approx(-0.85 * GRAVITY, rel=1e-3)
    assert np.abs(fall - [0.0, 0.0, -GRAVITY]).max() < 0.01 * GRAVITY


def test_in_flight_angular_momentum_is_kept(jumped: tuple[Scene, Filtered]) -> None:
    made, result = jumped
    airborne = ~made.schedule.touches.any(axis=1)
    leg_moment = made.world.spec.mass * GRAVITY * made.leg_length
    assert np.abs(result.residual[airborne, 3:]).max() < 0.01 * leg_moment
    assert not result.support_force[airborne].any()


def test_swinging_feet_keep_clear_of_the_ground(walked: tuple[Scene, Filtered]) -> None:
    made, result = walked
    swings = ~made.schedule.touches
    points = measure_centroidal(made.world, result.qpos, made.schedule.support).points
    assert points[swings, 2].min() > -0.005
