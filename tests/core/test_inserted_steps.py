"""Steps that the plan does not have: only when needed, with the right foot, to the right place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.control.balance.capture_region import DEFAULT_TRIGGER, STEP, CaptureRegion
from sim_core.control.balance.inserted_steps import (
    AHEAD_S,
    CLEARANCE,
    HOLDABLE,
    LANDED_S,
    LATE_DESCENT,
    LEAST_LEVER,
    RETURN_DISTANCE,
    SOON_S,
    SWING_S,
    SWING_SPEED,
    InsertedSteps,
)
from sim_core.control.tracking.plan import TrackingPlan
from sim_core.control.tracking.prediction import Prediction
from tests.core.sample_plans import (
    ANKLE,
    COM_HEIGHT,
    DT,
    FOOT,
    both_stand,
    glide_plan,
    one_step,
    pressure_centre,
    seen,
)

RATE = float(np.sqrt(GRAVITY / COM_HEIGHT))
SWING = round(SWING_S / DT)
STILL = np.zeros((2, 2))
FALL = np.array([0.9, 0.0, 0.0])
"""It carries the capture point 28 cm ahead; the toes are 13 cm from the middle of the soles [m/s]."""


@pytest.fixture
def standing() -> TrackingPlan:
    return glide_plan(both_stand(300))


def steps_of(plan: TrackingPlan) -> InsertedSteps:
    return InsertedSteps(plan, CaptureRegion(plan, pressure_centre(plan)))


def falling(plan: TrackingPlan, sample: int, velocity: FloatArray, **off_by: FloatArray) -> Prediction:
    """The body as planned, with points that touch as planned, but moving."""
    points = plan.support_points[sample, plan.schedule.touches[sample]]
    return replace(seen(plan, sample, com_velocity=velocity, **off_by), points=points)


def step(plan: TrackingPlan, start: int, velocity: FloatArray, samples: int = SWING) -> list[FloatArray]:
    """Where the foot should be, against the plan, while the body keeps falling and the foot obeys."""
    steps, ways, foot = steps_of(plan), [], np.zeros((2, 3))
    for sample in range(start, start + samples):
        steps.update(sample, falling(plan, sample, velocity, foot=foot), STILL)
        assert steps.foot is not None
        foot[steps.foot] = steps.shift
        ways.append(steps.shift.copy())
    return ways


@pytest.mark.parametrize("speed", [0.0, 1.5])
def test_whoever_keeps_to_the_plan_takes_no_other_step(speed: float) -> None:
    """Also when the planned body is faster than its feet could hold."""
    plan = glide_plan(both_stand(100), speed)
    steps = steps_of(plan)
    for sample in range(100):
        steps.update(sample, falling(plan, sample, np.zeros(3)), STILL)
        assert steps.foot is None
        assert (steps.touches(sample) == plan.schedule.touches[sample]).all()
    assert steps.joint_offset(0, falling(plan, 0, np.zeros(3)), np.zeros(3)) == 0.0


def test_what_pressure_can_hold_needs_no_step(standing: TrackingPlan) -> None:
    """The capture point stays above the soles, although far from its plan."""
    steps, velocity = steps_of(standing), np.array([0.0, 0.1 * RATE, 0.0])
    assert velocity[1] / RATE > DEFAULT_TRIGGER.capture_error
    steps.update(0, falling(standing, 0, velocity), STILL)
    assert steps.foot is None


@pytest.mark.parametrize(("lands_s", "needed"), [(SOON_S, False), (SOON_S + 0.1, True)])
def test_toes_that_are_about_to_land_count_as_standing(lands_s: float, needed: bool) -> None:
    """The capture point is above the toes, 9 cm ahead of the middle; the heels alone could not hold it."""
    plan = glide_plan(both_stand(300))
    touches = plan.schedule.touches.copy()
    toes = np.tile(np.repeat([False, True], 2), 2)
    touches[: round(lands_s / DT), toes] = False
    plan = replace(plan, schedule=replace(plan.schedule, touches=touches))
    steps = steps_of(plan)
    ahead = np.array([0.09 * RATE, 0.0, 0.0])
    steps.update(0, falling(plan, 0, ahead), STILL)
    assert (steps.foot is not None) == needed


def test_feet_that_were_moved_with_the_body_need_no_step(standing: TrackingPlan) -> None:
    off = np.array([0.5, 0.0, 0.0])
    seen_there = falling(standing, 0, np.zeros(3), com=off, foot=np.tile(off, (2, 1)))
    moved = replace(seen_there, points=seen_there.points + off)
    steps = steps_of(standing)
    steps.update(0, moved, np.tile(off[:2], (2, 1)))
    assert steps.foot is None


def test_a_planned_step_that_is_near_is_waited_for() -> None:
    lift = 200
    plan = glide_plan(one_step(300, lift, lift + 40))
    for sample, waits in ((lift - round(AHEAD_S / DT) - 1, False), (lift - 5, True), (lift + 5, True)):
        steps = steps_of(plan)
        steps.update(sample, falling(plan, sample, FALL), STILL)
        assert (steps.foot is None) == waits, sample


def test_before_a_planned_step_the_foot_that_will_stand_goes_while_it_can_land_in_time() -> None:
    """Later the planned step itself is taken early, unless it will be down as soon anyhow."""
    lift, in_time = 200, SWING + round(LANDED_S / DT)
    slow, quick = (glide_plan(one_step(300, lift, lift + swing)) for swing in (70, 40))
    back = np.array([-0.6, 0.0, 0.0])  # the capture point is 6 cm behind the heels
    for plan, before, foot in (
        (slow, in_time + 1, 0),
        (slow, in_time, 1),
        (slow, 1, 1),
        (quick, in_time + 1, 0),
        (quick, 1, None),
    ):
        steps = steps_of(plan)
        steps.update(lift - before, falling(plan, lift - before, back), STILL)
        assert steps.foot == foot, before


def test_what_the_planned_step_can_bring_back_is_left_to_it() -> None:
    """Also an error that lies ahead of the toes, if the step comes soon enough."""
    lift, before = 200, SWING + round(LANDED_S / DT) + 1
    plan = glide_plan(one_step(300, lift, lift + 10))
    toes = 0.13
    limit = DEFAULT_TRIGGER.margin * (toes + STEP * np.exp(-RATE * DT * (before + 10)))
    assert limit > toes
    for error, needed in ((0.99 * limit, False), (1.01 * limit, True)):
        steps = steps_of(plan)
        fall = np.array([error * RATE, 0.0, 0.0])
        steps.update(lift - before, falling(plan, lift - before, fall), STILL)
        assert (steps.foot is not None) == needed, error


@pytest.mark.parametrize("way", [0.9 * RETURN_DISTANCE, 0.4])
def test_a_foot_with_far_to_go_is_lifted_before_a_short_swing(way: float) -> None:
    """As soon as what is left until the planned touchdown is no longer than the way takes."""
    lift, landing = 200, 210
    plan = glide_plan(one_step(300, lift, landing))
    foot = int(np.argmin(plan.schedule.stands[lift]))
    apart, begins = STILL.copy(), landing - round(way / SWING_SPEED / DT)
    apart[foot, 0] = way
    off = np.column_stack([apart, np.zeros(2)])
    for sample, goes in ((begins - 2, False), (min(begins + 1, lift - 1), way > RETURN_DISTANCE)):
        steps = steps_of(plan)
        steps.update(sample, falling(plan, sample, np.zeros(3), foot=off), apart)
        assert (steps.foot == foot) == goes, sample


def way_home(velocity: FloatArray) -> tuple[InsertedSteps, FloatArray]:
    """A foot 40 cm off goes home under a body that has a velocity (3) from then on; where it gets (3)."""
    lift, landing = 200, 210
    plan = glide_plan(one_step(300, lift, landing))
    stepping = int(np.argmin(plan.schedule.stands[lift]))
    steps, apart, foot = steps_of(plan), STILL.copy(), np.zeros((2, 3))
    foot[stepping, 0] = apart[stepping, 0] = 0.4
    for sample in range(lift - 9, landing):
        now = velocity * (sample > lift - 9)
        steps.update(sample, falling(plan, sample, now, foot=foot), apart)
        assert steps.foot == stepping
        foot[stepping] = steps.shift
    return steps, foot[stepping]


def test_such_a_foot_lands_in_its_place_when_it_was_planned_to() -> None:
    steps, foot = way_home(np.zeros(3))
    assert steps.landed
    assert foot == pytest.approx(np.zeros(3), abs=0.01)


def test_such_a_foot_does_not_run_after_a_body_that_falls_meanwhile() -> None:
    _, foot = way_home(FALL)
    assert float(np.linalg.norm(foot[:2])) <= HOLDABLE + 1e-9


def test_a_leap_is_no_step() -> None:
    """Both feet leave the ground: neither would stand while the other one steps."""
    stands = both_stand(300)
    stands[200:240] = False
    plan = glide_plan(stands)
    for before in (50, 20, 1):
        steps = steps_of(plan)
        steps.update(200 - before, falling(plan, 200 - before, FALL), STILL)
        assert steps.foot is None


@pytest.mark.parametrize(("side", "foot"), [(1.0, 1), (-1.0, 0)])
def test_the_foot_that_is_left_behind_goes(standing: TrackingPlan, side: float, foot: int) -> None:
    """A body that falls to the left stands on its left foot; only the right one can be lifted."""
    steps = steps_of(standing)
    steps.update(0, falling(standing, 0, np.array([0.0, 1.5 * side, 0.0])), STILL)
    assert steps.foot == foot
    assert (steps.touches(1) == (foot != FOOT)).all()


def test_a_foot_in_the_air_goes_first() -> None:
    stands = np.tile([True, False], (300, 1))
    plan, steps = glide_plan(stands), steps_of(glide_plan(stands))
    steps.update(0, falling(plan, 0, np.array([0.0, -1.5, 0.0])), STILL)
    assert steps.foot == 1


def test_the_sole_lands_on_the_capture_point(standing: TrackingPlan) -> None:
    """At the end of its swing there is nothing left to predict."""
    ways = np.array(step(standing, 0, FALL))
    capture = standing.com[0, :2] + FALL[:2] / RATE
    middle = standing.support_points[0, step_foot(standing) == FOOT, :2].mean(axis=0)
    assert middle + ways[-1, :2] == pytest.approx(capture, abs=1e-9)
    assert ways[-1, 2] == pytest.approx(0.0, abs=1e-9)
    assert ways[:, 2].max() == pytest.approx(CLEARANCE, rel=0.01)
    assert ways[:, 2].min() > -1e-9


def step_foot(plan: TrackingPlan) -> int | None:
    steps = steps_of(plan)
    steps.update(0, falling(plan, 0, FALL), STILL)
    return steps.foot


def test_the_way_has_no_jumps_and_says_its_velocity(standing: TrackingPlan) -> None:
    steps, foot = steps_of(standing), np.zeros((2, 3))
    before: FloatArray = np.zeros(3)
    for sample in range(SWING):
        steps.update(sample, falling(standing, sample, FALL, foot=foot), STILL)
        assert steps.velocity == pytest.approx((steps.shift - before) / DT)
        # Half a metre and back down in a third of a second: some metres per second at most.
        assert np.abs(steps.velocity).max() < 5.0
        before = steps.shift.copy()
        foot[steps.foot or 0] = steps.shift


@settings(max_examples=20, deadline=None)
@given(heading=st.floats(0.0, 2.0 * np.pi), speed=st.floats(1.5, 20.0))
def test_no_fall_makes_the_legs_part(heading: float, speed: float) -> None:
    plan = glide_plan(both_stand(100))
    velocity = speed * np.array([np.cos(heading), np.sin(heading), 0.0])
    steps, foot = steps_of(plan), np.zeros((2, 3))
    for sample in range(SWING):
        steps.update(sample, falling(plan, sample, velocity, foot=foot), STILL)
        assert steps.foot is not None
        foot[steps.foot] = steps.shift
    assert steps.foot is not None
    other = plan.foot[0, 1 - steps.foot, :2]
    apart = np.linalg.norm(plan.foot[0, steps.foot, :2] + steps.shift[:2] - other)
    assert apart <= DEFAULT_TRIGGER.reach + 1e-9


def test_a_landed_foot_stands_until_the_plan_has_it_stand() -> None:
    """Then the plan goes on with the foot where it is."""
    stands = np.tile([True, False], (300, 1))
    stands[200:] = True
    plan = glide_plan(stands)
    raised = replace(plan, foot=plan.foot + np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.2]]))
    raised.support_points[:, FOOT == 1, 2] += 0.2
    steps, foot = steps_of(raised), np.zeros((2, 3))
    for sample in range(210):
        velocity = np.zeros(3) if steps.landed else FALL
        steps.update(sample, falling(raised, sample, velocity, foot=foot), STILL)
        if steps.swinging:
            foot[1] = steps.shift
            assert not steps.touches(sample)[FOOT == 1].any()
        elif sample < 200:
            assert steps.landed
            assert steps.touches(sample).all()
    assert foot[1, 2] == pytest.approx(-0.2, abs=0.01), "the ankle came down to where a sole rests"
    assert raised.foot[0, 1, 2] + foot[1, 2] == pytest.approx(ANKLE[2], abs=0.01)
    assert steps.foot is None


def test_a_step_is_given_up_when_the_plan_leaves_the_ground() -> None:
    stands = both_stand(200)
    stands[70:] = False
    plan, steps = glide_plan(stands), steps_of(glide_plan(stands))
    for sample in range(80):  # a foot that never comes down
        steps.update(sample, falling(plan, sample, FALL, foot=np.full((2, 3), 0.2)), STILL)
    assert steps.foot is None


def test_joint_angles_bring_the_foot_to_its_place(standing: TrackingPlan) -> None:
    steps = steps_of(standing)
    steps.update(0, falling(standing, 0, FALL), STILL)
    assert steps.foot is not None
    steps.shift = np.array([0.3, -0.1, 0.05])
    leg = np.zeros((2, 3, 12))
    leg[steps.foot] = np.random.default_rng(0).standard_normal((3, 12))
    drift = np.array([0.1, 0.0, -0.02])
    offset = steps.joint_offset(
        0, replace(falling(standing, 0, FALL), rows=np.concatenate([np.zeros((2, 3, 12)), leg])), drift
    )
    assert np.asarray(offset)[:6] == pytest.approx(np.zeros(6)), "the pelvis is not asked to go along"
    # Damping leaves a share of s^2 / (reach^2 + s^2) along each direction, reach being a singular value.
    least = np.linalg.svd(leg[steps.foot, :, 6:], compute_uv=False).min()
    left = np.linalg.norm(leg[steps.foot] @ offset - (steps.shift - drift))
    assert left <= LEAST_LEVER**2 / (least**2 + LEAST_LEVER**2) * np.linalg.norm(steps.shift - drift)


def test_legs_keep_to_where_the_feet_are_until_the_plan_lifts_them() -> None:
    """A posture that went back to the planned stride would tear a standing foot off the ground."""
    lift = 250
    plan, foot = glide_plan(one_step(300, lift, 290, foot=0)), np.zeros((2, 3))
    steps, reach = steps_of(plan), np.zeros((4, 3, 12))
    reach[2, :, 6:9] = reach[3, :, 9:] = np.eye(3)  # each leg has three joints, one for each direction

    def offset(sample: int) -> FloatArray:
        body = replace(seen(plan, sample, foot=foot), rows=reach)
        return np.zeros(12) + steps.joint_offset(sample, body, np.array([0.05, 0.0, 0.0]))

    for sample in range(lift + 1):
        velocity = np.zeros(3) if steps.moved.any() and not steps.swinging else FALL
        steps.update(sample, falling(plan, sample, velocity, foot=foot), STILL)
        if steps.swinging:
            assert steps.foot == 0
            foot[0] = steps.shift
        if sample == lift - 1:
            assert steps.foot is None, "the step is over"
            assert np.linalg.norm(foot[0, :2]) > 0.2
            held = 1.0 / (1.0 + LEAST_LEVER**2)
            assert offset(sample)[6:9] == pytest.approx(held * (foot[0] - [0.05, 0.0, 0.0]))
            assert offset(sample)[9:] == pytest.approx([-held * 0.05, 0.0, 0.0]), "the body went along"
    assert (offset(lift) == 0.0).all()


def test_a_late_foot_goes_on_down_until_it_meets_the_ground(standing: TrackingPlan) -> None:
    steps, late, foot = steps_of(standing), 20, np.zeros((2, 3))
    for sample in range(SWING + late):
        steps.update(sample, falling(standing, sample, FALL, foot=foot), STILL)
        assert steps.foot is not None
        foot[steps.foot] = [*steps.shift[:2], 0.03]
        if sample == SWING - 1:
            before = steps.shift.copy()
    assert steps.swinging
    assert steps.shift - before == pytest.approx([0.0, 0.0, -LATE_DESCENT * late * DT])
    assert steps.velocity == pytest.approx([0.0, 0.0, -LATE_DESCENT])
    foot[steps.foot, 2] = 0.0
    steps.update(SWING + late, falling(standing, SWING + late, FALL, foot=foot), STILL)
    assert steps.landed
