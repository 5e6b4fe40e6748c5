"""Finds body parts by topology and geometry alone, for rigs whose bone names do not help.

Legs and arms are pairs of chains that mirror each other; legs leave the trunk nearer to the root than arms.
Within a limb, the middle joint is where the two long halves meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..base.conventions import FloatArray
from ..motion.skeleton import NO_PARENT, Skeleton
from .bone_names import parse_name
from .mapping import Slots
from .sides import sort_sides

LENGTH_TOLERANCE = 0.15
"""Largest relative difference in length between the limbs of both sides."""

MIN_LIMB = 0.1
"""Least length of a limb as a share of the skeleton's size; fingers are shorter."""

MIN_SIDE_DISTANCE = 0.02
"""Least distance of joints of both sides, as a share of the skeleton's size."""

ENOUGH_OF_LEG, ENOUGH_OF_ARM = 0.75, 0.9
"""Share of the best split's shorter half that is good enough. Shins are 0.8 of a thigh in some rigs, and
toes lengthen them; forearms are nearly as long as upper arms, and a clavicle is 0.75 of a forearm."""

START_CANDIDATES = 3
"""Number of bones at which a limb may start, because hip helpers or clavicles may come first."""

MAX_TWIST_OFFSET = 0.15
"""Largest distance of a twist bone from the line to the next joint, as a share of its length."""

DETACHED_FOOT_RANGE = (0.5, 2.0)
"""Range of the distance of a detached foot from the knee, in thigh lengths."""


@dataclass(frozen=True)
class LimbPair:
    """Two mirrored chains of bones that leave the trunk at one bone, and their length."""

    trunk: int
    chains: tuple[list[int], list[int]]
    reach: float


def find_by_shape(skeleton: Skeleton) -> Slots:
    """Return the bones of legs and arms; slots may be missing."""
    tree = _Tree(skeleton)
    legs, arms = _legs_and_arms(tree, _limb_pairs(tree))
    slots: Slots = {}
    if legs:
        limbs = [_split_leg(tree, chain, _shared_joints(tree, legs)) for chain in legs.chains]
        if not all(limb["shin"] for limb in limbs):
            return {}  # they part at their ends only, as where all bones rest along one line
        if not all("foot" in limb for limb in limbs):
            _add_detached_feet(tree, limbs)
        pairs = [limbs]
        if arms:
            found = [_split_arm(tree, chain, _shared_joints(tree, arms)) for chain in arms.chains]
            pairs += [found] if all(limb["forearm"] for limb in found) else []
        slots = sort_sides(skeleton, pairs)
    return slots


