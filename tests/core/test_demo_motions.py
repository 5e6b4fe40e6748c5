"""The demo's motions obey what they are made from: published angles, feet that stand still, balance."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.motion.motion import Motion
from tools.demo.body import HEEL_REST, SIDES, TOE_TIP_REST, Body
from tools.demo.curves import RATE_HZ
from tools.demo.footwork import TOE_OFF
from tools.demo.motions import MOTIONS, gait, make
from tools.demo.motions.jump import timing as jump_timing
from tools.demo.posing import attached_points, centre_of_mass
from tools.demo.published import SQUAT_KNEE, cycle_curve
from tools.demo.zero_moment import zmp_of

BODY = Body()
STRIDES = {"walk": gait.WALK_STRIDES, "march": gait.MARCH_STRIDES}
GAITS = {"walk": gait.WALK, "march": gait.MARCH}


@cache
def fine(name: str) -> Motion:
    return MOTIONS[name](BODY)


def sole_points(motion: Motion, side: str, body: Body = BODY) -> FloatArray:
    """Heel, ball and toe tip on the floor at rest, (T, 3, 3) [m]."""
    ball = body.rest_head(f"toe.{side}") * [1.0, 1.0, 0.0]
    rest = np.array([body.rest_point(HEEL_REST, side), ball, body.rest_point(TOE_TIP_REST, side)])
    index = body.skeleton.index
    bones = np.array([index[f"foot.{side}"], index[f"toe.{side}"], index[f"toe.{side}"]])
    return attached_points(motion, body, bones, rest)


def flexion_deg(motion: Motion, side: str) -> FloatArray:
    """Knee flexion (T) from joint places alone."""
    hip, knee, ankle = (
        motion.position_world[:, BODY.skeleton.index[f"{bone}.{side}"]] for bone in ("thigh", "shin", "foot")
    )
    thigh, shin = knee - hip, ankle - knee
    cosine = np.sum(thigh * shin, axis=1) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shin, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


@pytest.mark.parametrize("name", list(MOTIONS))
def test_feet_never_sink_in(name: str) -> None:
    for side in SIDES:
        assert sole_points(fine(name), side)[..., 2].min() > -1e-3


@pytest.mark.parametrize("name", list(MOTIONS))
def test_starts_and_ends_at_rest(name: str) -> None:
    speed = np.linalg.norm(np.diff(fine(name).position_world, axis=0), axis=-1) * RATE_HZ
    assert speed[[0, -1]].max() < 0.01


@pytest.mark.parametrize("name", list(MOTIONS))
def test_every_bone_keeps_its_length(name: str) -> None:
    motion, skeleton = fine(name), BODY.skeleton
    for bone in range(1, len(skeleton.names)):
        parent = int(skeleton.parents[bone])
        length = np.linalg.norm(motion.position_world[:, bone] - motion.position_world[:, parent], axis=-1)
        rest = np.linalg.norm(skeleton.rest_position_world[bone] - skeleton.rest_position_world[parent])
        assert np.abs(length - rest).max() < 1e-9


@pytest.mark.parametrize("name", list(MOTIONS))
def test_nothing_jumps(name: str) -> None:
    """A joint that jumps by 5 mm changes its acceleration by 144 m/s^2 within two samples."""
    acceleration = np.diff(fine(name).position_world, 2, axis=0) * RATE_HZ**2
    assert np.linalg.norm(np.diff(acceleration, axis=0), axis=-1).max() < 70.0


@pytest.mark.parametrize("name", ["standing", "squat"])
def test_mass_stays_over_the_feet(name: str) -> None:
    motion = fine(name)
    heel, _, tip = np.moveaxis(sole_points(motion, "L"), 1, 0)
    com = centre_of_mass(motion, BODY)
    room = np.minimum(com[:, 0] - heel[:, 0], tip[:, 0] - com[:, 0])
    assert room.min() > 0.05
    assert np.abs(com[:, 1]).max() < 1e-3


@pytest.mark.parametrize("name", ["standing", "squat"])
def test_flat_feet_do_not_move(name: str) -> None:
    for side in SIDES:
        assert np.ptp(sole_points(fine(name), side), axis=0).max() < 1e-9


def test_squat_reaches_the_published_depth() -> None:
    assert flexion_deg(fine("squat"), "L").max() == pytest.approx(SQUAT_KNEE, abs=0.5)


@pytest.mark.parametrize("name", ["walk", "march"])
def test_standing_foot_does_not_slide(name: str) -> None:
    """From landing to heel rise the heel, then to lifting the toes' tip stays where it is."""
    motion, chosen = fine(name), GAITS[name]
    steps = gait.footsteps(BODY, chosen, STRIDES[name])
    for before, after in zip(steps[:-2], steps[2:], strict=True):
        points = sole_points(motion, SIDES[before.foot])
        heel_rise = after.lift_s - 0.4 * chosen.step_s * 2.0
        for point, start, end in ((0, before.land_s, heel_rise), (2, heel_rise + 0.1, after.lift_s)):
            during = (motion.time > start) & (motion.time < end)
            speed = np.linalg.norm(np.gradient(points[:, point], 1.0 / RATE_HZ, axis=0), axis=-1)
            assert speed[during].max() < 0.03


