"""A fall is explained: what went wrong before it, and the least help that prevents it."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim_core.bake.attempt import Attempt
from sim_core.bake.diagnosis import CAPS, find_causes, least_assist
from sim_core.bake.explain import keeps_motion
from sim_core.bake.methods import USUAL
from sim_core.bake.monitor import Monitor
from sim_core.bake.notes import failure_notes
from sim_core.bake.pipeline import bake, run_attempt
from sim_core.bake.setup import set_up
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.base.progress import ignore_progress
from sim_core.character.from_rig import character_from_rig
from sim_core.character.posing import pose_from_motion
from sim_core.motion.motion import on_control_grid
from sim_core.recognition.mapping import joint_label, part_label
from sim_core.reference.contacts import flat_contact_ground
from sim_core.reference.prepare import Prepared
from sim_core.reference.reference import reference_from_poses
from sim_core.result.records import Cause, Failure
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.simulation.trace import Trace
from sim_core.world.ground import HEADROOM, NO_OBJECTS, FlatGround, ObjectState, Surface
from sim_core.world.world import World, build_world
from tests.core.sample_people import MAPPING, Performance, person, standing
from tests.core.sample_plans import soles_only

DT, FELL_AT = 0.01, 0.7
STARTS = 40
"""Sample at which things go wrong, within the half second before the fall."""


class Fall:
    """A plan to stand on both feet and a trace that does so; tests spoil the trace."""

    def __init__(self) -> None:
        built = character_from_rig(person(standing()), MAPPING)
        self.world: World = build_world(built.spec)
        qpos = np.tile(pose_from_motion(built.spec, built.binding, person(standing()))[:1], (101, 1))
        samples, index = len(qpos), self.world.index
        foot = index.foot_of_support[: index.soles]
        self.share = np.tile([0.0, 0.0, built.spec.mass * GRAVITY / len(foot)], (samples, len(foot), 1))
        schedule = soles_only(np.ones((samples, len(foot)), dtype=bool), foot)
        reference = reference_from_poses(self.world.model, qpos, DT)
        contact_ground = flat_contact_ground(samples, len(foot), 0.0)
        self.prepared = Prepared(reference, schedule, contact_ground, self.share, None)
        slots = len(index.contact_segment)
        force = np.zeros((samples, slots, 3))
        force[:, : len(foot)] = self.share
        self.trace = Trace(
            time=np.arange(samples) * DT,
            qpos=qpos.copy(),
            qvel=np.zeros((samples, self.world.model.nv)),
            object_qpos=np.zeros((samples, 0)),
            object_qvel=np.zeros((samples, 0)),
            body_com=np.zeros((samples, len(index.body), 3)),
            assist=np.zeros((samples, 6)),
            push=np.zeros((samples, 3)),
            torque=np.zeros((samples, len(index.actuator))),
            contact_force=force,
            contact_point=np.zeros((samples, slots, 3)),
            contact_segment=index.contact_segment,
            contact_other=np.full(slots, -1),
            contact_other_segment=np.full(slots, -1),
            simulated=np.ones(samples),
            wall_seconds=1.0,
            steps=1000,
        )

    def causes(self) -> tuple[Cause, ...]:
        return find_causes(self.world, self.prepared, self.trace, FELL_AT)

    def only(self) -> Cause:
        (cause,) = self.causes()
        assert cause.start_s == pytest.approx(STARTS * DT)
        return cause

    def axis(self, segment: str) -> int:
        """The first joint axis of a segment."""
        body = self.world.index.body[self.world.spec.names.index(segment)]
        return int(np.argmax(self.world.model.dof_bodyid[self.world.index.actuated_dof] == body))

    def move(self, offset: FloatArray) -> None:
        """Shift the simulated body from STARTS on by (T - STARTS, 3) [m]."""
        self.trace.qpos[STARTS:, :3] += offset


@pytest.fixture
def fall() -> Fall:
    return Fall()


def test_nothing_is_found_where_nothing_is_wrong(fall: Fall) -> None:
    assert fall.causes() == ()


def test_a_joint_at_its_limit_is_named(fall: Fall) -> None:
    axis = fall.axis("shin.L")
    limit = fall.world.index.torque_limit[axis]
    fall.trace.torque[STARTS : STARTS + 12, axis] = -limit
    cause = fall.only()
    assert cause.kind == "torque" and cause.figures["joint"] == "shin.L"
    assert cause.text == f"the left knee gave all of its {limit:.0f} Nm for 0.12 s"


def test_a_torque_that_the_plan_needs_is_set_against_the_limit(fall: Fall) -> None:
    axis = fall.axis("shin.L")
    fall.world.index.torque_limit[axis] = 1e-6  # less than anything that standing needs
    fall.trace.torque[STARTS : STARTS + 12, axis] = 1.0
    cause = fall.only()
    assert "left knee needed" in cause.text
    assert float(cause.figures["needed_nm"]) > float(cause.figures["limit_nm"])


def test_a_foot_in_the_air_or_on_the_ground_at_the_wrong_time(fall: Fall) -> None:
    right = fall.prepared.schedule.foot == 1
    soles = np.flatnonzero(right)
    fall.trace.contact_force[STARTS : STARTS + 8, soles] = 0.0
    assert fall.only().text == "the right foot was in the air for 0.08 s when it should stand"
    fall.trace.contact_force[:, : len(right)] = fall.share
    touches = fall.prepared.schedule.touches.copy()
    touches[STARTS : STARTS + 8, soles] = False
    fall.prepared = replace(fall.prepared, schedule=soles_only(touches, fall.prepared.schedule.foot))
    assert fall.only().text == "the right foot was on the ground for 0.08 s when it should swing"


@pytest.mark.parametrize(("seconds", "told"), [(0.7, False), (0.95, True)])
def test_a_motion_that_hangs_in_the_air_is_told_with_the_jump_it_takes(
    fall: Fall, seconds: float, told: bool
) -> None:
    touches = fall.prepared.schedule.touches.copy()
    touches[2 : 2 + round(seconds / DT)] = False
    fall.prepared = replace(fall.prepared, schedule=soles_only(touches, fall.prepared.schedule.foot))
    flights = [cause for cause in fall.causes() if cause.kind == "flight"]
    assert bool(flights) == told
    if told:  # v = g t / 2 upwards, h = v^2 / 2 g = g t^2 / 8
        assert flights[0].text == "the motion stays in the air for 0.95 s, which takes a jump of 1.1 m"
        assert fall.causes()[0].kind == "flight", "it is named first"


def test_a_moment_of_it_is_not_told(fall: Fall) -> None:
    fall.trace.contact_force[STARTS : STARTS + 3] = 0.0
    assert fall.causes() == ()


def test_a_hand_on_the_ground_is_named(fall: Fall) -> None:
    hand = fall.world.spec.names.index("hand.L")
    slot = int(np.argmax(fall.trace.contact_segment == hand))
    fall.trace.contact_force[STARTS:, slot, 2] = 100.0
    assert fall.only().text == "the left hand touched the ground"


def test_feet_that_ride_along_do_not_slip(fall: Fall) -> None:
    """Where the ground moves as the feet do, there is no slip; where it stands still, there is."""
    fall.trace.qpos[:, 0] += fall.trace.time
    assert "slip" in [cause.kind for cause in fall.causes()]
    flat = fall.world.ground

    class Belt(FlatGround):
        def below(
            self, points: FloatArray, state: ObjectState = NO_OBJECTS, headroom: float = HEADROOM
        ) -> Surface:
            under = flat.below(points, state, headroom)
            return replace(under, velocity=np.tile([1.0, 0.0, 0.0], (len(points), 1)))

    fall.world = replace(fall.world, ground=Belt(0.0))
    assert "slip" not in [cause.kind for cause in fall.causes()]


def test_feet_that_slip_are_named_with_their_way(fall: Fall) -> None:
    way = np.minimum(np.arange(101 - STARTS) * DT, 0.1)
    fall.move(np.outer(way, [1.0, 0.0, 0.0]))
    causes = fall.causes()
    assert [cause.kind for cause in causes] == ["slip", "slip"]
    # 10 cm at 1 m/s; the ends of the slide are smoothed by half a sample's way each.
    assert causes[0].figures["slip_m"] == pytest.approx(0.1, abs=0.011)


def test_a_take_off_with_the_wrong_turn_is_told(fall: Fall) -> None:
    """A rigid body turning at 2 rad/s about its pelvis, in a flight that is planned without a turn."""
    touches, foot = fall.prepared.schedule.touches.copy(), fall.prepared.schedule.foot
    touches[STARTS:] = False
    fall.trace.contact_force[STARTS:, : len(foot)] = 0.0
    fall.prepared = replace(fall.prepared, schedule=soles_only(touches, foot))
    fall.trace.qvel[:, 4] = 2.0
    assert fall.only().figures["spin_deg_s"] == pytest.approx(np.degrees(2.0))


def test_a_joint_that_strays_is_named(fall: Fall) -> None:
    head = fall.world.index.joint[fall.world.spec.names.index("head")]
    turn = np.zeros(fall.world.model.nv)
    turn[int(fall.world.model.jnt_dofadr[head])] = np.radians(50.0)
    for t in range(STARTS, 101):
        mujoco.mj_integratePos(fall.world.model, fall.trace.qpos[t], turn, 1.0)
    assert fall.only().text == "the neck strayed 50 deg from the motion"


def test_a_body_out_of_balance_is_told_last(fall: Fall) -> None:
    """Leaning as a plank about the soles: 45 deg puts the centre of mass far in front of the toes."""
    turn = np.array([np.cos(np.pi / 8), 0.0, np.sin(np.pi / 8), 0.0])
    height = fall.trace.qpos[0, 2]
    fall.trace.qpos[STARTS:, 3:7] = turn
    fall.trace.qpos[STARTS:, :3] = [height * np.sin(np.pi / 4), 0.0, height * np.cos(np.pi / 4)]
    causes = fall.causes()
    assert causes[-1].kind == "balance"
    assert float(causes[-1].figures["outside_m"]) > 0.3 > float(causes[-1].figures["planned_m"])


def test_a_plan_that_hangs_in_the_air_is_told_first(fall: Fall) -> None:
    fall.prepared = replace(fall.prepared, support_force=0.5 * fall.share)
    (cause,) = fall.causes()
    assert cause.text == "the motion had 50 % of its weight on something other than its feet"


def test_the_least_assist_is_the_first_that_holds() -> None:
    """The largest is tried first, so that a motion that none carries is told after one trial."""
    most = CAPS[-1]
    assert least_assist(lambda cap: cap >= 60.0, 15.0) == (100.0, (most, 25.0, 50.0, 100.0))
    assert least_assist(lambda cap: cap == most, 100.0) == (most, (most, 200.0))
    assert least_assist(lambda cap: False, 0.0) == (None, (most,))
    assert least_assist(lambda cap: True, most) == (None, ())


def test_the_notes_say_why_and_what_helps() -> None:
    causes = tuple(Cause("slip", t, f"thing {t} happened", {}) for t in (1, 2, 3))
    why, help_ = failure_notes(Failure(3.5, causes, 50.0, (25.0, 50.0)))
    assert why == "Before the fall at 3.50 s thing 1 happened; thing 2 happened."
    assert "--assist 50" in help_
    assert "400" in failure_notes(Failure(3.5, causes, None, CAPS))[1]
    assert len(failure_notes(Failure(3.5, (), None, ()))) == 1


def test_help_that_loses_the_motion_is_no_help() -> None:
    """A body that stays up but waves instead, four joints by 60 deg, has lost its motion."""
    stand = standing(0.5)
    (setup,) = set_up([Job(person(stand), MAPPING, BakeSettings(quality="draft"))])
    (outcome,) = run_attempt([setup], [Attempt(USUAL)], Monitor(ignore_progress))
    reference, trace = outcome.prepared.reference, outcome.trace
    assert keeps_motion(setup, reference, trace)
    bend = np.tile([0.0, np.radians(60.0), 0.0], (len(stand.time), 1))
    arms = dict.fromkeys(("upper_arm.L", "upper_arm.R", "forearm.L", "forearm.R"), bend)
    waving = on_control_grid(person(Performance(stand.time, arms, stand.hips_offset)))
    lost = pose_from_motion(setup.scenario.spec, setup.scenario.binding, waving)[: len(trace.time)]
    assert not keeps_motion(setup, reference, replace(trace, qpos=lost))
    half = len(trace.time) // 2
    assert not keeps_motion(setup, reference, replace(trace, time=trace.time[:half], qpos=trace.qpos[:half]))


def test_words_for_parts() -> None:
    assert (joint_label("shin.L"), joint_label("abdomen")) == ("left knee", "lower back")
    assert (part_label("upper_arm.R"), joint_label("tail")) == ("right upper arm", "tail joint")


def test_a_bake_that_falls_says_why() -> None:
    """Floats away as nobody can: no assist of the list lifts a body for long."""
    stand = standing(1.0)
    rise = np.outer(np.clip(stand.time - 0.2, 0.0, None), [0.0, 0.0, 1.5])
    floating = person(Performance(stand.time, stand.turns, rise))
    settings = BakeSettings(quality="draft", assist_cap=CAPS[-2])
    failure = bake(Job(floating, MAPPING, settings)).meta.failure
    assert failure is not None
    assert failure.assist_tried == (CAPS[-1],) and failure.least_assist is None
    quick = bake(Job(floating, MAPPING, replace(settings, find_assist=False))).meta
    assert quick.failure is not None
    assert quick.failure.fell_at == quick.fell_at == failure.fell_at
    assert quick.failure.causes == failure.causes
    assert quick.failure.assist_tried == ()
    assert quick.failure.notes[0] in quick.notes
