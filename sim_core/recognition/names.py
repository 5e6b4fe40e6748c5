"""Takes bone names apart: side, words and number."""

from __future__ import annotations

import re
from dataclasses import dataclass

SIDE_WORDS = {
    "l": "L",
    "left": "L",
    "lft": "L",
    "lf": "L",
    "r": "R",
    "right": "R",
    "rgt": "R",
    "rt": "R",
}
_FILLERS = """
armature b base bind bip biped bone c cc char character def humanoid j jnt joint m mixamorig rig root sk
skel skeleton valve
"""
_CONTROLS = "ik fk pole poletarget target ctrl ctl control controller mch org tweak effector handle parent"
_TWISTS_AND_ENDS = "twist roll tw end nub tip top helper fix correct corrective offset aux null site"
_FINGERS = "finger fingers thumb index mid middle ring pinky little metacarpal carpal"
_FACE = "eye eyes eyelid lid jaw tongue tooth teeth brow eyebrow lip mouth cheek nose ear chin face temple"
_EXTRAS = """
slot handslot socket weapon sword shield gun prop attach attachment hair cloth skirt cape breast bust
boob tail wing belt bag hat buttock glute muscle
"""
FILLER_WORDS = frozenset(_FILLERS.split())
"""Words that say nothing about the part of the body."""

HELPER_WORDS = frozenset(" ".join([_CONTROLS, _TWISTS_AND_ENDS, _FINGERS, _FACE, _EXTRAS]).split())
"""Words of bones that are no main part of a limb or trunk."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True)
class BoneName:
    """A name taken apart.

    side: "L", "R" or None
    words: lower-case words without side, fillers and numbers, in order
    """

    side: str | None
    words: tuple[str, ...]

    @property
    def part(self) -> str:
        """The words in one, such as "upperleg"."""
        return "".join(self.words)

    @property
    def is_helper(self) -> bool:
        """Whether the name says control, twist, finger, face or accessory."""
        return any(word in HELPER_WORDS for word in self.words)


def parse_name(name: str) -> BoneName:
    """Takes "mixamorig:LeftUpLeg", "thigh_l", "UpperLeg.R" or "lThigh" apart."""
    bare = re.split(r"[:|]", name)[-1]
    side: str | None = None
    words: list[str] = []
    for word in (match.lower() for match in WORD.findall(bare)):
        if word in SIDE_WORDS and side is None:
            side = SIDE_WORDS[word]
            continue
        joined_side, rest = _joined_side(word)
        if joined_side and side is None:
            side, word = joined_side, rest
        if not word.isdigit() and word not in FILLER_WORDS:
            words.append(word)
    return BoneName(side, tuple(words))


def _joined_side(word: str) -> tuple[str | None, str]:
    """The side in words written without a gap, such as "leftupleg" or "footright"."""
    for text, side in (("left", "L"), ("right", "R")):
        if word.startswith(text) or word.endswith(text):
            return side, word.removeprefix(text).removesuffix(text)
    return None, word
