"""When feet stand, so that few keys hold them there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...sim_core.base.conventions import BoolArray
from ...sim_core.base.intervals import true_intervals
from ...sim_core.recognition.mapping import SIDES, BoneMapping
from ...sim_core.result.metrics import LOADED_N
from ...sim_core.result.result import Result
from ..motion_reader import SampledMotion

SHORTEST = 3
"""Frames; what is shorter is a touch."""

Stances = Mapping[str, BoolArray]
"""Feet by the names of their bones, and whether each stands at the F whole frames."""


def stances_of(result: Result, sampled: SampledMotion, mapping: BoneMapping) -> Stances:
    """From the forces on the feet."""
    time = sampled.motion.time[sampled.frame_sample]
    nearest = np.clip(np.searchsorted(result.time, time), 0, len(result.time) - 1)
    strength = np.linalg.norm(result.contact_force, axis=-1)
    names, found = result.body_name.tolist(), {}
    for slot in (f"foot.{side}" for side in SIDES):
        if slot in names and slot in mapping:
            of_foot = result.contact_body == names.index(slot)
            load = np.where(of_foot, strength, 0.0).sum(axis=1)[nearest]
            found[mapping.bones[slot][0]] = _settled(load > LOADED_N)
    return found


def _settled(stands: BoolArray) -> BoolArray:
    """Without touches."""
    kept = np.zeros_like(stands)
    for start, end in true_intervals(stands):
        kept[start:end] = end - start >= SHORTEST
    return kept
