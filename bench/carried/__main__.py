"""Crates that are lifted from a shelf and put back: `python3 dev.py bench carried` (docs/benchmarks.md)."""

from __future__ import annotations

import sys

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import Z_UP, FloatArray
from sim_core.base.intervals import smooth_step
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Keys, Role, Scene, SceneObject
from sim_core.scene.shapes import Box
from tests.core.sample_company import RATE, lifter
from tests.core.sample_people import MAPPING

from ..common.measured_code import commit_of
from ..common.options import common_parser
from ..common.pages import write_page
from ..common.tables import Row, markdown

MASSES = (0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 25.0)
SIZE, SECONDS = 0.15, 4.0
COLUMNS = {
    "crate, kg": "{mass:.1f}",
    "falls at, s": "{fell_at:.2f}",
    "crate from its keys, cm (mean)": "{mean_cm:.1f}",
    "at most": "{most_cm:.1f}",
    "turned at most, deg": "{turned_deg:.0f}",
    "joint error, deg": "{joint_error_deg:.2f}",
    "largest force of a hand, N": "{peak_n:.0f}",
    "unexplained force, of the weight": "{residual:.4f}",
}


def crate_path() -> FloatArray:
    """Return where the crate is (T, 3): on a shelf, lifted by 20 cm within 0.8 s, and back [m]."""
    time = np.arange(round(SECONDS * RATE) + 1) / RATE
    lifted = smooth_step((time - 1.0) / 0.8) * smooth_step((SECONDS - 1.0 - time) / 0.8)
    return np.array([0.38, 0.0, 0.95]) + 0.2 * lifted[:, None] * Z_UP


def carried(mass: float) -> Row:
    """Return how a crate of some mass [kg] is carried."""
    path = crate_path()
    motion = lifter(path, SIZE, SECONDS, (0.9, SECONDS - 0.9))[1]
    keys = Keys(motion.time, path, np.tile([1.0, 0.0, 0.0, 0.0], (len(path), 1)))
    crate = SceneObject("crate", Role.CARRIED, Box(np.full(3, SIZE)), mass=mass, keys=keys)
    shelf = SceneObject("shelf", Role.OBSTACLE, Box(np.array([0.2, 0.4, 0.01])), np.array([0.45, 0.0, 0.79]))
    result = bake(Job(motion, MAPPING, BakeSettings(search=False), Scene((crate, shelf))))
    wanted = np.stack([np.interp(result.time, motion.time, axis) for axis in path.T], axis=1)
    away_cm = 100.0 * np.linalg.norm(result.prop_position[:, 0] - wanted, axis=1)
    cosine = np.clip(np.abs(result.prop_quaternion[:, 0, 0]), 0.0, 1.0)
    return {
        "mass": mass,
        "fell_at": result.meta.fell_at,
        "mean_cm": float(away_cm.mean()),
        "most_cm": float(away_cm.max()),
        "turned_deg": float(np.degrees(2.0 * np.arccos(cosine)).max()),
        "joint_error_deg": result.meta.measured.joint_error_deg,
        "peak_n": max((own.peak_n for own in result.meta.grips), default=0.0),
        "residual": result.meta.measured.residual_share,
    }


def main(argv: list[str]) -> int:
    """Lift all crates, and write the table."""
    options = common_parser("carried", "Crates that are lifted from a shelf, at 0 N.").parse_args(argv)
    about = (
        "Made by `python3 dev.py bench carried`. A person of the project's own takes a crate of 30 cm from a "
        "shelf with both hands, lifts it by 20 cm within 0.8 s, holds it and puts it back, at 0 N, standard "
        f"quality without search. Commit {commit_of('carried')}."
    )
    parts = ["# Carried objects", about, markdown([carried(mass) for mass in MASSES], COLUMNS)]
    print(write_page(options.out / "carried.md", parts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
