"""Inverse dynamics of clips: cases whose answers are known without it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.analysis.analysis import Analysis
from sim_core.analysis.analysis_file import KIND, SCHEMA, save_analysis, unexplained_note
from sim_core.analysis.clip_dynamics import DynamicsSettings, analyse_motion
from sim_core.analysis.foot_contacts import find_carrying_soles
from sim_core.analysis.levelling import level_shift
from sim_core.analysis.plate_loads import Load, loads_from_plates
from sim_core.base.conventions import GRAVITY, FloatArray, IntArray
from sim_core.base.errors import InputError
from sim_core.base.npz_file import read_file
from sim_core.cli.main import main
from sim_core.dynamics.contact_forces import ContactProblem, friction_pyramid, solve_contact_forces
from sim_core.dynamics.kinematics import cross_matrix
from sim_core.markers.marker_take import ForcePlate
from sim_core.motion.bvh_writer import write_bvh
from tests.core.sample_motions import drop_jump, jump, still, walk
from tests.core.sample_people import MAPPING, Performance, person

NOT_SMOOTHED = DynamicsSettings(cutoff_hz=50.0)


def analysed(performance: Performance, settings: DynamicsSettings = NOT_SMOOTHED) -> Analysis:
    return analyse_motion(person(performance), MAPPING, settings)


@pytest.fixture(scope="module")
def walked() -> Analysis:
    return analysed(walk(1.8).performance)


def test_a_standing_body_is_carried_by_its_feet() -> None:
    """Forces add up to the weight but for what the small term on forces takes: under a newton."""
    found = analysed(still().performance)
    assert np.allclose(found.contact_force.sum(axis=1), [0.0, 0.0, found.mass * GRAVITY], atol=1.0)
    assert np.allclose(found.foot_force[:, 0, 2], found.foot_force[:, 1, 2], rtol=0.02)
    assert np.abs(found.power).max() < 1e-3


def test_forces_and_what_is_left_are_mass_times_acceleration(walked: Analysis) -> None:
    """The com's second difference against the engine's M qacc + bias: equal to the second order in dt."""
    acceleration = np.diff(walked.com, 2, axis=0) / walked.dt**2
    needed = walked.mass * (acceleration + [0.0, 0.0, GRAVITY])
    given = walked.contact_force.sum(axis=1) + walked.residual[:, :3]
    assert np.sqrt(((given[1:-1] - needed) ** 2).mean()) < 0.005 * walked.mass * GRAVITY


def test_moments_change_the_angular_momentum(walked: Analysis) -> None:
    turning = np.gradient(walked.angular_momentum, walked.dt, axis=0)
    arm = walked.contact_point - walked.com[:, None]
    given = np.cross(arm, walked.contact_force).sum(axis=1) + walked.residual[:, 3:]
    assert np.sqrt(((given - turning)[2:-2] ** 2).mean()) < 0.1 * np.sqrt((turning**2).mean()) + 1.0


def test_joints_and_what_is_left_pay_for_the_energy(walked: Analysis) -> None:
    """Feet that stand give no power, so joints and the residual at the com give all of dE/dt.

    What is left is the turn of the root by the residual moment, and active sole points that still move.
    """
    velocity = np.gradient(walked.com, walked.dt, axis=0)
    power = walked.power.sum(axis=1) + (walked.residual[:, :3] * velocity).sum(axis=1)
    gained = np.gradient(walked.energy, walked.dt)
    assert np.sqrt(((power - gained)[2:-2] ** 2).mean()) < 0.25 * np.sqrt((gained**2).mean())


def test_a_body_in_the_air_needs_no_force() -> None:
    found = analysed(jump().performance)
    height = found.com[:, 2]
    free = np.abs(np.gradient(np.gradient(height, found.dt), found.dt) + GRAVITY) < 0.2
    inner = np.convolve(free, np.ones(7), mode="same") == 7
    assert inner.sum() > 5
    assert np.abs(found.foot_force[inner]).max() < 0.02 * found.mass * GRAVITY


@pytest.mark.parametrize(("height", "depth"), [(0.3, 0.12), (0.6, 0.25)])
def test_a_drop_jump_is_caught_by_the_soles(height: float, depth: float) -> None:
    """It starts and ends at rest, so both feet together give weight times time, each of them half.

    The low-pass smears the blow over a tenth of a second, in which feet are above the ground: 1 % is lost.
    """
    found = analysed(drop_jump(height, depth).performance, DynamicsSettings())
    given = found.foot_force[..., 2].sum(axis=0) * found.dt
    needed = found.mass * GRAVITY * len(found.time) * found.dt
    assert np.allclose(given / needed, 0.5, atol=0.01)
    feet = np.isin(found.contact_body, [list(found.body_name).index(name) for name in found.foot_name])
    assert not found.contact_force[~feet].any()
    assert 3.0 < found.foot_force[..., 2].sum(axis=1).max() / (found.mass * GRAVITY) < 5.0


def test_feet_that_carry_are_those_that_stand(walked: Analysis) -> None:
    stands = walk(1.8).stands
    alone = stands.sum(axis=1) == 1
    vertical = walked.foot_force[:, :, 2] / (walked.mass * GRAVITY)
    assert np.median(vertical[alone[:, None] & ~stands]) < 0.05
    assert np.median(vertical[alone[:, None] & stands]) > 0.8


def test_a_box_on_a_slope_needs_as_much_friction_as_the_slope_has() -> None:
    """A box of 10 kg slides down a slope of 30 degrees against friction 0.3.

    It accelerates by g (sin - 0.3 cos). Seen from the slope's frame its contact pyramid carries exactly
    that.
    """
    mass, slope, friction = 10.0, np.radians(30.0), 0.3
    weight = mass * GRAVITY * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    acceleration = np.array([GRAVITY * (np.sin(slope) - friction * np.cos(slope)), 0.0, 0.0])
    needed = mass * acceleration - weight
    # Friction acts in the sole, below the com: the normal force moves forward to balance it.
    lever = 0.1
    moment = np.zeros(3)
    points = np.array([[[x, y, -lever] for x in (-0.2, 0.2) for y in (-0.2, 0.2)]])
    edges = friction_pyramid(friction)
    moments = cross_matrix(points) @ edges.T
    columns = np.concatenate([np.broadcast_to(edges.T, moments.shape), moments], axis=2)
    columns = columns.transpose(0, 2, 1, 3).reshape(1, 6, -1)
    force = solve_contact_forces(
        ContactProblem(columns, np.concatenate([needed, moment])[None], edges, np.ones((1, 4)))
    )
    total = force[0].sum(axis=0)
    assert total[0] == pytest.approx(-friction * mass * GRAVITY * np.cos(slope), rel=0.01)
    assert total[2] == pytest.approx(mass * GRAVITY * np.cos(slope), rel=0.01)
    front = force[0, 2:, 2].sum() - force[0, :2, 2].sum()
    assert 0.2 * front == pytest.approx(-lever * total[0], rel=0.05)


def feet_on(levels: FloatArray, belt: float = 0.0) -> tuple[FloatArray, FloatArray, IntArray]:
    """Points of two feet (T, 8, 3) that take turns, one step of 0.5 s at each level, their com, and feet."""
    steps, per = len(levels), 50
    time = np.arange(steps * per) * 0.01
    points = np.zeros((len(time), 8, 3))
    corners = np.array([[x, y, 0.0] for x in (-0.05, 0.18) for y in (0.04, -0.04)])
    for f in (0, 1):
        own = [k for k in range(-2, steps + 3) if k % 2 == f]
        heights = np.interp(own, np.arange(steps), levels)
        keys = [
            (0.5 * k + edge, 0.4 * k, z) for k, z in zip(own, heights, strict=True) for edge in (0.0, 0.5)
        ]
        at, x, z = np.array(keys).T
        lift = np.where(np.isin(np.floor(time / 0.5 + 1e-9), own), 0.0, 0.1)
        across = np.full(len(time), 0.1 - 0.2 * f)
        middle = np.stack([np.interp(time, at, x), across, np.interp(time, at, z) + lift], axis=1)
        points[:, 4 * f : 4 * f + 4] = middle[:, None] + corners
    com = np.stack([0.8 * time, 0.0 * time, np.interp(time, 0.5 * np.arange(steps), levels) + 0.9], axis=1)
    away = -belt * time[:, None] * np.array([1.0, 0.0, 0.0])
    return points + away[:, None], com + away, np.repeat([0, 1], 4)


def test_stairs_are_found_from_the_feet() -> None:
    levels = np.array([0.0, 0.17, 0.34, 0.51, 0.68])
    points, com, foot = feet_on(levels)
    found = find_carrying_soles(points, com, foot, 0.01, 1.0, 0.0)
    assert np.allclose(found.levels, levels, atol=0.01)
    middle = np.arange(25, 250, 50)
    carrying = found.activation[middle].reshape(5, 2, 4).mean(axis=2) > 0.5
    assert np.array_equal(carrying, np.eye(2, dtype=bool)[[0, 1, 0, 1, 0]])


def test_a_belt_is_found_and_taken_off() -> None:
    points, com, foot = feet_on(np.zeros(6), belt=0.8)
    found = find_carrying_soles(points, com, foot, 0.01, 1.0, 0.0)
    assert np.allclose(found.belt, [-0.8, 0.0, 0.0], atol=0.05)
    assert found.activation[25, :4].min() > 0.5 and found.activation[25, 4:].max() < 0.1


def test_levelling_takes_away_what_a_shift_brought() -> None:
    time = np.arange(200) * 0.01
    shift = 0.004 * np.sin(2.0 * np.pi * 1.5 * time)[:, None] * [1.0, 0.5, -0.5]
    force = np.zeros((200, 3))
    force[1:-1] = 70.0 * np.diff(shift, 2, axis=0) / 0.01**2
    left = force[1:-1] + 70.0 * np.diff(level_shift(force, 70.0, 0.01), 2, axis=0) / 0.01**2
    assert np.sqrt((left**2).mean()) < 0.1 * np.sqrt((force**2).mean())


def plate_under(low: float, high: float, points: FloatArray, force: float) -> ForcePlate:
    corners = np.array([[low, 0.3, 0.0], [high, 0.3, 0.0], [high, 0.0, 0.0], [low, 0.0, 0.0]])
    time = np.arange(len(points)) * 0.01
    loaded = np.zeros((len(time), 3))
    loaded[0:50, 2] = force
    pressure = np.where(loaded[:, 2:] > 0.0, points[:, :4].mean(axis=1), np.nan)
    return ForcePlate(corners, time, loaded, np.zeros((len(time), 3)), pressure)


def test_only_a_plate_with_one_whole_foot_on_it_tells_its_force() -> None:
    points, _, foot = feet_on(np.zeros(4))
    time = np.arange(len(points)) * 0.01
    whole, half = plate_under(-0.2, 0.3, points, 700.0), plate_under(-0.2, 0.1, points, 300.0)
    loads, notes = loads_from_plates([whole, half], time, points, foot, 0.0)
    assert len(loads) == 1 and loads[0].foot == 0 and "2" in notes[0]
    sampled = loads[0].at(time)
    assert sampled.force[25, 2] == pytest.approx(700.0, rel=0.05) and not sampled.force[80:].any()


def test_a_plate_that_pulls_the_body_down_is_left_out_with_its_reason() -> None:
    """Another convention of signs, or corners in the opposite order."""
    points, _, foot = feet_on(np.zeros(4))
    time = np.arange(len(points)) * 0.01
    plate = plate_under(-0.2, 0.3, points, 700.0)
    loads, notes = loads_from_plates(
        [replace(plate, force_world=-plate.force_world)], time, points, foot, 0.0
    )
    assert not loads and len(notes) == 1 and "pull the body down" in notes[0]


def test_a_plate_whose_force_acts_beside_the_foot_is_left_out_with_its_reason() -> None:
    """Corners that begin elsewhere turn the plate about its middle, and the pressure with it."""
    points, _, foot = feet_on(np.zeros(4))
    time = np.arange(len(points)) * 0.01
    plate = plate_under(-0.2, 0.3, points, 700.0)
    turned = replace(plate, pressure_world=plate.pressure_world + [0.2, 0.0, 0.0])
    loads, notes = loads_from_plates([turned], time, points, foot, 0.0)
    assert not loads and len(notes) == 1 and "beside the foot" in notes[0]


def test_a_plate_without_a_force_is_named() -> None:
    points, _, foot = feet_on(np.zeros(4))
    plate = plate_under(-0.2, 0.3, points, 700.0)
    empty = replace(plate, force_world=np.full_like(plate.force_world, np.nan))
    loads, notes = loads_from_plates([empty], np.arange(len(points)) * 0.01, points, foot, 0.0)
    assert not loads and "no force can be read" in notes[0]


def test_the_tip_of_a_shoe_may_stand_out_over_a_plate() -> None:
    """Heel and ball are on it, where the foot's markers are."""
    points, _, foot = feet_on(np.zeros(4))
    sole = points[0, :4]
    length = float(np.ptp(sole[:, 0]))
    time = np.arange(len(points)) * 0.01
    plate = plate_under(
        float(sole[:, 0].min()) - 0.05, float(sole[:, 0].max()) - 0.12 * length, points, 700.0
    )
    loads, notes = loads_from_plates([plate], time, points, foot, 0.0)
    assert len(loads) == 1 and not notes


