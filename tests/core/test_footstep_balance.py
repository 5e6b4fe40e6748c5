"""Balance while the simulation runs: nothing to do without errors, feet that stay where they stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.control.balance.capture_region import DEFAULT_TRIGGER
from sim_core.control.balance.centroidal_lqr import CentroidalGains, LqrScales, compute_gains
from sim_core.control.balance.footstep_balance import (
    LARGEST_PULL,
    URGENT_AT,
    URGENT_FROM,
    URGENT_WEIGHT,
    FootstepBalance,
)
from sim_core.control.handing_over import HandingOver
from sim_core.control.tracking.plan import TrackingPlan
from sim_core.control.tracking.policy import BalanceTargets
from sim_core.simulation.protocol import State
from sim_core.world.ground import FlatGround
from tests.core.sample_plans import DT, LEG, MASS, both_stand, glide_plan, one_step, plan_state, seen

LIFT, TOUCH, END = 10, 45, 110


class Walker:
    """A policy and its plan; `at` asks for targets with what the body is off by."""

    def __init__(self, plan: TrackingPlan, gains: CentroidalGains | None = None) -> None:
        self.plan = plan
        self.policy = FootstepBalance(
            plan, gains or compute_gains(plan, MASS, LEG, LqrScales()), MASS, FlatGround(0.0)
        )

    def at(self, sample: int, turn: FloatArray | None = None, **off_by: FloatArray) -> BalanceTargets:
        state = plan_state(self.plan, sample)
        if turn is not None:
            qpos = state.qpos.copy()
            qpos[3:7] = rotations.multiply(rotations.from_vector(turn), qpos[3:7])
            state = State(state.time, qpos, state.qvel)
        return self.policy.targets(sample, state, seen(self.plan, sample, **off_by))

    def answer(self, sample: int, **off_by: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What is asked beyond the plan: acceleration [m/s^2] and moment [Nm]."""
        targets = self.at(sample, **off_by)
        return (
            targets.com_acceleration - self.plan.com_acceleration[sample],
            targets.momentum_rate - self.plan.momentum_rate[sample],
        )


@pytest.fixture(scope="module")
def planned() -> tuple[TrackingPlan, CentroidalGains]:
    plan = glide_plan(one_step(END, LIFT, TOUCH), speed=0.5)
    return plan, compute_gains(plan, MASS, LEG, LqrScales())


@pytest.fixture
def stepping(planned: tuple[TrackingPlan, CentroidalGains]) -> Walker:
    return Walker(*planned)


@pytest.fixture(scope="module")
def standing() -> Walker:
    return Walker(glide_plan(both_stand(300)))


def shifted(foot: int, by: tuple[float, float]) -> FloatArray:
    """Feet (2, 3) of which one is off by a way on the ground [m]."""
    feet = np.zeros((2, 3))
    feet[foot, :2] = by
    return feet


def test_a_perfect_copy_gets_the_plan(stepping: Walker) -> None:
    for sample in range(0, END, 5):
        targets = stepping.at(sample)
        assert targets.com_acceleration == pytest.approx(stepping.plan.com_acceleration[sample], abs=1e-12)
        assert targets.momentum_rate == pytest.approx(stepping.plan.momentum_rate[sample], abs=1e-9)
        assert np.abs(targets.foot_shift).max() < 1e-12


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_drifting_body_is_pushed_back(standing: Walker, axis: int) -> None:
    push = np.eye(3)[axis]
    acceleration, _ = standing.answer(0, com_velocity=0.1 * push)
    assert acceleration @ push < -0.01
    acceleration, _ = standing.answer(0, com=0.02 * push)
    assert acceleration @ push < -0.01


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_turned_or_turning_trunk_is_turned_back(standing: Walker, axis: int) -> None:
    push = np.eye(3)[axis]
    _, moment = standing.answer(0, turn=0.05 * push)
    assert moment @ push < -0.1
    _, moment = standing.answer(0, momentum=2.0 * push)
    assert moment @ push < -0.1


def test_the_moment_holds_what_gravity_does_to_a_displaced_body(standing: Walker) -> None:
    """The ground's force at an unmoved centre of pressure acts on a moved centre of mass."""
    off = np.array([0.01, -0.02, 0.0])
    error = np.zeros(16)
    error[:3] = off
    inputs = -standing.policy.gains.feedback[0] @ error
    arm = standing.policy.gains.centre[0] - standing.plan.com[0]
    shift = np.array([*inputs[3:5], 0.0])
    force = standing.policy.gains.force[0]
    expected = np.cross(shift - off, force) + np.cross(arm, inputs[:3]) + [0.0, 0.0, inputs[5]]
    _, moment = standing.answer(0, com=off)
    assert moment == pytest.approx(expected)


