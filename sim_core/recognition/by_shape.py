"""Finds body parts by topology and geometry alone, for rigs whose names say nothing.

Legs and arms are pairs of chains that mirror each other; legs leave the trunk nearer to the
root than arms do. Within a limb, the joint in the middle is where the two long halves meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..conventions import FloatArray
from ..skeleton import NO_PARENT, Skeleton
from .names import parse_name
from .sides import sort_sides

Slots = dict[str, list[int]]

LENGTH_TOLERANCE = 0.15
"""Two sides of a body may differ this much in limb length."""

SMALLEST_LIMB = 0.1
"""Limbs are at least this long, as a share of the skeleton's size; fingers are shorter."""

SAME_LENGTH = 0.93
"""Halves within this ratio count as equal, so that hands and toes do not win by a hair."""

DETACHED_FOOT_RANGE = (0.5, 2.0)
"""Distance of a loose foot from the knee, in thigh lengths."""


@dataclass(frozen=True)
class LimbPair:
    """Two mirrored chains of bones that leave the trunk at one bone."""

    trunk: int
    chains: tuple[list[int], list[int]]
    reach: float


def find_by_shape(skeleton: Skeleton) -> Slots:
    """Slot -> bones of legs and arms; slots may be missing."""
    tree = _Tree(skeleton)
    legs, arms = _legs_and_arms(tree, _limb_pairs(tree))
    slots: Slots = {}
    if legs:
        limbs = [_split_leg(skeleton, chain) for chain in legs.chains]
        if not all("foot" in limb for limb in limbs):
            _add_loose_feet(tree, limbs)
        pairs = [limbs]
        if arms:
            pairs.append([_split_arm(skeleton, chain) for chain in arms.chains])
        slots = sort_sides(skeleton, pairs)
    return slots


