"""Faults of marker paths: noise, outliers, drop-outs, and markers whose labels were swapped."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import uniform_filter1d

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals

STEADY = 0.005
"""Noise that tracking can cope with [m]."""
LONGEST_S = 0.15
"""Paths are averaged at most over this time; longer would smooth out steps [s]."""
MEDIAN_OF_NORMAL = 0.6745


def path_noise(position: FloatArray) -> float:
    """Return the standard deviation per axis of the noise in paths (T, M, 3) [m].

    Third differences of a smooth path vanish, those of noise have 20 times its variance.
    """
    jumps = np.diff(position, n=3, axis=0)
    jumps = np.abs(jumps[np.isfinite(jumps)])
    return float(np.median(jumps)) / (MEDIAN_OF_NORMAL * np.sqrt(20.0)) if jumps.size else 0.0


def steadied(position: FloatArray, rate_hz: float) -> FloatArray:
    """Return paths (T, M, 3) averaged over as many samples as their noise requires; gaps stay."""
    wanted = (path_noise(position) / STEADY) ** 2
    size = int(min(wanted, LONGEST_S * rate_hz)) // 2 * 2 + 1
    if size < 3:
        return position
    seen = np.isfinite(position)
    total = uniform_filter1d(np.where(seen, position, 0.0), size, axis=0, mode="nearest")
    share = uniform_filter1d(seen.astype(np.float64), size, axis=0, mode="nearest")
    return np.where(seen, total / np.maximum(share, 1e-9), np.nan)


JUMP = 0.06
"""A marker on a body moves less from one frame to the next [m]."""
EXACT = 1.0 / 3.0
"""Largest distance from the other marker's last position after a swap, as a share of the jump."""
LOOSE = 0.6
"""The same share for an exchange that noise hides from the stricter one, where one is missing."""
HIDDEN = 0.075
"""Markers that are nearer to each other may exchange their positions without a jump, at some noise [m]."""
NONE = -1


