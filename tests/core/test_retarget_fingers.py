"""Fingers on hands with other numbers of bones: curl is kept, open hands are open, fists are closed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton
from sim_core.recognition.mapping import BoneMapping
from sim_core.retarget.fingers import fingers
from sim_core.retarget.retarget import retarget
from sim_core.retarget.retarget_options import Feet, RetargetOptions
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig
from tests.core.sample_people import MAPPING, person, standing

FREE = RetargetOptions(feet=Feet.FREE, hands=False)
LONG = 0.08
"""Length of all phalanges of a finger [m]."""
BEND = np.array([0.0, 1.0, 0.0])
"""Fingers of hanging arms bend about the axis to the left, as elbows do, towards the front."""


@dataclass(frozen=True)
class Hand:
    """Finger -> lengths of its bones as shares; palm: with a bone in the palm; rest: curl of each joint."""

    lengths: dict[str, tuple[float, ...]]
    palm: bool = False
    tip: bool = False
    rest: float = 0.0



def two_fingers(*lengths: float) -> dict[str, tuple[float, ...]]:
    """An index finger and a middle one of the same lengths."""
    return {"index": lengths, "middle": lengths}


THREE = Hand(two_fingers(0.5, 0.3, 0.2))
HANDS = {
    "two bones": Hand(two_fingers(0.6, 0.4)),
    "three, curled at rest": Hand(two_fingers(0.5, 0.3, 0.2), rest=0.4),
    "four": Hand(two_fingers(0.4, 0.25, 0.2, 0.15)),
    "three and a tip": Hand(two_fingers(0.5, 0.3, 0.2), tip=True),
    "with the palm": Hand(two_fingers(0.5, 0.3, 0.2), palm=True),
    "mitten of two": Hand({"fingers": (0.6, 0.4)}),
    "mitten of one": Hand({"fingers": (1.0,)}),
}


def posed_hand(hand: Hand, curl: float, scale: float = 1.0) -> Motion:
    """A standing person with such left hands, whose joints of all fingers bend by `curl` in all [rad]."""
    still = person(standing(1.0, 60.0), rest={}, scale=scale)
    old = still.skeleton
    names, parents = list(old.names), list(old.parents)
    rest_heads, rest_turns = list(old.rest_position_world), list(old.rest_quaternion_world)
    heads, turns = list(still.position_world[0]), list(still.quaternion_world[0])
    wrist = old.index["hand.L"]
    for number, (finger, lengths) in enumerate(hand.lengths.items()):
        aside = np.array([0.02 * (number - 0.5 * (len(hand.lengths) - 1)), 0.0, 0.0])
        chain = [(f"{finger}_palm.L", 0.06, 0.0)] if hand.palm else []
        chain += [(f"{finger}_{i}.L", LONG * share, 1.0) for i, share in enumerate(lengths, 1)]
        chain += [(f"{finger}_tip.L", 0.0, 0.0)] if hand.tip else []
        joints = len(lengths)
        above = wrist
        place = {"rest": aside + [0.0, 0.0, -0.02 if hand.palm else -0.08],
                 "now": aside + [0.0, 0.0, -0.02 if hand.palm else -0.08]}  # fmt: skip
        angle = {"rest": 0.0, "now": 0.0}
        for name, length, bends in chain:
            angle["rest"] += bends * hand.rest
            angle["now"] += bends * curl / joints
            names.append(name)
            parents.append(above)
            above = len(names) - 1
            for when, all_heads, all_turns, base in (
                ("rest", rest_heads, rest_turns, old.rest_position_world[wrist]),
                ("now", heads, turns, still.position_world[0, wrist]),
            ):
                turn = rotations.from_vector(-angle[when] * BEND)
                all_heads.append(base + scale * place[when])
                all_turns.append(turn)
                place[when] = place[when] + rotations.rotate(turn, np.array([0.0, 0.0, -length]))
    skeleton = Skeleton(tuple(names), np.array(parents), np.array(rest_heads), np.array(rest_turns))
    count = len(still.time)
    both = (count, 1, 1)
    return Motion(skeleton, still.time, np.tile(heads, both), np.tile(turns, both))


def rig(hand: Hand, scale: float = 1.0) -> RetargetRig:
    motion = posed_hand(hand, 0.0, scale)
    return make_retarget_rig(motion.skeleton, BoneMapping(MAPPING.kind, MAPPING.bones))


def direction(own: RetargetRig, motion: Motion, bone: int) -> FloatArray:
    """Where a bone points in the first frame."""
    skeleton = own.skeleton
    turn = rotations.multiply(
        motion.quaternion_world[0, bone], rotations.conjugate(skeleton.rest_quaternion_world[bone])
    )
    along = rotations.rotate(skeleton.rest_quaternion_world[bone], np.array([0.0, 0.0, -1.0]))
    return rotations.rotate(turn, along)


def curls(own: RetargetRig, motion: Motion) -> dict[str, float]:
    """Finger -> how far its last moving bone is turned from the direction of the hand, to the front."""
    found = {}
    for name, bones in fingers(own, "L").items():
        x, _, z = direction(own, motion, bones[-1])
        found[name] = float(np.arctan2(x, -z)) % (2.0 * np.pi)
    return found


@pytest.mark.parametrize("curl", [0.0, 1.5, 3.9], ids=["open", "half", "fist"])
@pytest.mark.parametrize("name", HANDS)
def test_curl_is_that_of_the_source_on_any_number_of_bones(name: str, curl: float) -> None:
    motion = posed_hand(THREE, curl)
    source, target = make_retarget_rig(motion.skeleton, MAPPING, motion), rig(HANDS[name], 0.7)
    shown = retarget(source, motion, target, FREE).motion
    for found in curls(target, shown).values():
        assert abs((found - curl + np.pi) % (2.0 * np.pi) - np.pi) < np.radians(3.0)


@pytest.mark.parametrize("name", HANDS)
def test_hands_of_any_kind_open_and_close_those_with_three_bones(name: str) -> None:
    target = rig(THREE, 1.3)
    for curl in (0.0, 2.5):
        motion = posed_hand(HANDS[name], curl)
        source = make_retarget_rig(motion.skeleton, MAPPING, motion)
        shown = retarget(source, motion, target, FREE).motion
        last = 0.75 * curl if name == "four" else curl
        for found in curls(target, shown).values():
            assert abs((found - last + np.pi) % (2.0 * np.pi) - np.pi) < np.radians(3.0)


def test_bends_are_spread_along_the_length_of_a_finger() -> None:
    # With tips, the lengths of last bones are known.
    motion = posed_hand(Hand(THREE.lengths, tip=True), 1.5)
    two = Hand(HANDS["two bones"].lengths, tip=True)
    source, target = make_retarget_rig(motion.skeleton, MAPPING, motion), rig(two)
    shown = retarget(source, motion, target, FREE).motion
    first = target.skeleton.index["index_1.L"]
    x, _, z = direction(target, shown, first)
    # It ends at 0.6 of the length, a third of the way from the end of the first bone to that of the second.
    assert np.arctan2(x, -z) == pytest.approx(0.5 + 0.5 / 3.0, abs=0.02)


def test_fingers_that_are_told_apart_by_numbers_are_no_mitten() -> None:
    hand = rig(Hand({"finger1": (0.6, 0.4), "finger2": (0.6, 0.4)}))
    assert fingers(hand, "L") == {}
