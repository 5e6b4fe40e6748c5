"""Finds the soft parts of a rig: chains of bones that no part of the body claims, such as tails and hair.

A chain starts below a bone of the body. Its words say what it is; without a telling word it counts where at
least two bones hang one below the other on the trunk or the head. Bones that are no soft part are listed with
the reason, so that nothing is left out in silence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..motion.skeleton import Skeleton
from .bone_names import (
    CONTROL_WORDS,
    END_WORDS,
    FACE_WORDS,
    FINGER_WORDS,
    PROP_WORDS,
    TWIST_WORDS,
    parse_name,
)
from .mapping import BoneMapping

ROLE_WORDS = {
    "tail": "tail tentacle",
    "hair": "hair ponytail pigtail braid bang bangs fringe lock strand beard",
    "ear": "ear ears",
    "antenna": "antenna antennae feeler",
    "cloth": "cloth skirt cape cloak scarf ribbon dress coat robe tie sleeve strap belt hood flap veil",
    "backpack": "backpack bag pouch quiver rucksack satchel",
    "flesh": "belly stomach breast bust boob buttock butt glute jiggle fat",
}
"""What the words of bones say about a chain."""
ROLE_OF = {word: role for role, words in ROLE_WORDS.items() for word in words.split()}
OTHER = "other"
"""Role of a chain that only its shape tells."""
CARRIERS = ("hips", "spine", "neck", "head")
"""Parts on which a chain without a telling name counts; below limbs such bones are fingers and helpers."""
EXCLUDING_WORDS = (
    (CONTROL_WORDS, "a control bone"),
    (TWIST_WORDS, "a twist or helper bone"),
    (PROP_WORDS, "a weapon, or a place to hold one"),
    (FINGER_WORDS, "a finger"),
    (FACE_WORDS, "a part of the face"),
)
LEAST_BONES = 2
"""Bones that a chain without a telling name must have."""


@dataclass(frozen=True)
class SoftChain:
    """A chain of bones, from the body to its tip.

    carrier: the bone that the first one hangs on: of the body, or of another chain where that one branches
    tip: a bone without children that only marks where the last one ends; None where there is none
    """

    bones: tuple[str, ...]
    role: str
    carrier: str
    tip: str | None = None


@dataclass(frozen=True)
class LeftOut:
    """A bone below the body that is no soft part, and why."""

    bone: str
    reason: str


@dataclass(frozen=True)
class SoftParts:
    """What was found below the bones of the body."""

    chains: tuple[SoftChain, ...]
    left_out: tuple[LeftOut, ...]


def find_soft_chains(skeleton: Skeleton, mapping: BoneMapping) -> SoftParts:
    """Return the soft chains of a rig, and the other unclaimed bones below its body."""
    finder = _Finder(skeleton, mapping)
    for start in finder.starts():
        finder.follow(start)
    return SoftParts(tuple(finder.chains), tuple(finder.left_out))


def role_of(name: str) -> str | None:
    """Return the role that a bone's name tells, or None."""
    words = parse_name(name).words
    return next((ROLE_OF[word] for word in words if word in ROLE_OF), None)


class _Finder:
    def __init__(self, skeleton: Skeleton, mapping: BoneMapping) -> None:
        self.skeleton = skeleton
        self.slot = {skeleton.index[bone]: slot for slot in mapping for bone in mapping.bones[slot]}
        above = {ancestor for bone in self.slot for ancestor in skeleton.ancestors(bone)}
        self.body = set(self.slot) | above  # no chain may carry the body
        self.chains: list[SoftChain] = []
        self.left_out: list[LeftOut] = []

    def starts(self) -> list[int]:
        """Return the unclaimed bones directly below claimed ones."""
        parents = self.skeleton.parents.tolist()
        return [i for i, parent in enumerate(parents) if i not in self.body and parent in self.slot]

    def follow(self, start: int) -> None:
        """Add the chains that begin at a bone, or say why there are none."""
        reason = self._excluded(start)
        children = self._links(start)
        if reason:
            self._leave_out(start, reason)
        elif len(children) > 1:
            self._leave_out(start, "the common root of several chains, which moves with the body")
            for child in children:
                self.follow(child)
        else:
            self._add(start)

    def _add(self, start: int) -> None:
        bones, branches = [start], list[int]()
        while links := self._links(bones[-1]):
            longest = max(links, key=self._depth)
            branches += [link for link in links if link != longest]
            bones.append(longest)
        names = tuple(self.skeleton.names[bone] for bone in bones)
        role = next((role for role in map(role_of, names) if role), None)
        refusal = "" if role else self._shape_refusal(start, len(bones))
        if refusal:
            for bone in (*bones, *branches):
                self.left_out.append(LeftOut(self.skeleton.names[bone], refusal))
            return
        ends = [child for child in self.skeleton.children[bones[-1]] if self._is_end(child)]
        tip = self.skeleton.names[ends[0]] if ends else None
        carrier = self.skeleton.names[int(self.skeleton.parents[start])]
        self.chains.append(SoftChain(names, role or OTHER, carrier, tip))
        for branch in branches:
            self._add(branch)

    def _shape_refusal(self, start: int, count: int) -> str:
        """Say why a chain without a telling name is none; nothing where its shape tells that it is one."""
        above = (self.slot[own] for own in self.skeleton.ancestors(start) if own in self.slot)
        part = next(above).partition(".")[0]
        if part == "hand":
            return "a finger"
        if part not in CARRIERS:
            return "a helper on a limb without a telling name"
        return "" if count >= LEAST_BONES else "a single bone without a telling name"

    def _excluded(self, bone: int) -> str:
        name = self.skeleton.names[bone]
        words = set(parse_name(name).words)
        if self._is_end(bone):
            return "only the end of another bone"
        for excluding, reason in EXCLUDING_WORDS:
            if words & excluding and not (role_of(name) and excluding in (FACE_WORDS, PROP_WORDS)):
                return reason
        return ""

    def _leave_out(self, bone: int, reason: str) -> None:
        self.left_out.append(LeftOut(self.skeleton.names[bone], reason))

    def _is_end(self, bone: int) -> bool:
        """Return whether a bone has no children and a name that only marks an end."""
        words = set(parse_name(self.skeleton.names[bone]).words)
        return not self.skeleton.children[bone] and bool(words & END_WORDS)

    def _links(self, bone: int) -> list[int]:
        """Return the bones below a bone that a chain can go on with; bones at the same place are none."""
        heads = self.skeleton.rest_position_world
        return [
            child
            for child in self.skeleton.children[bone]
            if child not in self.body and not self._excluded(child) and np.any(heads[child] != heads[bone])
        ]

    def _depth(self, bone: int) -> int:
        return 1 + max((self._depth(link) for link in self._links(bone)), default=0)
