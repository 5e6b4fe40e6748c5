"""Control markers: bones pulled by targets, the rest of the motion as it was."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.posefit.control_points import ControlMarker, pull_bones
from sim_core.posefit.fit_body import EngineBody
from sim_core.recognition import recognise
from sim_core.recognition.mapping import BoneMapping
from tests.core.sample_subject import walker


@pytest.fixture(scope="module")
def walk() -> Motion:
    known = walker(12)
    position, quaternion = EngineBody(known.rig.body).poses(known.qpos)
    return known.rig.motion(known.take.time, position, quaternion)


@pytest.fixture(scope="module")
def mapping(walk: Motion) -> BoneMapping:
    return recognise(walk.skeleton)


def path(motion: Motion, bone: str) -> np.ndarray:
    return np.asarray(motion.position_world[:, motion.skeleton.index[bone]])


def test_a_hand_reaches_its_target(walk: Motion, mapping: BoneMapping) -> None:
    target = path(walk, "hand.L") + [0.1, 0.05, 0.1]
    pulled = pull_bones(walk, mapping, [ControlMarker("hand.L", target, np.ones(12))])
    assert np.linalg.norm(path(pulled, "hand.L") - target, axis=1).max() < 0.02
    # Feet are held.
    assert np.linalg.norm(path(pulled, "foot.L") - path(walk, "foot.L"), axis=1).max() < 0.02
    assert path(pulled, "hand.R") != pytest.approx(path(walk, "hand.R"), abs=1e-12)


def test_height_only(walk: Motion, mapping: BoneMapping) -> None:
    target = path(walk, "hand.L") + [9.0, -9.0, 0.12]
    axes = np.array([False, False, True])
    pulled = pull_bones(walk, mapping, [ControlMarker("hand.L", target, np.ones(12), axes)])
    assert path(pulled, "hand.L")[:, 2] == pytest.approx(target[:, 2], abs=0.02)
    assert np.abs(path(pulled, "hand.L") - path(walk, "hand.L"))[:, :2].max() < 0.3


def test_no_weight_and_dead_zone_change_nothing(walk: Motion, mapping: BoneMapping) -> None:
    near = path(walk, "hand.L") + [0.0, 0.0, 0.04]
    far = path(walk, "hand.R") + [0.0, 0.0, 0.5]
    controls = [
        ControlMarker("hand.L", near, np.ones(12), dead_zone=0.05),
        ControlMarker("hand.R", far, np.zeros(12)),
    ]
    pulled = pull_bones(walk, mapping, controls)
    assert np.abs(pulled.position_world - walk.position_world).max() < 1e-6
    assert rotations.angle_between(pulled.quaternion_world, walk.quaternion_world).max() < 1e-6


def test_weight_is_how_far_it_gives_way(walk: Motion, mapping: BoneMapping) -> None:
    target = path(walk, "hips") + [0.0, 0.0, -0.1]
    far = [
        np.abs(
            path(pull_bones(walk, mapping, [ControlMarker("hips", target, np.full(12, w))]), "hips") - target
        ).max()
        for w in (0.01, 1.0)
    ]
    assert far[1] < 0.5 * far[0]


def test_bad_controls_are_refused(walk: Motion, mapping: BoneMapping) -> None:
    for control, words in (
        (ControlMarker("tail", np.zeros((12, 3)), np.ones(12)), "no bone 'tail'"),
        (ControlMarker("hand.L", np.zeros((3, 3)), np.ones(12)), "12 frames"),
        (ControlMarker("hand.L", np.zeros((12, 3)), -np.ones(12)), "below zero"),
    ):
        with pytest.raises(InputError, match=words):
            pull_bones(walk, mapping, [control])
