"""`heft retarget`: files in, files out, folders, targets of other kinds, and what is refused."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.base.files import read_npz
from sim_core.base.json_files import to_json
from sim_core.cli.main import main
from sim_core.motion.bvh_writer import write_bvh
from sim_core.motion.glb_skeleton import read_glb_skeleton
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton
from sim_core.reading.bvh_clip import ReadingChoices, read_bvh
from sim_core.recognition import mapping_to_json
from sim_core.result.result import load_result
from sim_core.scene.scene import Keys, Role, Scene, SceneObject
from sim_core.scene.scene_file import load_scene, scene_to_dict
from tests.core.sample_company import box, handshake
from tests.core.sample_motions import walk
from tests.core.sample_people import A_POSE, MAPPING, person, standing


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a walk and a smaller body."""
    folder = tmp_path_factory.mktemp("retarget")
    write_bvh(person(walk().performance), folder / "walk.bvh")
    write_bvh(person(standing(), A_POSE, scale=0.7), folder / "child.bvh")
    return folder


def run(*words: object) -> int:
    """With the true units: a small body in a file would be taken for a grown one in other units."""
    return main(["retarget", *map(str, words), "--unit", "0.01", "--target-unit", "0.01"])


def test_a_bvh_of_the_target_comes_out(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.bvh"
    assert run(files / "walk.bvh", files / "child.bvh", "--out", out, "--json") == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["leg_ratio"] == pytest.approx(0.7, abs=0.01)
    assert told["skate_cm_s"] < 1.0 and told["penetration_max_cm"] < 0.2
    written, target = read_bvh(out).motion, read_bvh(files / "child.bvh").motion
    assert written.skeleton.names == target.skeleton.names
    assert written.duration == pytest.approx(read_bvh(files / "walk.bvh").motion.duration, abs=1e-3)


def test_an_npz_holds_joints_and_figures(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    assert run(files / "walk.bvh", files / "child.bvh", "--out", out, "--time", "scale") == 0
    arrays = read_npz(out)
    meta = json.loads(str(arrays["meta"]))
    joints = len(arrays["joint_name"])
    assert arrays["joint_position"].shape == (len(arrays["time"]), joints, 3)
    assert meta["format"] == "heft-retarget" and meta["mapping"]["bones"]["thigh.L"] == ["thigh.L"]
    assert np.ptp(arrays["time"]) == pytest.approx(
        np.sqrt(meta["leg_ratio"]) * read_bvh(files / "walk.bvh").motion.duration, rel=1e-3
    )


def test_a_folder_is_done_file_by_file_and_failures_are_named(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    out.mkdir()
    for name in ("a.bvh", "b.bvh"):
        (source / name).write_bytes((files / "walk.bvh").read_bytes())
    assert run(source, files / "child.bvh", "--out", out) == 0
    assert sorted(path.name for path in out.iterdir()) == ["a.bvh", "b.bvh"]
    (source / "broken.bvh").write_text("no motion")
    assert run(source, files / "child.bvh", "--out", out, "--as", "npz") == 2
    assert "1 of 3 files could not be used: broken.bvh" in capsys.readouterr().err
    assert {path.name for path in out.iterdir()} == {"a.bvh", "b.bvh", "a.npz", "b.npz"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("walk.bvh", "hero.blend", "--out", "x.npz"), "opened in Blender"),
        (("walk.bvh", "child.bvh", "--out", "x.fbx"), "must end in .npz or .bvh"),
        (("walk.bvh", "child.bvh", "--out", "x.bvh", "--simulate"), "must end in .npz."),
        (("walk.bvh", "child.bvh", "--out", "child.bvh"), "choose another name"),
        ((".", "child.bvh", "--out", "nowhere"), "folder that exists"),
        (
            ("walk.bvh", "child.bvh", "--out", "x.npz", "--reach", "hand.L", *["0", "0", "0", "a", "b"]),
            "five numbers",
        ),
    ],
)
def test_refusals_are_one_sentence(
    files: Path,
    words: tuple[str, ...],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(files)
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    assert run(*words) == 2
    assert sentence in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_a_table_of_bones_is_taken_as_it_is(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, out = tmp_path / "table.json", tmp_path / "out.npz"
    table.write_text(mapping_to_json(replace(MAPPING, kind="mine")))
    assert run(files / "walk.bvh", files / "child.bvh", "--out", out, "--target-bones", table) == 0
    assert json.loads(str(read_npz(out)["meta"]))["mapping"]["kind"] == "mine"
    odd = {**MAPPING.bones, "thigh.L": ("tail",)}
    table.write_text(mapping_to_json(replace(MAPPING, bones=odd)))
    assert run(files / "walk.bvh", files / "child.bvh", "--out", out, "--source-bones", table) == 2
    assert "'tail'" in capsys.readouterr().err


def test_a_bone_that_leaves_its_place_moves_in_the_file(tmp_path: Path) -> None:
    """Hips below a root that stays: their way comes back from the file."""
    motion = person(walk().performance)
    skeleton = motion.skeleton
    rooted = Skeleton(
        ("root", *skeleton.names),
        np.array([-1, *(skeleton.parents + 1)]),
        np.vstack([[0.0, 0.0, 0.0], skeleton.rest_position_world]),
        np.vstack([[1.0, 0.0, 0.0, 0.0], skeleton.rest_quaternion_world]),
    )
    samples = len(motion.time)
    still = np.zeros((samples, 1, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (samples, 1, 1))
    whole = Motion(
        rooted,
        motion.time,
        np.concatenate([still[0], motion.position_world], axis=1),
        np.concatenate([still[1], motion.quaternion_world], axis=1),
    )
    write_bvh(whole, tmp_path / "rooted.bvh")
    back = read_bvh(tmp_path / "rooted.bvh", ReadingChoices(0.01)).motion
    order = [rooted.index[name] for name in back.skeleton.names]
    np.testing.assert_allclose(back.position_world, whole.position_world[:, order], atol=1e-5)


def glb(path: Path, content: object) -> Path:
    text = json.dumps(content).encode()
    path.write_bytes(b"glTF" + struct.pack("<IIII", 2, 20 + len(text), len(text), 0x4E4F534A) + text)
    return path


def test_a_glb_gives_its_joints_in_metres_and_z_up(tmp_path: Path) -> None:
    nodes = [
        {"name": "armature", "scale": [0.01] * 3, "children": [1]},
        {"name": "hips", "translation": [0.0, 100.0, 0.0], "children": [2]},
        {"name": "leg", "translation": [10.0, -50.0, 5.0]},
    ]
    skeleton = read_glb_skeleton(glb(tmp_path / "a.glb", {"nodes": nodes, "skins": [{"joints": [1, 2]}]}))
    assert skeleton.names == ("hips", "leg") and list(skeleton.parents) == [-1, 0]
    np.testing.assert_allclose(skeleton.rest_position_world, [[0.0, 0.0, 1.0], [0.1, -0.05, 0.5]], atol=1e-12)


def test_bad_glb_files_are_refused(tmp_path: Path) -> None:
    plain = tmp_path / "plain.glb"
    plain.write_bytes(b"hello")
    cut = tmp_path / "cut.glb"
    cut.write_bytes(b"glTF1234")
    for path, words in (
        (plain, "not a GLB"),
        (cut, "cut off"),
        (glb(tmp_path / "bare.glb", {"nodes": []}), "no skin"),
        (glb(tmp_path / "odd.glb", {"nodes": [], "skins": [{}]}), "no skin that can be read"),
        (tmp_path / "absent.glb", "does not exist"),
    ):
        with pytest.raises(InputError, match=words):
            read_glb_skeleton(path)


def test_two_who_shake_hands_are_retargeted_together(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    company = handshake()
    for number, (_, motion) in enumerate(company.people):
        write_bvh(motion, tmp_path / f"{number}.bvh")
    words = [tmp_path / "0.bvh", files / "child.bvh", "--out", tmp_path / "a.npz", "--json"]
    partner = ["--with", tmp_path / "1.bvh", files / "child.bvh"]
    assert run(*words, *partner, "--with-out", tmp_path / "b.npz") == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["others"]["1"]["result"] == str(tmp_path / "b.npz")
    wrists = []
    for name in ("a", "b"):
        arrays = read_npz(tmp_path / f"{name}.npz")
        wrists.append(arrays["joint_position"][:, list(arrays["joint_name"]).index("hand.R")])
    apart = np.linalg.norm(wrists[0] - wrists[1], axis=1)
    source = np.linalg.norm(
        np.subtract(*(m.position_world[:, m.skeleton.index["hand.R"]] for _, m in company.people)), axis=1
    )
    # Palms meet, and hands are as long as the body is high; alone, wrists would be 0.2 m further apart.
    assert np.abs(apart - 0.7 * source)[company.held].max() < 0.02
    assert run(*words, "--with-out", tmp_path / "b.npz") == 2
    assert "--with-out is given 1 time(s)" in capsys.readouterr().err
    assert run(*words, *partner, "--with-out", tmp_path / "a.npz") == 2
    assert "Two results" in capsys.readouterr().err


def test_a_box_in_two_hands_gets_new_keys(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    company = box()
    motion, (prop,) = company.people[0][1], company.props
    write_bvh(motion, tmp_path / "lift.bvh")
    crate = SceneObject(
        "crate", Role.MOVING, prop.surface.shape, keys=Keys(motion.time, prop.position, prop.quaternion)
    )
    (tmp_path / "scene.json").write_text(to_json(scene_to_dict(Scene((crate,)))))
    words = [tmp_path / "lift.bvh", files / "child.bvh", "--out", tmp_path / "a.npz"]
    scenes = ["--scene", tmp_path / "scene.json", "--scene-out", tmp_path / "new.json"]
    assert run(*words, *scenes, "--prop", "crate") == 0
    keys = load_scene(tmp_path / "new.json").objects[0].keys
    assert keys is not None
    arrays = read_npz(tmp_path / "a.npz")
    names = list(arrays["joint_name"])
    middle = arrays["joint_position"][:, [names.index("hand.L"), names.index("hand.R")]].mean(axis=1)
    high = company.held[len(company.held) // 2]
    # The box is between the hands, a little in front of the wrists.
    assert np.linalg.norm(keys.position[high] - middle[high]) < 0.15
    assert run(*words, *scenes, "--prop", "chair") == 2
    assert "no object 'chair'" in capsys.readouterr().err


def test_a_box_in_two_hands_is_simulated_with_its_weight(files: Path, tmp_path: Path) -> None:
    company = box()
    motion, (prop,) = company.people[0][1].between(0.75, 1.25), company.props
    write_bvh(motion, tmp_path / "lift.bvh")
    rows = slice(round(0.75 * motion.rate_hz), round(1.25 * motion.rate_hz) + 1)
    keys = Keys(motion.time - motion.time[0], prop.position[rows], prop.quaternion[rows])
    crate = SceneObject("crate", Role.CARRIED, prop.surface.shape, mass=2.0, keys=keys)
    (tmp_path / "scene.json").write_text(to_json(scene_to_dict(Scene((crate,)))))
    words = [tmp_path / "lift.bvh", files / "child.bvh", "--out", tmp_path / "a.npz", "--simulate"]
    scenes = ["--scene", tmp_path / "scene.json", "--scene-out", tmp_path / "new.json"]
    assert run(*words, *scenes, "--prop", "crate") == 0
    result = load_result(tmp_path / "a.npz")
    assert result.meta.fell_at is None and list(result.prop_name) == ["crate"]
    assert sorted(own.segment for own in result.meta.grips) == ["hand.L", "hand.R"]
    height, wanted = result.prop_position[:, 0, 2], load_scene(tmp_path / "new.json").objects[0].keys
    assert wanted is not None
    assert abs(height[-1] - wanted.position[-1, 2]) < 0.1, "it would fall by 1.2 m without the hands"


def test_two_who_shake_hands_are_simulated_together(files: Path, tmp_path: Path) -> None:
    for number, (_, motion) in enumerate(handshake().people):
        write_bvh(motion.between(0.4, 1.0), tmp_path / f"{number}.bvh")
    words = [tmp_path / "0.bvh", files / "child.bvh", "--out", tmp_path / "a.npz", "--simulate"]
    assert run(*words, "--with", tmp_path / "1.bvh", files / "child.bvh") == 0
    for name in ("a", "a_1"):
        result = load_result(tmp_path / f"{name}.npz")
        assert result.meta.fell_at is None
        assert result.meta.measured.joint_error_source_deg < 3.0
