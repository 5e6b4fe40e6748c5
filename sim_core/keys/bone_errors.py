"""Errors of all bones in the world that result from the errors of the fitted channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..motion.skeleton import NO_PARENT
from .channel import Track

WEIGHT_OFFSET, WEIGHT_POWER = 0.3, 2.0
"""The weight of an error that is a share s of its limit is (WEIGHT_OFFSET + s) ** WEIGHT_POWER."""


@dataclass(frozen=True, eq=False)
class BoneTree:
    """N bones, parents first, at F frames.

    parents (N): NO_PARENT for roots; position_world (F, N, 3) [m]
    turns_with_parent (N): False for bones that do not inherit the rotation of their parent
    """

    parents: IntArray
    position_world: FloatArray
    turns_with_parent: tuple[bool, ...]

    @cached_property
    def moved(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """Return for each bone itself and all bones below it, and the bone with whose head each is displaced.

        That is the bone below itself, or a bone above it that does not inherit rotation.
        """
        return tuple(self._moved(bone) for bone in range(len(self.parents)))

    def _moved(self, bone: int) -> tuple[IntArray, IntArray]:
        swung = {bone: bone}
        for own in range(bone + 1, len(self.parents)):
            above = int(self.parents[own])
            if above == NO_PARENT or above not in swung:
                continue
            stops = swung[above] != above or (above != bone and not self.turns_with_parent[above])
            swung[own] = swung[above] if stops else own
        return np.array(list(swung)), np.array(list(swung.values()))

    def rotated(self, bone: int) -> IntArray:
        """Return the bones that rotate with a bone, including itself."""
        bones, swung = self.moved[bone]
        own = np.array([b == bone or self.turns_with_parent[b] for b in bones])
        return bones[(bones == swung) & own]

    def lever_arms(self, bone: int) -> FloatArray:
        """Return the lever arms from a bone to the heads that it displaces (F, 3, n) [m]."""
        away = self.position_world[:, self.moved[bone][1]] - self.position_world[:, bone, None]
        return np.ascontiguousarray(np.swapaxes(away, 1, 2))


def swing(rotation: FloatArray, arms: FloatArray) -> FloatArray:
    """Return the displacements (F, 3, n) of points at lever arms (F, 3, n) by small rotations (F, 3) [rad].

    They are of first order: the error for half a degree at a distance of 1 m is 0.04 mm.
    """
    x, y, z = rotation.T[:, :, None]
    a, b, c = arms[:, 0], arms[:, 1], arms[:, 2]
    return np.stack([y * c - z * b, z * a - x * c, x * b - y * a], axis=1)


class PoseErrors:
    """Rotation errors `turn` (F, 3, N) [rad] and position errors `shift` (F, 3, N) [m] of all bones.

    limit_rad, limit_m (F, N): largest errors that are allowed
    """

    def __init__(
        self, tree: BoneTree, tracks: Sequence[Track], limit_rad: FloatArray, limit_m: FloatArray
    ) -> None:
        self.tracks, self.limit_rad, self.limit_m = tracks, limit_rad, limit_m
        frames, bones = limit_rad.shape
        self.turn, self.shift = np.zeros((frames, 3, bones)), np.zeros((frames, 3, bones))
        self.bones = [tree.moved[track.node][0] for track in tracks]
        self.rotated = [np.isin(tree.moved[track.node][0], tree.rotated(track.node)) for track in tracks]
        self.arms = [tree.lever_arms(track.node) for track in tracks]
        self.change: list[FloatArray] = [
            np.zeros((frames, 3)) for _ in tracks
        ]  # error of each track's own bone

    def replace(self, number: int, change: FloatArray) -> None:
        """Set the error of a track's own bone (F, 3), and update the errors of all bones below it."""
        more, bones = change - self.change[number], self.bones[number]
        self.change[number] = change
        self.shift[:, :, bones] += self._shift(number, more)
        if not self.tracks[number].moves:
            self.turn[:, :, bones[self.rotated[number]]] += more[:, :, None]

    def _shift(self, number: int, change: FloatArray) -> FloatArray:
        return change[:, :, None] if self.tracks[number].moves else swing(change, self.arms[number])

    def best_change(self, number: int) -> FloatArray:
        """Return the change of a track (F, 3) that minimises the weighted squared errors of its bones.

        Errors are relative to their limits, and weigh more the nearer they are to them.
        """
        bones, moves = self.bones[number], self.tracks[number].moves
        weight = (WEIGHT_OFFSET + self.shares(bones)) ** WEIGHT_POWER
        shift = self.shift[:, :, bones] - self._shift(number, self.change[number])
        by_shift = weight / self.limit_m[:, bones] ** 2
        if moves:
            return -np.einsum("fn,fdn->fd", by_shift, shift) / by_shift.sum(axis=1)[:, None]
        rotated = self.rotated[number]
        turn = self.turn[:, :, bones[rotated]] - self.change[number][:, :, None]
        by_turn = weight[:, rotated] / self.limit_rad[:, bones[rotated]] ** 2
        arms = self.arms[number]
        # The least of |turn + c|^2 and |shift + c x arms|^2 over all c.
        wanted = np.einsum("fn,fdn->fd", by_turn, turn)
        wanted += np.einsum("fn,fdn->fd", by_shift, np.cross(arms, shift, axis=1))
        far = np.einsum("fn,fdn,fen->fde", by_shift, arms, arms)
        square = (by_turn.sum(axis=1) + np.trace(far, axis1=1, axis2=2))[:, None, None] * np.eye(3) - far
        return -np.linalg.solve(square, wanted[..., None])[..., 0]

    def within_limits(self, bones: IntArray) -> BoolArray:
        """Return at which frames (F) the errors of all these bones are within their limits."""
        return np.asarray((self.shares(bones) <= 1.0).all(axis=1))

    def shares(self, bones: IntArray | slice = slice(None)) -> FloatArray:
        """Return errors (F, n) as shares of their limits."""
        turn, shift = (_length(error[:, :, bones]) for error in (self.turn, self.shift))
        return np.maximum(turn / self.limit_rad[:, bones], shift / self.limit_m[:, bones])

    def contributions(self) -> FloatArray:
        """Return the share of each track (F, K) in the largest error of a frame; 0 if that is allowed."""
        shares = self.shares()
        rows = np.flatnonzero(shares.max(axis=1) > 1.0)
        worst = shares[rows].argmax(axis=1)
        result = np.zeros((len(shares), len(self.tracks)))
        for number in range(len(self.tracks)):
            column = {int(bone): k for k, bone in enumerate(self.bones[number])}
            at = np.array([column.get(int(bone), -1) for bone in worst], dtype=np.int64)
            own = at >= 0
            result[rows[own], number] = self._contribution(number, rows[own], worst[own], at[own])
        return result

    def _contribution(self, number: int, rows: IntArray, bone: IntArray, at: IntArray) -> FloatArray:
        """Return the part of a track's error along the errors of bones; at: their columns among its bones."""
        moves, change = self.tracks[number].moves, self.change[number][rows]
        own = change if moves else swing(change, self.arms[number][rows, :, at][:, :, None])[:, :, 0]
        share = _along(own, self.shift[rows, :, bone]) / self.limit_m[rows, bone]
        if moves:
            return share
        turn = _along(change, self.turn[rows, :, bone]) / self.limit_rad[rows, bone]
        return np.maximum(share, np.where(self.rotated[number][at], turn, 0.0))


def _length(vectors: FloatArray) -> FloatArray:
    """Return the lengths (F, n) of vectors (F, 3, n)."""
    x, y, z = vectors[:, 0], vectors[:, 1], vectors[:, 2]
    return np.sqrt(x * x + y * y + z * z)


def _along(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return the lengths (n) of vectors (n, 3) along the directions of others (n, 3)."""
    return np.sum(part * whole, axis=1) / np.maximum(np.linalg.norm(whole, axis=1), 1e-12)
