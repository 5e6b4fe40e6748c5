"""Wrong motion files are refused, with the file, the place, what was found and what to do."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.reading.bvh_clip import ReadingChoices
from sim_core.sources.motion_source import is_result, read_clip
from tests.core.sample_opensim import opensim
from tests.core.sample_sources import acclaim, amass, write_npz

Arrays = dict[str, Any]


def refusal(path: Path, chosen: ReadingChoices | None = None) -> str:
    """The one sentence, or two, with which a file is refused."""
    with pytest.raises(InputError) as caught:
        read_clip(path, ReadingChoices() if chosen is None else chosen)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    assert any(f"'{file.name}'" in text for file in (path, *path.parent.iterdir()))
    return text


def _without(name: str) -> Callable[[Arrays], object]:
    return lambda arrays: arrays.pop(name)


def _set(name: str, change: Callable[[Any], object]) -> Callable[[Arrays], object]:
    return lambda arrays: arrays.update({name: change(arrays[name])})


def _with_nan(values: Any) -> Any:
    values = values.copy()
    values[7, 2] = np.nan
    return values


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_without("trans"), "has no array 'trans'.*export it with poses and trans"),
        (_set("poses", lambda v: v[:, :60]), "60 numbers a frame; the models have 66"),
        (_set("poses", lambda v: v[0]), "'poses' of 'a.npz' has the shape"),
        (_set("poses", _with_nan), r"'poses' of 'a.npz' has a value that is not finite \(NaN\) in frame 8"),
        (_set("poses", lambda v: v.astype(object)), "array 'poses' holds values of the kind object"),
        (_set("poses", lambda v: v.astype(str)), "'poses' of 'a.npz' holds the type"),
        (_set("trans", lambda v: v[:-1]), r"'trans' of 'a.npz' has the shape \(39, 3\), but \(40, 3\)"),
        (_set("trans", lambda v: 1e6 * v), "the hips move at .* m/s; check the file's lengths and units"),
        (_set("mocap_framerate", lambda v: 0.0 * v), "'mocap_framerate' of 'a.npz' is no frame rate"),
    ],
)
def test_wrong_arrays_of_smpl(tmp_path: Path, change: Callable[[Arrays], object], words: str) -> None:
    arrays, _ = amass(22)
    change(arrays)
    assert re.search(words, refusal(write_npz(tmp_path / "a.npz", arrays)))


def test_a_body_nobody_has_is_refused(tmp_path: Path) -> None:
    path = write_npz(tmp_path / "a.npz", amass(22)[0])
    assert "17 m tall" in refusal(path, ReadingChoices(height_m=17.0))


def test_a_header_that_asks_for_much_memory_is_refused_before_it_gets_it(tmp_path: Path) -> None:
    path = write_npz(tmp_path / "a.npz", amass(22)[0])
    header = io.BytesIO()
    write_header: Any = np.lib.format.write_array_header_1_0  # numpy has no types for it
    write_header(header, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 66)})
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "huge.npz", "w") as new:
        for name in old.namelist():
            new.writestr(name, header.getvalue() if name == "poses.npy" else old.read(name))
    assert "its header asks for 528000000000" in refusal(tmp_path / "huge.npz")


def test_results_and_cut_files_are_no_motions(tmp_path: Path) -> None:
    path = write_npz(tmp_path / "a.npz", amass(22)[0])
    assert not is_result(path)
    (tmp_path / "cut.npz").write_bytes(path.read_bytes()[:-400])
    assert "cut.npz' is not a readable file of arrays" in refusal(tmp_path / "cut.npz")
    other = write_npz(tmp_path / "other.npz", {"meta": np.array("{}")})
    assert is_result(other)
    assert "'other.npz' has no poses of a SMPL body" in refusal(other)
    with pytest.raises(InputError, match="absent.npz' does not exist"):
        read_clip(tmp_path / "absent.npz", ReadingChoices())


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (
            "07.asf",
            "angle deg",
            "angle grad",
            "'07.asf' line 6: the angles are in 'grad'; known are deg and rad",
        ),
        ("07.asf", ":hierarchy", ":other", "the file ends without ':hierarchy'"),
        ("07.asf", "  lfemur ltibia", "  lfemur lshank", "line .*: the hierarchy names the bone 'lshank'"),
        ("07.asf", "name ltibia", "name lfemur", "two bones are called 'lfemur'"),
        ("07.asf", "orientation 0 0 0", "orientation 0 90 0", "turned by 0 90 0 beforehand"),
        ("07.asf", "TX TY TZ RZ RX RY", "TX TY TZ", "'order' of the root must list"),
        ("07.asf", "dof rx\n", "dof rx l\n", "moves by 'l'"),
        ("07.asf", "length 42", "length nan #", "not finite"),
        ("07.asf", "position 0 0 0", "position 0 0 1e300", "bone 'root' is more than .* from the origin"),
        ("07.asf", "length 42", "length 420", "times as long as the right one"),
        ("07_01.amc", "\n3\n", "\n3\nltail 1 2 3\n", "line .*: the bone 'ltail' is not in the skeleton"),
        ("07_01.amc", "\n3\nroot ", "\n3\nroot 1 ", "bone 'root' has 7 .*, but 6 are needed"),
        ("07_01.amc", "\nhead ", "\nhead x", "where a number was expected"),
        ("07_01.amc", ":DEGREES", ":RADIANS", "over 2 turns in the unit"),
        ("07_01.amc", "# made", "HIERARCHY", "does not begin an AMC file"),
    ],
)
def test_wrong_lines_of_acclaim(tmp_path: Path, file: str, old: str, new: str, words: str) -> None:
    acclaim(tmp_path)
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1))
    assert re.search(words, refusal(tmp_path / "07_01.amc"))


def test_cut_and_lonely_acclaim_files(tmp_path: Path) -> None:
    acclaim(tmp_path)
    amc = tmp_path / "07_01.amc"
    whole = amc.read_text()
    amc.write_text(whole[: len(whole) // 2].rpartition("\n")[0] + "\n")
    assert re.search("frame 20 ends here without the bone '.*'; the file is cut off", refusal(amc))
    (tmp_path / "07.asf").unlink()
    assert re.search(r"neither '07_01.asf' nor '07.asf'.*--skeleton FILE.asf", refusal(amc))
    assert "'07_01.amc' needs a file .asf" in refusal(amc, ReadingChoices(skeleton=tmp_path / "a.bvh"))


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("walk.mot", "endheader", "", "'walk.mot' has no line 'endheader'"),
        ("walk.mot", "inDegrees=yes", "inDegrees=maybe", "inDegrees=maybe; it must be yes or no"),
        ("walk.mot", "pelvis_tx", "pelvis_ty", "line 8: two columns are called 'pelvis_ty'"),
        ("walk.mot", "time\t", "frame\t", "line 8: the labels begin with 'frame'"),
        ("walk.mot", "\n1.51\t", "\n1.49\t", "line 10: the time does not increase here"),
        ("walk.mot", "\n1.51\t", "\n1.51\t7\t", "line 10: this row has 33 .*, but 32 are needed"),
        ("walk.osim", "<Model", "<!DOCTYPE a [<!ENTITY b 'c'>]><Model", "'walk.osim' line 2"),
        ("walk.osim", "</Model>", "", "is not readable XML"),
        ("walk.osim", "BallJoint", "ScapulaJoint", "is a ScapulaJoint, which Heft does not know"),
        ("walk.osim", "SimmSpline", "GCVSpline", "uses a GCVSpline"),
        ("walk.osim", "<axis>0 0 1</axis>", "<axis>0 0 0</axis>", "an axis without a direction"),
        ("walk.osim", "/bodyset/pelvis<", "/bodyset/tail<", "hangs on 'pelvis', which hangs on nothing"),
        ("walk.osim", "0 -0.41 0", "0 -0.91 0", "times as long as the right one"),
    ],
)
def test_wrong_lines_of_opensim(tmp_path: Path, file: str, old: str, new: str, words: str) -> None:
    opensim(tmp_path)
    text = (tmp_path / file).read_text()
    assert old in text
    everywhere = old.endswith(("Joint", "Spline"))  # a tag begins and ends
    (tmp_path / file).write_text(text.replace(old, new, -1 if everywhere else 1))
    assert re.search(words, refusal(tmp_path / "walk.mot"))


def test_a_time_that_jumps_for_years_is_not_resampled(tmp_path: Path) -> None:
    opensim(tmp_path)
    lines = (tmp_path / "walk.mot").read_text().splitlines()
    lines[-1] = "\t".join(["1e12", *lines[-1].split()[1:]])
    (tmp_path / "walk.mot").write_text("\n".join([*lines, ""]))
    assert re.search(r"time jumps from .* to 1e\+12 s at row .*; correct", refusal(tmp_path / "walk.mot"))


def test_tables_of_something_else(tmp_path: Path) -> None:
    opensim(tmp_path)
    text = (tmp_path / "walk.mot").read_text()
    forces = tmp_path / "forces.mot"
    forces.write_text(
        "\n".join(["endheader", "time ground_force_vx ground_force_vy ground_force_vz", "0 1 2 3", ""])
    )
    assert "'forces.mot' has ground forces ('ground_force_vx', ...), not a motion" in refusal(forces)
    (tmp_path / "other.mot").write_text(text.replace("_q", "_moment").replace("pelvis_t", "x_t"))
    assert "is a coordinate of 'walk.osim'" in refusal(tmp_path / "other.mot")
    (tmp_path / "second.osim").write_text("not read")
    assert "2 models lie beside it" in refusal(tmp_path / "other.mot")
    wild = text.replace("inDegrees=yes", "inDegrees=no").replace("\t1", "\t7001")
    (tmp_path / "walk.mot").write_text(wild)
    assert "far beyond the ranges of the model's joints" in refusal(tmp_path / "walk.mot")


@pytest.mark.parametrize(
    ("name", "start", "words"),
    [
        (
            "a.fbx",
            b"Kaydara FBX Binary  \0",
            "'a.fbx' is a file of FBX: import it in Blender, then press Simulate",
        ),
        ("a.glb", b"glTF", "'a.glb' is a file of glTF: import it in Blender, then press Simulate"),
        ("a.usdz", b"PK", "'a.usdz' is a file of USD: import it in Blender, then press Simulate"),
        ("a.dat", b"PXR-USDC", "'a.dat' is a file of USD"),
        ("a.pkl", b"\x80", "'a.pkl' may hold a pickle"),
        ("a.asf", b":version", "'a.asf' is a skeleton without a motion; give the .amc file"),
        ("a.osim", b"<", "give the .mot or .sto file"),
        ("a.txt", b"words", "a BVH file starts with HIERARCHY"),
    ],
)
def test_files_of_other_kinds_say_what_to_do(tmp_path: Path, name: str, start: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(start)
    assert words in refusal(tmp_path / name)


def test_small_degrees_are_told(tmp_path: Path) -> None:
    acclaim(tmp_path, angle="rad")
    amc = tmp_path / "07_01.amc"
    amc.write_text(amc.read_text().replace(":RADIANS", ":DEGREES"))
    clip = read_clip(amc, ReadingChoices(fps=120.0))
    assert any("if they are radians" in note for note in clip.notes)
