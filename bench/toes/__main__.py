"""Captures on rigid feet and on feet that bend: `python3 dev.py bench toes` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
import time

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import X_FORWARD, FloatArray
from sim_core.reading.bvh_clip import ReadingChoices
from sim_core.recognition.mapping import SIDES
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.sources.motion_source import read_source

from ..common.clips import CMU, START_NOISE, require_data
from ..common.measured_code import commit_of
from ..common.options import common_parser
from ..common.pages import write_page
from ..common.tables import Row, markdown

CLIPS = ("02_01", "07_01", "16_31", "35_01", "132_29", "02_03", "09_01", "13_11", "49_18")
SECONDS, SEEDS = 6.0, (0, 1)
LOADED_N, HEEL_UP = 20.0, 15.0
"""A ball or toes carry from this force on [N]; a heel is up where its foot is tilted further [deg]."""
COLUMNS = {
    "clip": "{clip}",
    "feet": "{feet}",
    "start": "{seed}",
    "falls at, s": "{fell_at:.2f}",
    "joint error, deg": "{joint_error:.2f}",
    "to the source": "{source_error:.2f}",
    "skate, cm/s": "{skate:.2f}",
    "jitter, deg": "{jitter:.3f}",
    "toes from level while ball and toes carry and the heel is up, deg": "{toes:.1f}",
    "heel then, deg": "{heel:.1f}",
    "CPU, s": "{cpu_s:.0f}",
}


def played(clip: str, bends: bool, seed: int) -> Row:
    """Return how a clip is followed on one kind of feet."""
    source = read_source([CMU / f"{clip}.bvh"], ReadingChoices(), 0.0)
    motion = source.motion.between(float(source.motion.time[0]), float(source.motion.time[0]) + SECONDS)
    settings = BakeSettings(toe_joint=bends, search=False, find_assist=False, noise=START_NOISE, seed=seed)
    began = time.process_time()
    result = bake(Job(motion, source.mapping, settings))
    figures = result.meta.measured
    row: dict[str, object] = {
        "clip": clip,
        "feet": "bend" if bends else "rigid",
        "seed": seed,
        "fell_at": result.meta.fell_at,
        "joint_error": figures.joint_error_deg,
        "source_error": figures.joint_error_source_deg,
        "skate": figures.skate_cm_s,
        "jitter": figures.jitter_deg,
        "cpu_s": time.process_time() - began,
        "toes": None,
        "heel": None,
    }
    return row | (_toes(result) if bends else {})


def _toes(result: Result) -> dict[str, float | None]:
    """Return mean tilts of toes and of their feet while balls and toes carry and heels are up [deg]."""
    names, toes, heels = result.body_name.tolist(), [], []
    for side in SIDES:
        toe, foot = (_pitch(result, names.index(f"{part}.{side}")) for part in ("toe", "foot"))
        rows = foot > HEEL_UP
        for part in ("toe", "foot"):
            own = result.contact_body == names.index(f"{part}.{side}")
            rows &= (result.contact_force[..., 2] * own).sum(axis=1) > LOADED_N
        toes.append(np.abs(toe[rows]))
        heels.append(foot[rows])
    together = np.concatenate(toes)
    if not len(together):
        return {"toes": None, "heel": None}
    return {"toes": float(together.mean()), "heel": float(np.concatenate(heels).mean())}


def _pitch(result: Result, body: int) -> FloatArray:
    """Return how far a body is tilted forwards (T) [deg]."""
    ahead = rotations.rotate(result.body_quaternion_world[:, body], X_FORWARD)
    return np.asarray(-np.degrees(np.arcsin(np.clip(ahead[:, 2], -1.0, 1.0))))


def main(argv: list[str]) -> int:
    """Bake all clips on both kinds of feet, and write the table."""
    options = common_parser("toes", "Captures on rigid feet and on feet that bend, at 0 N.").parse_args(argv)
    require_data()
    rows = [
        played(clip, bends, seed) for clip in CLIPS for bends in (False, True) for seed in SEEDS
    ]
    lines = []
    for feet, words in (("rigid", "are rigid"), ("bend", "bend")):
        own = [row for row in rows if row["feet"] == feet]
        up = sum(row["fell_at"] is None for row in own)
        error = float(np.mean([row["joint_error"] for row in own]))
        lines.append(f"- Feet that {words}: {up} of {len(own)} stay up, {error:.2f} deg on average.")
    about = (
        f"Made by `python3 dev.py bench toes`. The first {SECONDS:g} s of captures at 0 N, standard quality "
        f"without search, from starts that are disturbed by {START_NOISE:g}. Commit {commit_of('toes')}."
    )
    parts = ["# Feet that bend", about, "\n".join(lines), markdown(rows, COLUMNS)]
    print(write_page(options.out / "toes.md", parts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