class _Tree:
    """The skeleton without helper bones; their children hang on the next real bone above."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.heads = skeleton.rest_position_world
        self.real = [not parse_name(name).is_helper for name in skeleton.names]
        self.children: list[list[int]] = [[] for _ in skeleton.names]
        for bone in range(len(skeleton.names)):
            parent = next((a for a in skeleton.ancestors(bone) if self.real[a]), NO_PARENT)
            if self.real[bone] and parent != NO_PARENT:
                self.children[parent].append(bone)
        used = self.heads[self.real]
        self.size = float(np.ptp(used, axis=0).max()) if len(used) else 0.0

    def longest_chain(self, bone: int) -> list[int]:
        """From a bone down the way that is longest in metres."""
        chains = [self.longest_chain(child) for child in self.children[bone]]
        return [bone, *max(chains, key=lambda chain: self.length([bone, *chain]), default=[])]

    def length(self, chain: list[int]) -> float:
        return float(np.linalg.norm(np.diff(self.heads[chain], axis=0), axis=1).sum())


def _limb_pairs(tree: _Tree) -> list[LimbPair]:
    pairs = []
    for trunk, children in enumerate(tree.children):
        chains = [tree.longest_chain(child) for child in children]
        for a, b in combinations([chain for chain in chains if len(chain) > 1], 2):
            reach = tree.length(a)
            if reach > SMALLEST_LIMB * tree.size and _mirrored(tree, a, b):
                pairs.append(LimbPair(trunk, (a, b), reach))
    return pairs


def _mirrored(tree: _Tree, a: list[int], b: list[int]) -> bool:
    """Whether joints face each other along one direction, at like distances along the chains."""
    lengths = tree.length(a), tree.length(b)
    if len(a) != len(b) or abs(lengths[0] - lengths[1]) > LENGTH_TOLERANCE * max(lengths):
        return False
    across = tree.heads[a] - tree.heads[b]
    apart = np.linalg.norm(across, axis=1)
    if apart.max() < 0.02 * tree.size:
        return False
    axis = across[np.argmax(apart)] / apart.max()
    off_axis = np.linalg.norm(across - np.outer(across @ axis, axis), axis=1)
    return bool(off_axis.max() < LENGTH_TOLERANCE * lengths[0])


def _legs_and_arms(tree: _Tree, pairs: list[LimbPair]) -> tuple[LimbPair | None, LimbPair | None]:
    ancestors = tree.skeleton.ancestors
    best: tuple[float, LimbPair, LimbPair] | None = None
    for legs in pairs:
        for arms in pairs:
            if legs.trunk not in ancestors(arms.trunk):
                continue
            limb_bones = {bone for chain in legs.chains for bone in chain}
            if limb_bones & {arms.trunk, *ancestors(arms.trunk)}:
                continue
            score = legs.reach + arms.reach
            if best is None or score > best[0]:
                best = (score, legs, arms)
    if best:
        return best[1], best[2]
    downwards = [pair for pair in pairs if _goes_down(tree, pair)]
    return max(downwards, key=lambda pair: pair.reach, default=None), None


def _goes_down(tree: _Tree, pair: LimbPair) -> bool:
    """A lone pair of limbs are legs when it ends well below the trunk."""
    ends = np.mean([tree.heads[chain[-1]] for chain in pair.chains], axis=0)
    return bool(tree.heads[pair.trunk][2] - ends[2] > 0.7 * pair.reach)


def _middle_split(points: FloatArray, starts: range) -> tuple[int, int, int] | None:
    """Indices (upper, lower, end) of a chain's two long halves.

    Among equally good splits the last start (no clavicle in it) and first end (no toe) win.
    """
    best: tuple[float, tuple[int, int, int]] | None = None
    for end in range(2, len(points)):
        for start in reversed(starts):
            for middle in range(start + 1, end):
                upper = np.linalg.norm(points[middle] - points[start])
                lower = np.linalg.norm(points[end] - points[middle])
                score = float(min(upper, lower))
                if best is None or score * SAME_LENGTH > best[0]:
                    best = (score, (start, middle, end))
    return best[1] if best and best[0] > 0.0 else None


def _split_leg(skeleton: Skeleton, chain: list[int]) -> Slots:
    heads = skeleton.rest_position_world[chain]
    split = _middle_split(heads, range(min(2, max(len(chain) - 2, 1))))
    if split is None:
        return {"thigh": chain[:1], "shin": chain[1:2]}
    thigh, shin, foot = split
    limb = {"thigh": [chain[thigh]], "shin": [chain[shin]], "foot": [chain[foot]]}
    if foot + 1 < len(chain):
        limb["toe"] = [chain[foot + 1]]
    return limb


def _split_arm(skeleton: Skeleton, chain: list[int]) -> Slots:
    split = _middle_split(skeleton.rest_position_world[chain], range(min(3, max(len(chain) - 2, 1))))
    if split is None:
        return {"upper_arm": chain[:1], "forearm": chain[1:2]}
    upper, lower, hand = split
    limb = {"upper_arm": [chain[upper]], "forearm": [chain[lower]], "hand": [chain[hand]]}
    if upper > 0:
        limb["clavicle"] = [chain[upper - 1]]
    return limb


def _add_loose_feet(tree: _Tree, limbs: list[Slots]) -> None:
    """Feet that hang on a control bone: real bones that go on where the shin points."""
    taken = {bone for limb in limbs for bones in limb.values() for bone in bones}
    for limb in limbs:
        hip, knee = tree.heads[limb["thigh"][0]], tree.heads[limb["shin"][0]]
        thigh = np.linalg.norm(knee - hip)
        best: tuple[float, int] | None = None
        for bone in np.flatnonzero(tree.real):
            offset = tree.heads[bone] - knee
            distance = np.linalg.norm(offset)
            if bone in taken or not DETACHED_FOOT_RANGE[0] < distance / thigh < DETACHED_FOOT_RANGE[1]:
                continue
            straightness = float(offset @ (knee - hip) / (distance * thigh))
            if straightness > 0.85 and (best is None or straightness > best[0]):
                best = (straightness, int(bone))
        if best:
            limb["foot"] = [best[1]]
            taken.add(best[1])
