"""Captures with measured forces, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sim_core.analysis.plate_loads import Load
from sim_core.base.conventions import Z_UP_FROM_Y_UP, FloatArray
from sim_core.markers.fit_pipeline import FitOptions, FittedFile, fit_file

from ..common.clips import MARKERS

GAIT, PYCGM = MARKERS / "gait2392_subject01", MARKERS / "pycgm"
XYZ = "xyz"


@dataclass(frozen=True)
class ForceTake:
    """A marker take with force plates, and the mass of its subject [kg].

    steps: for each plate number (from 1) the side of the foot that is on it
    held_out: nothing was chosen with this take in view
    """

    name: str
    file: Path
    mass: float
    static: Path | None = None
    steps: dict[int, str] = field(default_factory=dict)
    held_out: bool = False

    def fitted(self) -> FittedFile:
        """Return the take with its fitted motion."""
        return fit_file(self.file, FitOptions(static=self.static))


TAKES = (
    ForceTake("gait2392 walk", GAIT / "walk.trc", 72.6, GAIT / "static.trc"),
    ForceTake("PiG_walk_One", MARKERS / "btk_pig" / "PiG_walk_One.c3d", 66.5, None, {1: "R"}),
    ForceTake(
        "pycgm stairs",
        PYCGM / "stairs_Movement_trial.c3d",
        85.0,
        PYCGM / "Static_trial.c3d",
        {1: "L", 2: "R", 3: "L", 4: "R"},
    ),
)


def read_storage(file: Path) -> dict[str, FloatArray]:
    """Return the columns of an OpenSim storage file by name."""
    lines = [line for line in file.read_text().splitlines() if line.strip()]
    start = next(i for i, line in enumerate(lines) if line.strip() == "endheader") + 1
    table = np.array([[float(word) for word in line.split()] for line in lines[start + 1 :]])
    return dict(zip(lines[start].split(), table.T, strict=True))


def gait_loads() -> tuple[Load, Load]:
    """Return the plates of the gait2392 treadmill, left foot first (walk_grf.xml has the assignment)."""
    table = read_storage(GAIT / "walk_grf.mot")

    def vector(prefix: str) -> FloatArray:
        return np.stack([table[prefix + axis] for axis in XYZ], axis=1) @ Z_UP_FROM_Y_UP.T

    left, right = (
        Load(
            foot,
            table["time"],
            vector(f"{prefix}ground_force_v"),
            vector(f"{prefix}ground_force_p"),
            vector(f"{prefix}ground_torque_"),
        )
        for foot, prefix in ((0, "1_"), (1, ""))
    )
    return left, right