def test_measured_forces_take_the_place_of_estimated_ones() -> None:
    estimated = analysed(still().performance)
    foot = estimated.foot_pressure[:, 0]
    force = np.tile([0.0, 0.0, 400.0], (len(foot), 1))
    load = Load(0, estimated.time, force, foot, np.zeros_like(force))
    found = analyse_motion(person(still().performance), MAPPING, NOT_SMOOTHED, loads=[load])
    assert found.forces_from == "measured"
    assert np.allclose(found.foot_force[:, 0], force, atol=1e-6)
    rest = found.mass * GRAVITY - 400.0
    assert np.allclose((found.foot_force[:, 1] + found.residual[:, :3])[:, 2], rest, atol=1.0)


def test_much_that_nothing_explains_is_told(walked: Analysis) -> None:
    assert unexplained_note(walked) == ()
    half = replace(
        walked, residual=np.tile([0.0, 0.0, 0.5 * walked.mass * GRAVITY, 0, 0, 0], (len(walked.time), 1))
    )
    assert "50% of the body's weight stays unexplained" in unexplained_note(half)[0]
    assert "force plates" in unexplained_note(replace(half, forces_from="measured"))[0]


def test_the_file_of_an_analysis_has_all_of_it(walked: Analysis, tmp_path: Path) -> None:
    save_analysis(walked, tmp_path / "a.npz", {})
    arrays, meta = read_file(tmp_path / "a.npz", KIND, SCHEMA)
    for name, array in walked.arrays().items():
        assert np.array_equal(arrays[name], array, equal_nan=array.dtype.kind == "f"), name
    assert (meta["kind"], meta["forces_from"]) == (walked.kind, walked.forces_from)
    assert meta["notes"] == list(walked.notes)


