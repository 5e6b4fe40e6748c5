"""Captures with measured forces, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sim_core.analysis.plate_loads import Load
from sim_core.base.conventions import Z_UP_FROM_Y_UP, FloatArray
from sim_core.markers.fit_pipeline import FitOptions, FittedFile, fit_file

from ..common.clips import MARKERS

GAIT, PYCGM, OPENCAP = (MARKERS / folder for folder in ("gait2392_subject01", "pycgm", "opencap_subject4"))
XYZ = "xyz"


@dataclass(frozen=True)
class PlateFile:
    """Plates in an OpenSim storage file: for each foot, left first, its columns.

    Columns are named by their beginnings: of force, point and torque.
    """

    file: Path
    columns: tuple[tuple[str, str, str], tuple[str, str, str]]

    def loads(self) -> tuple[Load, Load]:
        """Return the load of each foot, left first."""
        table = read_storage(self.file)

        def vector(prefix: str) -> FloatArray:
            return np.stack([table[prefix + axis] for axis in XYZ], axis=1) @ Z_UP_FROM_Y_UP.T

        left, right = (
            Load(foot, table["time"], *(vector(prefix) for prefix in prefixes))
            for foot, prefixes in enumerate(self.columns)
        )
        return left, right


@dataclass(frozen=True)
class ForceTake:
    """A marker take with force plates, and the mass of its subject [kg].

    steps: for each plate of a C3D (from 1) the side of the foot that is on it; plate_file: other plates
    walks: it is simulated, too, and its simulated forces are compared with the plates
    """

    name: str
    file: Path
    mass: float
    static: Path | None = None
    steps: dict[int, str] = field(default_factory=dict)
    plate_file: PlateFile | None = None
    walks: bool = False

    def fitted(self) -> FittedFile:
        """Return the take with its fitted motion."""
        return fit_file(self.file, FitOptions(static=self.static))


GAIT_PLATES = PlateFile(
    GAIT / "walk_grf.mot",
    (
        ("1_ground_force_v", "1_ground_force_p", "1_ground_torque_"),
        ("ground_force_v", "ground_force_p", "ground_torque_"),
    ),
)
"""walk_grf.xml has the assignment of the feet."""
OPENCAP_PLATES = PlateFile(
    OPENCAP / "walking1_grf.mot",
    (
        ("ground_force_2_v", "ground_force_2_p", "ground_force_2_m"),
        ("ground_force_1_v", "ground_force_1_p", "ground_force_1_m"),
    ),
)
TAKES = (
    ForceTake(
        "gait2392 walk", GAIT / "walk.trc", 72.6, GAIT / "static.trc", plate_file=GAIT_PLATES, walks=True
    ),
    ForceTake("PiG_walk_One", MARKERS / "btk_pig" / "PiG_walk_One.c3d", 66.5, None, {1: "R"}, walks=True),
    ForceTake("OpenCap walk", OPENCAP / "walking1.trc", 62.6, plate_file=OPENCAP_PLATES, walks=True),
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
