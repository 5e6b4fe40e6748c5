"""Simulating only around hits: the clip is untouched elsewhere, seams are smooth, hard blows end in rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake.around_hits import BLEND_S, LEAD_S
from sim_core.bake.notes import windows_sentence
from sim_core.bake.pipeline import bake
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Launch, Push, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Sphere
from tests.core.sample_people import MAPPING, Performance, person
from tests.core.sample_people import standing as still
from tests.core.test_bake import bone_errors

DT = 0.01
SETTINGS = BakeSettings(only_around_hits=True, assist_cap=0.0, find_assist=False, quality="draft")


def stand(seconds: float, rate: float = 30.0) -> Motion:
    """Nods all the time, at a rate that is not the controller's."""
    stood = still(seconds, rate)
    nod = 0.2 * np.sin(4.0 * stood.time)
    return person(Performance(stood.time, {"head": np.outer(nod, [0.0, 1.0, 0.0])}, stood.hips_offset))


def ball(time: float, mass: float = 2.0, speed: float = 4.0) -> SceneObject:
    """At the chest, from the front; it flies for about a quarter of a second."""
    launch = Launch(time, speed, "chest")
    place = np.array([1.2, 0.0, 1.3])
    return SceneObject(f"ball at {time}", Role.PROJECTILE, Sphere(0.1), place, mass=mass, launch=launch)


def run(motion: Motion, *objects: SceneObject, pushes: tuple[Push, ...] = ()) -> Result:
    return bake(Job(motion, MAPPING, SETTINGS, Scene(objects, pushes)))


def strayed(result: Result) -> FloatArray:
    """How far joints are from the source (T, J, 3) [m]."""
    return result.joint_position - result.source_joint_position


@pytest.fixture(scope="module")
def twice() -> tuple[Motion, Result]:
    motion = stand(7.0)
    return motion, run(motion, ball(1.0), ball(4.5))


def test_several_hits_have_a_window_each(twice: tuple[Motion, Result]) -> None:
    _, result = twice
    hits, windows = [hit.time_s for hit in result.meta.hits], result.meta.simulated
    assert len(windows) == 2 and result.meta.fell_at is None
    for (start, end), near in zip(windows, (1.0, 4.5), strict=True):
        felt = [time for time in hits if near < time < near + 0.6]
        assert felt and start == pytest.approx(felt[0] - LEAD_S, abs=0.05) and end > felt[-1]
    assert all(any(start < time < end for start, end in windows) for time in hits)


def test_outside_of_the_windows_all_is_the_clip_as_it_was(twice: tuple[Motion, Result]) -> None:
    """Also at frames between the controller's samples."""
    motion, result = twice
    played = result.simulated == 0.0
    assert 0.3 < played.mean() < 0.9
    assert np.abs(strayed(result)[played]).max() < 1e-9
    assert not result.torque[played].any() and not result.contact_force[played].any()
    frames = np.interp(result.source_time, result.time, played) == 1.0
    as_it_was = replace(
        result,
        source_time=result.source_time[frames],
        bone_position=result.bone_position[frames],
        bone_quaternion_world=result.bone_quaternion_world[frames],
    )
    clip = Motion(
        motion.skeleton, motion.time[frames], motion.position_world[frames], motion.quaternion_world[frames]
    )
    assert max(bone_errors(as_it_was, clip)) < 1e-7


def test_seams_are_smooth(twice: tuple[Motion, Result]) -> None:
    """A smooth blend of poses d apart adds at most 1.5 d / BLEND_S to the speed, and nothing at its ends."""
    _, result = twice
    away = strayed(result)
    mixing = (result.simulated > 0.0) & (result.simulated < 1.0)
    speed = np.linalg.norm(np.gradient(away, DT, axis=0), axis=-1)
    allowed = 1.5 * 0.08 / BLEND_S  # the body counts as back from 5 cm on, joints of the arms add to that
    assert speed[mixing].max() < allowed
    seams = np.flatnonzero(np.diff((result.simulated > 0.0).astype(int)))
    assert len(seams) == 4
    jump = np.abs(np.diff(away, n=2, axis=0)).max(axis=(1, 2)) / DT
    assert max(jump[s - 2 : s + 2].max() for s in seams) < 0.05


def test_where_it_is_simulated_forces_explain_the_motion(twice: tuple[Motion, Result]) -> None:
    _, result = twice
    assert result.meta.measured.residual_share < 0.02
    assert np.linalg.norm(result.contact_force[result.simulated == 1.0].sum(axis=1), axis=-1).min() > 100.0


def test_nothing_is_simulated_when_nothing_hits() -> None:
    motion = stand(1.0)
    crate = SceneObject(
        "crate", Role.PROP, Box(np.array([0.1, 0.1, 0.1])), np.array([2.0, 0.0, 0.5]), mass=1.0
    )
    result = run(motion, crate)
    assert not result.simulated.any() and result.meta.simulated == ()
    assert np.abs(strayed(result)).max() < 1e-9 and max(bone_errors(result, motion)) < 1e-7
    assert result.meta.metrics is None
    assert result.prop_position[-1, 0, 2] == pytest.approx(0.1, abs=0.01), "props fall all the same"
    assert windows_sentence([], str).startswith("Nothing hits the character")


def test_a_push_is_a_hit_and_one_at_the_start_has_no_seam() -> None:
    result = run(stand(2.5), pushes=(Push("chest", np.array([60.0, 0.0, 0.0]), 0.1, 0.1),))
    assert result.simulated[0] == 1.0
    (window,) = result.meta.simulated
    assert window[0] == 0.0 and 0.5 < window[1] < 2.4
    assert windows_sentence([window], lambda s: f"{s:.1f}").startswith("Simulated from 0.0 to ")


def test_a_blow_that_is_too_strong_ends_in_rest() -> None:
    """The body loses its footing, stays down, and no energy is left in it."""
    result = run(stand(5.0), ball(0.8, mass=25.0, speed=9.0))
    assert result.meta.fell_at is not None
    (window,) = result.meta.simulated
    assert window[1] == pytest.approx(result.time[-1])
    velocity = np.gradient(result.body_com, DT, axis=0)
    energy = 0.5 * np.einsum("b,tbi,tbi->t", result.body_mass, velocity, velocity)
    blow = 0.5 * 25.0 * 9.0**2
    fallen = float(result.body_mass.sum()) * 9.81 * 1.0
    assert energy.max() < blow + fallen, "no more than what the ball brought and the fall gave"
    assert energy[-20:].max() < 0.5
    assert result.body_com[-1, :, 2].max() < 0.6 and result.body_com[-1, :, 2].min() > 0.0


def test_aimed_strikes_need_all_of_the_motion() -> None:
    motion = stand(0.5)
    plain = Job(motion, MAPPING, BakeSettings())
    object.__setattr__(plain, "aims", ("something",))
    with pytest.raises(InputError, match="need the whole motion simulated"):
        replace(plain, settings=SETTINGS)
