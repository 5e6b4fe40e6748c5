"""Routes through the graph: the links that are taken one after the other, and the motion that they make."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import FloatArray
from ..motion.motion import CONTROL_DT, Motion
from ..sequence.chain import Chain, ChainPart
from ..sequence.clip import Clip
from ..sequence.join import join
from ..sequence.transition import Transition
from .graph import ActionGraph, Link


@dataclass(frozen=True)
class Route:
    """Where a route starts, and the links that it takes.

    end: sample of the last action at which it ends
    """

    action: int
    sample: int
    links: tuple[int, ...]
    end: int


@dataclass(frozen=True)
class Placement:
    """How an action is turned [rad] about the vertical, and then moved over the ground [m] (x + iy)."""

    yaw: float = 0.0
    shift: complex = 0.0

    def after(self, link: Link) -> Placement:
        """Return the placement of the action that a link leads to."""
        turn = np.exp(1j * self.yaw)
        return Placement(
            self.yaw + link.transition.yaw, complex(turn * complex(*link.transition.shift) + self.shift)
        )

    def of(self, points: FloatArray) -> FloatArray:
        """Return where points of the action on the ground (..., 2) are."""
        moved = np.exp(1j * self.yaw) * (points[..., 0] + 1j * points[..., 1]) + self.shift
        return np.stack([moved.real, moved.imag], axis=-1)


def route_chain(graph: ActionGraph, route: Route) -> Chain:
    """Return the motion of a route with its parts, from the position of its first action on."""
    joined = clip_part(graph.actions[route.action].clip, route.sample, None)
    offset, place = -route.sample, Placement()  # offset: of a sample of the action in what is joined
    parts, starts = [(route.action, -offset)], [0]
    steps, ends = list[Transition | None]([None]), list[int]()
    for number in route.links:
        link = graph.links[number]
        place, found = place.after(link), link.transition
        moved = replace(
            found, leave=found.leave + offset, yaw=place.yaw, shift=(place.shift.real, place.shift.imag)
        )
        joined = join(joined, graph.actions[link.target].clip, moved, graph.body)
        starts.append(moved.leave - moved.half)
        ends.append(moved.leave + moved.half)
        parts.append((link.target, found.enter))
        steps.append(found)
        offset += found.leave - found.enter
    motion = joined.motion.first(route.end + offset + 1)
    middles = [0, *((a + b) // 2 for a, b in zip(starts[1:], ends, strict=True)), len(motion.time)]
    part = np.repeat(np.arange(len(parts)), np.diff(middles))
    sample = np.concatenate(
        [enter + np.arange(n) for (_, enter), n in zip(parts, np.diff(middles), strict=True)]
    )
    named = tuple(
        ChainPart(graph.actions[action].name, start * CONTROL_DT, end * CONTROL_DT, step)
        for (action, _), start, end, step in zip(
            parts, starts, [*ends, len(motion.time) - 1], steps, strict=True
        )
    )
    return Chain(motion, named, part, sample)


def clip_part(clip: Clip, first: int, end: int | None) -> Clip:
    """Return the samples of a clip from one to another, with times from zero on."""
    part, motion = slice(first, end), clip.motion
    time = motion.time[part] - motion.time[first]
    return Clip(
        Motion(motion.skeleton, time, motion.position_world[part], motion.quaternion_world[part]),
        clip.touches[part],
    )
