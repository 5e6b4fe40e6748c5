"""Choice of the frames that need keys.

Curves start with the keys that are always kept. Where the error of a bone in the world exceeds its limit, the
track that contributes most gets a key, until all errors are within limits. Then each track in turn
compensates the errors of the others as far as its keys allow, and keys are removed as long as all errors
stay within limits.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from .bone_errors import BoneTree, PoseErrors
from .channel import Track
from .handles import fit_handles
from .spline import Spline, fit_spline

GAIN = 0.6
"""Share of the others' errors that a track compensates at a time, because they change, too."""
SWEEPS = 6
"""Number of passes over all keys in which keys are removed."""
KEYS_APART = 4
"""Distance in keys of keys that are removed together, so that each can be judged alone."""

_Fitted = tuple[Spline, FloatArray]
"""Curves, and their values (F, C) at all frames."""


@dataclass(frozen=True, eq=False)
class ReducedKeys:
    """Curves with few keys, and their errors.

    splines: one for each track; turn_rad, shift_m (F, N): errors of all bones in the world
    """

    splines: tuple[Spline, ...]
    turn_rad: FloatArray
    shift_m: FloatArray

    @property
    def key_count(self) -> int:
        """Return the number of keys of all channels."""
        return sum(int(spline.key_counts.sum()) for spline in self.splines)


def reduce_keys(
    frame: FloatArray, tree: BoneTree, tracks: Sequence[Track], limit_rad: FloatArray, limit_m: FloatArray
) -> Generator[float, None, ReducedKeys]:
    """Fit curves over frames (F) that keep the errors of all bones within limits (F, N) [rad, m].

    Yields the fraction done while it works.
    """
    work = _Reduction(frame, tree, tracks, limit_rad, limit_m)
    for number in range(len(tracks)):
        work.start(number)
        yield 0.0
    for round_number in itertools.count():
        if not (yield from work.insert_keys(0.5 * round_number / (round_number + 5))):
            break
    for sweep in range(SWEEPS):
        for number in range(len(tracks)):
            share = 0.5 + 0.5 * (sweep + number / len(tracks)) / SWEEPS
            work.compensate(number)
            yield share
            yield from work.remove_keys(number, share)
    turn, shift = (np.linalg.norm(error, axis=1) for error in (work.error.turn, work.error.shift))
    return ReducedKeys(tuple(spline for spline, _ in work.fitted), turn, shift)


class _Reduction:
    """The state of a reduction: keys, curves and errors of all tracks."""

    def __init__(
        self,
        frame: FloatArray,
        tree: BoneTree,
        tracks: Sequence[Track],
        limit_rad: FloatArray,
        limit_m: FloatArray,
    ) -> None:
        self.frame, self.tracks = frame, tracks
        self.error = PoseErrors(tree, tracks, limit_rad, limit_m)
        self.is_key = np.zeros((len(tracks), len(frame)), dtype=bool)
        self.kept = np.zeros_like(self.is_key)
        for number, track in enumerate(tracks):
            self.kept[number, [0, len(frame) - 1, *track.kept]] = True
        self.is_key |= self.kept
        self.target = [track.values for track in tracks]
        self.fitted: list[_Fitted] = []

    def start(self, number: int) -> None:
        """Fit a track with the keys that are always kept; called for all tracks in turn first."""
        self.fitted.append(self._fitted(number))
        self._put(number, self.fitted[number])

    def _fitted(self, number: int, is_key: BoolArray | None = None) -> _Fitted:
        keys = np.flatnonzero(self.is_key[number] if is_key is None else is_key)
        straight = fit_spline(self.frame, self.target[number], keys, self.kept[number, keys])
        return fit_handles(straight, self.target[number], keys)

    def compensate(self, number: int) -> None:
        """Let a track compensate the errors of the others, unless an error would exceed its limit."""
        before = self.target[number], self.fitted[number]
        change = np.where(self.kept[number, :, None], 0.0, self.error.best_change(number))
        self.target[number] = self.tracks[number].values_for(GAIN * change)
        self._put(number, self._fitted(number))
        if not self.error.within_limits(self.error.bones[number]).all():
            self.target[number] = before[0]
            self._put(number, before[1])

    def _put(self, number: int, fitted: _Fitted) -> None:
        """Set the curves of a track and update the errors."""
        self.fitted[number] = fitted
        self.error.replace(number, self.tracks[number].change(fitted[1]))

    def insert_keys(self, share: float) -> Generator[float, None, bool]:
        """Insert keys where errors exceed limits, at most one between two keys; return False if none do.

        Yields the fraction done after each track.
        """
        part = self.error.contributions()
        yield share
        wrong = np.flatnonzero(part.any(axis=1))
        if len(wrong) == 0:
            return False
        most = part[wrong].argmax(axis=1)
        grown = False
        for number in np.unique(most):
            grown |= self._insert(int(number), wrong[most == number])
            yield share
        if not grown:  # the tracks that contribute most have keys at all frames: try the others
            for number in np.flatnonzero(part.max(axis=0) > 0.0):
                self._insert_nearest(int(number), wrong[part[wrong, number] > 0.0])
                yield share
        return True

    def _insert(self, number: int, wrong: IntArray) -> bool:
        """Insert a key in each segment with wrong frames, where the track's own error is largest.

        Returns False if there is no free frame.
        """
        error = np.linalg.norm(self.error.change[number], axis=1)
        keys = np.flatnonzero(self.is_key[number])
        for piece in np.unique(np.clip(np.searchsorted(keys, wrong, side="right") - 1, 0, len(keys) - 2)):
            start, end = keys[piece], keys[piece + 1]
            if end - start > 1:
                self.is_key[number, start + 1 + int(error[start + 1 : end].argmax())] = True
        if self.is_key[number].sum() == len(keys):
            return False
        self._put(number, self._fitted(number))
        return True

    def _insert_nearest(self, number: int, wrong: IntArray) -> None:
        """Insert keys at the free frames that are nearest to the wrong ones."""
        free = np.flatnonzero(~self.is_key[number])
        if len(free):
            nearest = np.abs(free[:, None] - wrong).argmin(axis=0)
            self.is_key[number, free[nearest]] = True
            self._put(number, self._fitted(number))

    def remove_keys(self, number: int, share: float) -> Generator[float, None, None]:
        """Remove keys of a track that are not needed; yields the fraction done."""
        for first in range(KEYS_APART):
            keys = np.flatnonzero(self.is_key[number])
            tried = np.arange(first, len(keys), KEYS_APART)
            tried = tried[~self.kept[number, keys[tried]]]
            if len(tried):
                self._try_without(number, keys, tried)
            yield share

    def _try_without(self, number: int, keys: IntArray, tried: IntArray) -> None:
        """Remove those of the tried keys without which all errors stay within limits."""
        before, bones = self.fitted[number], self.error.bones[number]
        self._put(number, self._fitted(number, self._keys_without(number, keys[tried])))
        for _ in range(2):  # a key that is put back can have an effect farther away
            wrong = ~self.error.within_limits(bones)
            low, high = keys[np.maximum(tried - 2, 0)], keys[np.minimum(tried + 2, len(keys) - 1)]
            good = np.array([not wrong[a : b + 1].any() for a, b in zip(low, high, strict=True)])
            tried = tried[good]
            self._put(number, self._fitted(number, self._keys_without(number, keys[tried])))
            if self.error.within_limits(bones).all():
                self.is_key[number] = self._keys_without(number, keys[tried])
                return
        self._put(number, before)

    def _keys_without(self, number: int, frames: IntArray) -> BoolArray:
        left: BoolArray = self.is_key[number].copy()
        left[frames] = False
        return left
