"""Poses in which a body stands: legs and trunk in one line, wherever the world's up is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..motion.skeleton import Skeleton
from ..recognition.mapping import SIDES, BoneMapping

IN_LINE = np.cos(np.radians(35.0))
"""Cosine of the largest angle between trunk and legs of a standing body."""
STRAIGHT = 0.9
"""Least distance from hip to ankle over the leg's length of a standing body."""
UPRIGHT = np.cos(np.radians(45.0))
"""Cosine of the largest lean of a rest pose that stands."""
SAME_SCORE = 1e-4
"""Frames whose scores differ by less stand equally well, and the first of them is taken."""
TOPS = ("head", "neck", "spine")


@dataclass(frozen=True, eq=False)
class Body:
    """The joints that say how a body stands: indices of hips, knees and ankles (2), of toes, and of the top.

    toe (2): or None where the rig has none; top: the highest bone of the trunk, None without a trunk
    """

    hip: IntArray
    knee: IntArray
    ankle: IntArray
    toe: IntArray | None
    top: int | None

    @staticmethod
    def of(skeleton: Skeleton, mapping: BoneMapping) -> Body:
        """Return the joints of a mapped skeleton."""

        def both(part: str) -> IntArray:
            return np.array([skeleton.index[mapping.first(f"{part}.{side}")] for side in SIDES])

        has_toes = all(f"toe.{side}" in mapping for side in SIDES)
        top = next((mapping.bones[slot][-1] for slot in TOPS if mapping.bones.get(slot)), None)
        return Body(
            both("thigh"),
            both("shin"),
            both("foot"),
            both("toe") if has_toes else None,
            None if top is None else skeleton.index[top],
        )

    def leg_length(self, position: FloatArray) -> float:
        """Return the length from hip to ankle along the bones, over both sides and all poses (T, N, 3)."""
        thigh = np.linalg.norm(position[:, self.knee] - position[:, self.hip], axis=-1)
        shin = np.linalg.norm(position[:, self.ankle] - position[:, self.knee], axis=-1)
        return float(np.median(thigh + shin))

    def upwards(self, position: FloatArray) -> FloatArray:
        """Return vectors (T, 3) from feet to head of at most length 1: the mean of body and trunk.

        Somebody who sits on the ground has only the trunk upright.
        """
        hips, ankles = position[:, self.hip].mean(axis=1), position[:, self.ankle].mean(axis=1)
        if self.top is None:
            return unit_vectors(hips - ankles)
        top = position[:, self.top]
        return np.asarray(0.5 * (unit_vectors(top - ankles) + unit_vectors(top - hips)))

    def stance_direction(self, position: FloatArray) -> FloatArray | None:
        """Return which way is up (3) for a pose (N, 3) that stands; None where it does not."""
        legs = unit_vectors(position[self.hip] - position[self.ankle])
        upwards = unit_vectors(legs.sum(axis=0))
        if self.standing_score(position[None], upwards)[0] < UPRIGHT * STRAIGHT:
            return None
        if self.top is None:
            return upwards
        trunk = unit_vectors(position[self.top] - position[self.hip].mean(axis=0))
        return unit_vectors(trunk + upwards) if np.all(legs @ trunk > IN_LINE) else None

    def standing_score(self, position: FloatArray, up: FloatArray) -> FloatArray:
        """Return how well poses (T, N, 3) stand (T): 1 is upright on straight legs, 0 or less is lying."""
        leg = position[:, self.hip] - position[:, self.ankle]
        bones = np.linalg.norm(position[:, self.hip] - position[:, self.knee], axis=-1)
        bones = bones + np.linalg.norm(position[:, self.knee] - position[:, self.ankle], axis=-1)
        score = (leg @ up / np.maximum(bones, 1e-12)).min(axis=1)
        if self.top is not None:
            trunk = unit_vectors(position[:, self.top] - position[:, self.hip].mean(axis=1)) @ up
            score = np.minimum(score, trunk)
        return np.asarray(score)

    def forward(self, position: FloatArray, up: FloatArray) -> FloatArray:
        """Return the direction (3) that a pose (N, 3) faces, from its left and right hip."""
        return np.asarray(np.cross(position[self.hip[0]] - position[self.hip[1]], up))


def best_standing_frame(body: Body, position: FloatArray, up: FloatArray) -> int:
    """Return the first of the frames (T, N, 3) that stand best."""
    score = body.standing_score(position, up)
    return int(np.flatnonzero(score > score.max() - SAME_SCORE)[0])


def stands(body: Body, position: FloatArray, up: FloatArray) -> bool:
    """Return whether a pose (N, 3) stands upright on its feet."""
    direction = body.stance_direction(position)
    return direction is not None and bool(direction @ up > UPRIGHT)


def unit_vectors(vectors: FloatArray) -> FloatArray:
    """Return vectors (..., 3) scaled to length 1; zero stays zero."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))
