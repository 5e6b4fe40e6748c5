"""Choosing the frames that need keys.

Curves begin with the keys that must be there. Where a bone is too far off in the world, the track that does
most of it gets a key, until nothing is. Then each track in turn makes up for what the others are off by, as
far as its keys allow, and keys are taken away as long as nothing gets too far off.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from .channel import Track
from .handles import bent
from .key_error import WorldError
from .spline import Spline, fit
from .tree import Tree

GAIN = 0.6
"""Which share of what the others are off by a track makes up for at a time: they change, too."""
SWEEPS = 6
"""How often all keys are looked through for those that can go."""
APART = 4
"""Keys that are tried together lie so many keys apart, so that each can be judged alone."""

_Fitted = tuple[Spline, FloatArray]
"""Curves, and their values (F, C) at all frames."""


@dataclass(frozen=True, eq=False)
class FewKeys:
    """Curves with few keys, and how far they are off.

    splines: one a track; turn_rad (F, N), shift_m (F, N): errors of all bones in the world
    """

    splines: tuple[Spline, ...]
    turn_rad: FloatArray
    shift_m: FloatArray

    @property
    def key_count(self) -> int:
        """Keys of all channels."""
        return sum(int(spline.key_counts.sum()) for spline in self.splines)


def reducing_keys(
    frame: FloatArray, tree: Tree, tracks: Sequence[Track], limit_rad: FloatArray, limit_m: FloatArray
) -> Generator[float, None, FewKeys]:
    """Curves over frames (F) that keep all bones within limits (F, N) [rad, m] of where the tracks put them.

    Gives back control on the way with the share done.
    """
    work = _Reduction(frame, tree, tracks, limit_rad, limit_m)
    for number in range(len(tracks)):
        work.start(number)
        yield 0.0
    for round_number in itertools.count():
        if not (yield from work.inserting(0.5 * round_number / (round_number + 5))):
            break
    for sweep in range(SWEEPS):
        for number in range(len(tracks)):
            share = 0.5 + 0.5 * (sweep + number / len(tracks)) / SWEEPS
            work.aim(number)
            yield share
            yield from work.thinning_out(number, share)
    turn, shift = (np.linalg.norm(error, axis=1) for error in (work.error.turn, work.error.shift))
    return FewKeys(tuple(spline for spline, _ in work.fitted), turn, shift)


class _Reduction:
    def __init__(
        self,
        frame: FloatArray,
        tree: Tree,
        tracks: Sequence[Track],
        limit_rad: FloatArray,
        limit_m: FloatArray,
    ) -> None:
        self.frame, self.tracks = frame, tracks
        self.error = WorldError(tree, tracks, limit_rad, limit_m)
        self.is_key = np.zeros((len(tracks), len(frame)), dtype=bool)
        self.kept = np.zeros_like(self.is_key)
        for number, track in enumerate(tracks):
            self.kept[number, [0, len(frame) - 1, *track.kept]] = True
        self.is_key |= self.kept
        self.target = [track.values for track in tracks]
        self.fitted: list[_Fitted] = []

    def start(self, number: int) -> None:
        """With the keys that are kept; all tracks in turn, before anything else."""
        self.fitted.append(self._fitted(number))
        self._put(number, self.fitted[number])

    def _fitted(self, number: int, is_key: BoolArray | None = None) -> _Fitted:
        keys = np.flatnonzero(self.is_key[number] if is_key is None else is_key)
        straight = fit(self.frame, self.target[number], keys, self.kept[number, keys])
        return bent(straight, self.target[number], keys)

    def aim(self, number: int) -> None:
        """Let a track make up for what the others are off by; not where something would get too far off."""
        before = self.target[number], self.fitted[number]
        wish = np.where(self.kept[number, :, None], 0.0, self.error.wish(number))
        self.target[number] = self.tracks[number].values_for(GAIN * wish)
        self._put(number, self._fitted(number))
        if not self.error.within_limits(self.error.bones[number]).all():
            self.target[number] = before[0]
            self._put(number, before[1])

    def _put(self, number: int, fitted: _Fitted) -> None:
        self.fitted[number] = fitted
        self.error.replace(number, self.tracks[number].change(fitted[1]))

    def inserting(self, share: float) -> Generator[float, None, bool]:
        """Keys where something is too far off, at most one between two keys; False if nothing is.

        Gives back control after each track, with the share done of all.
        """
        blame = self.error.blame()
        yield share
        wrong = np.flatnonzero(blame.any(axis=1))
        if len(wrong) == 0:
            return False
        most = blame[wrong].argmax(axis=1)
        grown = False
        for number in np.unique(most):
            grown |= self._insert(int(number), wrong[most == number])
            yield share
        if not grown:  # who does most has keys all about: others have their turn
            for number in np.flatnonzero(blame.max(axis=0) > 0.0):
                self._crowd(int(number), wrong[blame[wrong, number] > 0.0])
                yield share
        return True

    def _insert(self, number: int, wrong: IntArray) -> bool:
        """A key in each piece with frames that are wrong by this track, where it is furthest off itself.

        False if there is no room for any.
        """
        off = np.linalg.norm(self.error.change[number], axis=1)
        keys = np.flatnonzero(self.is_key[number])
        for piece in np.unique(np.clip(np.searchsorted(keys, wrong, side="right") - 1, 0, len(keys) - 2)):
            start, end = keys[piece], keys[piece + 1]
            if end - start > 1:
                self.is_key[number, start + 1 + int(off[start + 1 : end].argmax())] = True
        if self.is_key[number].sum() == len(keys):
            return False
        self._put(number, self._fitted(number))
        return True

    def _crowd(self, number: int, wrong: IntArray) -> None:
        """A key at the frames without one that are nearest to those that are wrong."""
        free = np.flatnonzero(~self.is_key[number])
        if len(free):
            nearest = np.abs(free[:, None] - wrong).argmin(axis=0)
            self.is_key[number, free[nearest]] = True
            self._put(number, self._fitted(number))

    def thinning_out(self, number: int, share: float) -> Generator[float, None, None]:
        """Takes away keys of a track that nothing needs; gives back control with the share done of all."""
        for first in range(APART):
            keys = np.flatnonzero(self.is_key[number])
            tried = np.arange(first, len(keys), APART)
            tried = tried[~self.kept[number, keys[tried]]]
            if len(tried):
                self._without(number, keys, tried)
            yield share

    def _without(self, number: int, keys: IntArray, tried: IntArray) -> None:
        before, bones = self.fitted[number], self.error.bones[number]
        self._put(number, self._fitted(number, self._less(number, keys[tried])))
        for _ in range(2):  # what is put back may be felt further away
            wrong = ~self.error.within_limits(bones)
            low, high = keys[np.maximum(tried - 2, 0)], keys[np.minimum(tried + 2, len(keys) - 1)]
            good = np.array([not wrong[a : b + 1].any() for a, b in zip(low, high, strict=True)])
            tried = tried[good]
            self._put(number, self._fitted(number, self._less(number, keys[tried])))
            if self.error.within_limits(bones).all():
                self.is_key[number] = self._less(number, keys[tried])
                return
        self._put(number, before)

    def _less(self, number: int, frames: IntArray) -> BoolArray:
        left: BoolArray = self.is_key[number].copy()
        left[frames] = False
        return left
