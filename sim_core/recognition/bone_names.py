"""Parsing of bone names into side and words."""

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
_TWISTS = "twist roll tw helper fix correct corrective offset aux null"
_ENDS = "end nub tip top site"
_FINGERS = "finger fingers thumb index mid middle ring pinky little metacarpal carpal"
_FACE = """
eye eyes eyelid lid jaw tongue tooth teeth brow eyebrow lip lips mouth cheek nose nostril ear chin face temple
forehead
"""
_PROPS = "slot handslot socket weapon sword shield gun prop attach attachment"
_EXTRAS = "hair cloth skirt cape breast bust boob tail wing belt bag hat buttock glute muscle"
FILLER_WORDS = frozenset(_FILLERS.split())
"""Words without information about the part of the body."""

CONTROL_WORDS, TWIST_WORDS, END_WORDS, FINGER_WORDS, FACE_WORDS, PROP_WORDS = (
    frozenset(words.split()) for words in (_CONTROLS, _TWISTS, _ENDS, _FINGERS, _FACE, _PROPS)
)
HELPER_WORDS = frozenset(" ".join([_CONTROLS, _TWISTS, _ENDS, _FINGERS, _FACE, _PROPS, _EXTRAS]).split())
"""Words of bones that are not a main part of a limb or of the trunk."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True)
class BoneName:
    """A parsed name.

    side: "L", "R" or None
    words: lower-case words without side, fillers and numbers, in order
    """

    side: str | None
    words: tuple[str, ...]

    @property
    def part(self) -> str:
        """Return the words joined, such as "upperleg"."""
        return "".join(self.words)

    @property
    def is_helper(self) -> bool:
        """Return whether the name is that of a control, a twist bone, a finger, the face or an accessory."""
        return any(word in HELPER_WORDS for word in self.words)


def parse_name(name: str) -> BoneName:
    """Parse a name such as "mixamorig:LeftUpLeg", "thigh_l", "UpperLeg.R" or "lThigh"."""
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
    """Return the side in a word without a gap, such as "leftupleg" or "footright", and the rest."""
    for text, side in (("left", "L"), ("right", "R")):
        if word.startswith(text) or word.endswith(text):
            return side, word.removeprefix(text).removesuffix(text)
    return None, word