def test_a_body_that_moved_with_its_feet_is_hardly_corrected(standing: Walker) -> None:
    """Where it stands matters less than whether it stands over its feet."""
    off = np.array([0.05, 0.0, 0.0])
    together, _ = standing.answer(0, com=off, foot=np.tile(off, (2, 1)))
    alone, _ = standing.answer(0, com=off, foot=np.zeros((2, 3)))
    assert np.linalg.norm(together) < 0.5 * np.linalg.norm(alone)


def together(off: FloatArray) -> dict[str, FloatArray]:
    """A body and its feet, all off by the same way (3) [m]."""
    return {"com": off, "foot": np.tile(off, (2, 1))}


@settings(max_examples=20, deadline=None)
@given(angle=st.floats(0.0, 6.3), further=st.floats(1.0, 50.0), lean=st.floats(-0.05, 0.05))
def test_a_body_far_off_its_path_is_pulled_no_harder_than_one_at_the_leash(
    planned: tuple[TrackingPlan, CentroidalGains], angle: float, further: float, lean: float
) -> None:
    """However far, and wherever it moves: the same push, and the same step from where it stands."""
    end = LARGEST_PULL * np.array([np.cos(angle), np.sin(angle), 0.0])
    moving = {"com_velocity": np.array([lean, -lean, 0.0])}
    near, far = Walker(*planned), Walker(*planned)
    for sample in range(TOUCH):
        here = near.at(sample, **together(end), **moving)
        there = far.at(sample, **together(further * end), **moving)
        assert there.com_acceleration == pytest.approx(here.com_acceleration)
        assert there.momentum_rate == pytest.approx(here.momentum_rate, abs=1e-6)
    assert there.foot_shift - further * end == pytest.approx(here.foot_shift - end, abs=1e-9)


def test_a_leaning_body_far_off_its_path_is_caught_as_on_it(standing: Walker) -> None:
    """What holds it over its feet does not end with the leash."""
    lean, far = np.array([0.03, 0.0, 0.0]), np.array([0.0, 3.0, 0.0])
    feet = {"foot": np.tile(far, (2, 1))}
    upright, _ = standing.answer(0, com=far, **feet)
    leaning, _ = standing.answer(0, com=far + lean, **feet)
    on_path, _ = standing.answer(0, com=lean, foot=np.zeros((2, 3)))
    assert (leaning - upright)[0] < 0.5 * on_path[0] < -0.01


def test_a_foot_stays_shifted_where_it_touched_down(stepping: Walker) -> None:
    where = (0.08, -0.03)
    for sample in range(LIFT, TOUCH):
        stepping.at(sample)
    for sample in range(TOUCH, END):
        targets = stepping.at(sample, foot=shifted(1, where))
        assert targets.foot_shift[1, :2] == pytest.approx(where)
        assert targets.foot_shift[0] == pytest.approx(np.zeros(3))


def test_a_swing_starts_where_the_foot_stood(stepping: Walker) -> None:
    """Without a jump of the target at lift-off, and with no change of height."""
    where = shifted(1, (0.06, 0.02))
    for sample in range(LIFT):
        stepping.at(sample, foot=where)
    ways = np.array([stepping.at(sample, foot=where).foot_shift[1] for sample in range(LIFT, TOUCH)])
    assert ways[0, :2] == pytest.approx(where[1, :2], abs=1e-3)
    # 6 cm over a swing of 35 samples, twice as fast in its middle: at most some millimetres a sample.
    assert np.abs(np.diff(ways, axis=0)).max() < 0.008
    assert not ways[:, 2].any()


def test_a_swing_is_told_how_fast_it_goes_over_to_its_new_place(stepping: Walker) -> None:
    """Against differences of its ways; the tracker's damping would hold it back otherwise."""
    foot = shifted(1, (0.06, 0.02))
    for sample in range(LIFT):
        stepping.at(sample, foot=foot)
    targets = [stepping.at(sample, foot=foot) for sample in range(LIFT, TOUCH)]
    ways = np.array([t.foot_shift[1, :2] for t in targets])
    told = np.array([np.asarray(t.foot_shift_velocity)[1, :2] for t in targets])
    # What the body is off by is the same at all samples, but its gains change from one to the next.
    assert told[1:-1] == pytest.approx((ways[2:] - ways[:-2]) / (2.0 * DT), abs=0.1 * np.abs(told).max())
    assert np.abs(told).max() > 0.1
    landed = np.asarray(stepping.at(TOUCH, foot=foot).foot_shift_velocity)
    assert not landed.any()


