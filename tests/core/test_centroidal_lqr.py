"""Balance gains: right dynamics, the known answer for standing, and footsteps that pay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import solve_discrete_are

from sim_core.base.conventions import FloatArray
from sim_core.control.balance.centroidal_lqr import (
    FEET,
    INPUTS,
    LEAST_ROOM,
    LONG_SWING_S,
    STATES,
    CentroidalGains,
    LqrScales,
    _dynamics,
    _support,
    _Weights,
    compute_gains,
)
from sim_core.control.tracking.plan import TrackingPlan
from tests.core.finite_differences import central_differences
from tests.core.sample_plans import (
    CORNERS,
    DT,
    FOOT,
    LEG,
    MASS,
    both_stand,
    error_state,
    glide_plan,
    one_step,
    soles_only,
)

SCALES = LqrScales()
LIFT, TOUCH, END = 10, 45, 100


@pytest.fixture(scope="module")
def stepping() -> TrackingPlan:
    return glide_plan(one_step(END, LIFT, TOUCH), speed=0.5)


@pytest.fixture(scope="module")
def gains(stepping: TrackingPlan) -> CentroidalGains:
    return compute_gains(stepping, MASS, LEG, SCALES)


def matrices(plan: TrackingPlan, t: int) -> tuple[FloatArray, FloatArray]:
    by_state, by_input = _dynamics(plan, MASS, *_support(plan))
    return by_state[t], by_input[t]


def flow(plan: TrackingPlan, t: int, state: FloatArray, inputs: FloatArray) -> FloatArray:
    """The errors one interval later, by Newton and Euler without linearisation."""
    share, centre, planned = (part[t] for part in _support(plan))
    loaded = float(share.sum() > 0.5)
    force = planned + loaded * inputs[:3]

    def rate(_: float, x: FloatArray) -> FloatArray:
        feet = share[0] * x[FEET[0]] + share[1] * x[FEET[1]]
        arm = centre - plan.com[t] - x[:3]
        arm[:2] += feet + loaded * inputs[3:5]
        moment = np.cross(arm, force) - np.cross(centre - plan.com[t], planned)
        moment[2] += loaded * inputs[5]
        turning = np.linalg.solve(plan.inertia[t], x[9:12])
        return np.concatenate([x[3:6], (force - planned) / MASS, turning, moment, np.zeros(4)])

    return np.asarray(solve_ivp(rate, (0.0, DT), state, rtol=1e-10, atol=1e-12).y[:, -1])


@pytest.mark.parametrize("stands", [(True, True), (True, False), (False, False)])
def test_the_linear_dynamics_against_differences(stands: tuple[bool, bool]) -> None:
    plan = glide_plan(np.tile(stands, (3, 1)), speed=0.8)
    a, b = matrices(plan, 1)
    nothing, unmoved = np.zeros(STATES), np.zeros(INPUTS)
    by_state = central_differences(lambda x: flow(plan, 1, x, unmoved), nothing, 1e-3)
    by_input = central_differences(lambda u: flow(plan, 1, nothing, u), unmoved, 1e-3)
    # Two terms of the exponential: the third is (DT a)^3 / 6, with a nilpotent chain of
    # velocity -> place -> momentum -> turn; its entries are weight and 1 / inertia.
    left = DT**3 / 6.0 * MASS * 9.81
    assert np.abs(a - by_state).max() < 1.01 * left + 1e-6
    assert np.abs(b - by_input).max() < 1.01 * left + 1e-6


def test_nothing_can_be_done_in_the_air() -> None:
    plan = glide_plan(np.zeros((3, 2), dtype=bool))
    assert not matrices(plan, 1)[1].any()
    assert np.abs(compute_gains(plan, MASS, LEG, SCALES).feedback).max() == 0.0


def test_standing_gains_are_those_of_the_riccati_equation() -> None:
    """Feet that never step are constants, so the gains on the body are those of a problem without them."""
    plan = glide_plan(both_stand(1500))
    a, b = (part[:12] for part in matrices(plan, 0))
    weights = _Weights(SCALES, MASS, LEG)
    cost, effort = weights.states(_support(plan)[0])[0, :12, :12], weights.efforts(plan)[0]
    value = solve_discrete_are(a[:, :12], b, cost, effort)
    expected = np.linalg.solve(effort + b.T @ value @ b, b.T @ value @ a[:, :12])
    found = compute_gains(plan, MASS, LEG, SCALES).feedback[0][:, :12]
    # Over 15 s the slowest mode, some tenths of a second, has died out.
    assert np.abs(found - expected).max() < 1e-6 * np.abs(expected).max()
    assert np.abs(np.linalg.eigvals(a[:, :12] - b @ found)).max() < 1.0


class Loop:
    """The closed loop over a plan with one touchdown, of the right foot at TOUCH."""

    def __init__(self, plan: TrackingPlan, gains: CentroidalGains) -> None:
        self.gains, self.weights = gains, _Weights(SCALES, MASS, LEG)
        self.moves = [matrices(plan, t) for t in range(len(plan))]
        self.efforts = self.weights.efforts(plan)
        self.states = self.weights.states(gains.share)

    def cost(self, start: int, state: FloatArray, foothold: FloatArray, nudge: FloatArray) -> float:
        """Added up sample by sample to the end, with this foothold and a nudge (6) to the first inputs."""
        weights, gains, total, x = self.weights, self.gains, 0.0, state.copy()
        for t in range(start, len(self.moves)):
            if t == TOUCH:
                total += weights.step_in(DT * (TOUCH - LIFT)) * float(np.sum((foothold - x[FEET[0]]) ** 2))
                x[FEET[1]] = foothold
            inputs = -gains.feedback[t] @ x + (nudge if t == start else 0.0)
            total += float(x @ self.states[t] @ x + inputs @ self.efforts[t] @ inputs)
            x = self.moves[t][0] @ x + self.moves[t][1] @ inputs
        return total + float(x @ (10.0 * self.states[-1]) @ x)


@pytest.fixture(scope="module")
def loop(stepping: TrackingPlan, gains: CentroidalGains) -> Loop:
    return Loop(stepping, gains)


ERRORS = st.builds(
    lambda v, c, h: error_state(velocity=np.array([*v, 0.0]), com=np.array([*c, 0.0]), momentum=np.array(h)),
    v=st.tuples(*[st.floats(-0.5, 0.5)] * 2),
    c=st.tuples(*[st.floats(-0.05, 0.05)] * 2),
    h=st.tuples(*[st.floats(-3.0, 3.0)] * 3),
)


@settings(max_examples=8, deadline=None)
@given(state=ERRORS, start=st.sampled_from([LIFT, 20, TOUCH - 1]))
def test_no_other_foothold_and_no_other_push_is_cheaper(loop: Loop, state: FloatArray, start: int) -> None:
    """Costs are parabolas of both, so that central differences are exact to rounding."""
    place, still = loop.gains.foothold[start, 1] @ state, np.zeros(INPUTS)
    scale = 0.1 / np.sqrt(np.diag(loop.efforts[start]))  # a tenth of what costs 1

    def cost_of_place(shift: FloatArray) -> FloatArray:
        return np.array(loop.cost(start, state, place + shift, still))

    def cost_of_push(push: FloatArray) -> FloatArray:
        return np.array(loop.cost(start, state, place, push * scale))

    here = loop.cost(start, state, place, still)
    assert np.abs(central_differences(cost_of_place, np.zeros(2), 0.01)).max() < 1e-7 * (1.0 + here)
    assert np.abs(central_differences(cost_of_push, still, 1.0)).max() < 1e-9 * (1.0 + here)
    assert all(cost_of_place(0.01 * side) > here for side in np.eye(2))
    assert all(cost_of_push(side) > here for side in np.eye(INPUTS))


@settings(max_examples=10, deadline=None)
@given(state=ERRORS)
def test_the_prediction_does_not_change_while_all_goes_as_predicted(loop: Loop, state: FloatArray) -> None:
    """What is foretold at lift-off is what the closed loop wants at touchdown."""
    gains = loop.gains
    first = gains.foothold[LIFT, 1] @ state
    x = state.copy()
    for a, b, t in ((*loop.moves[t], t) for t in range(LIFT, TOUCH - 1)):
        x = (a - b @ gains.feedback[t]) @ x
    assert gains.foothold[TOUCH - 1, 1] @ x == pytest.approx(first, abs=1e-9)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_push_is_caught_by_a_step_in_its_direction(gains: CentroidalGains, axis: int) -> None:
    push = error_state(velocity=0.3 * np.eye(3)[axis])
    place = gains.foothold[LIFT, 1] @ push
    assert place[axis] > 0.02
    assert abs(place[1 - axis]) < 0.2 * place[axis]


def test_dear_steps_are_small_and_cheap_ones_are_used(stepping: TrackingPlan) -> None:
    push = error_state(velocity=np.array([0.3, 0.0, 0.0]))
    steps = []
    for deviation in (1e-4, 0.03, 0.1, 1.0):
        found = compute_gains(stepping, MASS, LEG, replace(SCALES, step=deviation))
        steps.append(float(found.foothold[LIFT, 1, 0] @ push))
    assert steps == sorted(steps)
    assert steps[0] == pytest.approx(0.0, abs=1e-3)
    # Left to itself the body would be 0.3 m/s times the swing's 0.35 s away.
    assert steps[-1] > 0.3 * DT * (TOUCH - LIFT)


def test_a_step_costs_by_its_speed_where_the_swing_is_short() -> None:
    """A swing of a quarter of LONG_SWING_S asks for four times the speed; a longer one for no less."""
    weights = _Weights(SCALES, MASS, LEG)
    assert weights.step_in(0.25 * LONG_SWING_S) == pytest.approx(16.0 * weights.step)
    assert weights.step_in(3.0 * LONG_SWING_S) == pytest.approx(weights.step)


def test_a_hurried_foot_steps_less_far() -> None:
    """Of two bodies that are as far off at the same time before a touchdown."""
    push, steps = error_state(velocity=np.array([0.3, 0.0, 0.0])), []
    for lift in (LIFT, TOUCH - 10):
        found = compute_gains(glide_plan(one_step(END, lift, TOUCH), speed=0.5), MASS, LEG, SCALES)
        steps.append(float(found.foothold[TOUCH - 5, 1, 0] @ push))
    assert 0.0 < steps[1] < 0.9 * steps[0]


def test_a_step_starts_from_where_the_other_foot_stands(stepping: TrackingPlan) -> None:
    """With dear steps the legs keep together: the foot goes along with the one that stands."""
    found = compute_gains(stepping, MASS, LEG, replace(SCALES, step=1e-4))
    shifted = error_state(left=np.array([0.2, -0.1]))
    assert found.foothold[LIFT, 1] @ shifted == pytest.approx([0.2, -0.1], abs=1e-3)


def test_after_a_flight_a_step_starts_from_the_body() -> None:
    stands = both_stand(60)
    stands[20:40] = False
    found = compute_gains(glide_plan(stands), MASS, LEG, replace(SCALES, step=1e-4))
    gone = error_state(com=np.array([0.2, -0.1, 0.0]))
    for foot in (0, 1):
        assert found.foothold[30, foot] @ gone == pytest.approx([0.2, -0.1], abs=1e-3)


def test_feet_that_never_step_are_predicted_to_stay(gains: CentroidalGains) -> None:
    assert not gains.foothold[:, 0].any(), "the left foot has no touchdown"
    assert not gains.foothold[TOUCH:, 1].any(), "the right foot's only touchdown is over"
    assert gains.foothold[TOUCH - 1, 1].any()


def test_mirrored_plans_have_mirrored_gains(gains: CentroidalGains) -> None:
    mirrored = compute_gains(glide_plan(one_step(END, LIFT, TOUCH, foot=0), speed=0.5), MASS, LEG, SCALES)
    y = np.array([1.0, -1.0, 1.0])
    flip = np.concatenate([y, y, -y, -y, y[:2], y[:2]])
    swap = np.r_[0:12, FEET[1], FEET[0]]
    inputs = np.concatenate([y, y[:2], [-1.0]])
    expected = inputs[:, None] * gains.feedback[:, :, swap] * flip
    scale = np.abs(gains.feedback).max()
    assert np.abs(mirrored.feedback - expected).max() < 1e-9 * scale
    assert mirrored.foothold[LIFT, 0] == pytest.approx(
        y[:2, None] * gains.foothold[LIFT, 1][:, swap] * flip, abs=1e-9
    )


def test_pressure_moves_as_far_as_the_sole_reaches() -> None:
    """On one foot, along it rather than across; its covariance is that of the four corners."""
    plan = glide_plan(one_step(3, 0, 3))
    weights = _Weights(replace(SCALES, pressure=1.0), MASS, LEG)
    room = np.linalg.inv(weights.efforts(plan)[1][3:5, 3:5])
    half = 0.5 * np.ptp(CORNERS[:, :2], axis=0)
    assert np.sqrt(np.diag(room) - LEAST_ROOM**2) == pytest.approx(half)
    assert room[0, 1] == pytest.approx(0.0, abs=1e-12)


def test_a_narrow_support_asks_for_wider_steps(stepping: TrackingPlan) -> None:
    """What pressure cannot hold, the next foothold must: beyond where the body would be caught by both."""
    push = error_state(velocity=np.array([0.0, 0.3, 0.0]))
    centre = stepping.support_points.mean(axis=1, keepdims=True)
    narrow = replace(stepping, support_points=centre + (stepping.support_points - centre) * [1.0, 0.3, 1.0])
    steps = [
        float(compute_gains(plan, MASS, LEG, SCALES).foothold[LIFT, 1, 1] @ push)
        for plan in (stepping, narrow)
    ]
    assert steps[1] > 1.05 * steps[0] > 0.0


def test_a_foot_on_its_heel_has_the_room_of_the_whole_sole(stepping: TrackingPlan) -> None:
    on_heel = stepping.schedule.touches.copy()
    on_heel[:, [2, 3]] = False  # the left foot's toes, while it carries alone or with the other
    heel = replace(stepping, schedule=soles_only(on_heel, FOOT))
    found = compute_gains(heel, MASS, LEG, SCALES).feedback
    assert found == pytest.approx(compute_gains(stepping, MASS, LEG, SCALES).feedback)


def test_the_body_returns_to_its_path_unless_it_may_drift(stepping: TrackingPlan) -> None:
    """A body and feet that stand beside their path as planned: a step back, or none."""
    beside = np.array([0.0, 0.1])
    state = error_state(com=np.array([*beside, 0.0]), left=beside, right=beside)
    returning = compute_gains(stepping, MASS, LEG, SCALES)
    drifting = compute_gains(stepping, MASS, LEG, replace(SCALES, com=np.inf))
    assert returning.foothold[LIFT, 1] @ state != pytest.approx(beside, abs=0.01)
    assert drifting.foothold[LIFT, 1] @ state == pytest.approx(beside, abs=1e-6)
    assert np.abs(drifting.feedback[LIFT] @ state).max() < 1e-6