class _Tree:
    """The skeleton without helper bones, whose children become those of the next real bone above."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.heads = skeleton.rest_position_world
        self.real = [not parse_name(name).is_helper for name in skeleton.names]
        self.children: list[list[int]] = [[] for _ in skeleton.names]
        for bone in range(len(skeleton.names)):
            parent = next((a for a in skeleton.ancestors(bone) if self.real[a]), NO_PARENT)
            if self.real[bone] and parent != NO_PARENT:
                self.children[parent].append(bone)
        self.next_bone = self._follow_longest()
        used = self.heads[self.real]
        self.size = float(np.ptp(used, axis=0).max()) if len(used) else 0.0

    def longest_chain(self, bone: int) -> list[int]:
        """Return the bones of the longest path down from a bone."""
        chain = [bone]
        while self.next_bone[chain[-1]] != NO_PARENT:
            chain.append(self.next_bone[chain[-1]])
        return chain

    def _follow_longest(self) -> list[int]:
        """Return for each bone the child on its longest path down, NO_PARENT at ends."""
        reach = np.zeros(len(self.children))
        next_bone = [NO_PARENT] * len(self.children)
        for bone in reversed(range(len(self.children))):
            for child in self.children[bone]:
                length = float(np.linalg.norm(self.heads[child] - self.heads[bone])) + reach[child]
                if length > reach[bone] or next_bone[bone] == NO_PARENT:
                    reach[bone], next_bone[bone] = length, child
        return next_bone

    def length(self, chain: list[int]) -> float:
        """Return the length of a chain of bones."""
        return float(np.linalg.norm(np.diff(self.heads[chain], axis=0), axis=1).sum())


def _limb_pairs(tree: _Tree) -> list[LimbPair]:
    pairs = []
    for trunk, children in enumerate(tree.children):
        chains = [tree.longest_chain(child) for child in children]
        for a, b in combinations([chain for chain in chains if len(chain) > 1], 2):
            reach = tree.length(a)
            if reach > MIN_LIMB * tree.size and _mirrored(tree, a, b):
                pairs.append(LimbPair(trunk, (a, b), reach))
    return pairs


def _mirrored(tree: _Tree, a: list[int], b: list[int]) -> bool:
    """Return whether the joints of two chains are mirror images of each other."""
    lengths = tree.length(a), tree.length(b)
    if len(a) != len(b) or abs(lengths[0] - lengths[1]) > LENGTH_TOLERANCE * max(lengths):
        return False
    across = tree.heads[a] - tree.heads[b]
    apart = np.linalg.norm(across, axis=1)
    if apart.max() < MIN_SIDE_DISTANCE * tree.size:
        return False
    axis = across[np.argmax(apart)] / apart.max()
    off_axis = np.linalg.norm(across - np.outer(across @ axis, axis), axis=1)
    return bool(off_axis.max() < LENGTH_TOLERANCE * lengths[0])


def _legs_and_arms(tree: _Tree, pairs: list[LimbPair]) -> tuple[LimbPair | None, LimbPair | None]:
    ancestors = tree.skeleton.ancestors
    best: tuple[float, LimbPair, LimbPair] | None = None
    for legs in pairs:
        for arms in pairs:
            if not _nearer_to_root(tree.skeleton, legs.trunk, arms.trunk):
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


def _nearer_to_root(skeleton: Skeleton, a: int, b: int) -> bool:
    """Return whether bone a is nearer to the root that both share than bone b."""
    above_a, above_b = [a, *skeleton.ancestors(a)], [b, *skeleton.ancestors(b)]
    return bool(set(above_a) & set(above_b)) and len(above_a) < len(above_b)


def _goes_down(tree: _Tree, pair: LimbPair) -> bool:
    """Return whether a pair of limbs ends well below the trunk, as legs do."""
    ends = np.mean([tree.heads[chain[-1]] for chain in pair.chains], axis=0)
    return bool(tree.heads[pair.trunk][2] - ends[2] > 0.7 * pair.reach)


def _middle_split(
    points: FloatArray, first_start: int, first_end: int, enough: float
) -> tuple[int, int, int] | None:
    """Return the indices (upper, lower, end) of a chain's two long halves.

    The score of a split is the length of its shorter half. Of those that are good enough beside the best,
    the one with the first end (no toe in the lower half) and then the last start (no clavicle in the
    upper half) is taken.
    """
    scores = {}
    for end in range(first_end, len(points)):
        for start in range(first_start, min(first_start + START_CANDIDATES, end - 1)):
            for middle in range(start + 1, end):
                upper = np.linalg.norm(points[middle] - points[start])
                lower = np.linalg.norm(points[end] - points[middle])
                scores[start, middle, end] = float(min(upper, lower))
    best = max(scores.values(), default=0.0)
    if best <= 0.0:
        return None
    good = [split for split, score in scores.items() if score >= enough * best]
    end = min(split[2] for split in good)
    start = max(split[0] for split in good if split[2] == end)
    return max((split for split in good if split[::2] == (start, end)), key=lambda split: scores[split])


def _shared_joints(tree: _Tree, pair: LimbPair) -> int:
    """Return the number of leading bones that both chains have at the same position."""
    apart = np.linalg.norm(tree.heads[pair.chains[0]] - tree.heads[pair.chains[1]], axis=1)
    return int(np.argmax(apart > MIN_SIDE_DISTANCE * tree.size))


def _split_leg(tree: _Tree, chain: list[int], first: int) -> Slots:
    split = _middle_split(tree.heads[chain], first, first + 2, ENOUGH_OF_LEG)
    if split is None:
        return {"thigh": [chain[first]], "shin": chain[first + 1 : first + 2]}
    thigh, shin, foot = split
    limb = {"thigh": [chain[thigh]], "shin": [chain[shin]], "foot": [chain[foot]]}
    if foot + 1 < len(chain):
        limb["toe"] = [chain[foot + 1]]
    return limb


def _split_arm(tree: _Tree, chain: list[int], first: int) -> Slots:
    # Fingers branch off at the hand; without fingers the hand is the end of the second half.
    branches = [k for k in range(first + 2, len(chain)) if _has_fingers(tree, chain[k])]
    hand_at = branches[0] if branches else None
    heads = tree.heads[chain if hand_at is None else chain[: hand_at + 1]]
    split = _middle_split(heads, first, first + 2 if hand_at is None else hand_at, ENOUGH_OF_ARM)
    if split is None:
        return {"upper_arm": [chain[first]], "forearm": chain[first + 1 : first + 2]}
    upper, lower, hand = split
    limb = {"upper_arm": [chain[upper]], "forearm": [chain[lower]], "hand": [chain[hand]]}
    if upper > 0:
        limb["clavicle"] = [chain[upper - 1]]
    return limb


def _has_fingers(tree: _Tree, bone: int) -> bool:
    """Return whether fingers branch off at a bone; twist bones near the line to the next joint are none."""
    here = tree.heads[bone]
    along = tree.heads[tree.next_bone[bone]] - here
    length = float(np.linalg.norm(along))
    others = [child for child in tree.children[bone] if child != tree.next_bone[bone]]
    aside = [np.linalg.norm(np.cross(tree.heads[child] - here, along)) for child in others]
    return any(distance >= MAX_TWIST_OFFSET * length**2 for distance in aside)


def _add_detached_feet(tree: _Tree, limbs: list[Slots]) -> None:
    """Add feet that are children of a control bone: real bones that continue the line of the shin."""
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
