"""Samples that do not belong: outliers, markers that changed places, and drop-outs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..conventions import BoolArray, FloatArray, IntArray
from ..spells import spells

FAR = 0.05
"""A marker this far from its place on the body is an outlier [m]..."""
FAR_RATIO = 6.0
"""...when that is also this many times what is usual for it."""


@dataclass(frozen=True)
class Fault:
    """Frames (counted from the take's first sample, last one included) in which a marker is wrong.

    kind: "missing", "outlier" or "swapped"; other: the marker it changed places with
    """

    marker: str
    first: int
    last: int
    kind: str
    other: str = ""

    @property
    def sentence(self) -> str:
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
class Cleaned:
    """Marker positions (T, M, 3) without what does not belong, and what was found."""

    position: FloatArray
    outlier: BoolArray
    swapped_with: IntArray

    def same_as(self, other: Cleaned) -> bool:
        return np.array_equal(self.outlier, other.outlier) and np.array_equal(
            self.swapped_with, other.swapped_with
        )

    def with_swaps(self, swapped_with: IntArray) -> Cleaned:
        """With swaps (T, M) that were turned back before."""
        return replace(self, swapped_with=np.where(self.swapped_with < 0, swapped_with, self.swapped_with))


def clean(position: FloatArray, model: FloatArray) -> Cleaned:
    """Measured and fitted positions (T, M, 3) compared: swaps are turned back, outliers taken out."""
    distance = np.linalg.norm(position - model, axis=2)
    usual = np.array([np.median(d[np.isfinite(d)]) if np.isfinite(d).any() else 0.0 for d in distance.T])
    limit = np.maximum(FAR, FAR_RATIO * usual)
    far = np.nan_to_num(distance) > limit
    cleaned, swapped_with = position.copy(), np.full(far.shape, -1)
    for t in np.flatnonzero(far.sum(axis=1) > 1):
        _turn_back(position[t], model[t], np.flatnonzero(far[t]), limit, cleaned[t], swapped_with[t])
    outlier = far & (swapped_with < 0)
    cleaned[outlier] = np.nan
    return Cleaned(cleaned, outlier, swapped_with)


def _turn_back(
    position: FloatArray,
    model: FloatArray,
    far: IntArray,
    limit: FloatArray,
    cleaned: FloatArray,
    swapped_with: IntArray,
) -> None:
    """Exchanges pairs among the far markers of one frame that fit each other's places."""
    apart = np.linalg.norm(position[far, None] - model[None, far], axis=2)
    fits = apart < limit[far][None, :]
    for i in range(len(far)):
        for j in range(i + 1, len(far)):
            if fits[i, j] and fits[j, i] and swapped_with[far[i]] < 0 and swapped_with[far[j]] < 0:
                a, b = int(far[i]), int(far[j])
                cleaned[a], cleaned[b] = position[b], position[a]
                swapped_with[a], swapped_with[b] = b, a


def list_faults(labels: tuple[str, ...], seen: BoolArray, cleaned: Cleaned) -> tuple[Fault, ...]:
    """By marker and frame, in the order of time; seen (T, M)."""
    faults: list[Fault] = []
    for m, label in enumerate(labels):
        for kind, flags in (("missing", ~seen[:, m]), ("outlier", cleaned.outlier[:, m])):
            faults += [Fault(label, start, end - 1, kind) for start, end in spells(flags)]
        for other in np.unique(cleaned.swapped_with[:, m]):
            if other >= 0:
                flags = cleaned.swapped_with[:, m] == other
                faults += [Fault(label, a, b - 1, "swapped", labels[int(other)]) for a, b in spells(flags)]
    return tuple(sorted(faults, key=lambda fault: (fault.first, fault.marker)))
