"""Curves on the ground that a character walks along, and their file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from ..base.conventions import FloatArray, freeze
from ..base.errors import InputError
from ..base.files import AnyPath, names_its_file
from ..base.json_files import read_json_file
from ..base.npz_file import FORMAT_KEY, SCHEMA_KEY

FORMAT, SCHEMA = "heft-curve", 1
SPACING = 0.05
"""Distance of the points at which a curve is sampled [m]."""
LEAST_LENGTH = 0.5
"""Length of the shortest curve that can be walked along [m]."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (N, 2) on the ground, SPACING apart [m]."""

    points: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "points")
        object.__setattr__(self, "tree", cKDTree(self.points))

    @staticmethod
    def through(points: FloatArray) -> Curve:
        """Return the curve through points (N, 2 or 3) [m]; heights are left out."""
        flat = np.asarray(points, dtype=np.float64)
        if flat.ndim != 2 or flat.shape[1] not in (2, 3) or not np.isfinite(flat).all():
            raise InputError("The curve must be a list of points of two or three numbers in metres.")
        step = np.linalg.norm(np.diff(flat[:, :2], axis=0), axis=1)
        kept = flat[np.concatenate([[True], step > 1e-6])][:, :2] if len(flat) else flat[:, :2]
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(kept, axis=0), axis=1))])
        if len(kept) < 2 or along[-1] < LEAST_LENGTH:
            raise InputError(
                f"The curve is {along[-1] if len(along) else 0.0:.2f} m long; draw one of at least "
                f"{LEAST_LENGTH:g} m, in metres of the character."
            )
        at = np.arange(0.0, along[-1] + 0.5 * SPACING, SPACING)
        return Curve(np.stack([np.interp(at, along, axis) for axis in kept.T], axis=1))

    @property
    def length(self) -> float:
        """Length of the curve [m]."""
        return (len(self.points) - 1) * SPACING

    @property
    def directions(self) -> FloatArray:
        """The direction of the curve at its points (N) [rad]."""
        step = np.gradient(self.points, axis=0)
        return np.unwrap(np.arctan2(step[:, 1], step[:, 0]))

    def distances(self, points: FloatArray) -> FloatArray:
        """Return how far points (..., 2) are from the curve [m]."""
        tree: cKDTree = self.__dict__["tree"]
        return np.asarray(tree.query(points)[0])

    def figures(self, points: FloatArray) -> dict[str, float]:
        """Return how far points (T, 2) of a walk are from the curve, and the last one from its end [cm]."""
        off = 100.0 * self.distances(points)
        end = 100.0 * float(np.linalg.norm(points[-1] - self.points[-1]))
        return {"curve_mean_cm": float(off.mean()), "curve_max_cm": float(off.max()), "curve_end_cm": end}


@names_its_file
def read_curve(path: AnyPath) -> Curve:
    """Read a curve file: {"format": "heft-curve", "schema": 1, "points": [[x, y], ...]}, in metres."""
    data: dict[str, Any] = read_json_file(path, "curve")
    if data.get(FORMAT_KEY) != FORMAT or data.get(SCHEMA_KEY) != SCHEMA:
        raise InputError(
            f"'{path}' has format '{data.get(FORMAT_KEY)}', schema {data.get(SCHEMA_KEY)}, "
            f"but '{FORMAT}', {SCHEMA} is needed."
        )
    try:
        points = np.array(data.get("points"), dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(f"The 'points' of '{path}' must be lists of numbers.") from problem
    return Curve.through(points)
