"""Hit reactions: what is hit gives way for a while; steps and touches are no hits."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim_core.base.conventions import Z_UP, FloatArray
from sim_core.control.hit_reaction import (
    DELAY_SHARE,
    HIT_SPEED,
    NO_ASSIST_S,
    HitReactions,
    HitSettings,
    region_of,
)
from sim_core.control.make_tracker import TrackerOptions, make_tracker
from sim_core.control.tracking.tracker import Tracker
from sim_core.reference.prepare import Prepared
from sim_core.result.records import Hit
from sim_core.scene.scene import Keys, Role, SceneObject
from sim_core.scene.shapes import Box, Sphere
from sim_core.simulation.impacts import ImpactSensor
from sim_core.simulation.protocol import Impact
from sim_core.simulation.trace import Trace
from sim_core.world.scene_model import prescribe_motion
from tests.core.sample_motions import DT, prepared, scene, still, walk
from tests.core.sample_motions import Scene as Made
from tests.core.sample_simulation import SingleSimulation
from tests.core.test_props import FAR, among, prop

BALL_KG, BALL_SPEED = 5.0, 4.0


@pytest.fixture(scope="module")
def standing() -> Made:
    return scene(still(0.8))


@pytest.fixture(scope="module")
def ready(standing: Made) -> Prepared:
    return prepared(standing)


def reactions(made: Made, softness: float = 0.8, recovery_s: float = 0.5) -> HitReactions:
    return HitReactions(made.world.spec, ["ball", "wall"], HitSettings(softness, recovery_s))


def push(made: Made, segment: str, impulse_ns: float, source: int = 0) -> Impact:
    return Impact(made.world.spec.names.index(segment), source, np.array([impulse_ns, 0.0, 0.0]))


def tracked(
    made: Made,
    ready: Prepared,
    *objects: SceneObject,
    softness: float = 0.8,
    assist_cap: float = 0.0,
) -> tuple[Trace, Tracker]:
    world, reference = among(made, *objects), ready.reference
    reaction = HitSettings(softness)
    options = TrackerOptions(assist_cap=assist_cap, hits=reaction)
    tracker = make_tracker(world, ready, made.leg_length, options)
    simulator = SingleSimulation(world, DT)
    trace = simulator.run(tracker, reference.qpos[0], reference.qvel[0], len(reference) - 1)
    return trace, tracker


def ball_at(height: float, mass: float = BALL_KG) -> SceneObject:
    """Comes from the front, and meets the body after about a tenth of a second."""
    place, velocity = [0.6, 0.0, height], [-BALL_SPEED, 0.0, 0.0]
    return prop("ball", Sphere(0.1), place, velocity=velocity, mass=mass)


def turned(made: Made, ready: Prepared, trace: Trace, segment: str) -> FloatArray:
    """How far a ball joint is from its reference (T) [rad]."""
    joint = made.world.index.joint[made.world.spec.names.index(segment)]
    first = int(made.world.model.jnt_qposadr[joint])
    now, planned = (q[:, first : first + 4] for q in (trace.qpos, ready.reference.qpos[: len(trace.qpos)]))
    return 2.0 * np.arccos(np.clip(np.abs(np.sum(now * planned, axis=1)), 0.0, 1.0))


def test_gains_drop_wait_and_come_back_on_half_a_sine() -> None:
    course = HitSettings(softness=0.6, recovery_s=1.0)
    middle = 0.5 * (1.0 + DELAY_SHARE)
    quarter = DELAY_SHARE + 0.25 * (1.0 - DELAY_SHARE)
    assert course.gain_scale(0.0) == pytest.approx(0.4)
    assert course.gain_scale(DELAY_SHARE) == pytest.approx(0.4)
    assert course.gain_scale(quarter) == pytest.approx(1.0 - 0.6 * 0.5 * (1.0 + np.sqrt(0.5)))
    assert course.gain_scale(middle) == pytest.approx(0.7)
    assert course.gain_scale(1.0) == course.gain_scale(50.0) == 1.0
    slope = [(course.gain_scale(t + 1e-6) - course.gain_scale(t - 1e-6)) / 2e-6 for t in (DELAY_SHARE, 1.0)]
    assert slope == pytest.approx([0.0, 0.0], abs=1e-4)


@pytest.mark.parametrize(
    ("segment", "region"),
    [
        ("head", "trunk"),
        ("chest", "trunk"),
        ("pelvis", "trunk"),
        ("hand.L", "arm.L"),
        ("clavicle.R", "arm.R"),
        ("foot.R", "leg.R"),
        ("thigh.L", "leg.L"),
    ],
)
def test_regions_are_the_trunk_with_the_neck_and_single_limbs(segment: str, region: str) -> None:
    assert region_of(segment) == region


@pytest.mark.parametrize("segment", ["head", "pelvis", "forearm.L", "shin.R"])
def test_only_the_joints_of_the_region_give_way(standing: Made, segment: str) -> None:
    watcher, spec = reactions(standing), standing.world.spec
    watcher.observe(1.0, [push(standing, segment, 20.0)])
    gain_scale = watcher.gain_scale(1.0)
    assert gain_scale is not None
    owner = np.repeat(spec.names, [s.joint.kind.torque_axes for s in spec])
    for name, value in zip(owner, gain_scale, strict=True):
        assert value == pytest.approx(0.2 if region_of(str(name)) == region_of(segment) else 1.0)
    assert watcher.gain_scale(1.5) is None
    assert [(h.segment, h.by, h.impulse_ns, h.time_s) for h in watcher.hits] == [(segment, "ball", 20.0, 1.0)]


def test_only_a_short_push_above_the_threshold_is_a_hit(standing: Made) -> None:
    threshold = HIT_SPEED * standing.world.spec.mass
    watcher = reactions(standing)

    def hits() -> tuple[Hit, ...]:
        return watcher.hits

    watcher.observe(0.0, [push(standing, "chest", 0.99 * threshold)])
    assert hits() == ()
    for k in range(1, 200):  # leaning on something: much impulse, but slowly
        watcher.observe(1.0 + k * DT, [push(standing, "hand.L", 0.1 * threshold, source=1)])
    assert hits() == ()
    watcher.observe(4.0, [push(standing, "hand.L", 0.6 * threshold)])
    watcher.observe(4.01, [push(standing, "hand.L", 0.6 * threshold)])
    watcher.observe(4.02, [push(standing, "hand.L", 0.6 * threshold)])
    assert [hit.region for hit in hits()] == ["arm.L"], "one blow over three intervals is one hit"
    assert hits()[0].impulse_ns == pytest.approx(1.8 * threshold)
    watcher.observe(6.0, [push(standing, "hand.L", 2.0 * threshold)])
    assert [hit.time_s for hit in hits()] == pytest.approx([4.01, 6.0])


def test_the_impulse_of_a_ball_is_what_it_loses(standing: Made, ready: Prepared) -> None:
    """It comes from the front along X; its momentum along X goes to the character alone."""
    trace, tracker = tracked(standing, ready, ball_at(1.25))
    hits = tracker.reactions.hits
    assert hits and all(hit.by == "ball" and hit.region == "trunk" for hit in hits)
    speed = trace.object_qvel[:, 0]
    at = round(hits[0].time_s / DT)
    lost = BALL_KG * (speed[at + 10] - speed[0])
    along = sum(hit.impulse_ns for hit in hits if hit.time_s < hits[0].time_s + 0.1)
    assert along >= 0.99 * lost, "friction adds to what stops it"
    assert along < 1.3 * lost


def test_a_softer_character_gives_way_further(standing: Made, ready: Prepared) -> None:
    ball = ball_at(1.6, mass=2.0)
    angles = [
        turned(standing, ready, tracked(standing, ready, ball, softness=s)[0], "head").max()
        for s in (0.0, 0.5, 0.95)
    ]
    assert angles[0] < angles[1] < angles[2]
    assert angles[2] > 1.3 * angles[0]


def test_without_softness_a_hit_changes_no_gains(standing: Made) -> None:
    watcher = reactions(standing, softness=0.0)
    watcher.observe(0.0, [push(standing, "head", 20.0)])
    assert len(watcher.hits) == 1
    assert watcher.gain_scale(0.0) is None


def test_steps_are_no_hits_on_a_floor_on_a_platform_and_on_bricks() -> None:
    made = scene(walk(1.3))
    ready = prepared(made)
    time = np.array([0.0, 5.0])
    keys = Keys(time, np.tile([0.0, 0.0, -0.499], (2, 1)), np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)))
    platform = SceneObject("platform", Role.MOVING, Box(np.array([5.0, 5.0, 0.5])), keys=keys)
    slab = prop("slab", Box(np.array([3.0, 3.0, 0.005])), np.array([0.0, 0.0, 0.0]), mass=500.0)
    for objects in ((prop("far", Sphere(0.1), FAR + [0, 0, 0.1]),), (platform,), (slab,)):
        trace, tracker = tracked(made, ready, *objects)
        assert trace.qpos[-1, 2] > 0.8, "it must walk"
        assert tracker.reactions.hits == (), objects[0].name


@pytest.mark.parametrize(
    ("segment", "speed", "stood_on"), [("head", 0.4, True), ("head", 4.0, False), ("foot.L", 4.0, True)]
)
def test_what_comes_up_slowly_is_stood_on(standing: Made, segment: str, speed: float, stood_on: bool) -> None:
    """Feet stand on whatever pushes them from below."""
    time = np.array([0.0, 1.0])
    keys = Keys(time, np.outer(speed * time, Z_UP), np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)))
    world = among(standing, SceneObject("lift", Role.MOVING, Box(np.array([0.1, 0.1, 0.1])), keys=keys))
    data = mujoco.MjData(world.engine.model)
    prescribe_motion(data, world.engine.objects, world.playback.at(np.array([0.5])), 0)
    mujoco.mj_forward(world.engine.model, data)
    part, force = world.spec.names.index(segment), 100.0 * Z_UP
    assert (
        ImpactSensor(world, data).supports(part, 0, force, data.xpos[world.engine.objects.body[0]])
        is stood_on
    )


def test_no_hand_helps_for_a_second_after_a_hit(ready: Prepared, standing: Made) -> None:
    long = scene(still(1.6))
    trace, tracker = tracked(long, prepared(long), ball_at(1.25), assist_cap=50.0)
    hits = [hit.time_s for hit in tracker.reactions.hits]
    force = np.linalg.norm(trace.assist, axis=1)
    after = (trace.time > hits[0] + DT) & (trace.time < hits[-1] + NO_ASSIST_S - DT)
    assert force[after].max() == 0.0
    assert force[trace.time > hits[-1] + NO_ASSIST_S + 5 * DT].max() > 0.0


def test_springs_and_goals_of_the_region_soften_together(standing: Made, ready: Prepared) -> None:
    """Firm joints keep their springs; soft ones keep a share of the stiffness and its root of the damping."""
    made = replace(standing, world=among(standing, ball_at(1.25)))
    commands = []
    for hit in (False, True):
        tracker = make_tracker(made.world, ready, made.leg_length)
        simulator = SingleSimulation(made.world, DT)
        simulator.data.qpos[made.world.engine.index.qpos] = ready.reference.qpos[0]
        state = simulator.character.state(0)
        impacts = (push(made, "forearm.L", 20.0),) if hit else ()
        commands.append(tracker.command(replace(state, impacts=impacts)))
    firm, soft = commands
    region, gain_scale = tracker.reactions.dof_region == "arm.L", 1.0 - HitSettings().softness
    assert soft.kp[region] == pytest.approx(gain_scale * firm.kp[region])
    assert soft.kd[region] == pytest.approx(np.sqrt(gain_scale) * firm.kd[region])
    assert soft.kp[~region] == pytest.approx(firm.kp[~region])
