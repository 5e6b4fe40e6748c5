"""The dynamic filter over motions of any length: one window after the other, each held to the one before it.

The equations of a whole take would need memory and time for nothing: what a body did a few seconds ago no
longer changes what it can do now.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..base.conventions import FloatArray
from ..world.world import World
from .contacts import ContactGround, ContactSchedule
from .dynamic_filter import DynamicFilter, Filtered, FilterSettings

WINDOW_S = 12.0
"""Motions up to this length are filtered as a whole; longer ones in windows of it [s]."""
LOOKAHEAD_S = 2.0
"""The end of a window that is filtered again with the next one, which knows what follows [s]."""
HELD_S = 0.5
"""The start of a window that keeps the poses of the one before it [s]."""


def filter_motion(
    world: World,
    qpos: FloatArray,
    schedule: ContactSchedule,
    contact_ground: ContactGround,
    dt: float,
    leg_length: float,
    settings: FilterSettings,
    start: FloatArray | None = None,
    held: int = 0,
) -> Filtered:
    """Filter the poses (T, nq) of a motion; start (T, nq) and held are those of `DynamicFilter.run`."""
    poses = (qpos if start is None else start).copy()
    force: FloatArray = np.zeros((*schedule.touches.shape, 3))
    residual, before = np.zeros((len(qpos), 6)), np.zeros((len(qpos), 6))
    for window in _windows(len(qpos), dt):
        own = DynamicFilter(
            world, schedule.part(window), dt, leg_length, settings, contact_ground.part(window)
        )
        known = held if window.start == 0 else round(HELD_S / dt)
        begun = window.start > 0 or start is not None
        found = own.run(qpos[window], poses[window] if begun else None, known)
        # The window before it knows the forces in its first frame.
        first = known if window.start else 0
        new = slice(window.start + first, window.stop)
        poses[new], force[new], residual[new], before[new] = (
            values[first:]
            for values in (found.qpos, found.support_force, found.residual, found.residual_before)
        )
    return Filtered(poses, force, residual, before)


def _windows(samples: int, dt: float) -> Iterator[slice]:
    """Yield the windows of a motion, which overlap by what is held and what is filtered again."""
    length, overlap = round(WINDOW_S / dt), round((LOOKAHEAD_S + HELD_S) / dt)
    start = 0
    while samples - start > length:
        yield slice(start, start + length)
        start += length - overlap
    yield slice(start, samples)
