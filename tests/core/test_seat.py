"""A body that sits above the floor with nothing under it is thicker than its bones."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.character.from_rig import RigCharacter, character_from_rig
from sim_core.character.posing import pose_from_motion, segment_poses
from sim_core.character.spec import SegmentCapsule
from sim_core.motion.motion import Motion
from sim_core.reading.seat import with_seat
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_people import ANKLE, HEADS, MAPPING, NAMES, Performance, moving, person, standing

HIPS, THIGH, KNEE, FOOT = (HEADS[NAMES.index(name)] for name in ("hips", "thigh.L", "shin.L", "foot.L"))
SHIN_TILT = np.radians(-30.0)


def sitting(hips_height: float, seconds: float = 1.0) -> Performance:
    """Sits with knees up, soles flat on the floor and the arms held forward, the hips at a height [m]."""
    stand = standing(seconds)
    knee_height = ANKLE + np.cos(SHIN_TILT) * (KNEE - FOOT)[2]
    hip_height = hips_height + (THIGH - HIPS)[2]
    raised = np.arcsin((knee_height - hip_height) / (THIGH - KNEE)[2])
    thigh = -(0.5 * np.pi + raised)
    turns = {}
    for side in "LR":
        turns[f"upper_arm.{side}"] = np.array([0.0, -1.2, 0.0])
        turns[f"thigh.{side}"] = np.array([0.0, thigh, 0.0])
        turns[f"shin.{side}"] = np.array([0.0, SHIN_TILT - thigh, 0.0])
        turns[f"foot.{side}"] = np.array([0.0, -SHIN_TILT, 0.0])
    return Performance(stand.time, turns, stand.hips_offset + [0.0, 0.0, hips_height - HIPS[2]])


def seated(motion: Motion) -> tuple[RigCharacter, RigCharacter]:
    """The character as made from its bones, and with its seat."""
    built = character_from_rig(motion, MAPPING)
    return built, with_seat(built, motion)


def lowest_thigh(character: RigCharacter, motion: Motion) -> float:
    """Height of the thighs' and the pelvis' lowest capsule above the floor [m]."""
    spec = character.spec
    position, quaternion = segment_poses(spec, pose_from_motion(spec, character.binding, motion))
    heights = [
        (position[:, i] + rotations.rotate(quaternion[:, i], end))[:, 2].min() - shape.radius
        for i, segment in enumerate(spec)
        if segment.name in ("pelvis", "thigh.L", "thigh.R")
        for shape in segment.shapes
        if isinstance(shape, SegmentCapsule)
        for end in (shape.start, shape.end)
    ]
    return float(min(heights)) - character.ground_height


@pytest.mark.parametrize("scale", [0.6, 1.0])
@pytest.mark.parametrize("mirrored", [False, True])
def test_what_it_sits_on_reaches_the_floor(scale: float, mirrored: bool) -> None:
    performance = sitting(0.28)
    motion = person(performance.mirrored() if mirrored else performance, scale=scale)
    bones, thicker = seated(motion)
    assert bones.ground_height == 0.0
    assert lowest_thigh(bones, motion) > 0.14 * scale
    assert lowest_thigh(thicker, motion) == pytest.approx(0.0, abs=0.01 * scale)
    assert "above the floor" in thicker.notes[-1]
    assert thicker.spec.mass == bones.spec.mass
    assert thicker.spec["foot.L"] is bones.spec["foot.L"]


@pytest.mark.parametrize(
    "performance",
    [standing(1.0), moving(), sitting(0.12), sitting(0.45)],
    ids=["stands", "moves", "sits on the floor", "sits on a chair"],
)
def test_other_bodies_are_as_their_bones(performance: Performance) -> None:
    """On a chair that is not there nothing carries a body, and that must stay so."""
    bones, same = seated(person(performance))
    assert same is bones


def test_it_sits_without_help() -> None:
    motion = person(sitting(0.25))
    result = bake(Job(motion, MAPPING, BakeSettings("draft", 0.0, find_assist=False)))
    assert result.meta.fell_at is None
    hips = result.bone_name.tolist().index("hips")
    assert np.abs(result.bone_position[:, hips, 2] - 0.25).max() < 0.03
    assert any("thicker" in note for note in result.meta.notes)
