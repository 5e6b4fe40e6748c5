"""Markers become an armature with an action: poses, errors, one undo step, and on to Simulate."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.blender import compat
from heft.addon.jobs import job_runner
from heft.addon.markers.fit import prepare_fit
from heft.addon.markers.take_object import Clock
from heft.addon.reading.rig_reader import read_skeleton

from tests.blender.at_once import read_world_poses
from tests.blender.marker_takes import colours, import_file, shown_markers, walker_file
from tests.blender.rigs import fingerprint, humanoid
from tests.blender.test_operators import assert_one_sentence
from tests.core.sample_markers import write_trc
from tests.core.sample_subject import RATE_HZ, KnownSubject

pytestmark = pytest.mark.usefixtures("heft_registered")

JOINT_M = 0.02
"""Joints are found to about a centimetre: markers sit 1 cm away from where their set says."""


@pytest.fixture
def known_take(tmp_path: Path) -> tuple[Object, KnownSubject]:
    path, known = walker_file(tmp_path)
    bpy.context.scene.render.fps = 50
    return import_file(path, frame_start=10), known


def fit() -> Object:
    assert bpy.ops.heft.fit_markers() == {"FINISHED"}
    return bpy.context.object


def joint_distance(rig: Object, known: KnownSubject, take: Object) -> float:
    """The worst distance of the thighs, shins, feet and hands from where they truly were [m]."""
    clock = Clock.of(take, bpy.context.scene)
    frames = clock.whole_frames()[::5]
    position, _ = read_world_poses(bpy.context, rig, frames, read_skeleton(rig, bpy.context.scene))
    names = [bone.name for bone in rig.data.bones]
    from sim_core.posefit.fit_body import EngineBody

    truth, _ = EngineBody(known.rig.body).poses(known.qpos)
    samples = np.round(clock.seconds(frames) * RATE_HZ).astype(int)
    worst = 0.0
    for part in ("thigh", "shin", "foot", "hand"):
        for side in "LR":
            bone, link = names.index(f"{part}.{side}"), known.rig.link(f"{part}.{side}")
            apart = position[:, bone] - truth[samples, link]
            worst = max(worst, float(np.linalg.norm(apart, axis=1).max()))
    return worst


def test_a_new_armature_moves_as_the_subject_did(known_take: tuple[Object, KnownSubject]) -> None:
    take, known = known_take
    rig = fit()
    assert rig.type == "ARMATURE"
    assert take.heft_take.armature == rig
    assert joint_distance(rig, known, take) < JOINT_M
    # 90 samples at 100 Hz are 45 frames at 50 fps, from frame 10 on.
    assert tuple(rig.animation_data.action.frame_range) == (10.0, 54.0)
    assert {row.slot for row in rig.data.heft.rows if row.bone} >= {"hips", "shin.L", "hand.R"}
    assert bpy.ops.heft.simulate.poll()


def test_errors_are_told_and_painted(known_take: tuple[Object, KnownSubject]) -> None:
    take, known = known_take
    before = len(shown_markers(take, 20))
    fit()
    kept = take.heft_take
    assert kept.fitted
    assert 0.0 < kept.rms_cm < 0.8
    assert all(row.fitted and 0.0 < row.rms_cm <= row.worst_cm for row in kept.rows)
    assert all(10 <= row.worst_frame <= 55 for row in kept.rows)
    assert len(shown_markers(take, 20)) == before
    assert set(colours(take).values()) <= {"Heft Marker Good", "Heft Marker Fair"}
    values = np.empty(len(take.data.vertices), dtype=np.float32)
    take.data.attributes["error"].data.foreach_get("value", values)
    rms = 100.0 * np.sqrt(np.mean(np.square(values, dtype=np.float64)))
    assert rms == pytest.approx(kept.rms_cm, rel=1e-3)


def test_a_static_trial_is_another_take(known_take: tuple[Object, KnownSubject], tmp_path: Path) -> None:
    take, known = known_take
    still = 1000.0 * np.repeat(known.take.position_world[:1], 20, axis=0)
    static = import_file(write_trc(tmp_path / "static.trc", list(known.labels), still))
    bpy.context.view_layer.objects.active = take
    take.heft_take.static = static
    job = prepare_fit(bpy.context, take).job
    assert job.static is not None
    assert len(job.static.time) == 20
    assert joint_distance(fit(), known, take) < JOINT_M


def test_markers_that_are_not_used_stay_grey(known_take: tuple[Object, KnownSubject]) -> None:
    take, _ = known_take
    for row in take.heft_take.rows:
        if row.label in ("LFHD", "RFHD"):
            row.part = "NONE"
    fit()
    shown_markers(take, 20)
    grey = {number for number, name in colours(take).items() if name == "Heft Marker"}
    assert {take.heft_take.rows[number].label for number in grey} == {"LFHD", "RFHD"}
    assert [row.label for row in take.heft_take.rows if not row.fitted] == ["LFHD", "RFHD"]


def test_an_own_armature_keeps_its_bones_and_its_old_action(known_take: tuple[Object, KnownSubject]) -> None:
    take, _ = known_take
    rig = humanoid()
    rig.rotation_euler = (0.0, 0.0, np.pi / 2)  # it faces -Y, the subject goes along X
    rig.keyframe_insert("location", frame=1)
    old = rig.animation_data.action
    lengths = [bone.length for bone in rig.data.bones]
    bpy.context.view_layer.objects.active = take
    take.heft_take.target, take.heft_take.own_armature = "OWN", rig
    assert fit() == rig
    assert [bone.length for bone in rig.data.bones] == lengths
    assert rig.animation_data.action != old
    assert old.name in bpy.data.actions
    assert old.use_fake_user
    paths = {curve.data_path for curve in compat.curves_of(compat.action_of(rig))}
    assert "location" not in paths
    # Of another build than the subject, so markers fit less well; but the body goes where it went.
    assert take.heft_take.rms_cm < 4.0
    hips = []
    for frame in (10, 54):
        bpy.context.scene.frame_set(frame)
        hips.append(np.array(rig.matrix_world @ rig.pose.bones["Hips"].head))
    assert hips[1][0] - hips[0][0] == pytest.approx(1.2 * 44 / 50, abs=0.05)


def test_a_fit_can_be_repeated_and_keeps_what_was_there(known_take: tuple[Object, KnownSubject]) -> None:
    take, _ = known_take
    first = fit()
    before = fingerprint(first)
    bpy.context.view_layer.objects.active = take
    take.heft_take.quality = "PREVIEW"
    second = fit()
    assert second != first
    assert first.name in bpy.data.objects
    assert first.animation_data.action != second.animation_data.action
    assert fingerprint(first, skip_actions=(second.animation_data.action.name,)) == before


def nothing_assigned(take: Object) -> None:
    for row in take.heft_take.rows:
        row.part = "NONE"


def one_marker(take: Object) -> None:
    for row in take.heft_take.rows[1:]:
        row.part = "NONE"


def no_armature(take: Object) -> None:
    take.heft_take.target = "OWN"


def changed_mesh(take: Object) -> None:
    take.data.vertices.add(1)


@pytest.mark.parametrize("spoil", [nothing_assigned, one_marker, no_armature, changed_mesh])
def test_bad_input_is_one_sentence_and_changes_nothing(
    known_take: tuple[Object, KnownSubject], spoil: object
) -> None:
    take, _ = known_take
    spoil(take)  # type: ignore[operator]
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.fit_markers()
    assert_one_sentence(str(caught.value))
    assert not take.heft_take.fitted
    assert len(bpy.data.armatures) == len(bpy.data.actions) == 0
    assert list(Path(bpy.app.tempdir).glob("heft_*")) == []


def test_a_dying_child_leaves_nothing(
    known_take: tuple[Object, KnownSubject], monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = [sys.executable, "-c", "import os; os.abort()"]
    monkeypatch.setattr(job_runner, "worker_command", lambda _module: dying)
    with pytest.raises(RuntimeError, match="process of the fit died"):
        bpy.ops.heft.fit_markers()
    assert len(bpy.data.armatures) == 0
    assert list(Path(bpy.app.tempdir).glob("heft_*")) == []


def test_the_button_is_grey_without_markers() -> None:
    assert not bpy.ops.heft.fit_markers.poll()
    humanoid()
    assert not bpy.ops.heft.fit_markers.poll()