def undo_swaps(position: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return paths (T, M, 3) with swaps undone, and the marker that each one was swapped with (T, M).

    Of the two labellings of a pair, the one that holds for most of the take is right. A pair with an odd
    number of exchanges stays swapped to an end of the take; if it has gaps, or comes so near that it need not
    jump, it is left alone, because another exchange may be hidden there.
    """
    swapped_with = np.full(position.shape[:2], NONE)
    for (i, j), toggles in _exchanges(position).items():
        if len(toggles) % 2:
            toggles = _exchanges(position[:, [i, j]], LOOSE)[0, 1]
        apart = np.linalg.norm(position[:, i] - position[:, j], axis=1)
        if len(toggles) % 2 and not (apart > HIDDEN).all():
            continue
        flipped = np.zeros(len(position), dtype=bool)
        for t in toggles:
            flipped[t:] ^= True
        if flipped.mean() > 0.5:
            flipped = ~flipped
        swapped_with[flipped, i], swapped_with[flipped, j] = j, i
    result = position.copy()
    for t, m in np.argwhere(swapped_with != NONE):
        result[t, m] = position[t, swapped_with[t, m]]
    return result, swapped_with


def _exchanges(position: FloatArray, exact: float = EXACT) -> dict[tuple[int, int], list[int]]:
    """Return pairs of markers, and the frames at which they exchange their positions."""
    found: dict[tuple[int, int], list[int]] = {}
    jump = np.nan_to_num(np.linalg.norm(np.diff(position, axis=0), axis=2))
    for t in np.flatnonzero((jump > JUMP).sum(axis=1) > 1):
        far = np.flatnonzero(jump[t] > JUMP)
        apart = _apart(position[t + 1, far], position[t, far])
        fits = apart < exact * jump[t, far][:, None]
        # Markers that are near each other go on as several others did; each has one partner, the likeliest.
        ahead = 2.0 * position[t, far] - position[t - 1, far] if t > 0 else position[t, far]
        off = np.fmin(apart, _apart(position[t + 1, far], ahead))
        off += off.T
        free = set(range(len(far)))
        for a, b in sorted(np.argwhere(np.triu(fits & fits.T, 1)).tolist(), key=lambda ab: off[ab[0], ab[1]]):
            if {a, b} <= free:
                free -= {a, b}
                found.setdefault((int(far[a]), int(far[b])), []).append(int(t) + 1)
    return found


def _apart(points: FloatArray, others: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(points[:, None] - others[None], axis=2))


FAR = 0.05
"""A marker this far from its position on the body is an outlier [m]..."""
FAR_RATIO = 6.0
"""...if that is also this many times its median distance."""


@dataclass(frozen=True)
class Fault:
    """Frames (counted from the take's first sample, including the last one) in which a marker is wrong.

    kind: "missing", "outlier" or "swapped"; other: the marker that it was swapped with
    """

    marker: str
    first: int
    last: int
    kind: str
    other: str = ""

    @property
    def sentence(self) -> str:
        """Description of the fault for the user."""
        where = (
            f"frame {self.first + 1}"
            if self.first == self.last
            else f"frames {self.first + 1}-{self.last + 1}"
        )
        what = {"missing": "was not seen", "outlier": "is an outlier", "swapped": f"is {self.other}"}[
            self.kind
        ]
        return f"{self.marker} {what} in {where}."


@dataclass(frozen=True, eq=False)
class CleanedMarkers:
    """Marker positions (T, M, 3) without faults, and the faults that were found."""

    position: FloatArray
    outlier: BoolArray
    swapped_with: IntArray

    def same_as(self, other: CleanedMarkers) -> bool:
        """Return whether the same faults were found."""
        return np.array_equal(self.outlier, other.outlier) and np.array_equal(
            self.swapped_with, other.swapped_with
        )

    def with_swaps(self, swapped_with: IntArray) -> CleanedMarkers:
        """Return the same with swaps (T, M) that were undone before."""
        return replace(self, swapped_with=np.where(self.swapped_with < 0, swapped_with, self.swapped_with))


def clean(position: FloatArray, model: FloatArray) -> CleanedMarkers:
    """Return measured positions (T, M, 3) with swaps undone and outliers removed, judged by fitted ones."""
    distance = np.linalg.norm(position - model, axis=2)
    usual = np.array([np.median(d[np.isfinite(d)]) if np.isfinite(d).any() else 0.0 for d in distance.T])
    limit = np.maximum(FAR, FAR_RATIO * usual)
    far = np.nan_to_num(distance) > limit
    cleaned, swapped_with = position.copy(), np.full(far.shape, -1)
    for t in np.flatnonzero(far.sum(axis=1) > 1):
        _undo_frame_swaps(position[t], model[t], np.flatnonzero(far[t]), limit, cleaned[t], swapped_with[t])
    outlier = far & (swapped_with < 0)
    cleaned[outlier] = np.nan
    return CleanedMarkers(cleaned, outlier, swapped_with)


def _undo_frame_swaps(
    position: FloatArray,
    model: FloatArray,
    far: IntArray,
    limit: FloatArray,
    cleaned: FloatArray,
    swapped_with: IntArray,
) -> None:
    """Exchange pairs among the far markers of one frame that fit each other's positions."""
    apart = np.linalg.norm(position[far, None] - model[None, far], axis=2)
    fits = apart < limit[far][None, :]
    for i in range(len(far)):
        for j in range(i + 1, len(far)):
            if fits[i, j] and fits[j, i] and swapped_with[far[i]] < 0 and swapped_with[far[j]] < 0:
                a, b = int(far[i]), int(far[j])
                cleaned[a], cleaned[b] = position[b], position[a]
                swapped_with[a], swapped_with[b] = b, a


def list_faults(labels: tuple[str, ...], seen: BoolArray, cleaned: CleanedMarkers) -> tuple[Fault, ...]:
    """Return all faults in the order of time; seen (T, M)."""
    faults: list[Fault] = []
    for m, label in enumerate(labels):
        for kind, flags in (("missing", ~seen[:, m]), ("outlier", cleaned.outlier[:, m])):
            faults += [Fault(label, start, end - 1, kind) for start, end in true_intervals(flags)]
        for other in np.unique(cleaned.swapped_with[:, m]):
            if other >= 0:
                flags = cleaned.swapped_with[:, m] == other
                faults += [
                    Fault(label, a, b - 1, "swapped", labels[int(other)]) for a, b in true_intervals(flags)
                ]
    return tuple(sorted(faults, key=lambda fault: (fault.first, fault.marker)))
