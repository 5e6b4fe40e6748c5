"""Groups of lengths that calibration scales together, the same on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..motion.skeleton import NO_PARENT
from ..posefit.fit_rig import RigBody

GROUP_OF_SLOT = {
    # The anchor of a slot's link is the length of what carries it.
    "thigh": "hip width",
    "shin": "thigh",
    "foot": "shin",
    "toe": "foot",
    "spine": "trunk",
    "neck": "trunk",
    "head": "neck",
    "clavicle": "shoulder width",
    "upper_arm": "shoulder width",
    "forearm": "upper arm",
    "hand": "forearm",
}
"""Slot -> group of the anchor of its link."""
OWN_GROUP = {
    # Markers keep their relative position along a part when its length changes.
    "hips": "hip width",
    "spine": "trunk",
    "clavicle": "shoulder width",
    "upper_arm": "upper arm",
    "forearm": "forearm",
    "thigh": "thigh",
    "shin": "shin",
    "foot": "foot",
}
FIXED = -1


@dataclass(frozen=True, eq=False)
class LengthGroups:
    """G groups of lengths.

    group (L): of each link's anchor; FIXED where it keeps its length
    own (L): of each link's own length, with which the nominal positions of its markers scale
    """

    names: tuple[str, ...]
    group: IntArray
    own: IntArray

    def factors(self, log_scale: FloatArray) -> FloatArray:
        """Return the factors of anchors (L) for logarithms of scales (G)."""
        return np.exp(np.append(log_scale, 0.0)[self.group])

    def own_factors(self, log_scale: FloatArray) -> FloatArray:
        """Return the factors of nominal marker positions on links (L)."""
        return np.exp(np.append(log_scale, 0.0)[self.own])


def length_groups(rig: RigBody) -> LengthGroups:
    """Return all groups that the rig has."""
    wanted = [
        None if link.parent == NO_PARENT else GROUP_OF_SLOT.get(slot.split(".")[0])
        for link, slot in zip(rig.body.links, rig.slot, strict=True)
    ]
    names = tuple(dict.fromkeys(name for name in wanted if name is not None))
    own = [OWN_GROUP.get(slot.split(".")[0]) for slot in rig.slot]
    return LengthGroups(names, _indices(wanted, names), _indices(own, names))


def no_length_groups(rig: RigBody) -> LengthGroups:
    """Return no groups, for an armature whose bones keep their lengths."""
    fixed = np.full(len(rig.body.links), FIXED)
    return LengthGroups((), fixed, fixed)


def _indices(wanted: list[str | None], names: tuple[str, ...]) -> IntArray:
    return np.array([names.index(name) if name in names else FIXED for name in wanted])
