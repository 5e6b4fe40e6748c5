"""Touches: intervals in which a palm of the source rests on a part of a body, or two palms meet.

A touch begins when the palm is near and slow relative to the part, holds while it is not much further and not
much faster, and is released then, as stances of feet are. A palm deep inside a capsule does not count: there
the capsule is thicker than the body that was captured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..base.intervals import true_intervals
from .body_surface import MovingPart, PartSurface, Surface
from .stances import LEAVES, with_hysteresis

TOUCH, DEEP, SLOW = 0.035, 0.04, 0.2
"""A palm within this gap [m], no deeper than that inside [m], and slower [m/s] relative to the part begins to
touch it, on a body of 1.75 m; it leaves at one and a half times any of these."""
MEET = 0.08
"""Palms that are nearer meet [m], on a body of 1.75 m."""
SHORTEST_S = 0.12
"""Touches of the own body that are shorter are brushes in passing [s]."""
SHORTEST_OTHERS_S = 0.03
"""Somebody else's body and objects are never touched by chance for longer than this [s]."""
KNEE = 0.7
"""Hanging hands are always near the thighs; a thigh is touched beyond this share of its length, or raised."""
RAISED = np.cos(np.radians(40.0))


@dataclass(frozen=True, eq=False)
class Touch:
    """A palm on a part from sample `first` to before `past`.

    surface: of the part; mean (3): the mean position in its axes [m]
    gap (N), moved (N, 3): the gap to the surface, and the way along the part from the mean position [m]
    """

    part: str
    first: int
    past: int
    surface: Surface
    mean: FloatArray
    gap: FloatArray
    moved: FloatArray


def find_touches(
    palm: FloatArray, parts: dict[str, MovingPart], rate_hz: float, size: float, is_own: bool = True
) -> list[Touch]:
    """Return the touches of a palm (T, 3) on parts; one part for each interval, the one that is nearest.

    size: height of the source over 1.75 m; is_own: whether these are parts of the palm's own body, beside
    which it hangs and passes; on somebody else's body and on objects a palm that is near touches at any speed
    """
    shortest = SHORTEST_S if is_own else SHORTEST_OTHERS_S
    gaps, touching = {}, {}
    for name, part in parts.items():
        local = part.local(palm)
        gap = part.surface.gap(local)
        measure = np.maximum(gap / size / TOUCH, -gap / size / DEEP)
        if is_own:
            measure = np.maximum(measure, part.speed(palm, rate_hz) / np.sqrt(size) / SLOW)
            measure = np.where(_on_purpose(name, part, parts, local), measure, np.inf)
        touching[name] = with_hysteresis(measure < 1.0, measure < LEAVES)
        gaps[name] = gap
    anything: BoolArray = np.any(list(touching.values()), axis=0)
    found = []
    for first, past in true_intervals(anything):
        if past - first < shortest * rate_hz:
            continue
        held = {name: touching[name][first:past].sum() for name in parts}
        name = max(held, key=lambda name: (held[name], -np.abs(gaps[name][first:past]).mean()))
        found += _touch(name, parts[name], palm, touching[name], first, past)
    return found


def _touch(
    name: str, part: MovingPart, palm: FloatArray, touching: BoolArray, first: int, past: int
) -> list[Touch]:
    rows = np.flatnonzero(touching[first:past])
    first, past = first + int(rows[0]), first + int(rows[-1]) + 1
    local = part.local(palm)[first:past]
    mean = local.mean(axis=0)
    return [Touch(name, first, past, part.surface, mean, part.surface.gap(local), local - mean)]


def _on_purpose(
    name: str, part: MovingPart, parts: dict[str, MovingPart], local: FloatArray
) -> BoolArray:
    """Return whether a palm at (T, 3) in the part's axes would touch the part on purpose (T)."""
    if not name.startswith("thigh") or not isinstance(part.surface, PartSurface):
        return np.ones(len(local), dtype=bool)
    latitude = part.surface.seen(local)[0]
    along = rotations.rotate(part.axes, part.surface.frame[0])
    pelvis = parts["pelvis"]
    up = rotations.rotate(pelvis.axes, Z_UP)
    raised = -np.sum(along * up, axis=1) < RAISED
    return np.asarray((latitude > KNEE) | raised)


def meeting(apart: FloatArray, size: float, rate_hz: float) -> BoolArray:
    """Return when two palms that are apart (T) [m] meet; near encounters count, however short."""
    near = apart / size / MEET
    meets = with_hysteresis(near < 1.0, near < LEAVES)
    for first, past in true_intervals(meets):
        if past - first < 0.5 * SHORTEST_S * rate_hz:
            meets[first:past] = False
    return meets
