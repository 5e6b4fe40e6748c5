"""Strikes between examples, and plays of waits and hits: contacts agree, targets are neared, feet stay."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.aiming.examples import Example, aligned, find_example, interpolated, weights_for
from sim_core.aiming.hit_sequence import HitOrder, HitSequence, LibraryMotion, make_hit_sequence
from sim_core.bake.pipeline import bake
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.cli.play_file import read_play
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import AS_FOUND
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.aims import Aim
from sim_core.sequence.chain import make_clips
from sim_core.sequence.clip import Body, Clip
from tests.core.sample_files import standing_bvh
from tests.core.sample_motions import punch, still
from tests.core.sample_people import MAPPING, person

AIM = Aim("hand.R", np.zeros(3))
CONTACTS_S = (0.9, 1.0, 1.1)
RISES = (-0.4, 0.0, 0.4)


def punches() -> list[Motion]:
    """At different times and heights."""
    return [person(punch(s, 1.9, rise)) for s, rise in zip(CONTACTS_S, RISES, strict=True)]


@pytest.fixture(scope="module")
def made() -> tuple[list[Clip], Body]:
    named = [(str(number), motion) for number, motion in enumerate(punches())]
    return make_clips(named, MAPPING, 0.3)


def examples(made: tuple[list[Clip], Body]) -> list[Example]:
    clips, body = made
    return [find_example("", clip, body, AIM, strike) for clip, strike in zip(clips, CONTACTS_S, strict=True)]


def hand_at(clip: Clip, body: Body, sample: int) -> FloatArray:
    return find_example("", clip, body, AIM, sample / clip.motion.rate_hz).position


def test_strikes_of_examples_are_found_where_the_hand_is_fastest(made: tuple[list[Clip], Body]) -> None:
    clips, body = made
    for clip, strike_s in zip(clips, CONTACTS_S, strict=True):
        found = find_example("", clip, body, AIM, None)
        # The hand is fastest a little before or after the middle of its way.
        assert found.strike / clip.motion.rate_hz == pytest.approx(strike_s, abs=0.08)


def test_aligned_examples_strike_at_the_same_sample_in_the_same_place(made: tuple[list[Clip], Body]) -> None:
    body, own = made[1], examples(made)
    same = aligned(own, body)
    assert len({len(e.clip.motion.time) for e in same}) == 1 == len({e.strike for e in same})
    for before, after in zip(own, same, strict=True):
        # All stand alike, so nothing is moved; what is left is interpolation in time.
        assert after.position == pytest.approx(before.position, abs=1e-6)
        assert hand_at(after.clip, body, after.strike) == pytest.approx(before.position, abs=1e-3)
        assert after.clip.motion.position_world[0] == pytest.approx(before.clip.motion.position_world[0])
        assert after.clip.motion.position_world[-1] == pytest.approx(before.clip.motion.position_world[-1])


def test_examples_that_stand_elsewhere_are_put_on_one_stance(made: tuple[list[Clip], Body]) -> None:
    body, own = made[1], examples(made)
    turn = np.array([np.cos(0.4), 0.0, 0.0, np.sin(0.4)])
    moved = own[1].clip.motion.moved(np.array([3.0, -2.0, 0.0]), turn)
    elsewhere = find_example("", Clip.of(moved, body), body, AIM, CONTACTS_S[1])
    back = aligned([own[0], elsewhere], body)[1]
    assert back.position == pytest.approx(own[1].position, abs=1e-6)


@pytest.mark.parametrize("rise", [-0.2, 0.15, 0.3])
def test_between_examples_the_target_is_nearly_met_and_feet_stay(
    made: tuple[list[Clip], Body], rise: float
) -> None:
    body, same = made[1], aligned(examples(made), made[1])
    (clip,), _ = make_clips([("", person(punch(1.0, 1.9, rise)))], MAPPING, 0.3)
    target = hand_at(clip, body, round(clip.motion.rate_hz))
    weights = weights_for(np.array([e.position for e in same]), target)
    mixed = interpolated(same, weights, body)
    left = np.linalg.norm(hand_at(mixed, body, same[0].strike) - target)
    nearest = min(np.linalg.norm(e.position - target) for e in same)
    assert left < 0.35 * nearest
    soles = body.soles(mixed.motion)
    assert np.abs(soles - soles[0]).max() < 1e-6


@given(
    st.lists(st.tuples(*[st.floats(-1.0, 1.0)] * 3), min_size=1, max_size=6),
    st.tuples(*[st.floats(-2.0, 2.0)] * 3),
)
def test_weights_are_shares_and_come_as_near_as_the_nearest_example(
    places: list[tuple[float, ...]], target: tuple[float, ...]
) -> None:
    spots, goal = np.array(places), np.array(target)
    weights = weights_for(spots, goal)
    assert np.all(weights >= 0.0) and weights.sum() == pytest.approx(1.0)
    nearest = np.linalg.norm(spots - goal, axis=1).min()
    # The price of large weights, and those that are left out, cost no more than a few centimetres.
    assert np.linalg.norm(weights @ spots - goal) <= nearest + 0.05


def test_a_target_far_behind_all_examples_takes_the_nearest() -> None:
    places = np.array([[0.4, 0.0, 1.0], [0.5, -0.2, 1.5]])
    assert weights_for(places, np.array([-9000.0, 0.0, 1.0])).tolist() == [1.0, 0.0]


def test_a_target_at_an_example_takes_that_example() -> None:
    places = np.array([[0.4, 0.0, 1.0], [0.4, 0.3, 1.2], [0.5, -0.2, 1.5]])
    assert weights_for(places, places[1])[1] > 0.95


def played(*targets: FloatArray, wait_s: float | None = 0.4) -> HitSequence:
    library = [
        LibraryMotion(f"punch {number}", motion, strike)
        for number, (motion, strike) in enumerate(zip(punches(), CONTACTS_S, strict=True))
    ]
    wait = LibraryMotion("wait", person(still(1.0).performance))
    orders = [HitOrder("jab", Aim("hand.R", target), wait_s) for target in targets]
    return make_hit_sequence(wait, {"jab": library}, orders, MAPPING, 0.2)


def targets(made: tuple[list[Clip], Body]) -> tuple[FloatArray, FloatArray]:
    low, middle, high = (e.position for e in examples(made))
    return 0.5 * (low + middle), 0.5 * (middle + high)


def test_a_play_waits_hits_and_waits_and_knows_when(made: tuple[list[Clip], Body]) -> None:
    low, high = targets(made)
    done = played(low, high)
    assert [part.name for part in done.chain.parts] == ["wait", "jab", "wait", "jab", "wait"]
    first, second = done.aims
    assert first.time is not None and second.time is not None
    assert 0.4 < first.time < second.time < done.chain.motion.duration
    (clip,), body = make_clips([("", done.chain.motion)], MAPPING, 0.2)
    for aim in done.aims:
        assert aim.time is not None
        place = hand_at(clip, body, round(aim.time * clip.motion.rate_hz))
        # Without inverse kinematics: a contact that the examples average to, on a stance that was joined.
        assert np.linalg.norm(place - aim.at[0]) < 0.05
    assert done.weights[0][2] < 0.1 and done.weights[1][0] < 0.1


def test_a_play_is_carried_out_and_hits(made: tuple[list[Clip], Body]) -> None:
    done = played(targets(made)[0] + [0.0, 0.05, 0.0])
    settings = BakeSettings(assist_cap=0.0, find_assist=False)
    result = bake(Job(done.chain.motion, MAPPING, settings, aims=done.aims))
    (strike,) = result.meta.strikes
    assert result.meta.fell_at is None and strike.miss_m < 0.01


def test_what_the_library_lacks_is_refused(made: tuple[list[Clip], Body]) -> None:
    wait = LibraryMotion("wait", person(still(1.0).performance))
    with pytest.raises(InputError, match="no hit 'hook' in the library; there are jab"):
        make_hit_sequence(wait, {"jab": []}, [HitOrder("hook", AIM)], MAPPING, 0.2)
    own = examples(made)
    raised = own[1].clip.motion.moved(np.array([0.0, 0.0, 0.5]))
    swapped = replace(own[1], name="other", clip=replace(own[1].clip, motion=raised))
    with pytest.raises(InputError, match="'other' strikes in another stance than"):
        aligned([own[0], swapped], made[1])
    with pytest.raises(InputError, match="strikes at 7 s, but lasts 1.90 s"):
        find_example("jab", made[0][0], made[1], AIM, 7.0)


GOOD: dict[str, Any] = {
    "format": "heft-play",
    "schema": 1,
    "wait": {"file": "stand.bvh"},
    "hits": [{"name": "jab", "bone": "hand.R", "examples": [{"file": "stand.bvh", "strike": 0.3}]}],
    "play": [{"hit": "jab", "at": [0.0, 0.0, 1.0]}],
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "heft-scene"}, '"format": "heft-play" and "schema": 1, but has \'heft-scene\' and 1'),
        ({"wait": None}, "The wait of .* must be a JSON object"),
        ({"wait": {"file": "absent.bvh"}}, "does not exist"),
        ({"wait": {"file": "x" * 5000}}, "File name too long"),
        ({"wait": {"file": "stand.bvh", "seconds": [8.0, 9.0]}}, "Nothing lies between 8 s and 9 s"),
        ({"hits": [{"name": "jab"}]}, "needs a 'name' and a 'bone'"),
        ({"hits": [{"name": "jab", "bone": "hand.R"}]}, "The 'examples' of 'jab'"),
        ({"play": []}, "let it hit something"),
        ({"play": [{"hit": "hook"}]}, "asks for the hit 'hook'; there are jab"),
        ({"play": [{"hit": "jab"}]}, "lacks the entry 'at'"),
        ({"play": [{"hit": "jab", "at": [0, 0, 1], "time": 1.0}]}, "has a 'bone' or a 'time'"),
        ({"play": [{"hit": "jab", "at": [0, 0, 1], "wait": "long"}]}, "must be a number of seconds"),
        ({"play": [{"hit": "jab", "at": [0, 0, 1], "wait": 2**31}]}, "a number of seconds, at most 60"),
        ({"play": [{"hit": ["jab"], "at": [0, 0, 1]}]}, "asks for the hit '.*jab.*'; there are jab"),
        ({"play": [{"hit": "jab", "at": [0, 0, 1e300]}]}, "is 1e.300 m away; move it within"),
        ({"wait": {"file": "stand.bvh", "seconds": [0, 1, 5]}}, "'seconds' .* a list of 2 numbers"),
        ({"play": 101 * [{"hit": "jab", "at": [0, 0, 1]}]}, "at most 200 can be joined; split it"),
        ({"play": 5 * [{"hit": "jab", "at": [0, 0, 1], "wait": 60.0}]}, "at most 200 can be joined"),
        (
            {
                "hits": [{"name": "jab", "bone": "hand.R", "examples": 251 * [{"file": "stand.bvh"}]}],
                "play": 2 * [{"hit": "jab", "at": [0, 0, 1]}],
            },
            "502 examples in all, but at most 500",
        ),
    ],
)
def test_bad_plays_are_one_sentence(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    (tmp_path / "stand.bvh").write_text(standing_bvh())
    (tmp_path / "play.json").write_text(json.dumps(GOOD | change))
    with pytest.raises(InputError, match=words):
        read_play(tmp_path / "play.json", AS_FOUND, 0.2)
