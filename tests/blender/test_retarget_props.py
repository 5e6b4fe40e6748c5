"""Objects in hands are retargeted with them, and carried in the simulation that follows."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object

from sim_core.base.conventions import FloatArray
from sim_core.motion.bvh_writer import write_bvh
from tests.blender.rigs import fingerprint, import_bvh
from tests.blender.test_retarget import positions, retarget, small
from tests.blender.test_scene_reader import cube
from tests.core.sample_company import box, table

pytestmark = pytest.mark.usefixtures("heft_registered")

LIFTED = 60
"""A frame in which the crate is in the hands: the motion has 60 frames a second, and lifts at 0.7 s."""


@pytest.fixture
def lifter(tmp_path: Path) -> Object:
    bpy.context.scene.render.fps = 60
    write_bvh(box().people[0][1], tmp_path / "lift.bvh")
    return import_bvh(tmp_path / "lift.bvh", 0.01)


@pytest.fixture
def crate() -> Object:
    """A cube of 30 cm with the keys of the company's box."""
    made = cube("Crate", "CARRIED")
    made.scale, made.heft_object.mass = (0.15, 0.15, 0.15), 2.0
    for frame, at in enumerate(box().props[0].position, 1):
        made.location = (at[1], -at[0], at[2])  # the importer turns the figure to face -Y
        made.keyframe_insert("location", frame=frame)
    return made


def path_of(obj: Object) -> FloatArray:
    """Its origin at the frames of its action (F, 3) [m]."""
    found = []
    start, end = (int(frame) for frame in obj.animation_data.action.frame_range)
    for frame in range(start, end + 1):
        bpy.context.scene.frame_set(frame)
        found.append(np.array(obj.matrix_world.translation))
    return np.array(found)


def test_a_crate_goes_with_the_hands_of_a_small_body(lifter: Object, crate: Object) -> None:
    target, own = small(), crate.animation_data.action
    keyed = path_of(crate)
    before = fingerprint(lifter)
    assert retarget(target, lifter) == {"FINISHED"}
    new = crate.animation_data.action
    assert new != own and own.use_fake_user and crate.heft_object.source_action == own
    names = (target.animation_data.action.name, new.name)
    assert fingerprint(lifter, skip_actions=names) == before
    moved = path_of(crate)
    middle = 0.5 * (positions(target, "Hand.L") + positions(target, "Hand.R"))
    assert np.linalg.norm(moved[LIFTED] - middle[LIFTED]) < 0.15, "it is between the wrists"
    apart = np.linalg.norm(positions(target, "Hand.L") - positions(target, "Hand.R"), axis=1)
    assert apart[LIFTED] > 0.3, "the crate keeps its size"
    assert moved[0, 2] == pytest.approx(0.15 + target.heft_retarget.leg_ratio * 0.8, abs=0.02)
    assert retarget(target, lifter) == {"FINISHED"}
    np.testing.assert_allclose(path_of(crate), moved, atol=1e-4)
    assert crate.heft_object.source_action == own, "the second time starts from the user's keys, too"
    assert np.abs(keyed - moved).max() > 0.1


def test_the_simulation_carries_it(lifter: Object, crate: Object) -> None:
    target = small()
    target.heft.quality = "draft"
    lifter.heft.range_mode, lifter.heft.frame_start, lifter.heft.frame_end = "CUSTOM", 46, 76
    assert retarget(target, lifter, simulate=True) == {"FINISHED"}
    moved = path_of(crate)
    assert not target.heft_retarget.fell and len(moved) == 31
    middle = 0.5 * (positions(target, "Hand.L") + positions(target, "Hand.R"))
    assert np.linalg.norm(moved - middle, axis=1).max() < 0.2
    assert bpy.ops.heft.toggle_source() == {"FINISHED"}


def test_a_table_that_hands_lie_on_stays_and_hands_stay_on_it(tmp_path: Path) -> None:
    bpy.context.scene.render.fps = 60
    write_bvh(table().people[0][1], tmp_path / "table.bvh")
    source, desk = import_bvh(tmp_path / "table.bvh", 0.01), cube("Desk", "OBSTACLE")
    desk.scale, desk.location = (0.6, 0.3, 0.02), (0.0, -0.6, 0.88)
    bpy.context.view_layer.update()
    target = small()
    assert retarget(target, source) == {"FINISHED"}
    assert desk.animation_data is None
    for side in "LR":
        wrist = positions(target, f"Hand.{side}")[LIFTED]
        assert 0.9 < wrist[2] < 1.0, "on its top, which is as high as in the source"
