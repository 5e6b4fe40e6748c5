"""A figure keyed by hand with a few IK keys: Simulate works at the first press, on the rig's own controls."""

from __future__ import annotations

import bpy
from bpy.types import Object
from heft.addon.blender import compat

from tests.blender.control_rigs import SIDES, place_control

STEP_M, LIFT_M, STEP_FRAMES = 0.45, 0.12, 13
HIPS_LOW_M, HIPS_HIGH_M = -0.09, -0.06
"""Of the hips while both feet stand and while one swings; the legs are not stretched."""


def key_two_steps(rig: Object) -> None:
    """Contacts and passing poses of a step with each foot, and nothing between them; it faces -Y."""
    half = STEP_FRAMES // 2
    for number, side in enumerate(SIDES):
        start = 1 + number * STEP_FRAMES
        place_control(rig, "torso", start, (0.0, -0.5 * number * STEP_M, HIPS_LOW_M))
        place_control(rig, "torso", start + half, (0.0, -0.5 * (number + 0.5) * STEP_M, HIPS_HIGH_M))
        for frame, forward, height in (
            (start, 0.0, 0.0),
            (start + half, 0.5, LIFT_M),
            (start + STEP_FRAMES, 1.0, 0.0),
        ):
            place_control(rig, f"foot_ik.{side}", frame, (0.0, -forward * STEP_M, height))
    place_control(rig, "torso", 1 + 2 * STEP_FRAMES, (0.0, -STEP_M, HIPS_LOW_M))
    for side, sign in SIDES.items():
        for frame, forward in ((1, 0.0), (1 + 2 * STEP_FRAMES, STEP_M)):
            place_control(rig, f"hand_ik.{side}", frame, (-0.30 * sign, -forward, -0.33))


def test_two_steps_with_default_settings(rigify: Object) -> None:
    key_two_steps(rigify)
    source = rigify.animation_data.action
    keys = sum(len(curve.keyframe_points) for curve in compat.curves_of(compat.action_of(rigify)))
    assert keys < 60
    assert bpy.ops.heft.simulate() == {"FINISHED"}
    outcome = rigify.heft.outcome
    assert outcome.simulated and not outcome.fell
    # The bar for motions that are kept, and a bar of half of a small step for places.
    assert outcome.source_mean_deg < 5.0 and outcome.source_mean_cm < 10.0
    assert rigify.animation_data.action != source
    keyed = {curve.data_path for curve in compat.curves_of(compat.action_of(rigify))}
    assert {f'pose.bones["foot_ik.{side}"].location' for side in SIDES} <= keyed, "the feet stay IK"
    assert not any("ORG-" in path or "DEF-" in path for path in keyed), "only controls have keys"
