"""The three-link body in the tracker: what it asks for, when it is silent, and that it carries a walk."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base.conventions import BoolArray
from sim_core.control.gain_cache import GainCache
from sim_core.control.make_tracker import TrackerOptions, make_tracker
from sim_core.control.three_link.lqr import LinkScales
from sim_core.control.three_link.policy import FULL_WEIGHT, ThreeLinkBalance, single_supports
from sim_core.control.tracking.plan import make_plan
from sim_core.control.tracking.policy import BalanceTargets
from sim_core.control.tracking.prediction import Predictor
from sim_core.reference.prepare import Prepared
from sim_core.simulation.protocol import State
from tests.core.sample_motions import DT, Scene, prepared, scene, walk
from tests.core.sample_simulation import SingleSimulation

NOTHING = np.zeros(0, dtype=np.int64)
"""No supports."""


@pytest.fixture(scope="module")
def walking() -> tuple[Scene, Prepared]:
    made = scene(walk(1.3))
    return made, prepared(made)


def test_single_supports_are_found() -> None:
    stands = np.array([[1, 1], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [1, 0], [1, 1]], dtype=bool)
    assert single_supports(stands) == [(1, 3, 0), (3, 5, 1)], "one sample alone is no phase"


class Silent:
    """A policy that asks for the plan and nothing else."""

    def __init__(self, scene_: Scene, ready: Prepared) -> None:
        self.plan = make_plan(
            scene_.world, ready.reference, ready.schedule, ready.contact_ground, ready.support_force
        )

    def touches(self, sample: int) -> BoolArray:
        return self.plan.schedule.touches[sample]

    def targets(self, sample: int, *_: object) -> BalanceTargets:
        plan = self.plan
        return BalanceTargets(plan.com_acceleration[sample], plan.momentum_rate[sample], np.zeros((2, 3)))


def policy(made: Scene, ready: Prepared, dial: float) -> tuple[ThreeLinkBalance, Silent]:
    silent = Silent(made, ready)
    return ThreeLinkBalance(
        made.world, silent.plan, made.leg_length, dial, silent, LinkScales(), GainCache()
    ), silent


def test_without_errors_it_wants_what_the_plan_does(walking: tuple[Scene, Prepared]) -> None:
    made, ready = walking
    balance, silent = policy(made, ready, 1.0)
    predictor, reference = Predictor(made.world), ready.reference
    asked = 0
    for sample in range(5, len(reference) - 5, 9):
        state = State(sample * DT, reference.qpos[sample], reference.qvel[sample])
        targets = balance.targets(sample, state, predictor.predict(state, NOTHING))
        assert targets.com_acceleration == pytest.approx(silent.plan.com_acceleration[sample], abs=1e-9)
        for task in targets.extra:
            asked += 1
            done = task.rows @ reference.qacc[sample]
            # Second differences of places, not of angles: a few per cent of some 10 m/s^2 in a swing.
            assert done == pytest.approx(task.wanted, abs=0.6)
            assert task.root_weight**2 == pytest.approx(FULL_WEIGHT)
    assert asked > 5


def test_the_dial_goes_from_the_other_policy_to_the_small_body(walking: tuple[Scene, Prepared]) -> None:
    made, ready = walking
    reference, sample = ready.reference, 40
    assert ready.schedule.stands[sample].sum() == 1
    touching = ready.schedule.support[ready.schedule.touches[sample]]
    now = State(0.0, reference.qpos[sample], reference.qvel[sample])
    planned = Predictor(made.world).predict(now, touching)
    held = planned.point_jacobian.reshape(-1, made.world.model.nv)
    ahead = np.array([0.2, -0.1, 0.0])
    rows, wanted = np.vstack([held, planned.rows[0]]), np.concatenate([np.zeros(len(held)), ahead])
    slip = np.linalg.lstsq(rows, wanted, rcond=None)[0]  # over a foot that stands
    state = State(sample * DT, reference.qpos[sample], reference.qvel[sample] + slip)
    prediction = Predictor(made.world).predict(state, NOTHING)
    none, half, full = (policy(made, ready, d)[0].targets(sample, state, prediction) for d in (0.0, 0.5, 1.0))
    assert not none.extra
    middle = 0.5 * (none.com_acceleration + full.com_acceleration)
    assert half.com_acceleration == pytest.approx(middle)
    assert half.extra[0].root_weight ** 2 == pytest.approx(0.5 * full.extra[0].root_weight ** 2)
    change = full.com_acceleration - none.com_acceleration
    assert change @ ahead < 0.0, "a body that runs ahead is held back"


def test_it_is_silent_while_a_step_is_taken_that_was_not_planned(walking: tuple[Scene, Prepared]) -> None:
    made, ready = walking
    balance, silent = policy(made, ready, 1.0)
    reference, sample = ready.reference, 40
    state = State(sample * DT, reference.qpos[sample], reference.qvel[sample])
    prediction = Predictor(made.world).predict(state, NOTHING)
    assert balance.targets(sample, state, prediction).extra
    silent.touches = lambda sample: np.zeros_like(ready.schedule.touches[sample])  # type: ignore[method-assign]
    assert not balance.targets(sample, state, prediction).extra


def test_it_carries_a_walk(walking: tuple[Scene, Prepared]) -> None:
    made, ready = walking
    reference = ready.reference
    tracker = make_tracker(made.world, ready, made.leg_length, TrackerOptions(balance="three_link"))
    trace = SingleSimulation(made.world, DT).run(
        tracker, reference.qpos[0], reference.qvel[0], len(reference) - 1
    )
    away = np.linalg.norm(trace.qpos[:, :3] - reference.qpos[:, :3], axis=1)
    assert away.max() < 0.1
