"""The pipeline from job to result: exact without simulation, repeatable with it, at the rig's own size."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import SimulationError
from sim_core.base.progress import Progress
from sim_core.control.tracking.qp import BoxQP, Daqp
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.result.metrics import joint_error_deg
from sim_core.result.result import Result, load_result, save_result
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Sphere
from tests.core.sample_people import MAPPING, NAMES, Performance, Turns, moving, person, standing

PHYSICAL_TOLERANCE = 0.02
"""Residual, as a share of body weight, that the size of the engine's steps leaves."""


def job(motion: Motion, **settings: object) -> Job:
    return Job(motion, MAPPING, BakeSettings(**settings))  # type: ignore[arg-type]


def bow(seconds: float = 0.4) -> Performance:
    """Stands and nods with its arms swinging a little: easy, but not still."""
    stand = standing(seconds)
    swing = 0.15 * np.sin(np.pi * stand.time) ** 2
    turns: Turns = {
        "head": np.outer(swing, [0.0, 1.0, 0.0]),
        "upper_arm.L": np.outer(swing, [0.0, 1.0, 0.0]),
        "upper_arm.R": np.outer(-swing, [0.0, 1.0, 0.0]),
    }
    return Performance(stand.time, turns, stand.hips_offset)


@pytest.fixture(scope="module")
def baked() -> Result:
    return bake(job(person(bow())))


def bone_errors(result: Result, motion: Motion) -> tuple[float, float]:
    """Largest distance [m] and angle [rad] of the result's bones from the motion's."""
    bones = [motion.skeleton.index[name] for name in result.bone_name.tolist()]
    distance = np.abs(result.bone_position - motion.position_world[:, bones]).max()
    angle = rotations.angle_between(result.bone_quaternion_world, motion.quaternion_world[:, bones]).max()
    return float(distance), float(angle)


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("height", [None, 1.2])
def test_without_simulation_every_bone_comes_back(scale: float, height: float | None) -> None:
    motion = person(moving(), rolls=5, scale=scale)
    result = bake(job(motion, simulate=False, height=height))
    distance, angle = bone_errors(result, motion)
    assert distance < 1e-9 * max(scale, 1.0)
    # The angle of a product of unit quaternions is good to the root of rounding, 1e-8.
    assert angle < 1e-7
    assert sorted(result.bone_name.tolist()) == sorted(NAMES)
    assert np.array_equal(result.source_time, motion.time)


@pytest.mark.parametrize(
    "clip", ["bvh/cmu/02_01.bvh", "bvh/makehuman/zombieWalk1.bvh", "bvh/misc/pirouette.bvh"]
)
def test_real_clips_come_back_without_simulation(shared_data: Path, clip: str) -> None:
    motion = read_bvh(shared_data / clip).motion
    result = bake(Job(motion, recognise(motion.skeleton), BakeSettings(simulate=False)))
    distance, angle = bone_errors(result, motion)
    assert distance < 1e-9 and angle < 1e-7


def test_the_result_is_whole(baked: Result, tmp_path: Path) -> None:
    motion = person(bow())
    assert np.diff(baked.time) == pytest.approx(np.full(len(baked.time) - 1, 0.01))
    assert baked.time[-1] == pytest.approx(motion.time[-1], abs=0.01)
    assert baked.bone_position.shape == (len(motion.time), len(NAMES), 3)
    lengths = np.linalg.norm(baked.bone_quaternion_world, axis=-1)
    assert lengths == pytest.approx(np.ones_like(lengths), abs=1e-9)
    assert np.all(np.abs(baked.torque) <= baked.torque_limit * (1.0 + 1e-9))
    assert baked.body_mass.sum() == pytest.approx(baked.meta.character.mass)
    assert baked.meta.measured.residual_share < PHYSICAL_TOLERANCE
    save_result(baked, tmp_path / "result.npz")
    assert np.array_equal(load_result(tmp_path / "result.npz").joint_position, baked.joint_position)


