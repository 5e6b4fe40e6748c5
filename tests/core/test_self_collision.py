"""A body that meets itself: where its motion keeps its parts apart, and nowhere else."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import FloatArray
from sim_core.character.posing import pose_from_motion
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scenario.several import make_scenarios
from sim_core.simulation.protocol import Command, State
from sim_core.world.world import World, WorldCharacter, build_worlds
from tests.core.sample_people import MAPPING, Performance, Turns, person, standing
from tests.core.sample_simulation import SingleSimulation

DT = 0.01
ARMS_OUT: Turns = {"upper_arm.L": np.array([1.2, 0.0, 0.0]), "upper_arm.R": np.array([-1.2, 0.0, 0.0])}


def posed(turns: Turns, seconds: float = 0.4) -> Performance:
    stand = standing(seconds)
    steady = {name: np.tile(turn, (len(stand.time), 1)) for name, turn in turns.items()}
    return Performance(stand.time, steady, stand.hips_offset)


def scenario_of(turns: Turns, self_collision: bool = True) -> Scenario:
    settings = BakeSettings(assist_cap=0.0, find_assist=False, self_collision=self_collision)
    return make_scenarios([Job(person(posed(turns)), MAPPING, settings)])[0]


def test_neighbours_pass_and_the_rest_meets() -> None:
    excluded_pairs = scenario_of(ARMS_OUT).excluded_pairs
    assert excluded_pairs is not None
    assert {("abdomen", "pelvis"), ("foot.L", "thigh.L"), ("forearm.R", "hand.R")} <= set(excluded_pairs)
    assert all(first < second for first, second in excluded_pairs)
    for pair in (("forearm.L", "thigh.L"), ("forearm.L", "forearm.R"), ("shin.L", "shin.R")):
        assert pair not in excluded_pairs
    assert scenario_of(ARMS_OUT, self_collision=False).excluded_pairs is None


def test_parts_that_touch_in_the_motion_pass_and_that_is_said() -> None:
    """Hands that meet before the belly."""
    folded: Turns = {
        "upper_arm.L": np.array([0.0, -0.4, 0.0]),
        "forearm.L": np.array([0.0, -1.2, -1.1]),
        "upper_arm.R": np.array([0.0, -0.4, 0.0]),
        "forearm.R": np.array([0.0, -1.2, 1.1]),
    }
    scenario, open_scenario = scenario_of(folded), scenario_of(ARMS_OUT)
    assert scenario.excluded_pairs is not None and open_scenario.excluded_pairs is not None
    new = set(scenario.excluded_pairs) - set(open_scenario.excluded_pairs)
    assert ("hand.L", "hand.R") in new
    (note,) = [note for note in scenario.notes if "pass through each other" in note]
    assert note.endswith(".") and "hand and right hand" in note
    assert not any("hand" in note for note in open_scenario.notes)


class Adductor:
    """Pulls both arms down and inwards; all other joints are held by springs."""

    def __init__(self, world: World, qpos: FloatArray, torque: float) -> None:
        self.world, self.qpos = world, qpos
        axes = len(world.index.actuator)
        self.zero, self.torque = np.zeros(axes), np.zeros(axes)
        dofs = world.model.jnt_dofadr[world.index.joint]
        for side, sign in (("L", -1.0), ("R", 1.0)):
            first = int(dofs[world.spec.names.index(f"upper_arm.{side}")])
            self.torque[world.index.actuated_dof == first] = sign * torque
        self.kp = np.where(self.torque == 0.0, 400.0, 0.0)
        self.kd = np.where(self.torque == 0.0, 40.0, 2.0)

    def command(self, state: State) -> Command:
        offset = np.zeros(self.world.model.nv)
        mujoco.mj_differentiatePos(self.world.model, offset, 1.0, state.qpos, self.qpos)
        offset = offset[self.world.index.actuated_dof]
        return Command(
            self.torque, offset * (self.kp > 0.0), self.zero, self.zero, self.kp, self.kd, np.zeros(6)
        )


@pytest.mark.parametrize("meets_itself", [True, False])
def test_an_arm_that_is_pulled_in_stops_at_the_body(meets_itself: bool) -> None:
    """Without weight, so that the body need not stand."""
    scenario = scenario_of(ARMS_OUT)
    member = WorldCharacter(scenario.spec, excluded_pairs=scenario.excluded_pairs if meets_itself else None)
    (world,) = build_worlds((member,), 0.001)
    for model in {world.model, world.engine.model}:
        model.opt.gravity[:] = 0.0
    qpos = pose_from_motion(scenario.spec, scenario.binding, scenario.motion)[0]
    qpos[2] += 2.0
    controller = Adductor(world, qpos, 20.0)
    trace = SingleSimulation(world, DT).run(controller, qpos, np.zeros(world.model.nv), 80)
    names = scenario.spec.names
    hands = trace.body_com[:, [names.index("forearm.L"), names.index("forearm.R")]]
    gap = np.linalg.norm(hands[:, 0] - hands[:, 1], axis=-1)
    if meets_itself:
        assert gap.min() > 0.2, "the arms went through the trunk"
    else:
        assert gap.min() < 0.2
    # What the body does to itself moves it nowhere, and is no contact with the world.
    assert np.abs(trace.contact_force).max() == 0.0
    mass = np.array([segment.mass for segment in scenario.spec])
    com = np.einsum("tbi,b->ti", trace.body_com, mass) / mass.sum()
    assert np.abs(com - com[0]).max() < 1e-3


def test_a_motion_that_keeps_apart_is_carried_out_as_without() -> None:
    """No contact, no difference beyond the solver's rounding."""
    job = Job(person(posed(ARMS_OUT)), MAPPING, BakeSettings(assist_cap=0.0, find_assist=False))
    other = Job(job.motion, MAPPING, BakeSettings(assist_cap=0.0, find_assist=False, self_collision=False))
    on, off = bake(job), bake(other)
    assert on.joint_position == pytest.approx(off.joint_position, abs=1e-6)
