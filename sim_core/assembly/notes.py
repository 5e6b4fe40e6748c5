"""What the user should know about a result, in sentences."""

from __future__ import annotations

import numpy as np

from .. import metrics
from ..aiming.landing import aim_notes
from ..change_notes import change_notes
from ..part_words import part_notes
from ..rehearsal import CONTROL_DT
from ..settings import BakeSettings
from ..simulation.trace import Trace
from ..simulation.world import World
from .performance import Performance


def notes_of(performance: Performance, settings: BakeSettings) -> list[str]:
    run, prepared = performance.run, performance.prepared
    return [
        *performance.take.spec.notes,
        *change_notes({} if prepared is None else prepared.change),
        *(() if run is None else aim_notes(run.landings, run.rounds)),
        *part_notes(settings),
        *(() if run is None else _meeting_notes(performance.world, run.trace)),
        *(() if run is None or run.failure is None else run.failure.notes),
    ]


def _meeting_notes(world: World, trace: Trace) -> list[str]:
    """On other characters that were touched."""
    notes = []
    for place, other in enumerate(world.engine.others):
        met = trace.contact_force[:, trace.contact_other == place]
        force = np.linalg.norm(met.sum(axis=1), axis=-1)
        if force.max(initial=0.0) > metrics.LOADED_N:
            seconds = CONTROL_DT * np.count_nonzero(force > metrics.LOADED_N)
            notes.append(
                f"It touches '{other.name}' for {seconds:.2f} s, with at most {force.max():.0f} N; its "
                "motion was prepared as if it were alone, so where one holds the other it may go astray."
            )
    return notes