def test_errors_are_measured_against_the_prepared_motion_and_against_the_source() -> None:
    """A body that is shaken by nothing is prepared far from its source, and follows what was prepared."""
    stand = standing(0.4)
    shaken = person(Performance(stand.time, {}, np.outer(0.03 * np.sin(15.0 * stand.time), [1.0, 0.0, 0.0])))
    result = bake(job(shaken))
    figures, prefixes = result.meta.measured, ("reference_", "source_")
    joints = [getattr(result, f"{prefix}joint_quaternion_world") for prefix in prefixes]
    errors = [joint_error_deg(result.joint_quaternion_world, each, result.joint_parent) for each in joints]
    assert figures.joint_error_deg == pytest.approx(errors[0].mean())
    assert figures.joint_error_source_deg == pytest.approx(errors[1].mean())
    assert figures.joint_error_repaired_deg == figures.joint_error_source_deg and result.meta.repairs == ()
    hips = [getattr(result, f"{prefix}joint_position")[:, 0] for prefix in prefixes]
    distances = [np.linalg.norm(result.joint_position[:, 0] - each, axis=1).mean() for each in hips]
    assert [figures.root_error_m, figures.root_error_source_m] == pytest.approx(distances, abs=0.005)
    distances = [
        1000.0
        * np.linalg.norm(result.joint_position - getattr(result, f"{prefix}joint_position"), axis=2).mean()
        for prefix in prefixes
    ]
    assert [figures.mpjpe_global_mm, figures.mpjpe_global_source_mm] == pytest.approx(distances)
    assert figures.mpjpe_source_mm < figures.mpjpe_global_source_mm, "it is the whole body that is elsewhere"
    assert figures.root_error_source_m > 0.005 + figures.root_error_m


def test_a_source_with_a_flipped_ankle_is_measured_as_it_is_and_as_it_was_repaired() -> None:
    """Half a turn of one of 16 joints in half of the frames: 180 / 16 / 2 degrees on average."""
    motion = person(standing(0.4))
    quaternions, half = motion.quaternion_world.copy(), len(motion.time) // 2
    foot = motion.skeleton.index["foot.L"]
    quaternions[:half, foot] = rotations.multiply(quaternions[:half, foot], np.array([0.0, 0.0, 0.0, 1.0]))
    result = bake(job(Motion(motion.skeleton, motion.time, motion.position_world, quaternions)))
    figures, (repair,) = result.meta.measured, result.meta.repairs
    flipped = 180.0 / len(result.joint_name) * half / len(motion.time)
    more_deg = figures.joint_error_source_deg - figures.joint_error_repaired_deg
    assert more_deg == pytest.approx(flipped, rel=0.1)
    assert figures.joint_error_repaired_deg < 1.0
    assert (repair.bone, repair.samples) == ("foot.L", half)
    assert any("'foot.L' is turned over" in note for note in result.meta.notes)


def test_a_body_that_stands_is_carried_by_the_ground(baked: Result) -> None:
    vertical = baked.contact_force[..., 2].sum(axis=1)
    # The mean force changes the momentum from start to end, both near rest, so it is the weight.
    weight = baked.body_mass.sum() * 9.81
    assert vertical.mean() + baked.assist[:, 2].mean() == pytest.approx(weight, rel=0.1)
    assert baked.meta.fell_at is None


def test_forces_in_the_file_balance_the_motion_in_the_file(baked: Result) -> None:
    mass = baked.body_mass.sum()
    com = np.einsum("tbi,b->ti", baked.body_com, baked.body_mass) / mass
    acceleration = np.diff(com, n=2, axis=0) / 0.01**2
    needed = mass * (acceleration + [0.0, 0.0, 9.81])
    left = needed - baked.contact_force.sum(axis=1)[1:-1] - baked.assist[1:-1, :3]
    assert np.abs(left).max() < PHYSICAL_TOLERANCE * mass * 9.81


def test_the_same_job_gives_the_same_result(baked: Result) -> None:
    again = bake(job(person(bow())))
    for name, array in baked.arrays().items():
        assert np.array_equal(array, again.arrays()[name]), name


def test_noise_changes_the_result_by_its_seed(baked: Result) -> None:
    def noisy(seed: int) -> FloatArray:
        return bake(job(person(bow(0.15)), noise=0.05, seed=seed)).joint_position

    first, again, other = noisy(1), noisy(1), noisy(2)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert not np.array_equal(first[:10], baked.joint_position[:10])


def test_bones_come_back_at_the_rigs_own_size() -> None:
    """A rig of 1.77 m simulated as a body of 3.5 m stays a rig of 1.77 m."""
    motion = person(bow(0.15))
    result = bake(job(motion, height=3.5))
    assert result.meta.character.height == pytest.approx(3.5)
    assert bone_errors(result, motion)[0] < 0.05
    head = result.joint_name.tolist().index("head")
    assert result.joint_position[0, head, 2] == pytest.approx(1.55 * result.meta.character.scale, rel=0.02)


