"""What a result tells beside its arrays: versions, settings, figures, notes, how the run went."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import mujoco
import numpy as np
import scipy

from .. import VERSION
from ..control.gain_cache import GainCache
from ..scenario.settings import BakeSettings
from .attempt import Outcome
from .baked import BakedCharacter
from .notes import notes_of

NO_RUN: Mapping[str, Any] = {
    "fell_at": None,
    "failure": None,
    "way": None,
    "hits": [],
    "strikes": [],
    "rounds": 0,
    "gains": {},
    "simulated": [],
    "ways_tried": [],
}
"""What _run_facts says where nothing was simulated."""


def meta_of(
    baked: BakedCharacter,
    settings: BakeSettings,
    figures: dict[str, dict[str, Any]],
    wall_seconds: dict[str, float],
) -> dict[str, Any]:
    """As docs/result-file.md has it; figures: of the result and of motions as they are, by key."""
    scenario, change = (
        baked.scenario,
        {} if baked.prepared is None else baked.prepared.change,
    )
    return {
        "versions": {
            "heft": VERSION,
            "mujoco": mujoco.__version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "python": platform.python_version(),
        },
        "settings": asdict(settings),
        "seed": settings.seed,
        "pushes": [asdict(push) | {"force": push.force.tolist()} for push in baked.world.scene.pushes],
        **figures,
        "wall_seconds": wall_seconds,
        "notes": notes_of(baked, settings),
        "name": scenario.name,
        "others": [other.name for other in baked.world.engine.others],
        **scenario.body_facts,
        "ground_height": baked.world.ground_height,
        "reference": change,
        **(NO_RUN if baked.outcome is None else _run_facts(baked.outcome, baked.setup.gains)),
    }


def _run_facts(outcome: Outcome, gains: GainCache) -> dict[str, Any]:
    failure = outcome.failure
    return {
        "fell_at": None if failure is None else failure.fell_at,
        "failure": None if failure is None else failure.as_dict(),
        "way": outcome.attempt.method.name,
        "hits": [asdict(hit) for hit in outcome.hits],
        "strikes": [strike.as_dict() for strike in outcome.strikes],
        "rounds": outcome.rounds,
        "gains": {"read": gains.read, "made": gains.made},
        "simulated": outcome.trace.windows,
        "ways_tried": list(outcome.methods_tried),
    }
