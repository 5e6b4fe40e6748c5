"""A lying body is planned back to its motion: when it rests, which way it takes, where the motion goes on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import X_FORWARD, Y_LEFT, FloatArray
from sim_core.base.errors import InputError
from sim_core.character.posing import segment_poses
from sim_core.character.spec import CharacterSpec
from sim_core.dynamics.centroidal import measure_supports
from sim_core.getup.guide import Guide, KeyPose, load_guide
from sim_core.getup.plan import GetUpPlan, plan_get_up
from sim_core.getup.rest import LONGEST_FALL_S, REST_SECONDS, RestDetector, lying_heading
from sim_core.getup.resume import RAMP_S, find_resumption, pace
from sim_core.simulation.protocol import State
from sim_core.world.world import World
from tests.core.sample_motions import DT, Scene, prepared, scene, walk
from tests.core.sample_people import mirror_name

FACE_UP, FACE_DOWN = -90.0, 90.0
"""Pitch of a lying pelvis [deg]."""


@pytest.fixture(scope="module")
def made() -> Scene:
    return scene(walk())


def heights(world: World, poses: FloatArray) -> FloatArray:
    """The heights (T, K) of the lowest points of all supports in poses (T, nq) [m]."""
    return measure_supports(world, poses, np.arange(len(world.index.support_body))).points[..., 2]


def lying(made: Scene, pitch: float, yaw: float = 0.0) -> FloatArray:
    """The straight body on its back or its front, its head towards the yaw [rad]."""
    pose = KeyPose(1.0, 0.0).pose(made.world.spec)
    turn = rotations.from_vector(np.radians(pitch) * Y_LEFT)
    head = yaw if pitch > 0.0 else yaw + np.pi
    pose[3:7] = rotations.multiply(rotations.about_vertical(head), turn)
    pose[2] += made.world.ground_height - heights(made.world, pose[None]).min()
    return pose


def planned(made: Scene, pose: FloatArray, first: int = 0) -> GetUpPlan:
    return plan_get_up(made.world, pose, prepared(made), first, load_guide())


def keys_of(guide: Guide) -> list[KeyPose]:
    return [*(key for way in guide.ways for key in way.keys), *guide.rise]


def positions(spec: CharacterSpec, pose: FloatArray) -> dict[str, FloatArray]:
    return dict(zip(spec.names, segment_poses(spec, pose[None])[0][0], strict=True))


@pytest.mark.parametrize("number", range(len(keys_of(load_guide()))))
def test_mirrored_poses_are_mirrored_in_space(made: Scene, number: int) -> None:
    key, spec = keys_of(load_guide())[number], made.world.spec
    own, other = (positions(spec, one.pose(spec)) for one in (key, key.mirrored()))
    for name, at in own.items():
        assert other[mirror_name(name)] == pytest.approx(at * [1.0, -1.0, 1.0], abs=1e-6)
    twice = key.mirrored().mirrored()
    assert twice.pose(spec) == pytest.approx(key.pose(spec), abs=1e-12)


def test_the_guide_comes_onto_hands_and_knees_on_another_body(made: Scene) -> None:
    """Within 10 cm, the thickness of a thigh, which the dynamic filter and the joints even out."""
    world = made.world
    pose = load_guide().rise[0].pose(world.spec)
    found = heights(world, pose[None])[0]
    height = found - found.min()
    segment = world.index.segment_of(world.index.support_body)
    for name in ("hand.L", "hand.R", "shin.L", "shin.R"):
        assert height[segment == world.spec.names.index(name)].min() < 0.10, name


def test_guides_without_poses_or_time_are_refused() -> None:
    guide = load_guide()
    with pytest.raises(InputError, match="needs ways"):
        replace(guide, rise=())
    with pytest.raises(InputError, match="more than zero"):
        replace(guide, rise=(replace(guide.rise[0], seconds=0.0),))


def test_rest_is_slow_for_a_while_and_a_rocking_body_is_not_awaited_for_ever() -> None:
    still, fast = np.zeros(20), np.ones(20)
    detector, begins = RestDetector(1.0), 1.0
    found = [
        t
        for t in np.arange(begins, 4.0, DT)
        if detector.rests(State(float(t), np.zeros(21), fast if t < 2.0 else still))
    ]
    assert found[0] == pytest.approx(2.0 + REST_SECONDS, abs=1.5 * DT)
    rocking = RestDetector(1.0)
    found = [t for t in np.arange(begins, 4.0, DT) if rocking.rests(State(float(t), np.zeros(21), fast))]
    assert found[0] == pytest.approx(1.0 + LONGEST_FALL_S, abs=1.5 * DT)


def test_the_motion_goes_on_where_both_feet_stand(made: Scene) -> None:
    ready = prepared(made)
    both = np.flatnonzero(ready.schedule.stands.all(axis=1))
    for first in (0, int(both[0]) + 1, len(made.qpos) // 2):
        found = find_resumption(made.world, ready, first)
        later = both[both >= first]
        assert found.sample >= first
        assert np.abs(later - found.sample).min() <= round(0.05 / DT)  # or just before it touches
        places = positions(made.world.spec, ready.reference.qpos[found.sample])
        ahead = places["foot.L"][0] - places["foot.R"][0]
        assert abs(ahead) < 0.02 or found.leading_foot == (0 if ahead > 0.0 else 1)


def test_without_such_a_place_the_last_pose_is_left(made: Scene) -> None:
    ready = prepared(made)
    touches = np.zeros_like(ready.schedule.touches)
    flying = replace(ready, schedule=replace(ready.schedule, touches=touches))
    assert find_resumption(made.world, flying, 10).sample == len(made.qpos) - 1


def test_the_pace_rises_from_rest_to_one() -> None:
    times = pace(3.0, DT)
    speed = np.diff(times) / DT
    assert times[0] == 0.0 and times[-1] == pytest.approx(3.0)
    assert speed[0] < 0.01 and np.all(np.diff(speed[: round(RAMP_S / DT)]) > -1e-9)
    assert speed[round(RAMP_S / DT) + 1 : -1] == pytest.approx(1.0)


@pytest.mark.parametrize(("pitch", "way"), [(FACE_UP, "from the back"), (FACE_DOWN, "from the front")])
@pytest.mark.parametrize("yaw", [0.0, 2.0])
def test_a_plan_leads_from_the_lying_pose_to_the_end_of_the_motion(
    made: Scene, pitch: float, way: str, yaw: float
) -> None:
    pose, ready, world = lying(made, pitch, yaw), prepared(made), made.world
    plan = planned(made, pose)
    assert plan.way.startswith(way)
    assert plan.qpos[0] == pytest.approx(pose, abs=1e-9)
    assert lying_heading(world.spec, pose) == pytest.approx(yaw, abs=1e-6)
    facing = rotations.rotate(plan.qpos[plan.stands, 3:7], X_FORWARD)
    assert np.arctan2(facing[1], facing[0]) == pytest.approx(yaw, abs=1e-6)
    # The rest of the motion is the same, turned about the vertical and moved over the floor.
    end, wanted = plan.qpos[-1], ready.reference.qpos[-1]
    assert end[7:] == pytest.approx(wanted[7:], abs=1e-6)
    moved = rotations.rotate(rotations.about_vertical(plan.yaw), wanted[:3])
    assert end[:3] == pytest.approx(moved + np.array([*plan.shift, 0.0]), abs=1e-6)
    assert plan.clip_sample[-1] == pytest.approx(len(made.qpos) - 1)
    assert np.all(plan.clip_sample[: plan.stands] == -1.0)


def test_a_plan_touches_the_floor_and_has_no_jump(made: Scene) -> None:
    world, plan = made.world, planned(made, lying(made, FACE_DOWN))
    lowest = heights(world, plan.qpos).min(axis=1)[10 : plan.stands - 10]
    assert np.abs(lowest - world.ground_height).max() < 0.02
    # Nothing moves faster than 4 m/s, as a hand may that is thrown forwards; a jump would be ten times that.
    place = segment_poses(world.spec, plan.qpos)[0]
    assert np.linalg.norm(np.diff(place, axis=0), axis=-1).max() / DT < 4.0


def test_a_body_on_its_other_side_gets_up_mirrored(made: Scene) -> None:
    spec, side = made.world.spec, load_guide().ways[1].keys[1]
    names = []
    for key in (side, side.mirrored()):
        pose = key.pose(spec)
        pose[2] = 0.2
        names.append(planned(made, pose).way)
    assert names == ["from the back", "from the back, mirrored"]


def test_the_leading_foot_stays_where_it_is_put(made: Scene) -> None:
    plan = planned(made, lying(made, FACE_DOWN))
    foot = f"foot.{'LR'[find_resumption(made.world, prepared(made), 0).leading_foot]}"
    before, after = (
        positions(made.world.spec, plan.qpos[sample])[foot] for sample in (plan.stands - 1, plan.stands)
    )
    assert before == pytest.approx(after, abs=0.02)
