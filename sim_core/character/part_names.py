"""Parts of a character in plain words, for messages."""

from __future__ import annotations

_JOINT = {
    "abdomen": "lower back",
    "chest": "upper back",
    "head": "neck",
    "clavicle": "collarbone",
    "upper_arm": "shoulder",
    "forearm": "elbow",
    "hand": "wrist",
    "thigh": "hip",
    "shin": "knee",
    "foot": "ankle",
    "toe": "toe joint",
}
_SIDE = {"L": "left ", "R": "right "}


def joint_words(segment: str) -> str:
    """The joint above a segment: 'shin.L' -> 'left knee'."""
    part, _, side = segment.partition(".")
    return _SIDE.get(side, "") + _JOINT.get(part, f"{_spaced(part)} joint")


def part_words(segment: str) -> str:
    """A segment itself: 'upper_arm.R' -> 'right upper arm'."""
    part, _, side = segment.partition(".")
    return _SIDE.get(side, "") + _spaced(part)


def _spaced(part: str) -> str:
    return part.replace("_", " ")
