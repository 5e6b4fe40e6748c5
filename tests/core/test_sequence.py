"""Motions in sequence: where they are joined, that nothing jumps, and that feet stay where they stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.sequence.chain import Chain, chain, transitions_between
from sim_core.sequence.clip import Body, Clip, Leg
from sim_core.sequence.join import join, moved_on_ground
from sim_core.sequence.leg_reach import reach
from sim_core.sequence.transition import Transition
from tests.core.sample_motions import DT, Steps, still, walk
from tests.core.sample_people import MAPPING, NAMES, PARENTS, person

FEET = [NAMES.index(f"foot.{side}") for side in "LR"]
LONG, SHORT = walk(3.0, length=0.4), walk(3.0, length=0.3)
YAW, SHIFT = 2.1, (3.0, -1.5)


def moved(motion: Motion) -> Motion:
    """Somewhere else, facing elsewhere."""
    return moved_on_ground(motion, YAW, SHIFT)


def cut(motion: Motion, sample: int) -> tuple[Motion, Motion]:
    """Two motions that share no sample."""
    step = 0.5 / motion.rate_hz
    at = sample / motion.rate_hz
    return motion.between(0.0, at - step), motion.between(at - step, motion.duration)


def bone_lengths(motion: Motion) -> FloatArray:
    hang = motion.skeleton.parents >= 0
    way = motion.position_world[:, hang] - motion.position_world[:, motion.skeleton.parents[hang]]
    return np.linalg.norm(way, axis=-1)


@pytest.mark.parametrize("sample", [130, 155, 180])
def test_a_walk_cut_in_two_is_the_walk_again(sample: int) -> None:
    """The next frame is foreseen up to its acceleration: off by jerk dt^3, 1 mm at 1000 m/s^3 and 100 Hz."""
    whole = person(LONG.performance)
    first, second = cut(whole, sample)
    made = chain([("a", first), ("b", moved(second))], MAPPING)
    (_, part) = made.parts
    assert part.transition is not None and part.transition.half == 0
    assert (part.transition.leave, part.transition.enter) == (sample, 0)
    np.testing.assert_allclose(made.motion.time, whole.time, atol=1e-9)
    np.testing.assert_allclose(made.motion.position_world, whole.position_world, atol=1e-3)
    assert rotations.angle_between(made.motion.quaternion_world, whole.quaternion_world).max() < 1e-3


def test_where_a_motion_lies_and_faces_does_not_matter() -> None:
    a, b = person(LONG.performance), person(SHORT.performance)
    plain, other = (chain([("a", a), ("b", next_one)], MAPPING) for next_one in (b, moved(b)))
    np.testing.assert_allclose(other.motion.position_world, plain.motion.position_world, atol=1e-6)
    steps = [made.parts[1].transition for made in (plain, other)]
    assert steps[0] is not None and steps[1] is not None
    assert np.exp(1j * (steps[1].yaw + YAW - steps[0].yaw)) == pytest.approx(1.0, abs=1e-6)
    turned = chain([("a", moved(a)), ("b", b)], MAPPING)
    expected = moved(plain.motion).position_world
    np.testing.assert_allclose(turned.motion.position_world, expected, atol=1e-6)


def true_contacts(made: Chain, *steps: Steps) -> np.ndarray:
    """(T, 2): whether the feet stand in the motion that each sample follows."""
    return np.array([steps[p].stands[s] for p, s in zip(made.part, made.sample, strict=True)])


def assert_feet_stay(motion: Motion, stands: np.ndarray) -> None:
    """Within a millimetre in each spell of standing, which is given (T, 2)."""
    for foot in (0, 1):
        ankle = motion.position_world[:, FEET[foot]]
        edges = np.flatnonzero(np.diff(np.concatenate([[0], stands[:, foot], [0]])))
        for first, end in zip(edges[::2], edges[1::2], strict=True):
            assert np.ptp(ankle[first:end], axis=0).max() < 1e-3


@pytest.mark.parametrize("steps", [(LONG, SHORT), (SHORT, LONG), (LONG, still(2.0)), (still(2.0), SHORT)])
def test_a_standing_foot_does_not_slide(steps: tuple[Steps, Steps]) -> None:
    made = chain([(str(n), moved(person(s.performance))) for n, s in enumerate(steps)], MAPPING)
    step = made.parts[1].transition
    assert step is not None and step.half > 0
    assert_feet_stay(made.motion, true_contacts(made, *steps))


FORCED = {
    "both feet stand, other step, turned": (LONG, SHORT, 130, 130, 15, 0.1),
    "a foot is just set down": (LONG, SHORT, 120, 130, 15, -0.1),
    "the step before": (SHORT, LONG, 70, 70, 15, 0.1),
    "one foot stands": (LONG, SHORT, 100, 100, 15, 0.1),
    "a stride is held to the end": (LONG, still(2.0), 130, 60, 15, 0.2),
    "a stride is too long for the legs": (LONG, still(2.0), 190, 60, 8, 0.0),
    "both feet stand, then walk in other places": (still(2.0), SHORT, 100, 70, 15, 0.1),
}


@pytest.mark.parametrize("case", FORCED)
def test_feet_stay_even_in_a_bad_place(case: str) -> None:
    """Joined where one foot is in place and the other is up to 0.4 m from where it should be."""
    before, after, leave, enter, half, yaw = FORCED[case]
    motions = [person(steps.performance) for steps in (before, after)]
    body = Body.of(motions, MAPPING)
    turned = moved_on_ground(motions[1], yaw, (0.0, 0.0)).position_world[enter, FEET[1]]
    x, y, _ = motions[0].position_world[leave, FEET[1]] - turned
    step = Transition(leave, enter, half, yaw, (x, y), 0.0, 0.0, 0.0, 0.0)
    joined = join(Clip.of(motions[0], body), Clip.of(motions[1], body), step, body)
    assert_feet_stay(joined.motion, np.concatenate([before.stands[:leave], after.stands[enter:]]))
    assert np.abs(bone_lengths(joined.motion) - bone_lengths(motions[0])[0]).max() < 1e-9
    # A smooth step of d within t has at most 5.8 d / t^2; feet are let go within 0.25 s.
    sharpest = [np.abs(np.diff(m.position_world[:, [0, *FEET]], n=2, axis=0)).max() / DT**2 for m in motions]
    limit = max(sharpest) + 5.8 * 0.4 / min(2 * half * DT, 0.25) ** 2
    assert np.abs(np.diff(joined.motion.position_world[:, [0, *FEET]], n=2, axis=0)).max() / DT**2 < limit


def test_the_same_foot_stands_where_walks_are_joined() -> None:
    made = chain([("a", person(LONG.performance)), ("b", person(SHORT.performance))], MAPPING)
    step = made.parts[1].transition
    assert step is not None
    assert (LONG.stands[step.leave] == SHORT.stands[step.enter]).all()
    assert step.feet_differ < 0.25


def test_nothing_jumps_and_bones_keep_their_lengths() -> None:
    """A smooth step over t seconds moves at most 1.875 d / t faster than what it blends."""
    a, b = person(LONG.performance), person(SHORT.performance)
    made = chain([("a", a), ("b", moved(b))], MAPPING, 0.3)
    step = made.parts[1].transition
    assert step is not None
    assert np.abs(bone_lengths(made.motion) - bone_lengths(a)[0]).max() < 1e-9

    def fastest(motion: Motion) -> float:
        return float(np.linalg.norm(np.diff(motion.position_world, axis=0), axis=-1).max() / DT)

    apart = step.distance * np.sqrt(len(NAMES))
    limit = max(fastest(a), fastest(b)) + 1.875 * apart / (2 * step.half * DT)
    assert fastest(made.motion) < limit


def test_parts_say_which_motion_is_where() -> None:
    named = [(name, person(steps.performance)) for name, steps in (("a", LONG), ("b", SHORT), ("c", LONG))]
    made = chain(named, MAPPING)
    assert [part.name for part in made.parts] == ["a", "b", "c"]
    assert made.parts[0].start_s == 0.0 and made.parts[0].transition is None
    assert made.parts[-1].end_s == pytest.approx(made.motion.duration)
    for before, after in zip(made.parts, made.parts[1:], strict=False):
        assert before.start_s < after.start_s <= before.end_s < after.end_s
    for number, (_, source) in enumerate(named):
        whole = made.parts[number]
        inside = (made.motion.time > whole.start_s + 0.9) & (made.motion.time < whole.end_s - 0.9)
        assert inside.any() and (made.part[inside] == number).all()
        there = made.motion.quaternion_world[inside][:, FEET[0]]
        turns = rotations.multiply(
            there, rotations.conjugate(source.quaternion_world[made.sample[inside]][:, FEET[0]])
        )
        # The same but for one turn about the vertical.
        assert rotations.angle_between(turns, turns[:1]).max() < 1e-6
        assert np.abs(turns[:, 1:3]).max() < 1e-6
    assert len(made.notes) == 2 and "'a' goes over into 'b'" in made.notes[0]


def test_rates_may_differ() -> None:
    slow = person(SHORT.performance).at(np.arange(150) / 50.0)
    made = chain([("a", person(LONG.performance)), ("b", slow)], MAPPING)
    plain = chain([("a", person(LONG.performance)), ("b", person(SHORT.performance))], MAPPING)
    assert made.motion.rate_hz == pytest.approx(100.0)
    assert made.motion.duration == pytest.approx(plain.motion.duration, abs=0.1)


def test_one_motion_is_itself() -> None:
    motion = person(LONG.performance)
    made = chain([("a", motion)], MAPPING)
    assert np.array_equal(made.motion.position_world, motion.position_world)
    assert made.notes == ()


def test_costs_tell_what_follows_well() -> None:
    motions = {"walk": person(LONG.performance), "stroll": person(SHORT.performance)}
    motions["stand"] = person(still(2.0).performance)
    costs = {pair: found.cost for pair, found in transitions_between(motions, MAPPING).items()}
    assert len(costs) == 9
    assert costs["walk", "stroll"] < costs["stroll", "stand"] < costs["walk", "stand"]
    assert costs["stand", "stand"] < 1e-6
    made = chain([("walk", motions["walk"]), ("stand", motions["stand"])], MAPPING)
    assert made.parts[1].transition is not None
    assert made.parts[1].transition.cost == pytest.approx(costs["walk", "stand"], rel=0.2)


def test_other_bodies_are_refused_in_one_sentence() -> None:
    motion = person(LONG.performance)
    renamed = replace(motion.skeleton, names=(*motion.skeleton.names[:-1], "tail"))
    turned = replace(
        motion.skeleton,
        rest_quaternion_world=person(LONG.performance, rolls=1).skeleton.rest_quaternion_world,
    )
    larger = motion.scaled(1.1)
    for other, words in (
        (replace(motion, skeleton=renamed), "other bones"),
        (larger, "other proportions"),
        (replace(motion, skeleton=turned), "rest pose"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            chain([("first", motion), ("second", other)], MAPPING)
        assert "'second'" in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(InputError, match="nothing to chain"):
        chain([], MAPPING)
    with pytest.raises(InputError, match="'b' is too short"):
        chain([("a", motion), ("b", motion.first(3))], MAPPING)
    with pytest.raises(InputError, match="between 0 and 2"):
        chain([("a", motion), ("b", motion)], MAPPING, -0.1)


@pytest.mark.parametrize("knees", [0.0, 0.05])
def test_a_leg_reaches_its_place(knees: float) -> None:
    """Also from a leg that is straight: the knee then bends as it does where it is bent most."""
    motion = person(still(0.5, knees).performance)
    bent = person(walk(1.2).performance).first(len(motion.time) // 2)
    position = np.concatenate([motion.position_world, bent.position_world])
    quaternion = np.concatenate([motion.quaternion_world, bent.quaternion_world])
    before, lengths = (
        position.copy(),
        bone_lengths(Motion(motion.skeleton, np.arange(float(len(position))), position, quaternion)),
    )
    leg = Leg(*(NAMES.index(f"{part}.L") for part in ("thigh", "shin", "foot")))
    target = position[:, leg.foot] + [0.03, 0.01, 0.04]
    foot_turn = quaternion[:, leg.foot].copy()
    reach(motion.skeleton, leg, position, quaternion, np.arange(len(position)), target, foot_turn)
    np.testing.assert_allclose(position[:, leg.foot], target, atol=1e-4)
    after = Motion(motion.skeleton, np.arange(float(len(position))), position, quaternion)
    np.testing.assert_allclose(bone_lengths(after), lengths, atol=1e-9)
    assert rotations.angle_between(quaternion[:, leg.foot], foot_turn).max() < 1e-6
    assert (position[:, leg.shin, 0] > 0.5 * (position[:, leg.thigh, 0] + position[:, leg.foot, 0])).all()
    others = [i for i, name in enumerate(NAMES) if name not in ("shin.L", "foot.L", "toe.L")]
    assert np.array_equal(position[:, others], before[:, others])
    assert PARENTS[leg.foot] == leg.shin


@pytest.mark.parametrize(("first", "second"), [("02_01", "02_03"), ("02_01", "02_01"), ("16_31", "16_17")])
def test_real_captures(shared_data: Path, first: str, second: str) -> None:
    """Soles that touch during the blend move no faster over the ground than those of the captures there."""
    motions = [read_bvh(shared_data / f"bvh/cmu/{name}.bvh").motion for name in (first, second)]
    mapping = recognise(motions[0].skeleton)
    made = chain(list(zip("ab", motions, strict=True)), mapping)
    step = made.parts[1].transition
    assert step is not None and step.half > 5
    assert np.abs(bone_lengths(made.motion) - bone_lengths(motions[0])[:1]).max() < 1e-6
    body = Body.of(motions, mapping)
    touches = [Clip.of(motion, body).touches for motion in motions]
    around = np.arange(-step.half, step.half + 1)
    captured = [
        _sole_speeds(motion, body)[at + around][touch[at + around]].mean()
        for motion, touch, at in zip(motions, touches, (step.leave, step.enter), strict=True)
    ]
    touch = np.concatenate([touches[0][: step.leave], touches[1][step.enter :]])[step.leave + around]
    assert _sole_speeds(made.motion, body)[step.leave + around][touch].mean() < max(captured) + 0.01


def _sole_speeds(motion: Motion, body: Body) -> FloatArray:
    """Of sole points over the ground (T, 2, 4) [m/s]."""
    return np.linalg.norm(np.gradient(body.soles(motion)[..., :2], motion.time, axis=0), axis=-1)


def test_a_chained_walk_is_carried_out_with_no_help(shared_data: Path) -> None:
    motion = read_bvh(shared_data / "bvh/cmu/02_01.bvh").motion
    mapping = recognise(motion.skeleton)
    made = chain([("a", motion), ("b", motion)], mapping)
    result = bake(Job(made.motion, mapping, BakeSettings(assist_cap=0.0, find_assist=False)))
    assert result.meta.fell_at is None and not result.assist.any()
    assert result.meta.measured.joint_error_deg < 2.0
    assert result.meta.measured.seconds > 1.5 * motion.duration


def test_other_people_are_refused(shared_data: Path) -> None:
    motions = [(name, read_bvh(shared_data / f"bvh/cmu/{name}.bvh").motion) for name in ("02_01", "77_02")]
    with pytest.raises(InputError, match="other proportions"):
        chain(motions, recognise(motions[0][1].skeleton))
