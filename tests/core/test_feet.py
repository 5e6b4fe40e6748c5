"""Soles and ground, read from frames in which the feet stand."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import X_FORWARD, FloatArray
from sim_core.character.binding import bind
from sim_core.character.foot_shapes import MIN_STANCE_SAMPLES, measure_feet
from sim_core.character.from_rig import RigCharacter, character_from_rig
from sim_core.character.posing import pose_from_motion, segment_poses
from sim_core.character.transfer import lowest_sole
from sim_core.motion.motion import Motion
from sim_core.recognition.mapping import BoneMapping
from tests.core.sample_people import ANKLE, MAPPING, Performance, Turns, moving, person, standing


def lowest(built: RigCharacter, motion: Motion) -> FloatArray:
    """Height of the lowest sole point above the ground found (T) [m]."""
    poses = segment_poses(built.spec, pose_from_motion(built.spec, built.binding, motion))
    return lowest_sole(built.spec, *poses) - built.ground_height


def test_a_standing_body_has_its_soles_on_the_ground() -> None:
    motion = person(standing())
    built = character_from_rig(motion, MAPPING)
    assert built.ground_height == 0.0
    # The toe joint is 3 cm above the ground, within the 2 to 4.5 cm that a sole may be thick.
    for side in "LR":
        assert built.spec[f"foot.{side}"].contact_points[:, 2] == pytest.approx(-ANKLE, abs=1e-3)
    assert np.abs(lowest(built, motion)).max() < 1e-3


@pytest.mark.parametrize("height", [-0.5, 0.3, 2.0])
def test_the_ground_is_where_the_feet_stand(height: float) -> None:
    stand = standing()
    motion = person(Performance(stand.time, {}, stand.hips_offset + [0.0, 0.0, height]))
    built = character_from_rig(motion, MAPPING)
    # Away from height zero nothing tells how thick a sole is: 2 to 4.5 cm (at 1.75 m) where it is 3 cm.
    assert built.ground_height == pytest.approx(height, abs=0.016)
    assert np.abs(lowest(built, motion)).max() < 1e-3


def test_feet_tilted_in_the_rest_pose_stand_flat() -> None:
    """The rest pose points its toes down and out; the standing frames say where the sole is."""
    rest: Turns = {"foot.L": np.array([0.1, 0.5, 0.3]), "foot.R": np.array([-0.1, 0.5, -0.3])}
    motion = person(standing(), rest=rest)
    built = character_from_rig(motion, MAPPING)
    quaternions = segment_poses(built.spec, pose_from_motion(built.spec, built.binding, motion))[1]
    feet = [built.spec.names.index(f"foot.{side}") for side in "LR"]
    up = rotations.rotate(quaternions[:, feet], np.array([0.0, 0.0, 1.0]))
    assert np.abs(up - [0.0, 0.0, 1.0]).max() < 1e-6
    assert np.abs(lowest(built, motion)).max() < 1e-3


def test_heel_behind_and_toes_before_the_ankle() -> None:
    built = character_from_rig(person(moving()), MAPPING)
    points = built.spec["foot.L"].contact_points
    assert points.shape == (4, 3)
    assert points[:2, 0].max() < -0.03 and points[2:, 0].min() > 0.13
    # The toe joint is 0.13 m ahead; 80 % of the toes, 0.27 of the foot, 0.152 of the height, lie before it.
    assert points[2, 0] == pytest.approx(0.13 + 0.8 * 0.27 * 0.152 * built.spec.height, abs=2e-3)


def test_toes_straight_below_the_ankle_leave_the_direction_to_the_trunk() -> None:
    """A rest pose that points its toes down tells nothing about where a foot points that never stands."""
    down = np.arctan2(0.13, ANKLE - 0.03) + 1e-9
    rest: Turns = {f"foot.{side}": np.array([0.0, down, 0.0]) for side in "LR"}
    time = np.arange(MIN_STANCE_SAMPLES + 6) / 50.0
    flying = Performance(time, {}, np.outer(time, [4.0, 0.0, 0.0]) + [0.0, 0.0, 1.0])
    motion = person(flying, rest=rest)
    feet = measure_feet(bind(motion.skeleton, MAPPING), MAPPING, motion, 1.7)[0]
    forward = [rotations.rotate(foot.axes_world_rest, X_FORWARD) for foot in feet.values()]
    assert np.abs(forward - X_FORWARD).max() < 1e-6


def test_too_few_standing_frames_fall_back_to_the_rest_pose() -> None:
    """A body that flies by has no standing frame; its lowest ankle is all there is."""
    time = np.arange(MIN_STANCE_SAMPLES + 6) / 50.0
    offset = np.outer(time, [4.0, 0.0, 0.0]) + [0.0, 0.0, 1.0]
    built = character_from_rig(person(Performance(time, {}, offset)), MAPPING)
    assert built.ground_height == pytest.approx(1.0, abs=0.02)


def bent_knees(seconds: float, drop: float) -> Performance:
    """Stands with knees bent as game characters do, and drops by a length [m] in the second half."""
    stand, tilt = standing(seconds), np.radians(30.0)
    turns = {f"{part}.{s}": np.array([0.0, turn, 0.0]) for part, turn in KNEES.items() for s in "LR"}
    lower = -(1.0 - np.cos(tilt)) * 0.84  # thigh and shin together
    offset = stand.hips_offset + [0.0, 0.0, lower]
    offset[len(offset) // 2 :, 2] -= drop
    return Performance(stand.time, turns, offset)


KNEES = {"thigh": -np.radians(30.0), "shin": np.radians(60.0), "foot": -np.radians(30.0)}


def test_a_body_with_bent_knees_stands_on_the_floor_of_its_rig() -> None:
    """Its shins are never upright. Later its ankles are lower, as in a body that dies on its side."""
    built = character_from_rig(person(bent_knees(1.0, drop=0.06)), MAPPING)
    assert built.ground_height == 0.0


def test_a_foot_that_only_leaves_the_floor_shows_where_it_was() -> None:
    """Who sits down on a chair ends with feet that hang still in the air below upright shins."""
    stand = standing(1.0)
    offset = stand.hips_offset + np.outer(np.clip(4.0 * stand.time, 0.0, 1.0), [0.0, 0.0, 0.3])
    assert character_from_rig(person(Performance(stand.time, {}, offset)), MAPPING).ground_height == 0.0


def test_a_body_that_only_lies_lies_on_the_floor_of_its_rig() -> None:
    stand = standing()
    on_its_back = {"hips": np.array([0.0, -0.5 * np.pi, 0.0])}
    lies = Performance(stand.time, on_its_back, stand.hips_offset + [0.0, 0.0, 0.2 - 0.95])
    assert character_from_rig(person(lies), MAPPING).ground_height == 0.0
    above = Performance(stand.time, on_its_back, stand.hips_offset + [0.0, 0.0, 0.2])
    # The rest pose tells nothing of a body that lies 0.95 m higher: its lowest ankle does.
    assert character_from_rig(person(above), MAPPING).ground_height == pytest.approx(1.09, abs=0.05)


def test_a_rig_without_toes_has_a_foot_of_usual_size() -> None:
    bones = {slot: names for slot, names in MAPPING.bones.items() if not slot.startswith("toe")}
    built = character_from_rig(person(standing()), BoneMapping("no toes", bones))
    points = built.spec["foot.L"].contact_points
    length = points[:, 0].max() - points[:, 0].min()
    # Heel at -0.25, ball at 0.48 and 80 % of toes of 0.27: 0.946 of the foot's length.
    assert length == pytest.approx(0.946 * 0.152 * built.spec.height)
