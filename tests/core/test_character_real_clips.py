"""Real captures become characters that hold their motion and stand on their soles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import Z_UP, FloatArray
from sim_core.character.from_rig import MAX_CONE, RigCharacter, character_from_rig
from sim_core.character.posing import bones_on_segments, pose_from_motion, segment_poses
from sim_core.character.spec import JointKind
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from tests.core.conftest import SHARED_DATA

CLIPS = [path.relative_to(SHARED_DATA).as_posix() for path in sorted((SHARED_DATA / "bvh").rglob("*.bvh"))]
MOVING = [clip for clip in CLIPS if not clip.endswith("tpose.bvh")]  # that one is a single frame
NO_FLAT_FLOOR = {
    "36_08": "walks on uneven ground",
    "49_06": "a cartwheel, whose feet hang in the air at its top",
    "83_14": "steps down",
}
"""Clips that stand higher at one time than at another, so that no single floor is under all stances."""


@pytest.mark.parametrize(
    "clip", MOVING or [pytest.param("", marks=pytest.mark.skip("../shared/data is not on this machine"))]
)
def test_a_real_clip_becomes_a_character(shared_data: Path, clip: str) -> None:
    motion = read_bvh(shared_data / clip).motion
    built = character_from_rig(motion, recognise(motion.skeleton))
    qpos = pose_from_motion(built.spec, built.binding, motion)
    poses = segment_poses(built.spec, qpos)
    assert 1.2 < built.spec.height < 2.2
    assert built.spec.mass == pytest.approx(22.9 * built.spec.height**2)
    refuse_poses_outside_ranges(built, qpos)
    refuse_lost_bones(built, motion, poses)
    if Path(clip).stem not in NO_FLAT_FLOOR:
        refuse_floating(built, motion, poses)


def refuse_poses_outside_ranges(built: RigCharacter, qpos: FloatArray) -> None:
    """Some captures flip a foot or a hand by half a turn; no cone holds that, so it must be told."""
    column = 7
    for segment in built.spec.segments[1:]:
        joint = segment.joint
        if joint.kind is JointKind.HINGE:
            angle = qpos[:, column]
            assert joint.low <= angle.min() and angle.max() <= joint.high, segment.name
            column += 1
            continue
        turn = 2.0 * np.arccos(np.clip(np.abs(qpos[:, column]), 0.0, 1.0))
        driver = built.binding.segments[built.binding.index(segment.name)].driver
        told = any(f"'{driver}'" in note for note in built.notes)
        assert turn.max() <= joint.high or (joint.high == MAX_CONE and told), segment.name
        column += 4


def refuse_lost_bones(built: RigCharacter, motion: Motion, poses: tuple[FloatArray, FloatArray]) -> None:
    positions, quaternions = bones_on_segments(built.binding, motion, poses, poses)
    bones = built.binding.bone
    assert np.abs(positions - motion.position_world[:, bones]).max() < 1e-9
    assert rotations.angle_between(quaternions, motion.quaternion_world[:, bones]).max() < 1e-7


def refuse_floating(built: RigCharacter, motion: Motion, poses: tuple[FloatArray, FloatArray]) -> None:
    """While the lower of both ankles hardly moves, its foot stands: that sole is on the ground.

    The other foot may be held still in the air. A foot that the capture has flipped cannot stand.
    """
    feet = [built.binding.index(name) for name in ("foot.L", "foot.R")]
    ankles = motion.position_world[:, built.binding.joint[feet]]
    lower = np.arange(2) == ankles[..., 2].argmin(axis=1)[:, None]
    slow = np.linalg.norm(np.gradient(ankles, motion.time, axis=0), axis=-1) < 0.15
    turns = poses[1][:, feet]
    upright = rotations.rotate(turns, Z_UP)[..., 2] > 0.5
    points = np.stack([built.spec.segments[foot].contact_points for foot in feet])
    soles = poses[0][:, feet, None] + rotations.rotate(turns[:, :, None], points)
    heights = soles[..., 2].min(axis=-1) - built.ground_height
    away = np.abs(heights[lower & slow & upright & (heights < 0.15)])  # higher ones are on a step
    if len(away):
        assert np.median(away) < 0.03
        assert np.quantile(away, 0.9) < 0.06
