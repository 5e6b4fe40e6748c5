"""Around an object: the path is displaced to the side on which less is needed."""

from __future__ import annotations

from itertools import product

import numpy as np

from ...base.conventions import FloatArray
from ...scene.scene import Passing
from ..walked_path import ChangedPath, Detour
from .walk import SOLE_MARGIN, Meeting, Plan, Walk

OTHER_SIDE = 1.5
"""A walk that is on one side of its path changes over to the other where that saves more than a third."""
SHIFTS = np.linspace(0.05, 1.5, 30)
"""Displacements of the path that are tried, smallest first [m]."""
RAMP, STEEPEST, MIN_RAMP = 2.4, 1.6, 1.0
"""Ramps of a detour are RAMP times as long as the displacement, at least MIN_RAMP [m]; where there is less
room, STEEPEST times."""
OVERLAPS = (1.0, 0.5, 0.0)
"""Shares of the way past an object on which the ramps may still rise and fall, gentlest first."""


def around(walk: Walk, met: Meeting) -> Plan | None:
    """Plan a detour around an object."""
    ahead = walk.path.direction(met.middle)
    left = np.array([-ahead[1], ahead[0]])
    here = float(walk.changed().displacement[met.first] @ left)
    candidates = product(SHIFTS * walk.size, (1.0, -1.0))
    for shift, side in sorted(
        candidates, key=lambda own: own[0] * (OTHER_SIDE if own[1] * here < 0.0 else 1.0)
    ):
        for overlap in OVERLAPS:
            detour = _detour(walk, met, side * shift * left, overlap)
            if detour is not None and _is_clear(walk, met.object, walk.changed(detour)):
                name = "left" if side > 0.0 else "right"
                return Plan(Passing.AROUND, (detour,), side=name, shift_m=float(shift))
    return None


def _is_clear(walk: Walk, obj: int, changed: ChangedPath) -> bool:
    """Return whether a path is clear of an object, and of all that are not to be touched."""
    kept = (obj, *walk.avoided)
    if any(next(walk.near(own, changed), None) is not None for own in kept):
        return False
    # Feet that stand do not turn with the body, so that they are looked at by themselves.
    return not any(walk.stands_on(own, changed, np.full(2, SOLE_MARGIN * walk.size)) for own in kept)


def _detour(walk: Walk, met: Meeting, displacement: FloatArray, overlap: float) -> Detour | None:
    """Return a detour about an object; None where there is no room for it."""
    length, shift = walk.path.length, float(np.linalg.norm(displacement))
    near, far = float(length[met.first]), float(length[met.last])
    first, last = near + 0.5 * overlap * (far - near), far - 0.5 * overlap * (far - near)
    ramp, room = max(RAMP * shift, MIN_RAMP * walk.size), float(length[-1]) - last
    rise = min(ramp, first)
    if rise < STEEPEST * shift:
        return None
    comes_back = walk.object(met).comes_back and room > STEEPEST * shift
    return Detour(displacement, first, last, rise, min(ramp, room) if comes_back else np.inf)
