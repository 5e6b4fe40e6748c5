"""However a file writes its rest pose, axes, unit and names: the same motion is the same in the world."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import ReadingChoices, read_bvh
from sim_core.reading.stance import Body, stands
from sim_core.recognition import recognise
from sim_core.recognition.mapping import SIDES
from sim_core.retarget.retarget import retarget
from sim_core.retarget.retarget_rig import make_retarget_rig, read_target
from tests.core.bvh_variants import MIRROR_IMAGE, VARIANTS, WITHOUT_REST_FRAME, Clip

CLIPS = ("02_01", "02_03", "05_02", "07_01", "13_11", "49_06", "61_03", "82_05", "90_36", "140_08")
"""A walk, a run, a dance, a jump, a cartwheel, a salsa; somebody who sits, rolls, and gets up."""
LARGEST_M, LARGEST_DEG = 1e-3, 0.1
ACROSS = np.array([1.0, -1.0, 1.0])


def turns(motion: Motion) -> FloatArray:
    """How far each bone has turned in the world since the first frame (T, N, 4)."""
    first = rotations.conjugate(motion.quaternion_world[:1])
    return rotations.multiply(motion.quaternion_world, first)


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_rewritten_file_is_the_same_motion(
    shared_data: Path, tmp_path: Path, name: str, variant: str
) -> None:
    file = shared_data / "bvh" / "cmu" / f"{name}.bvh"
    original = read_bvh(file).motion
    clip = read_bvh(VARIANTS[variant](Clip.read(file)).write(tmp_path / "variant.bvh"))
    motion = clip.motion
    position, turned = original.position_world, turns(original)
    if variant == MIRROR_IMAGE:
        position, turned = position * ACROSS, turned * np.array([1.0, -1.0, 1.0, -1.0])
    assert clip.frames_skipped == (0 if variant in WITHOUT_REST_FRAME else 1 + (variant == "two rest frames"))
    assert np.linalg.norm(motion.position_world - position, axis=-1).max() < LARGEST_M
    assert np.degrees(rotations.angle_between(turns(motion), turned)).max() < LARGEST_DEG
    mapping = recognise(motion.skeleton)
    upright = np.array([0.0, 0.0, 1.0])
    body, rest = Body.of(motion.skeleton, mapping), motion.skeleton.rest_position_world
    if variant not in WITHOUT_REST_FRAME:
        assert stands(body, rest, upright)


@pytest.mark.parametrize("name", ["88_07", "90_17", "140_01"])
def test_a_motion_that_does_not_tell_which_way_is_up_is_refused(
    shared_data: Path, tmp_path: Path, name: str
) -> None:
    file = shared_data / "bvh" / "cmu" / f"{name}.bvh"
    path = VARIANTS["rest along X, no rest frame"](Clip.read(file)).write(tmp_path / "variant.bvh")
    with pytest.raises(InputError, match="Which way is up cannot be told.*--up"):
        read_bvh(path)
    told = read_bvh(path, ReadingChoices(up="+Y")).motion
    assert told.position_world == pytest.approx(read_bvh(file).motion.position_world, abs=LARGEST_M)


def test_rest_frames_can_be_kept(shared_data: Path) -> None:
    file = shared_data / "bvh" / "cmu" / "02_01.bvh"
    kept = read_bvh(file, ReadingChoices(keep_rest_frames=True))
    assert kept.frames_skipped == 0
    assert len(kept.motion.time) == len(read_bvh(file).motion.time) + 1


def test_rest_frames_that_are_only_nearly_the_same_are_left_out(shared_data: Path, tmp_path: Path) -> None:
    clip = VARIANTS["two rest frames"](Clip.read(shared_data / "bvh" / "cmu" / "07_01.bvh"))
    tilt = rotations.from_vector(np.radians([0.05, 0.0, 0.0]))
    clip.quaternion[1] = rotations.multiply(clip.quaternion[1], tilt)
    assert read_bvh(clip.write(tmp_path / "variant.bvh")).frames_skipped == 2


def test_a_mirror_image_without_swapped_names_is_told(shared_data: Path, tmp_path: Path) -> None:
    clip = Clip.read(shared_data / "bvh" / "cmu" / "02_01.bvh")
    mirrored = clip.in_axes(np.diag([-1.0, 1.0, 1.0])).write(tmp_path / "variant.bvh")
    assert any("mirror image" in note for note in read_bvh(mirrored).notes)


@pytest.mark.parametrize("name", ["up", "+W", "-"])
def test_an_unknown_up_axis_is_refused(shared_data: Path, name: str) -> None:
    with pytest.raises(InputError, match="up axis"):
        read_bvh(shared_data / "bvh" / "cmu" / "02_01.bvh", ReadingChoices(up=name))


@pytest.mark.parametrize("variant", ["rest along X", "rest along X, no rest frame"])
def test_a_body_is_the_same_however_it_rests(shared_data: Path, tmp_path: Path, variant: str) -> None:
    """Sizes agree to a part in a hundred, and retargeted legs to the 3 deg that rest poses differ by."""
    file = shared_data / "bvh" / "cmu" / "02_01.bvh"
    rewritten = VARIANTS[variant](Clip.read(file)).write(tmp_path / "variant.bvh")
    target = read_target(shared_data / "characters" / "RiggedFigure.glb")
    retargeted, heights = [], []
    for path in (file, rewritten):
        motion = read_bvh(path).motion
        rig = make_retarget_rig(motion.skeleton, recognise(motion.skeleton), motion)
        heights.append(rig.character.spec.height)
        retargeted.append(retarget(rig, motion, target).motion)
    assert heights[1] == pytest.approx(heights[0], rel=0.01)
    legs = [target.bone(f"{part}.{side}") for part in ("thigh", "shin", "foot") for side in SIDES]
    first, second = (motion.quaternion_world[:, legs] for motion in retargeted)
    assert np.degrees(rotations.angle_between(first, second)).mean(axis=0).max() < 3.0