def test_mass_and_height_are_as_asked() -> None:
    scenario = make_scenario(job(person(bow(0.15)), height=2.0, mass=120.0))
    assert (scenario.spec.height, scenario.spec.mass) == (pytest.approx(2.0), pytest.approx(120.0))


def test_progress_only_grows_and_names_its_stages() -> None:
    seen: list[Progress] = []
    bake(job(person(bow(0.15))), seen.append)
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0.0 and 0.9 < fractions[-1] <= 1.0
    stages = list(dict.fromkeys(progress.stage for progress in seen))
    assert stages[0] == "Building the character" and "Simulating" in stages


def test_what_can_be_seen_meanwhile_is_the_result_at_the_rigs_own_size() -> None:
    seen: list[Progress] = []
    motion = person(bow(0.15))
    result = bake(job(motion, height=3.5), seen.append)
    previews = [progress.preview for progress in seen if progress.preview is not None]
    assert np.diff([preview.time for preview in previews]) == pytest.approx(0.1)
    for preview in (previews[0], previews[-1]):
        (figure,) = preview.figures
        points = np.array(figure).reshape(-1, 3)
        row = int(np.abs(result.source_time - preview.time).argmin())
        bones = result.bone_position[row]
        nearest = np.linalg.norm(bones[:, None] - points, axis=-1).min(axis=1)
        # Sticks end where bodies are jointed; toes and collar bones need not have a body of their own.
        assert np.median(nearest) < 0.02
        assert np.ptp(points[:, 2]) < 2.0


def test_an_error_while_reporting_stops_the_bake() -> None:
    """This is how a caller cancels."""

    class Stop(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.stage == "Simulating":
            raise Stop

    with pytest.raises(Stop):
        bake(job(person(bow(0.15))), stop)


def test_times_that_do_not_start_at_zero_are_kept() -> None:
    late = bow(0.15)
    motion = person(Performance(late.time + 7.0, late.turns, late.hips_offset))
    result = bake(job(motion))
    assert result.time[0] == pytest.approx(7.0)
    assert np.array_equal(result.source_time, motion.time)


@pytest.mark.parametrize("height", [None, 1.2])
def test_a_prop_that_hits_the_character_comes_back_and_no_force_is_lost(height: float | None) -> None:
    motion = person(bow())
    ball = SceneObject(
        "ball", Role.PROP, Sphere(0.08), np.array([-0.8, 0, 1.2]), mass=1.0, velocity=np.array([5, 0, 1])
    )
    result = bake(Job(motion, MAPPING, BakeSettings(height=height), Scene((ball,))))
    scale = result.meta.character.scale
    assert result.prop_name.tolist() == ["ball"]
    assert result.prop_position[0, 0] == pytest.approx(scale * ball.position)
    hit = np.linalg.norm(np.diff(result.prop_position[:, 0], n=2, axis=0), axis=1).argmax() + 1
    assert np.linalg.norm(result.contact_force[hit - 1 : hit + 2], axis=-1).max() > 50.0
    assert result.meta.measured.residual_share < PHYSICAL_TOLERANCE


def test_what_was_changed_is_told_and_nothing_is_where_it_was_not_allowed(baked: Result) -> None:
    """A body that is shaken to and fro with its feet, by nothing, is changed; one that nods hardly is."""
    stand = standing(0.4)
    shaken = person(Performance(stand.time, {}, np.outer(0.03 * np.sin(15.0 * stand.time), [1.0, 0.0, 0.0])))

    def told(result: Result) -> list[str]:
        return [note for note in result.meta.notes if note.startswith("So that forces can produce it")]

    result = bake(job(shaken))
    assert len(told(result)) == 1
    change = result.meta.reference
    assert change is not None and f"{change.root_mean_cm:.1f} cm" in told(result)[0]
    assert not told(bake(job(shaken, correction=0.0)))
    assert not told(baked)


def test_a_bake_that_fell_back_to_the_other_solver_says_so(
    baked: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any("OSQP" in note for note in baked.meta.notes)
    solve, calls = Daqp.solve, itertools.count()

    def fails_three_times(self: Daqp, program: BoxQP, guess: FloatArray | None) -> FloatArray:
        if next(calls) in (5, 6, 20):
            raise SimulationError("The solver DAQP gave up (status -1).")
        return solve(self, program, guess)

    monkeypatch.setattr(Daqp, "solve", fails_three_times)
    (note,) = [note for note in bake(job(person(bow()))).meta.notes if "OSQP" in note]
    assert note.startswith("In 3 control intervals the solver DAQP gave up")
