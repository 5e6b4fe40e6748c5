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
from ..scenario.settings import BakeSettings
from .carry_out import Run
from .notes import notes_of
from .performance import Performance

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
    performance: Performance,
    settings: BakeSettings,
    figures: dict[str, dict[str, Any]],
    wall_seconds: dict[str, float],
) -> dict[str, Any]:
    """As docs/result-file.md has it; figures: of the result and of motions as they are, by key."""
    scenario, change = (
        performance.scenario,
        {} if performance.prepared is None else performance.prepared.change,
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
        "pushes": [asdict(push) | {"force": push.force.tolist()} for push in performance.world.scene.pushes],
        **figures,
        "wall_seconds": wall_seconds,
        "notes": notes_of(performance, settings),
        "name": scenario.name,
        "others": [other.name for other in performance.world.engine.others],
        **scenario.body_facts,
        "ground_height": performance.world.ground_height,
        "reference": change,
        **(NO_RUN if performance.run is None else _run_facts(performance.run)),
    }


def _run_facts(run: Run) -> dict[str, Any]:
    failure = run.failure
    return {
        "fell_at": None if failure is None else failure.fell_at,
        "failure": None if failure is None else failure.as_dict(),
        "way": run.way,
        "hits": [asdict(hit) for hit in run.hits],
        "strikes": [strike.as_dict() for strike in run.landings],
        "rounds": run.rounds,
        "gains": {"read": run.gains_read, "made": run.gains_made},
        "simulated": run.trace.windows,
        "ways_tried": list(run.tried),
    }