@pytest.mark.parametrize("name", ["walk", "march"])
def test_the_swinging_foot_is_clear_of_the_floor(name: str) -> None:
    motion = fine(name)
    for step in gait.footsteps(BODY, GAITS[name], STRIDES[name]):
        middle = np.abs(motion.time - 0.5 * (step.lift_s + step.land_s)) < 0.12
        assert sole_points(motion, SIDES[step.foot])[middle][..., 2].min() > 0.004


@pytest.mark.parametrize(("name", "tolerance_deg"), [("walk", 9.0), ("march", 12.0)])
def test_knees_follow_the_published_curve(name: str, tolerance_deg: float) -> None:
    """RMS over a full stride, of a range of 60 to 90 deg; knees that never lock cost some of it."""
    motion, chosen = fine(name), GAITS[name]
    steps = [s for s in gait.footsteps(BODY, chosen, STRIDES[name]) if s.size == 1.0]
    step, following = next((a, b) for a in steps for b in steps if b.foot == a.foot and b.lift_s > a.land_s)
    during = (motion.time >= step.land_s) & (motion.time <= following.land_s)
    events = [step.land_s, following.lift_s, following.land_s]
    phase = np.interp(motion.time[during], events, [0.0, TOE_OFF, 1.0 - 1e-9])
    error = flexion_deg(motion, SIDES[step.foot])[during] - np.degrees(cycle_curve(chosen.knee)(phase))
    assert np.sqrt(np.mean(error**2)) < tolerance_deg


@pytest.mark.parametrize("name", ["walk", "march"])
def test_the_ground_can_carry_the_gait(name: str) -> None:
    """The zero-moment point of the moving body stays near the standing foot."""
    motion = fine(name)
    wanted = gait.zmp_path(BODY, GAITS[name], gait.footsteps(BODY, GAITS[name], STRIDES[name]), motion.time)
    error = zmp_of(motion, BODY) - wanted
    assert np.sqrt(np.mean(error[:, 0] ** 2)) < 0.09
    assert np.sqrt(np.mean(error[:, 1] ** 2)) < 0.02


def test_the_jump_flies_a_parabola() -> None:
    motion, timing = fine("jump"), jump_timing(BODY)
    com = centre_of_mass(motion, BODY)
    flying = (motion.time > timing.take_off) & (motion.time < timing.landing)
    fall = np.polyfit(motion.time[flying], com[flying, 2], 2)[0]
    assert -2.0 * fall == pytest.approx(GRAVITY, rel=0.02)
    assert timing.flight == pytest.approx(2.0 * timing.speed / GRAVITY)
    assert min(sole_points(motion, side)[flying][5:-5, :, 2].min() for side in SIDES) > 0.0


def test_the_jump_only_pushes() -> None:
    """The floor can push but not pull: the mass never falls faster than freely."""
    com = centre_of_mass(fine("jump"), BODY)
    assert (np.diff(com[:, 2], 2) * RATE_HZ**2).min() > -GRAVITY - 0.3


def test_another_height_walks_too() -> None:
    child = Body(1.2)
    motion = make("walk", child)
    assert motion.rate_hz == pytest.approx(60.0)
    assert min(sole_points(motion, side, child)[..., 2].min() for side in SIDES) > -1e-3
