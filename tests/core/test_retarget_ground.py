"""Retargeted feet on the ground of a scene: slopes, steps and platforms that move."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.retarget.retarget import Retargeted, retarget
from sim_core.retarget.retarget_figures import retarget_figures
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig
from sim_core.retarget.stances import foot_path
from sim_core.scene.scene import Keys, Role, Scene, SceneObject
from sim_core.scene.shapes import Box
from tests.core.sample_motions import walk
from tests.core.sample_people import A_POSE, MAPPING, T_POSE, person, standing
from tests.core.test_terrain import box, slope


@pytest.fixture(scope="module")
def child() -> RetargetRig:
    return make_retarget_rig(person(standing(), A_POSE, 3, 0.7).skeleton, MAPPING)


def walked(target: RetargetRig, *objects: SceneObject) -> Retargeted:
    motion = person(walk(2.4).performance, T_POSE)
    return retarget(make_retarget_rig(motion.skeleton, MAPPING, motion), motion, target, scene=Scene(objects))


def test_ground_that_is_as_flat_as_the_floor_changes_nothing(child: RetargetRig) -> None:
    flat, ground = walked(child), walked(child, box("floor", Role.GROUND, 0.0, -20.0, 20.0))
    np.testing.assert_allclose(ground.motion.position_world, flat.motion.position_world, atol=1e-5)


@pytest.mark.parametrize("degrees", [8.0, -8.0])
def test_soles_lie_on_a_slope_and_the_body_goes_up_with_them(child: RetargetRig, degrees: float) -> None:
    outcome, angle = walked(child, slope(np.radians(degrees))), np.radians(degrees)
    told = retarget_figures(outcome)
    assert told["skate_cm_s"] < 1.0
    assert told["penetration_max_cm"] < 1.0 and told["contact_height_cm"] < 0.1
    for side in "LR":
        points = foot_path(child, outcome.motion, side).points_world
        flat = outcome.rests[side].all(axis=1)
        above = (points[..., 2] - points[..., 0] * np.tan(angle))[flat]
        assert np.abs(above).max() < 3e-3, "the whole sole rests, not its edge"
    hips = outcome.motion.position_world[:, child.bone("hips")]
    way = hips[-1] - hips[0]
    assert way[2] == pytest.approx(way[0] * np.tan(angle), abs=0.05)


def test_a_step_is_climbed_without_passing_through_it(child: RetargetRig) -> None:
    outcome = walked(child, box("step", Role.OBSTACLE, 0.1, 0.45, 9.0))
    told = retarget_figures(outcome)
    assert told["skate_cm_s"] < 1.0
    assert told["penetration_max_cm"] < 1.0 and told["contact_height_cm"] < 0.1
    ankles = [foot_path(child, outcome.motion, side).points_world[-1, :, 2].min() for side in "LR"]
    assert max(ankles) > 0.09, "the last step is on top of it"


def test_a_platform_carries_who_stands_on_it(child: RetargetRig) -> None:
    time = np.linspace(0.0, 3.0, 31)
    place = np.stack([0.0 * time, 0.2 * time, np.full(31, -0.45)], axis=1)
    keys = Keys(time, place, np.tile([1.0, 0.0, 0.0, 0.0], (31, 1)))
    raft = SceneObject("raft", Role.MOVING, Box(np.array([6.0, 6.0, 0.5])), keys=keys)
    still, carried = walked(child), walked(child, raft)
    assert retarget_figures(carried)["skate_cm_s"] < 1.0, "over the raft, not over the world"
    away = carried.motion.position_world - still.motion.position_world
    assert away[-1, child.bone("hips"), 1] == pytest.approx(0.2 * still.motion.duration, abs=0.05)
