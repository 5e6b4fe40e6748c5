"""The error of all bones in the world while tracks are fitted one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from .channel import Track
from .tree import Tree, swung

FLOOR, POWER = 0.3, 2.0
"""An error that is a share s of what is allowed counts (FLOOR + s) ** POWER in a wish."""


class WorldError:
    """Turns (F, 3, N) [rad] and shifts (F, 3, N) [m] of all bones from where they should be.

    limit_rad (F, N), limit_m (F, N): how large they may be
    """

    def __init__(
        self, tree: Tree, tracks: Sequence[Track], limit_rad: FloatArray, limit_m: FloatArray
    ) -> None:
        self.tracks, self.limit_rad, self.limit_m = tracks, limit_rad, limit_m
        frames, bones = limit_rad.shape
        self.turn, self.shift = np.zeros((frames, 3, bones)), np.zeros((frames, 3, bones))
        self.bones = [tree.carried[track.node][0] for track in tracks]
        self.turned = [np.isin(tree.carried[track.node][0], tree.turned(track.node)) for track in tracks]
        self.reach = [tree.reach(track.node) for track in tracks]
        self.change: list[FloatArray] = [np.zeros((frames, 3)) for _ in tracks]  # of each track's own bone

    def replace(self, number: int, change: FloatArray) -> None:
        """A track is off by another change (F, 3) now."""
        more, bones = change - self.change[number], self.bones[number]
        self.change[number] = change
        self.shift[:, :, bones] += self._shift(number, more)
        if not self.tracks[number].moves:
            self.turn[:, :, bones[self.turned[number]]] += more[:, :, None]

    def _shift(self, number: int, change: FloatArray) -> FloatArray:
        return change[:, :, None] if self.tracks[number].moves else swung(change, self.reach[number])

    def wish(self, number: int) -> FloatArray:
        """The change (F, 3) of a track by which errors of the bones it carries would be least, in squares.

        Errors count as shares of what is allowed, and more the nearer they are to it.
        """
        bones, moves = self.bones[number], self.tracks[number].moves
        weight = (FLOOR + self.shares(bones)) ** POWER
        shift = self.shift[:, :, bones] - self._shift(number, self.change[number])
        by_shift = weight / self.limit_m[:, bones] ** 2
        if moves:
            return -np.einsum("fn,fdn->fd", by_shift, shift) / by_shift.sum(axis=1)[:, None]
        turned = self.turned[number]
        turn = self.turn[:, :, bones[turned]] - self.change[number][:, :, None]
        by_turn = weight[:, turned] / self.limit_rad[:, bones[turned]] ** 2
        reach = self.reach[number]
        # The least of |turn + c|^2 and |shift + c x reach|^2 over all c.
        wanted = np.einsum("fn,fdn->fd", by_turn, turn)
        wanted += np.einsum("fn,fdn->fd", by_shift, np.cross(reach, shift, axis=1))
        far = np.einsum("fn,fdn,fen->fde", by_shift, reach, reach)
        square = (by_turn.sum(axis=1) + np.trace(far, axis1=1, axis2=2))[:, None, None] * np.eye(3) - far
        return -np.linalg.solve(square, wanted[..., None])[..., 0]

    def within_limits(self, bones: IntArray) -> BoolArray:
        """At which frames (F) none of some bones is too far off."""
        return np.asarray((self.shares(bones) <= 1.0).all(axis=1))

    def shares(self, bones: IntArray | slice = slice(None)) -> FloatArray:
        """Errors (F, n) as shares of what is allowed."""
        turn, shift = (_length(error[:, :, bones]) for error in (self.turn, self.shift))
        return np.maximum(turn / self.limit_rad[:, bones], shift / self.limit_m[:, bones])

    def blame(self) -> FloatArray:
        """What each track (F, K) does to the bone that is furthest off; 0 where none is too far off."""
        shares = self.shares()
        rows = np.flatnonzero(shares.max(axis=1) > 1.0)
        worst = shares[rows].argmax(axis=1)
        result = np.zeros((len(shares), len(self.tracks)))
        for number in range(len(self.tracks)):
            place = {int(bone): k for k, bone in enumerate(self.bones[number])}
            at = np.array([place.get(int(bone), -1) for bone in worst], dtype=np.int64)
            own = at >= 0
            result[rows[own], number] = self._blame(number, rows[own], worst[own], at[own])
        return result

    def _blame(self, number: int, rows: IntArray, bone: IntArray, at: IntArray) -> FloatArray:
        """Only what points along a bone's error makes it larger; at: the bones among the track's own."""
        moves, change = self.tracks[number].moves, self.change[number][rows]
        own = change if moves else swung(change, self.reach[number][rows, :, at][:, :, None])[:, :, 0]
        share = _along(own, self.shift[rows, :, bone]) / self.limit_m[rows, bone]
        if moves:
            return share
        turn = _along(change, self.turn[rows, :, bone]) / self.limit_rad[rows, bone]
        return np.maximum(share, np.where(self.turned[number][at], turn, 0.0))


def _length(vectors: FloatArray) -> FloatArray:
    """Of vectors (F, 3, n)."""
    x, y, z = vectors[:, 0], vectors[:, 1], vectors[:, 2]
    return np.sqrt(x * x + y * y + z * z)


def _along(part: FloatArray, whole: FloatArray) -> FloatArray:
    """How far parts (n, 3) go along wholes (n, 3)."""
    return np.sum(part * whole, axis=1) / np.maximum(np.linalg.norm(whole, axis=1), 1e-12)
