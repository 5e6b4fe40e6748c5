"""Poses go to joint coordinates and back without loss, whatever the rig's rest pose and rolls."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.character.from_rig import RigCharacter, character_from_rig, segment_rotations
from sim_core.character.posing import bones_on_segments, pose_from_motion, segment_poses
from sim_core.character.spec import JointKind
from sim_core.motion.motion import Motion
from sim_core.world.world import build_world
from tests.core.sample_people import A_POSE, MAPPING, T_POSE, Performance, Turns, mirror_name, moving, person


def build(motion: Motion) -> tuple[RigCharacter, FloatArray]:
    built = character_from_rig(motion, MAPPING)
    return built, pose_from_motion(built.spec, built.binding, motion)


def test_forward_kinematics_are_the_engines() -> None:
    built, qpos = build(person(moving()))
    world = build_world(built.spec)
    data = mujoco.MjData(world.model)
    positions, quaternions = segment_poses(built.spec, qpos)
    for t in range(0, len(qpos), 7):
        data.qpos[:] = qpos[t]
        mujoco.mj_kinematics(world.model, data)
        assert np.abs(data.xpos[world.index.body] - positions[t]).max() < 1e-12
        assert rotations.angle_between(data.xquat[world.index.body], quaternions[t]).max() < 1e-7


def test_segments_are_where_the_motion_put_them() -> None:
    """The made-up person bends knees and elbows about one axis, so nothing is lost on hinges."""
    motion = person(moving())
    built, qpos = build(motion)
    positions, quaternions = segment_poses(built.spec, qpos)
    assert rotations.angle_between(quaternions, segment_rotations(built.binding, motion)).max() < 1e-6
    heads = motion.position_world[:, built.binding.joint]
    # The neck and the clavicles bend too, but are merged into head and chest: those move away.
    exact = [
        i for i, n in enumerate(built.spec.names) if not n.startswith(("head", "upper_arm", "fore", "hand"))
    ]
    assert np.abs(positions - heads)[:, exact].max() < 1e-9


def test_bones_come_back_exactly() -> None:
    motion = person(moving(), rolls=3)
    built, qpos = build(motion)
    poses = segment_poses(built.spec, qpos)
    positions, quaternions = bones_on_segments(built.binding, motion, poses, poses)
    assert np.abs(positions - motion.position_world[:, built.binding.bone]).max() < 1e-12
    turned = rotations.angle_between(quaternions, motion.quaternion_world[:, built.binding.bone])
    assert turned.max() < 1e-7


def test_bones_ride_on_their_segments() -> None:
    """All segments moved as one rigid body move all bones so."""
    motion = person(moving())
    built, qpos = build(motion)
    poses = segment_poses(built.spec, qpos)
    turn, shift = rotations.from_vector(np.array([0.3, -0.2, 1.0])), np.array([1.0, 2.0, 3.0])
    moved = (rotations.rotate(turn, poses[0]) + shift, rotations.multiply(turn, poses[1]))
    positions, quaternions = bones_on_segments(built.binding, motion, poses, moved)
    bones = built.binding.bone
    expected = rotations.rotate(turn, motion.position_world[:, bones]) + shift
    assert np.abs(positions - expected).max() < 1e-12
    expected_turn = rotations.multiply(turn, motion.quaternion_world[:, bones])
    assert rotations.angle_between(quaternions, expected_turn).max() < 1e-7


@pytest.mark.parametrize("rest", [A_POSE, {}], ids=["A", "arms down"])
def test_the_rest_pose_does_not_matter(rest: Turns) -> None:
    built, qpos = build(person(moving(), rest=T_POSE))
    other, other_qpos = build(person(moving(), rest=rest))
    for a, b in zip(built.spec, other.spec, strict=True):
        assert b.anchor == pytest.approx(a.anchor, abs=1e-9), a.name
    assert np.abs(other_qpos - qpos).max() < 1e-6


def test_rolls_of_bones_do_not_matter() -> None:
    _, qpos = build(person(moving()))
    _, rolled = build(person(moving(), rolls=7))
    assert np.abs(rolled - qpos).max() < 1e-6


def test_a_tiny_rig_has_the_same_angles() -> None:
    """An armature at scale 0.01, made one hundred times as large."""
    _, qpos = build(person(moving()))
    _, scaled = build(person(moving(), scale=0.01).scaled(100.0))
    assert np.abs(scaled - qpos).max() < 1e-9


def mirrored_qpos(built: RigCharacter, image: RigCharacter, qpos: FloatArray) -> FloatArray:
    """Joint coordinates of the mirror image, in the image's own order of joints."""
    columns: dict[str, FloatArray] = {"pelvis": qpos[:, :7] * [1, -1, 1, 1, -1, 1, -1]}
    at = 7
    for segment in built.spec.segments[1:]:
        if segment.joint.kind is JointKind.HINGE:
            columns[mirror_name(segment.name)] = qpos[:, at : at + 1]
            at += 1
        else:
            columns[mirror_name(segment.name)] = qpos[:, at : at + 4] * [1, -1, 1, -1]
            at += 4
    return np.concatenate([columns[name] for name in image.spec.names], axis=1)


def test_a_mirrored_motion_is_a_mirrored_pose() -> None:
    built, qpos = build(person(moving(), rolls=1))
    image, image_qpos = build(person(moving().mirrored(), rolls=2))
    assert np.abs(mirrored_qpos(built, image, qpos) - image_qpos).max() < 1e-6


def test_known_angles() -> None:
    """A bent knee is the hinge's angle; a lifted arm is the turn from the middle of the ball's range."""
    time = np.arange(11) / 50.0
    bend = np.linspace(0.0, 1.0, 11)
    turns = {
        "shin.L": np.outer(bend, [0.0, 1.0, 0.0]),
        "upper_arm.R": np.outer(bend, [-0.8, 0.0, 0.0]),
    }
    motion = person(Performance(time, turns, np.zeros((11, 3))))
    built, qpos = build(motion)
    world = build_world(built.spec)
    knee = world.model.joint("shin.L")
    assert built.spec["shin.L"].joint.kind is JointKind.HINGE
    assert qpos[:, knee.qposadr[0]] == pytest.approx(bend, abs=1e-6)
    arm = world.model.joint("upper_arm.R").qposadr[0]
    turn = rotations.multiply(built.spec["upper_arm.R"].joint.centre, qpos[:, arm : arm + 4])
    assert rotations.to_vector(turn) == pytest.approx(turns["upper_arm.R"], abs=1e-6)


def test_joint_ranges_hold_the_motion() -> None:
    built, qpos = build(person(moving(seed=4)))
    at = 7
    for segment in built.spec.segments[1:]:
        joint = segment.joint
        if joint.kind is JointKind.HINGE:
            assert joint.low <= qpos[:, at].min() and qpos[:, at].max() <= joint.high
            at += 1
        else:
            angle = 2.0 * np.arccos(np.clip(np.abs(qpos[:, at]), 0.0, 1.0))
            assert angle.max() <= joint.high, segment.name
            at += 4
