"""What hands held on to in a simulation, and how hard."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..base.intervals import true_intervals
from ..reference.contacts import ContactSchedule
from ..result.metrics import LOADED_N
from ..result.support_records import GripRecord
from ..simulation.trace import Trace
from ..world.world import World


def grip_records(world: World, schedule: ContactSchedule, trace: Trace) -> tuple[GripRecord, ...]:
    """Return the grips of a simulated motion, in the order of time."""
    grips = world.engine.grips
    first = len(world.engine.index.contact_segment)
    force = np.linalg.norm(trace.contact_force[:, first : first + len(grips.site)], axis=-1)
    planned = np.zeros(force.shape, dtype=bool)
    held = np.flatnonzero(world.index.holds(schedule.support))
    hand = schedule.support[held] - len(world.index.resting)
    rows = min(len(planned), len(schedule.touches))
    planned[:rows, hand] = schedule.touches[:rows, held]
    if schedule.carrying is not None:
        planned[:rows, grips.carried] = schedule.carrying.holds[:rows]
    # What is carried may weigh less than what counts as a load elsewhere; an open hand has no force at all.
    least = np.full(len(grips.site), LOADED_N)
    least[grips.carried] = 0.0
    holds = force > least
    records = (
        own
        for k, segment in enumerate(grips.segment.tolist())
        for own in _of_hand(
            world.spec.names[segment], planned[:, k], force[:, k], holds[:, k], trace.time, grips.limit
        )
    )
    return tuple(sorted(records, key=lambda own: own.start_s))


def _of_hand(
    segment: str, planned: BoolArray, force: FloatArray, holds: BoolArray, time: FloatArray, limit: float
) -> Iterator[GripRecord]:
    """Yield the grips of one hand: planned, holds (T): whether it does, force (T) [N]."""
    dt = float(time[1] - time[0])
    for start, end in true_intervals(planned):
        own, held = force[start:end], holds[start:end]
        last = int(np.flatnonzero(held)[-1]) if held.any() else -1
        slipped = held.any() and last < len(own) - 2 and own[: last + 1].max() > 0.9 * limit
        yield GripRecord(
            segment=segment,
            start_s=float(time[start]),
            end_s=float(time[end - 1]),
            held_s=dt * float(np.count_nonzero(held)),
            mean_n=float(own[held].mean()) if held.any() else 0.0,
            peak_n=float(own.max()),
            limit_n=limit,
            lost_s=float(time[start + last]) if slipped else None,
        )
