"""BVH files become poses in metres with Z up; broken ones are explained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim_core.base.errors import InputError
from sim_core.reading.bvh_clip import BvhClip, ReadingChoices, read_bvh
from sim_core.reading.unit import CMU_UNIT_M

from .bvh_variants import VARIANTS, Clip

WriteBvh = Callable[[str], Path]

ARM = """HIERARCHY
ROOT upper
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition ORDER
  JOINT lower
  {
    OFFSET 0 0 2
    CHANNELS 3 Xrotation Yrotation Zrotation
    End Site
    {
      OFFSET 0 0 1
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.25
0 0 0 ANGLES 0 0 0
1 2 3 ANGLES 0 90 0
"""

# A body in metres: (name, parent, offset in file axes with Y up and Z forward).
BODY = [
    ("Hips", None, (0.0, 0.95, 0.0)),
    ("Chest", "Hips", (0.0, 0.4, 0.0)),
    ("Head", "Chest", (0.0, 0.25, 0.0)),
    ("LeftHip", "Hips", (0.1, 0.0, 0.0)),
    ("LeftKnee", "LeftHip", (0.0, -0.42, 0.0)),
    ("LeftAnkle", "LeftKnee", (0.0, -0.42, 0.0)),
    ("RightHip", "Hips", (-0.1, 0.0, 0.0)),
    ("RightKnee", "RightHip", (0.0, -0.42, 0.0)),
    ("RightAnkle", "RightKnee", (0.0, -0.42, 0.0)),
]


def body_text(units_per_metre: float, angles_deg: np.ndarray, z_up: bool = False) -> str:
    """A body whose joints all turn about file X by angles_deg (T) in each frame."""

    def block(name: str) -> str:
        offset = np.array(next(row[2] for row in BODY if row[0] == name)) * units_per_metre
        x, y, z = (offset[0], -offset[2], offset[1]) if z_up else offset
        children = [row[0] for row in BODY if row[1] == name]
        moves = "6 Xposition Yposition Zposition" if name == "Hips" else "3"
        inside = " ".join(block(child) for child in children) or "End Site\n{\nOFFSET 0 0 0\n}\n"
        kind = "ROOT" if name == "Hips" else "JOINT"
        channels = f"CHANNELS {moves} Zrotation Xrotation Yrotation"
        return f"{kind} {name}\n{{\nOFFSET {x} {y} {z}\n{channels}\n{inside}\n}}\n"

    height = 0.95 * units_per_metre
    root = f"0 0 {height}" if z_up else f"0 {height} 0"
    frames = [root + f" 0 {angle} 0" * len(BODY) for angle in angles_deg]
    header = f"MOTION\nFrames: {len(frames)}\nFrame Time: 0.01\n"
    return f"HIERARCHY\n{block('Hips')}{header}" + "\n".join(frames) + "\n"


SMOOTH = 3.0 * np.sin(np.linspace(0.0, 4.0, 60))


@pytest.fixture
def write_bvh(tmp_path: Path) -> WriteBvh:
    def write(text: str) -> Path:
        path = tmp_path / "clip.bvh"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def read_arm(write_bvh: WriteBvh, order: str, angles: str) -> BvhClip:
    return read_bvh(write_bvh(ARM.replace("ORDER", order).replace("ANGLES", angles)), ReadingChoices(0.5))


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_channels_turn_in_the_order_of_the_file(write_bvh: WriteBvh, order: str) -> None:
    angles = {"X": 20.0, "Y": -50.0, "Z": 75.0}
    clip = read_arm(
        write_bvh,
        " ".join(f"{axis}rotation" for axis in order),
        " ".join(str(angles[axis]) for axis in order),
    )
    turn = np.eye(3)
    for axis in order:
        turn = turn @ Rotation.from_euler(axis.lower(), angles[axis], degrees=True).as_matrix()
    # The file's Z is up here (its bones lie along Z), so axes stay and half a metre is one unit.
    assert clip.motion.position_world[1, 0] == pytest.approx([0.5, 1.0, 1.5], abs=1e-12)
    assert clip.motion.position_world[1, 1] == pytest.approx(
        np.array([0.5, 1.0, 1.5]) + turn @ [0, 0, 1], abs=1e-12
    )
    lower = Rotation.from_quat(clip.motion.quaternion_world[1, 1], scalar_first=True).as_matrix()
    quarter = Rotation.from_euler("y", 90.0, degrees=True).as_matrix()
    assert lower == pytest.approx(turn @ quarter, abs=1e-12)


def test_time_and_tips_come_along(write_bvh: WriteBvh) -> None:
    clip = read_arm(write_bvh, "Zrotation Yrotation Xrotation", "0 0 0")
    assert clip.motion.time == pytest.approx([0.0, 0.25])
    assert clip.tips_world["lower"] == pytest.approx([0.0, 0.0, 0.5])
    assert clip.motion.skeleton.names == ("upper", "lower")
    assert clip.motion.skeleton.rest_position_world[1] == pytest.approx([0.0, 0.0, 1.0])


def test_positions_on_joints_replace_their_offset(write_bvh: WriteBvh) -> None:
    text = ARM.replace("ORDER", "Zrotation Yrotation Xrotation").replace("ANGLES", "0 0 0")
    text = text.replace("CHANNELS 3", "CHANNELS 6 Zposition Yposition Xposition")
    text = text.replace("0 0 0 0 0 0 0 0 0\n", "0 0 0 0 0 0 3 0 0 0 0 0\n")
    text = text.replace("1 2 3 0 0 0 0 90 0\n", "0 0 0 0 0 0 0 0 0 0 90 0\n")
    clip = read_bvh(write_bvh(text), ReadingChoices(1.0))
    assert clip.motion.position_world[0, 1] == pytest.approx([0.0, 0.0, 3.0])


@pytest.mark.parametrize(
    ("units_per_metre", "unit_m"),
    [(1.0, 1.0), (10.0, 0.1), (100.0, 0.01), (1000.0, 0.001), (1 / 0.0254, 0.0254), (1 / 0.3048, 0.3048)],
)
def test_the_unit_follows_from_the_legs(write_bvh: WriteBvh, units_per_metre: float, unit_m: float) -> None:
    clip = read_bvh(write_bvh(body_text(units_per_metre, SMOOTH)))
    assert clip.unit_m == pytest.approx(unit_m)
    assert clip.motion.skeleton.rest_position_world[0, 2] == pytest.approx(0.95)
    assert f"{unit_m:.6g} m" in clip.notes[0]


def test_an_odd_unit_is_scaled_to_a_usual_height(write_bvh: WriteBvh) -> None:
    clip = read_bvh(write_bvh(body_text(7e4, SMOOTH)))
    # Legs of 0.84 m belong to 0.84 / 0.491 = 1.711 m, which is brought to 1.7 m.
    assert clip.unit_m == pytest.approx(1.7 / (0.84 / 0.491 * 7e4))
    assert "scaled" in clip.notes[0]


def test_a_given_unit_wins(write_bvh: WriteBvh) -> None:
    clip = read_bvh(write_bvh(body_text(100.0, SMOOTH)), ReadingChoices(0.02))
    assert clip.unit_m == 0.02
    assert clip.motion.skeleton.rest_position_world[0, 2] == pytest.approx(1.9)


@pytest.mark.parametrize(("z_up", "axis"), [(False, "+Y"), (True, "+Z")])
def test_up_is_found_from_feet_to_head(write_bvh: WriteBvh, z_up: bool, axis: str) -> None:
    clip = read_bvh(write_bvh(body_text(100.0, SMOOTH, z_up)))
    heads = clip.motion.skeleton.rest_position_world[:, 2]
    assert heads[2] == pytest.approx(1.6)
    assert heads[[5, 8]] == pytest.approx([0.11, 0.11])
    assert axis in clip.notes[1]


def crawl_text() -> str:
    """The body in metres, on its knees and with its trunk level, on its way along Z and a little along X."""
    swing = 20.0 * np.sin(np.linspace(0.0, 25.0, 200))
    header = body_text(1.0, SMOOTH).partition("MOTION")[0]
    frames = [
        f"{0.003 * frame} 0.45 {0.01 * frame} 0 90 0  0 0 0  0 0 0"
        f"  0 {angle - 90} 0  0 90 0  0 0 0  0 {-angle - 90} 0  0 90 0  0 0 0"
        for frame, angle in enumerate(swing)
    ]
    return f"{header}MOTION\nFrames: {len(frames)}\nFrame Time: 0.02\n" + "\n".join(frames) + "\n"


def test_somebody_who_crawls_does_not_stand_along_the_way(write_bvh: WriteBvh) -> None:
    clip = read_bvh(write_bvh(crawl_text()))
    assert any("Up is +Y" in note and "crawls" in note for note in clip.notes)
    # On the knees, so shins and feet are on the floor and the hips a thigh above it.
    assert clip.motion.position_world[:, 0, 2] == pytest.approx(0.45)


def test_a_crawl_without_a_rest_pose_that_stands_is_refused(write_bvh: WriteBvh, tmp_path: Path) -> None:
    crawl = VARIANTS["rest along X"](Clip.read(write_bvh(crawl_text())))
    with pytest.raises(InputError, match="Which way is up cannot be told.*crawls"):
        read_bvh(crawl.write(tmp_path / "variant.bvh"))


def test_a_rest_frame_before_the_take_is_left_out(write_bvh: WriteBvh) -> None:
    with_rest = read_bvh(write_bvh(body_text(100.0, np.concatenate([[0.0], 40.0 + SMOOTH]))))
    plain = read_bvh(write_bvh(body_text(100.0, 40.0 + SMOOTH)))
    assert (with_rest.frames_skipped, plain.frames_skipped) == (1, 0)
    assert with_rest.motion.position_world == pytest.approx(plain.motion.position_world)
    assert with_rest.motion.time[0] == 0.0
    assert any("rest pose" in note for note in with_rest.notes)


def test_a_blend_out_of_the_rest_pose_is_left_out_whole(write_bvh: WriteBvh) -> None:
    blend = [0.0, 15.0, 27.0, 36.0]
    clip = read_bvh(write_bvh(body_text(100.0, np.concatenate([blend, 40.0 + SMOOTH]))))
    assert clip.frames_skipped == len(blend)


def test_a_start_at_zero_that_moves_on_smoothly_stays(write_bvh: WriteBvh) -> None:
    assert read_bvh(write_bvh(body_text(100.0, SMOOTH))).frames_skipped == 0


GOOD = body_text(100.0, SMOOTH)
MOTION_LINE = GOOD[: GOOD.index("MOTION")].count("\n") + 1
FIRST_FRAME = GOOD.splitlines()[MOTION_LINE + 2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("just words\n", "line 1: .*HIERARCHY"),
        (GOOD[: GOOD.index("MOTION")], "ends before its MOTION part"),
        (GOOD[: GOOD.index("MOTION") + 7], f"line {MOTION_LINE}: nothing follows"),
        (GOOD.replace("Frames: 60", "Frames: 70"), "says it has 70 frames, but 60"),
        (GOOD.replace("Frames: 60", "Frames: many"), f"line {MOTION_LINE + 1}"),
        (GOOD.replace("Frames: 60", "Frames: 0"), "number of frames is 0"),
        (GOOD.replace("Time: 0.01", "Time: 0"), f"line {MOTION_LINE + 2}: .*frame time is 0"),
        (GOOD.replace(FIRST_FRAME, FIRST_FRAME[:20]), f"line {MOTION_LINE + 3}: .*channels"),
        (GOOD.replace(FIRST_FRAME, "nan" + FIRST_FRAME[1:]), f"line {MOTION_LINE + 3}: .*not finite"),
        (GOOD.replace(FIRST_FRAME, "x" + FIRST_FRAME[1:]), f"line {MOTION_LINE + 3}: .*not a number"),
        (GOOD.replace("OFFSET", "OFFSET x", 1), "line 4: OFFSET needs three numbers"),
        (GOOD.replace("Zrotation", "Wrotation", 1), "line 5: channel 'Wrotation'"),
        (GOOD.replace("CHANNELS 6", "CHANNELS 5", 1), "line 5: .*as many"),
        (GOOD.replace("JOINT Head", "JOINT Chest"), "two joints are called 'Chest'"),
        (GOOD.replace("}\nMOTION", "MOTION"), "closing brace"),
        (body_text(100.0, SMOOTH[:1]), r"1 frame\(s\)"),
    ],
)
def test_broken_files_are_explained(write_bvh: WriteBvh, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        read_bvh(write_bvh(text))
    assert "\n" not in str(caught.value)


def test_frames_beyond_those_that_the_file_says_are_read(write_bvh: WriteBvh) -> None:
    clip = read_bvh(write_bvh(GOOD.replace("Frames: 60", "Frames: 59")))
    assert clip.motion.position_world == pytest.approx(read_bvh(write_bvh(GOOD)).motion.position_world)
    assert any("says it has 59 frames, but 60 are there" in note for note in clip.notes)


def test_missing_binary_and_cut_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no.bvh' does not exist"):
        read_bvh(tmp_path / "no.bvh")
    junk = tmp_path / "junk.bvh"
    junk.write_bytes(bytes(range(256)) * 8)
    with pytest.raises(InputError, match="not a BVH"):
        read_bvh(junk)


@pytest.mark.parametrize("cut", range(0, len(GOOD) - 30, 97))
def test_a_file_cut_anywhere_is_refused(write_bvh: WriteBvh, cut: int) -> None:
    with pytest.raises(InputError):
        read_bvh(write_bvh(GOOD[:cut]))


@pytest.mark.parametrize("unit", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_unit_is_refused(write_bvh: WriteBvh, unit: float) -> None:
    with pytest.raises(InputError, match="unit"):
        read_bvh(write_bvh(GOOD), ReadingChoices(unit))


def test_cmu_clips_are_read_right(shared_data: Path) -> None:
    """Each starts with a T-pose; feet come down to the ground in the CMU unit."""
    for path in sorted((shared_data / "bvh" / "cmu").glob("*.bvh")):
        clip = read_bvh(path)
        assert clip.unit_m == pytest.approx(CMU_UNIT_M), path.name
        assert clip.frames_skipped == 1, path.name
    walk = read_bvh(shared_data / "bvh" / "cmu" / "02_01.bvh").motion
    assert len(walk.time) == 343
    feet = [walk.skeleton.index[name] for name in ("LeftFoot", "RightFoot")]
    # Ankles of a walking adult stay between 5 and 15 cm at their lowest.
    assert np.all(walk.position_world[:, feet, 2].min(axis=0) > 0.05)
    assert np.all(walk.position_world[:, feet, 2].min(axis=0) < 0.15)


@pytest.mark.parametrize(
    ("name", "unit_m", "skipped", "axis"),
    [
        ("misc/pirouette", 0.01, 4, "+Y"),
        ("makehuman/walk1", 0.1, 0, "+Z"),
        ("makehuman/zombieWalk1", 0.1, 0, "+Z"),
    ],
)
def test_other_clips_are_read_right(
    shared_data: Path, name: str, unit_m: float, skipped: int, axis: str
) -> None:
    clip = read_bvh(shared_data / "bvh" / f"{name}.bvh")
    assert (clip.unit_m, clip.frames_skipped) == (pytest.approx(unit_m), skipped)
    assert axis in clip.notes[1]
    # The body stands above the floor, though walk1 never wrote a place for its root.
    assert -0.05 < clip.motion.position_world[..., 2].min() < 0.15


def test_a_single_pose_is_no_motion(shared_data: Path) -> None:
    with pytest.raises(InputError, match=r"1 frame\(s\)"):
        read_bvh(shared_data / "bvh" / "makehuman" / "tpose.bvh")
