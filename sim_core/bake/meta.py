"""The meta of a result: versions, settings, figures, notes and how the simulation went."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import mujoco
import numpy as np
import scipy

from .. import VERSION
from ..character.body_shapes import body_shapes
from ..control.gain_cache import GainCache
from ..result.meta import ResultMeta
from ..result.metrics import Metrics, MotionMetrics
from ..result.records import CharacterFacts, GainCounts, PushRecord, Versions, vector
from ..scenario.scenario import Scenario
from ..scenario.settings import BakeSettings
from .attempt import Outcome
from .baked import BakedCharacter
from .grip_records import grip_records
from .notes import failure_notes, notes_of
from .soft_bones import soft_records

NO_SIMULATION: Mapping[str, Any] = {
    "fell_at": None,
    "failure": None,
    "attempt": None,
    "attempts_tried": (),
    "hits": (),
    "strikes": (),
    "rounds": 0,
    "gains": GainCounts(0, 0),
    "simulated": (),
}
"""The entries that _simulation_facts gives, where nothing was simulated."""


def meta_of(
    baked: BakedCharacter,
    settings: BakeSettings,
    wall_seconds: Mapping[str, float],
    *,
    metrics: Metrics | None,
    source_metrics: MotionMetrics,
    plausible_metrics: MotionMetrics | None,
    mjcf: str | None,
    mjb: str | None,
) -> ResultMeta:
    """Return the meta as docs/result-file.md describes it; wall_seconds: by phase of the bake."""
    scenario, prepared, outcome = baked.scenario, baked.prepared, baked.outcome
    return ResultMeta(
        versions=Versions(
            heft=VERSION,
            mujoco=mujoco.__version__,
            numpy=np.__version__,
            scipy=scipy.__version__,
            python=platform.python_version(),
        ),
        settings=asdict(settings),
        seed=settings.seed,
        pushes=tuple(
            PushRecord(push.segment, vector(push.force), push.start_s, push.duration_s, push.character)
            for push in baked.world.scene.pushes
        ),
        metrics=metrics,
        source_metrics=source_metrics,
        plausible_metrics=plausible_metrics,
        wall_seconds=wall_seconds,
        notes=notes_of(baked, settings),
        name=scenario.name,
        others=tuple(other.name for other in baked.world.engine.others),
        character=_character_facts(scenario),
        body_shapes=body_shapes(scenario.spec),
        ground_height=baked.world.ground_height,
        reference=None if prepared is None else prepared.change,
        mjcf=mjcf,
        mjb=mjb,
        repairs=scenario.repairs,
        grips=() if outcome is None else grip_records(baked.world, outcome.prepared.schedule, outcome.trace),
        soft=soft_records(baked),
        **(NO_SIMULATION if outcome is None else _simulation_facts(outcome, baked.setup.gains)),
    )


def _character_facts(scenario: Scenario) -> CharacterFacts:
    return CharacterFacts(
        height=scenario.spec.height,
        mass=scenario.spec.mass,
        scale=scenario.scale,
        offset=vector(scenario.offset),
        belt=vector(scenario.belt),
        belt_from=float(scenario.motion.time[0]),
    )


def _simulation_facts(outcome: Outcome, gains: GainCache) -> dict[str, Any]:
    failure = outcome.failure
    return {
        "fell_at": None if failure is None else failure.fell_at,
        "failure": None if failure is None else replace(failure, notes=failure_notes(failure)),
        "attempt": outcome.attempt.method.name,
        "attempts_tried": outcome.methods_tried,
        "hits": outcome.hits,
        "strikes": outcome.strikes,
        "rounds": outcome.rounds,
        "gains": GainCounts(gains.read, gains.made),
        "simulated": tuple(outcome.trace.windows),
        "search": outcome.search,
        "get_ups": outcome.get_ups,
    }