def test_a_pushed_body_steps_in_the_direction_of_the_push(stepping: Walker) -> None:
    push = np.array([0.3, 0.0, 0.0])
    shifts = [stepping.at(sample, com_velocity=push).foot_shift[1, 0] for sample in range(LIFT, TOUCH)]
    assert shifts[0] == pytest.approx(0.0, abs=1e-2)
    assert shifts[-1] > 0.02


PUSHES = st.tuples(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0))


@settings(max_examples=15, deadline=None)
@given(push=PUSHES, stood=st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)))
def test_no_push_makes_the_legs_part(
    planned: tuple[TrackingPlan, CentroidalGains], push: tuple[float, float], stood: tuple[float, float]
) -> None:
    """A step is bounded as seen from the foot that stands, wherever that is."""
    walker, feet = Walker(*planned), shifted(0, stood)
    for sample in range(LIFT, TOUCH):
        shift = walker.at(sample, com_velocity=np.array([*push, 0.0]), foot=feet).foot_shift
    assert shift[0, :2] == pytest.approx(stood)
    assert np.abs(shift[1, :2] - stood).max() <= DEFAULT_TRIGGER.reach + 1e-9


def test_a_large_push_uses_the_largest_step(stepping: Walker) -> None:
    push = np.array([20.0, 0.0, 0.0])
    for sample in range(LIFT, TOUCH):
        shift = stepping.at(sample, com_velocity=push).foot_shift
    assert shift[1, 0] == pytest.approx(DEFAULT_TRIGGER.reach)


def test_in_flight_feet_follow_the_body() -> None:
    stands = both_stand(60)
    stands[20:40] = False
    flyer = Walker(glide_plan(stands))
    off = np.array([0.9, 0.0, 0.0])
    for sample in range(20, 40):
        shift = flyer.at(sample, com=off).foot_shift
    assert np.abs(shift[:, 0] - off[0]).max() <= DEFAULT_TRIGGER.reach + 1e-9


def test_a_step_goes_on_in_a_plan_that_begins_within_it(stepping: Walker) -> None:
    """The foot moves on from where it is, by no more in one interval than a whole swing's fastest."""
    begins, now, drift = LIFT + 10, LIFT + 20, np.array([0.0, -0.2, 0.0])
    for sample in range(LIFT, now):
        stepping.at(sample, com_velocity=drift)
    before = stepping.policy.shift[1].copy()
    later = Walker(glide_plan(one_step(END - begins, 0, TOUCH - begins), speed=0.5))
    moved = stepping.plan.com[begins] - later.plan.com[0]
    change = HandingOver(now, now - begins, shift=-moved)
    later.policy.continue_from(stepping.policy, change)
    later.at(now - begins, com_velocity=drift)
    fastest = float(np.nanmax(later.policy.blend_rate[:, 1])) * DT
    whole = np.linalg.norm(later.policy.foothold[1])
    assert np.linalg.norm(before) > 0.2 * whole, "the step is well under way"
    assert np.linalg.norm(later.policy.shift[1] - before) <= fastest * whole
    for sample in range(now - begins + 1, TOUCH - begins):
        later.at(sample, com_velocity=drift)
    np.testing.assert_allclose(later.policy.shift[1], later.policy.foothold[1], atol=1e-6)


def test_displaced_feet_are_where_they_are_in_another_frame(stepping: Walker) -> None:
    off = shifted(0, (0.05, 0.02))
    stepping.at(0, foot=off)
    later, turn = Walker(stepping.plan), rotations.about_vertical(0.5 * np.pi)
    change = HandingOver(0, 0, turn)
    later.policy.continue_from(stepping.policy, change)
    there = change.points(stepping.plan.foot[0] + off)
    found = later.plan.foot[0, :, :2] + later.policy.shift
    np.testing.assert_allclose(found, there[:, :2], atol=1e-12)


def test_balance_goes_before_posture_where_a_standing_body_is_pushed_over(standing: Walker) -> None:
    """Not before a planned step: that one brings the body back."""
    small, large = np.array([0.0, 0.5 * URGENT_FROM, 0.0]), np.array([0.0, 1.1 * URGENT_AT, 0.0])
    assert standing.at(0, com=small).com == 1.0
    assert standing.at(0, com=large).com == pytest.approx(URGENT_WEIGHT)
    about_to_step = Walker(glide_plan(one_step(END, LIFT, TOUCH)))
    assert about_to_step.at(0, com=large).com == 1.0
