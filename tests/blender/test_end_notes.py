"""Where only some frames are simulated, a jump to the source's own frames is told."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.bake.end_notes import end_notes
from heft.addon.blender.compat import action_of
from heft.addon.reading.bone_table import find_mapping
from heft.addon.reading.motion_reader import SampledMotion
from heft.addon.writing.baked_bones import BakedBones

from tests.blender.at_once import read_motion
from tests.blender.rigs import animate, humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")
UP = np.array([0.0, 0.0, 0.05])


def walking() -> Object:
    obj = humanoid()
    animate(obj)
    return obj


def read(obj: Object, start: int, end: int) -> tuple[SampledMotion, BakedBones]:
    sampled = read_motion(bpy.context, obj, start, end)
    mapped = {bone for bones in find_mapping(obj, bpy.context.scene).bones.values() for bone in bones}
    return sampled, BakedBones.of_motion(sampled.whole_frames(), mapped)


def told(obj: Object, sampled: SampledMotion, baked: BakedBones, scale: float = 1.0) -> list[tuple[int, str]]:
    mapping = find_mapping(obj, bpy.context.scene)
    return list(end_notes(action_of(obj), baked, sampled, mapping, scale))


def test_a_jump_to_the_frames_of_the_source_is_told_at_both_ends() -> None:
    obj = walking()
    first, last = (round(end) for end in obj.animation_data.action.frame_range)
    sampled, baked = read(obj, first + 2, last - 2)
    assert told(obj, sampled, baked) == [], "it is where the source is"
    moved = replace(baked, position_world=baked.position_world + UP)
    (start, before), (end, after) = told(obj, sampled, moved)
    assert (start, end) == (0, -1)
    assert before.startswith(f"At frame {first + 2} the ") and "jumps by 5 cm" in before
    assert "Blend In (Options > Parts)" in before
    assert after.startswith(f"At frame {last - 2} the ") and "Blend Out (Options > Parts)" in after
    assert told(obj, sampled, moved, 0.1) == [], "half a centimetre of the body that is simulated"


def test_a_whole_action_has_no_frames_to_jump_to() -> None:
    obj = walking()
    sampled, baked = read(obj, *(round(end) for end in obj.animation_data.action.frame_range))
    assert told(obj, sampled, replace(baked, position_world=baked.position_world + UP)) == []