def test_the_command_writes_a_file_and_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bvh(person(walk(1.0).performance), tmp_path / "w.bvh")
    out, table = tmp_path / "w.npz", tmp_path / "w.csv"
    assert main(["dynamics", str(tmp_path / "w.bvh"), "--out", str(out), "--csv", str(table), "--json"]) == 0
    arrays, meta = read_file(out, KIND, SCHEMA)
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["kind"] == "kinematic" and told["forces_from"] == "estimated" and told["residual_share"] < 0.2
    assert told["mass_from"] == "height" and "average person" in meta["notes"][0]
    rows = table.read_text().splitlines()
    assert len(rows) == len(arrays["time"]) + 1 and "foot.L_force_z_N" in rows[0]


def test_bad_input_is_told_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing, out = str(tmp_path / "no.bvh"), str(tmp_path / "o.npz")
    assert main(["dynamics", missing, "--out", out]) == 2
    assert "no.bvh' does not exist" in capsys.readouterr().err.strip().splitlines()[-1]
    (tmp_path / "bad.npz").write_bytes(b"no zip")
    assert main(["dynamics", str(tmp_path / "bad.npz"), "--out", out]) == 2
    assert "not a readable file of arrays" in capsys.readouterr().err
    with pytest.raises(InputError, match="lie between"):
        DynamicsSettings(cutoff_hz=0.0)
    with pytest.raises(InputError, match="at least"):
        analysed(still(0.05).performance)
