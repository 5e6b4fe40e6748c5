"""Ground forces of OpenSim's tables: on the foot that stands there, in the motion's axes and on its time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.analysis.force_table import FileFrame, read_loads
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.cli.main import main
from sim_core.motion.motion import Motion
from tests.core.sample_people import MAPPING, person, standing

WORLD_FROM_FILE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""The file has Y up and X forward."""
START_S = 0.5
NAMES = {
    "ground_force_v": ("ground_force_v", "ground_force_p", "ground_torque_"),
    "1_ground_force_v": ("1_ground_force_v", "1_ground_force_p", "1_ground_torque_"),
    "ground_force_r_v": ("ground_force_r_v", "ground_force_r_p", "ground_moment_r_m"),
    "ground_force_2_v": ("ground_force_2_v", "ground_force_2_p", "ground_force_2_m"),
}


@pytest.fixture(scope="module")
def stander() -> Motion:
    motion = person(standing())
    return replace(motion, time=motion.time - motion.time[0])


def foot_middle(motion: Motion, side: str) -> FloatArray:
    bones = [motion.skeleton.index[MAPPING.first(f"{slot}.{side}")] for slot in ("foot", "toe")]
    return np.asarray(motion.position_world[0, bones].mean(axis=0) * [1.0, 1.0, 0.0])


def write_forces(path: Path, motion: Motion, plates: dict[str, tuple[FloatArray, FloatArray]]) -> Path:
    """Write plates by names: a force and a point in the world, and a moment of 1 about up."""
    rows = 200
    time = START_S + np.linspace(0.0, motion.duration, rows)
    labels, columns = ["time"], [time]
    for name, (force, point) in plates.items():
        for label, values in zip(NAMES[name], (force, point, np.array([0.0, 0.0, 1.0])), strict=True):
            labels += [label + axis for axis in "xyz"]
            columns += list(np.tile(values @ WORLD_FROM_FILE, (rows, 1)).T)
    table = [" ".join(f"{value:.9g}" for value in row) for row in np.stack(columns, axis=1)]
    path.write_text("\n".join([f"nRows={rows}", "endheader", "\t".join(labels), *table, ""]))
    return path


FRAME = FileFrame(WORLD_FROM_FILE, START_S)
FORCE = np.array([20.0, -10.0, 350.0])


@pytest.mark.parametrize("left", ["ground_force_v", "ground_force_r_v"])
def test_each_force_is_on_the_foot_below_which_it_acts(tmp_path: Path, stander: Motion, left: str) -> None:
    plates = {
        "ground_force_2_v": (2.0 * FORCE, foot_middle(stander, "R")),
        left: (FORCE, foot_middle(stander, "L")),
    }
    loads, notes = read_loads(write_forces(tmp_path / "f.mot", stander, plates), FRAME, stander, MAPPING)
    assert notes == ()
    assert [load.foot for load in loads] == [1, 0]
    for load, factor, side in zip(loads, (2.0, 1.0), "RL", strict=True):
        at = load.at(stander.time)
        middle = len(stander.time) // 2
        assert np.allclose(at.force[middle], factor * FORCE, atol=1e-3)
        assert np.allclose(at.point[middle], foot_middle(stander, side), atol=1e-6)
        assert np.allclose(at.moment[middle], [0.0, 0.0, 1.0], atol=1e-6)


def test_forces_far_from_the_feet_are_told_and_left_out(tmp_path: Path, stander: Motion) -> None:
    away = foot_middle(stander, "L") + [1.0, 0.0, 0.0]
    plates = {"ground_force_v": (FORCE, foot_middle(stander, "L")), "1_ground_force_v": (FORCE, away)}
    path = write_forces(tmp_path / "f.mot", stander, plates)
    loads, notes = read_loads(path, FRAME, stander, MAPPING)
    assert len(loads) == 1
    assert "'1_ground_force_v'" in notes[0]
    with pytest.raises(InputError, match="No force in 'f.mot' acts below a foot"):
        read_loads(path, replace(FRAME, start_s=START_S + 1e3), stander, MAPPING)


def test_tables_without_forces_are_refused(tmp_path: Path, stander: Motion) -> None:
    path = tmp_path / "angles.mot"
    path.write_text("endheader\ntime knee_angle_r\n0 1\n1 2\n")
    with pytest.raises(InputError, match=r"'angles.mot' has no ground forces.*'knee_angle_r'"):
        read_loads(path, FRAME, stander, MAPPING)
    path.write_text("endheader\ntime a_vx\n0 1\n1 2\n")
    with pytest.raises(InputError, match="'a_vx' without the rest"):
        read_loads(path, FRAME, stander, MAPPING)


def test_plates_weigh_a_body_whose_motion_is_joint_angles(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared_data / "markers" / "gait2392_subject01"
    words = ["dynamics", str(folder / "walk_ik.mot"), "--forces", str(folder / "walk_grf.mot")]
    assert main([*words, "--out", str(tmp_path / "out.npz")]) == 0
    told = dict(line.split(": ") for line in capsys.readouterr().out.splitlines())
    assert told["forces_from"] == "measured"
    # The subject has 72.6 kg; plates weigh within 3 %.
    assert float(told["mass_plates_kg"]) == pytest.approx(72.6, rel=0.03)
