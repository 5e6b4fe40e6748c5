"""Strikes between examples, and several strikes in one motion, on captures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim_core.aiming.examples import Example, aligned, find_example, interpolated, weights_for
from sim_core.aiming.hit_sequence import HitOrder, LibraryMotion, make_hit_sequence
from sim_core.bake.pipeline import bake
from sim_core.base.conventions import FloatArray
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.aims import Aim
from sim_core.sequence.blend import BLEND_SECONDS
from sim_core.sequence.chain import make_clips
from sim_core.sequence.clip import Body

from ..common.clips import clip_of

CLIP, BONE = "13_18", "hand.R"
STRIKES_S = (3.55, 0.91, 7.99, 9.05, 24.12)
"""Times of crosses of the boxer, all with the same foot in front [s]."""
BEFORE_S, AFTER_S = 0.8, 0.55
WAIT_S = (4.0, 5.0)
STEP = 0.05
"""Spacing of the grid [m]."""


@dataclass(frozen=True, eq=False)
class Reach:
    """Distances of the nearest example and of the interpolated one from a target [m]."""

    nearest: float
    between: float


def _part(start_s: float, end_s: float) -> Motion:
    motion = read_bvh(clip_of(CLIP).file).motion.between(start_s, end_s)
    return Motion(
        motion.skeleton, motion.time - motion.time[0], motion.position_world, motion.quaternion_world
    )


def library() -> list[LibraryMotion]:
    """Return the examples."""
    return [LibraryMotion(f"{CLIP} {t:g} s", _part(t - BEFORE_S, t + AFTER_S), BEFORE_S) for t in STRIKES_S]


def reaches() -> list[Reach]:
    """Return the reaches on a grid in the box that holds all contacts."""
    records = library()
    named = [(record.name, record.motion) for record in records]
    clips, body = make_clips(named, recognise(records[0].motion.skeleton), BLEND_SECONDS)
    aim = Aim(BONE, np.zeros(3))
    found = [find_example(r.name, c, body, aim, BEFORE_S) for r, c in zip(records, clips, strict=True)]
    examples = aligned(found, body)
    positions = np.array([example.position for example in examples])
    steps = [STEP * np.arange(-(n := round(np.ptp(axis) / 2.0 / STEP)), n + 1.0) for axis in positions.T]
    offsets = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3)
    middle = 0.5 * (positions.min(axis=0) + positions.max(axis=0))
    return [_reach(middle + offset, examples, positions, body, aim) for offset in offsets]


def _reach(
    target: FloatArray,
    examples: list[Example],
    positions: FloatArray,
    body: Body,
    aim: Aim,
) -> Reach:
    mixed = interpolated(examples, weights_for(positions, target), body)
    contact_s = examples[0].strike / mixed.motion.rate_hz
    struck = find_example("", mixed, body, aim, contact_s).position
    return Reach(
        float(np.linalg.norm(positions - target, axis=1).min()),
        float(np.linalg.norm(struck - target)),
    )


def bake_play() -> Result:
    """Return a bake of four crosses at 0 N, at targets around that of the first one."""
    wait, records = LibraryMotion("wait", _part(*WAIT_S)), library()
    mapping = recognise(wait.motion.skeleton)
    targets = np.array([[0.55, -0.1, 1.35], [0.6, 0.0, 1.25], [0.5, -0.15, 1.45], [0.6, -0.05, 1.4]])
    orders = [HitOrder("cross", Aim(BONE, target), 0.5) for target in targets]
    done = make_hit_sequence(wait, {"cross": records}, orders, mapping, BLEND_SECONDS)
    settings = BakeSettings(assist_cap=0.0, find_assist=False)
    return bake(Job(done.chain.motion, mapping, settings, aims=done.aims))
