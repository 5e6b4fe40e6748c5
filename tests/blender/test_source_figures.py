"""The panel's figures against the source, measured again on the evaluated bones of source and result."""

from __future__ import annotations

import math

import bpy
import pytest
from bpy.types import Object
from heft.addon.bake.remedies import BLEND_FRAMES, MARGIN_FRAMES, apply_remedy, remedies_of
from heft.addon.blender.library_overrides import character_of
from heft.sim_core.recognition.mapping import joint_label, part_label
from mathutils import Euler, Matrix

from tests.blender.rigs import LAST_FRAME, animate, humanoid

Poses = dict[int, dict[str, Matrix]]
ROUNDING_DEG, ROUNDING_CM = 0.02, 0.002
"""Blender's matrices are single precision, and angles near 0 lose half of their digits."""


@pytest.mark.usefixtures("heft_registered")
def test_the_figures_are_those_of_the_evaluated_bones() -> None:
    obj = humanoid()
    animate(obj)
    obj.heft.quality = "draft"
    source = evaluated(obj)
    assert bpy.ops.heft.make_plausible() == {"FINISHED"}
    outcome, result = obj.heft.outcome, evaluated(obj)

    parts = {row.bone: row.slot for row in character_of(obj).rows if row.bone}
    angle = {
        (bone, frame): turned_deg(obj, bone, parts, source[frame], result[frame])
        for frame in source
        for bone in parts
    }
    away = {
        (bone, frame): 100.0 * (source[frame][bone].translation - result[frame][bone].translation).length
        for frame in source
        for bone in parts
    }
    assert max(angle.values()) > 1.0, "the motion was changed, or this test says nothing"
    assert outcome.source_mean_deg == pytest.approx(mean(angle), abs=ROUNDING_DEG)
    assert outcome.source_mean_cm == pytest.approx(mean(away), abs=ROUNDING_CM)
    assert outcome.source_worst_deg == pytest.approx(max(angle.values()), abs=ROUNDING_DEG)
    assert outcome.source_worst_cm == pytest.approx(max(away.values()), abs=ROUNDING_CM)
    bone, frame = max(angle, key=lambda at: angle[at])
    assert (outcome.source_worst_joint, outcome.source_worst_deg_frame) == (joint(obj, bone, parts), frame)
    bone, frame = max(away, key=lambda at: away[at])
    assert (outcome.source_worst_part, outcome.source_worst_cm_frame) == (part_label(parts[bone]), frame)


def evaluated(obj: Object) -> Poses:
    """World matrices of all bones at all frames, as Blender shows them."""
    poses = {}
    for frame in range(1, LAST_FRAME):
        bpy.context.scene.frame_set(frame)
        shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        poses[frame] = {bone.name: shown.matrix_world @ bone.matrix for bone in shown.pose.bones}
    return poses


def turned_deg(
    obj: Object, bone: str, parts: dict[str, str], before: dict[str, Matrix], after: dict[str, Matrix]
) -> float:
    """How far a bone was turned against the simulated bone above it."""
    above = above_of(obj, bone, parts)
    own = [pose[bone] if above is None else pose[above].inverted() @ pose[bone] for pose in (before, after)]
    turns = [matrix.to_3x3().normalized().to_quaternion() for matrix in own]
    angle = turns[0].rotation_difference(turns[1]).angle
    return math.degrees(min(angle, 2.0 * math.pi - angle))


def above_of(obj: Object, bone: str, parts: dict[str, str]) -> str | None:
    chain = [above.name for above in obj.data.bones[bone].parent_recursive]
    return next((name for name in chain if name in parts), None)


def joint(obj: Object, bone: str, parts: dict[str, str]) -> str:
    return joint_label(parts[bone]) if above_of(obj, bone, parts) else part_label(parts[bone])


def mean(values: dict[tuple[str, int], float]) -> float:
    return sum(values.values()) / len(values)


@pytest.mark.usefixtures("heft_registered")
def test_after_a_fall_each_button_changes_one_thing() -> None:
    obj = humanoid()
    animate(obj)
    outcome = obj.heft.outcome
    outcome.present, outcome.fell, outcome.first_frame, outcome.fell_frame = True, True, 1, 60
    assert [remedy.key for remedy in remedies_of(obj)] == ["SEARCH", "SHORTEN"], "no assist keeps the motion"
    outcome.least_assist_n = 50.0
    assert [remedy.text for remedy in remedies_of(obj)] == [
        "Search Longer",
        "Allow 50 N of Assist",
        "Frames 1 to 55, Then Source",
    ]
    for remedy in remedies_of(obj):
        apply_remedy(obj, remedy.key)
    assert obj.heft.quality == "best" and obj.heft.search
    assert obj.heft.assist_cap == 50.0 and obj.heft_parts.blend_out == BLEND_FRAMES
    assert (obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end) == ("CUSTOM", 1, 55)
    assert [remedy.key for remedy in remedies_of(obj)] == ["SHORTEN"]


@pytest.mark.usefixtures("heft_registered")
def test_after_the_fall_of_a_draft_the_first_button_is_standard_quality() -> None:
    obj = humanoid()
    animate(obj)
    obj.heft.outcome.present, obj.heft.outcome.fell, obj.heft.quality = True, True, "draft"
    assert [remedy.key for remedy in remedies_of(obj)] == ["STANDARD"]
    apply_remedy(obj, "STANDARD")
    assert obj.heft.quality == "standard" and obj.heft.search
    assert [remedy.key for remedy in remedies_of(obj)] == ["SEARCH"]


@pytest.mark.usefixtures("heft_registered")
def test_a_fall_is_told_in_frames_and_a_button_leaves_it_out() -> None:
    """Nobody can stand who leans over as one piece, and nothing may change the motion here."""
    obj = humanoid()
    bone = obj.pose.bones["Hips"]
    for frame, angle in ((1, 0.0), (10, 0.0), (30, 0.6), (60, 0.6)):
        bone.rotation_quaternion = Euler((angle, 0.0, 0.0)).to_quaternion()
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    bake = obj.heft
    bake.quality, bake.assist_cap, bake.search, bake.correction = "draft", 0.0, False, 0.0
    assert bpy.ops.heft.simulate() == {"FINISHED"}
    outcome = bake.outcome
    assert outcome.fell and outcome.cause
    told = [outcome.cause, *(note.text for note in outcome.notes)]
    assert not [text for text in told if " s " in text or "--" in text]
    end = outcome.fell_frame - MARGIN_FRAMES
    assert bpy.ops.heft.try_again(remedy="SHORTEN") == {"FINISHED"}
    assert bake.frame_end == end and not bake.outcome.fell
