"""A body's mass by force plates, and which mass is taken and told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sim_core.analysis.analysis import Analysis
from sim_core.analysis.body_mass import Weighing, choose_mass, weigh
from sim_core.analysis.clip_dynamics import DynamicsSettings, analyse_motion, weigh_motion
from sim_core.analysis.plate_loads import Load
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.cli.main import main
from tests.core.sample_motions import still, walk
from tests.core.sample_people import MAPPING, person

DT = 0.01
SAMPLES = 100
NOT_SMOOTHED = DynamicsSettings(cutoff_hz=50.0)


def vertical(force: FloatArray, foot: int = 0) -> Load:
    """A load of vertical forces (T) at DT."""
    vectors = np.zeros((len(force), 3))
    vectors[:, 2] = force
    return Load(foot, np.arange(len(force)) * DT, vectors, np.zeros_like(vectors), np.zeros_like(vectors))


def needed(mass: float) -> FloatArray:
    """By a body that goes up and down by 2 cm, twice a second."""
    phase = 4.0 * np.pi * np.arange(SAMPLES) * DT
    return mass * (GRAVITY - 0.02 * (4.0 * np.pi) ** 2 * np.sin(phase))


def test_plates_that_carry_all_tell_the_mass() -> None:
    loads = [vertical(0.6 * needed(60.0)), vertical(0.4 * needed(60.0), foot=1)]
    found = weigh(70.0, needed(70.0), np.zeros(SAMPLES), loads, DT)
    assert found is not None
    assert found.mass == pytest.approx(60.0) and found.spread < 1e-9 and found.seconds == pytest.approx(0.9)


@pytest.mark.parametrize("why", ["rests elsewhere", "too short", "uneven"])
def test_a_mass_that_plates_do_not_tell_is_none(why: str) -> None:
    carried, elsewhere = needed(60.0), np.zeros(SAMPLES)
    if why == "rests elsewhere":
        elsewhere += 20.0
    elif why == "too short":
        carried[30:] = 0.0  # 0.25 s are left, for the ends do not count
    else:
        carried[45:55], carried[55:] = 0.0, 1.1 * carried[55:]
    assert weigh(70.0, needed(70.0), elsewhere, [vertical(carried)], DT) is None


def loads_of(found: Analysis, share: float, feet: tuple[int, ...]) -> list[Load]:
    point = np.nan_to_num(found.foot_pressure)
    return [
        Load(f, found.time, share * found.foot_force[:, f], point[:, f], np.zeros_like(point[:, f]))
        for f in feet
    ]


def test_standing_is_weighed_only_with_plates_under_both_feet() -> None:
    motion = person(still().performance)
    found = analyse_motion(motion, MAPPING, NOT_SMOOTHED)
    both = weigh_motion(motion, MAPPING, NOT_SMOOTHED, loads=loads_of(found, 0.8, (0, 1)))
    assert both is not None and both.mass == pytest.approx(0.8 * found.mass, rel=0.01)
    assert weigh_motion(motion, MAPPING, NOT_SMOOTHED, loads=loads_of(found, 0.8, (0,))) is None
    assert weigh_motion(motion, MAPPING, NOT_SMOOTHED) is None


def test_one_foot_of_a_walk_weighs_the_body_while_it_stands_alone() -> None:
    """Whatever mass it starts from; forces of two feet that share are an estimate, so those do not count."""
    motion = person(walk(3.6).performance)
    found = analyse_motion(motion, MAPPING, NOT_SMOOTHED)
    for start in (0.7, 1.3):
        settings = DynamicsSettings(mass=start * found.mass, cutoff_hz=50.0)
        weighed = weigh_motion(motion, MAPPING, settings, loads=loads_of(found, 0.9, (0,)))
        assert weighed is not None and weighed.mass == pytest.approx(0.9 * found.mass, rel=0.02)
        assert weighed.seconds < 0.7 * found.time[-1]


def test_the_mass_that_is_taken_is_told_with_what_else_is_known() -> None:
    weighed = Weighing(61.6, 0.5, 0.0)
    given = choose_mass(70.0, {"Bodymass": 66.5}, None, False)
    plates = choose_mass(None, {"Bodymass": 66.5}, weighed)
    doubted = choose_mass(None, {"BODYMASS": 90.0}, weighed)
    silent = choose_mass(None, {"Bodymass": 0.0}, None)
    assert (given.mass, given.source) == (70.0, "given")
    assert (plates.mass, plates.source) == (61.6, "plates")
    assert (doubted.mass, doubted.source) == (90.0, "file")
    assert (silent.mass, silent.source) == (None, "height")
    assert "61.6 kg" in plates.note(61.6) and "the file says 66.5 kg" in plates.note(61.6)
    assert "90.0 kg, as the file says" in doubted.note(90.0) and "weigh 61.6 kg" in doubted.note(90.0)
    assert "no force plates carry all of it" in silent.note(75.0)
    assert plates.figures() == {"mass_from": "plates", "mass_file_kg": 66.5, "mass_plates_kg": 61.6}


def test_the_command_weighs_and_says_so(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = shared_data / "markers" / "btk_pig" / "PiG_walk_One.c3d", tmp_path / "forces.npz"
    assert main(["dynamics", str(file), "--out", str(out), "--json"]) == 0
    told = capsys.readouterr()
    figures = json.loads(told.out.splitlines()[-1])
    assert figures["mass_from"] == "plates" and figures["mass_file_kg"] == 66.5
    assert figures["mass_kg"] == pytest.approx(figures["mass_plates_kg"]) == pytest.approx(61.6, abs=1.0)
    assert "the file says 66.5 kg" in told.err + told.out
