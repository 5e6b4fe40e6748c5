"""Bakes of the benchmark of characters that touch."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass, replace
from typing import Any

from sim_core.bake.pipeline import bake, bake_together
from sim_core.cli.bake_characters import placed
from sim_core.cli.partner_options import Position
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from ..common.clips import clip_of
from ..common.motions import read_clip


@dataclass(frozen=True)
class Interaction:
    """Two clips at 0 N.

    place: shift and turn of the second one; None leaves it as it was captured
    """

    title: str
    clips: tuple[str, str]
    place: Position | None = None


STUMBLE = Interaction("a stumble, as captured", ("22_12", "23_12"))
WALKS = ("02_01", "07_01")
INTERACTIONS = (
    STUMBLE,
    Interaction("walks that pass, 0.51 m apart", WALKS, (3.5, 0.6, 180.0)),
    Interaction("walks that brush, 0.36 m apart", WALKS, (3.5, 0.45, 180.0)),
    Interaction("walks head-on", WALKS, (3.5, 0.1, 180.0)),
)
"""In the second one, the second character walks towards the first."""


@dataclass(frozen=True, eq=False)
class Baked:
    """Results of both characters, and the processor time of the whole bake [s]."""

    results: tuple[Result, ...]
    busy_s: float


def together(interaction: Interaction, seed: int, noise: float) -> Baked:
    """Bake both characters in one world."""
    started = clock.process_time()
    results = bake_together(_jobs(interaction, seed, noise))
    return Baked(results, clock.process_time() - started)


def alone(interaction: Interaction, seed: int, noise: float) -> tuple[Result, ...]:
    """Bake each character without the other, from the same start."""
    jobs = _jobs(interaction, seed, noise)
    seeded = [replace(job, settings=replace(job.settings, seed=seed + k)) for k, job in enumerate(jobs)]
    return tuple(bake(job) for job in seeded)


def self_contact(clip: str, seed: int) -> dict[str, Any]:
    """Return the figures of a clip at 0 N without and with self-collision."""
    row: dict[str, Any] = {"clip": clip, "seed": seed}
    for name, on in (("off", False), ("on", True)):
        settings = BakeSettings(assist_cap=0.0, find_assist=False, noise=0.1, seed=seed, self_collision=on)
        motion = read_clip(clip_of(clip))
        started = clock.process_time()
        result = bake(Job(motion, recognise(motion.skeleton), settings))
        row |= {
            f"busy_s_{name}": clock.process_time() - started,
            f"fell_at_{name}": result.meta.fell_at,
            f"error_deg_{name}": result.meta.measured.joint_error_deg,
        }
    return row


def _jobs(interaction: Interaction, seed: int, noise: float) -> list[Job]:
    settings = BakeSettings(assist_cap=0.0, find_assist=False, noise=noise, seed=seed)
    motions = [read_clip(clip_of(clip)) for clip in interaction.clips]
    if interaction.place is not None:
        motions[1] = placed(motions[1], *interaction.place)
    return [
        Job(motion, recognise(motion.skeleton), settings, name=clip)
        for motion, clip in zip(motions, interaction.clips, strict=True)
    ]
