"""Walking along a curve: a route through the graph, planned in advance, and bent where the curve bends.

A beam search over the links: each candidate is a route so far with its placement and the length of the curve
that it has come to. It costs time, distance from the curve, links, and bending. Candidates of the same age
are compared, and the best of them go on, but only few in the same action and by the same link.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..motion.motion import CONTROL_DT, Motion
from .action import STANDING_SPEED, Action, heading_of, wrapped
from .bend import bend, bent_path
from .curve import SPACING, Curve
from .graph import LEAST_STAY_S, ActionGraph
from .route import Placement, Route, route_chain

BENDS_DEG_S = (-30.0, -15.0, 0.0, 15.0, 30.0)
"""Turning that can be added to an action [deg/s]."""
SAME_ACTION, SAME_LINK = 6, 2
"""Candidates of one age that go on in the same action, and that have come by the same link: one that slows
down to stop at the end looks worse than those that walk on, until they have passed it."""
AGE_S = 0.5
"""Candidates are of one age within this time [s]."""
LOOK = 5
"""Samples between two at which the distance from the curve is measured."""
OFF_PRICE, OFF_SCALE = 3.0, 0.25
"""Price of being OFF_SCALE [m] away from the curve, in seconds for each second; it grows by the square."""
DIRECTION_PRICE = 1.0
"""Price of facing away by a radian, likewise."""
BEND_PRICE = 0.3
"""Price of the strongest bend, likewise."""
LINK_PRICE = 0.5
"""Price of a link for each m/s that it changes [s]."""
USUAL_PACE = 1.2
"""Speed with which the rest of a curve is expected to be walked [m/s]."""
NEAR_END = 1.5
"""A route may end where it stands this near to the end of the curve; the nearer, the better [m]."""
LONGEST_STAY_S = 4.0
"""A candidate stays in an action for at most this long before its next link [s]."""
AHEAD = 20
"""Points of the curve that are looked at ahead of the one that was reached: 1 m."""
MOST_PER_METRE_S = 4.0
"""A route that takes longer for each metre of the curve is not looked for [s]."""


@dataclass(frozen=True, eq=False)
class WalkAlong:
    """The planned motion along a curve; off (T): distance of its hips from the curve [m]."""

    motion: Motion
    route: Route
    off: FloatArray

    @property
    def note(self) -> str:
        """How far it stays from the curve, in a sentence."""
        mean, most = 100.0 * self.off.mean(), 100.0 * self.off.max()
        return (
            f"The planned walk along the curve takes {self.motion.duration:.1f} s; its hips are "
            f"{mean:.0f} cm from the curve on average, {most:.0f} cm at most."
        )


def walk_along(graph: ActionGraph, curve: Curve) -> WalkAlong:
    """Return the motion that starts at the start of a curve, walks along it and stands at its end."""
    route, rates = _Search(graph, curve).run()
    motion = route_chain(graph, route).motion
    action = graph.actions[route.action]
    motion = bend(motion, graph.body, action.carrier, rates[: len(motion.time)])
    motion = _placed(motion, action, curve)
    return WalkAlong(motion, route, curve.distances(motion.position_world[:, action.carrier, :2]))


def _placed(motion: Motion, action: Action, curve: Curve) -> Motion:
    """Return the motion, from the start of the curve on and in its direction."""
    heading = heading_of(motion, action.body)[0]
    turn = rotations.about_vertical(float(curve.directions[0] - heading))
    start = rotations.rotate(turn, motion.position_world[0, action.carrier])
    return motion.moved(np.array([*(curve.points[0] - start[:2]), 0.0]), turn)


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A route so far: its links, the bend before each [rad/s], and where it has come to.

    sample, earliest: where it is in its action, and from where on a link can be taken
    yaw [rad], shift [m] (x + iy): placement of the action; along: point of the curve; age, price [s]
    """

    links: tuple[int, ...]
    bends: tuple[float, ...]
    action: int
    sample: int
    earliest: int
    yaw: float
    shift: complex
    along: int
    age: float
    price: float


@dataclass(frozen=True, eq=False)
class _Stretch:
    """A candidate that goes on in its action, with a bend [rad/s].

    flat (T): positions of the hips (x + iy); turn (T): by which they are bent
    along, price (T): the point of the curve that is reached, and what it costs until then [s]
    """

    bend: float
    flat: NDArray[np.complexfloating[Any, Any]]
    turn: FloatArray
    along: IntArray
    price: FloatArray


class _Search:
    """The beam search for one curve."""

    def __init__(self, graph: ActionGraph, curve: Curve) -> None:
        self.graph, self.curve, self.directions = graph, curve, curve.directions
        self.points = curve.points[:, 0] + 1j * curve.points[:, 1]
        self.waiting: dict[int, list[_Candidate]] = {}
        self.finished: tuple[float, _Candidate, float, int] | None = None
        self.stands = [own.speed / own.usual_speed < STANDING_SPEED for own in graph.actions]
        if not any(own.any() for own in self.stands):
            self.stands = [np.ones(len(own), dtype=bool) for own in graph.actions]

    def run(self) -> tuple[Route, FloatArray]:
        """Return the best route, and how much it is bent at each of its samples [rad/s]."""
        action, sample = self.graph.start
        yaw = float(self.directions[0] - self.graph.actions[action].heading[sample])
        here = self._hips(action)[sample]
        shift = complex(self.points[0] - np.exp(1j * yaw) * here)
        first = _Candidate((), (), action, sample, sample, yaw, shift, 0, 0.0, 0.0)
        self.waiting[0] = [first]
        latest = MOST_PER_METRE_S * self.curve.length + 5.0
        for age in range(int(latest / AGE_S)):
            for candidate in self._chosen(self.waiting.pop(age, [])):
                if self.finished is None or self._expected(candidate) < self.finished[0]:
                    self._go_on(candidate)
        if self.finished is None:
            raise InputError(
                "No way along the curve was found; add actions that walk, turn and stop to the graph, "
                "or draw a curve with wider bends."
            )
        return self._route(first, self.finished)

    def _route(
        self, first: _Candidate, finished: tuple[float, _Candidate, float, int]
    ) -> tuple[Route, FloatArray]:
        _, last, final_bend, end = finished
        route = Route(first.action, first.sample, last.links, end)
        rates, sample = list[FloatArray](), first.sample
        for number, rate in zip(last.links, last.bends, strict=True):
            transition = self.graph.links[number].transition
            rates.append(np.full(transition.leave - sample, rate))
            sample = transition.enter
        return route, np.concatenate([*rates, np.full(end - sample + 1, final_bend)])

    def _chosen(self, candidates: list[_Candidate]) -> list[_Candidate]:
        """Return the best candidates of one age, few of each link."""
        count: Counter[tuple[str, int]] = Counter()
        kept = []
        for own in sorted(candidates, key=self._expected):
            by_action, by_link = ("action", own.action), ("link", own.links[-1] if own.links else -1)
            if count[by_action] < SAME_ACTION and count[by_link] < SAME_LINK:
                kept.append(own)
                count.update((by_action, by_link))
        return kept

    def _expected(self, candidate: _Candidate) -> float:
        """Return the price of a candidate with that of the rest of its way [s]."""
        rest = (len(self.points) - 1 - candidate.along) * SPACING
        return candidate.price + rest / USUAL_PACE

    def _go_on(self, candidate: _Candidate) -> None:
        """Let a candidate go on until each of the next links, with each bend, or until its end."""
        last = candidate.sample + round(LONGEST_STAY_S / CONTROL_DT)
        exits = [
            number
            for number in self.graph.exits_from(candidate.action, candidate.earliest)
            if self.graph.links[number].transition.leave <= last
        ]
        for rate in np.radians(BENDS_DEG_S):
            stretch = self._stretch(candidate, float(rate), last)
            self._finish(candidate, stretch)
            for number in exits:
                self._take(candidate, stretch, int(number))

    def _hips(self, action: int) -> NDArray[np.complexfloating[Any, Any]]:
        own = self.graph.actions[action]
        centre = own.clip.motion.position_world[:, own.carrier]
        return np.asarray(centre[:, 0] + 1j * centre[:, 1])

    def _stretch(self, candidate: _Candidate, rate: float, last: int) -> _Stretch:
        """Return the way of a candidate through its action, compared with the curve."""
        action = self.graph.actions[candidate.action]
        part = slice(candidate.sample, min(last, len(action) - 1) + 1)
        flat = np.exp(1j * candidate.yaw) * self._hips(candidate.action)[part] + candidate.shift
        turn = rate * np.arange(len(flat)) * CONTROL_DT
        path = bent_path(np.stack([flat.real, flat.imag], axis=1), turn)
        flat = path[:, 0] + 1j * path[:, 1]
        facing = action.heading[part] + candidate.yaw + turn
        looked = np.arange(0, len(flat), LOOK)
        along = self._projected(flat[looked], candidate.along)
        off = np.abs(flat[looked] - self.points[along]) / OFF_SCALE
        away = wrapped(facing[looked] - self.directions[along])
        bent = abs(rate) / np.radians(max(BENDS_DEG_S))
        each = 1.0 + OFF_PRICE * off**2 + DIRECTION_PRICE * away**2 + BEND_PRICE * bent
        price = candidate.price + np.cumsum(each) * LOOK * CONTROL_DT
        at = np.arange(len(flat)) // LOOK
        return _Stretch(rate, flat, turn, along[at], price[at])

    def _projected(self, flat: NDArray[np.complexfloating[Any, Any]], along: int) -> IntArray:
        """Return the nearest points of the curve (n) to points (n), one after the other and ahead."""
        found = np.empty(len(flat), dtype=int)
        for n, point in enumerate(flat.tolist()):
            away = self.points[along : along + AHEAD] - point
            along += int((away.real**2 + away.imag**2).argmin())
            found[n] = along
        return found

    def _finish(self, candidate: _Candidate, stretch: _Stretch) -> None:
        """Take note of the best sample at which a candidate stands at the end of the curve."""
        stands = self.stands[candidate.action][candidate.sample :][: len(stretch.flat)]
        away = np.abs(stretch.flat - self.points[-1])
        fits = stands & (away < NEAR_END) & (stretch.along >= len(self.points) - 1 - NEAR_END / SPACING)
        fits[: candidate.earliest - candidate.sample] = False
        if not fits.any():
            return
        total = np.where(fits, stretch.price + OFF_PRICE * (away / OFF_SCALE) ** 2, np.inf)
        best = int(np.argmin(total))
        if self.finished is None or total[best] < self.finished[0]:
            self.finished = (float(total[best]), candidate, stretch.bend, candidate.sample + best)

    def _take(self, candidate: _Candidate, stretch: _Stretch, number: int) -> None:
        """Add the candidate that takes a link."""
        link = self.graph.links[number]
        found, stay = link.transition, link.transition.leave - candidate.sample
        # The bend turns the action about the point at which the link is taken.
        yaw = candidate.yaw + float(stretch.turn[stay])
        shift = complex(stretch.flat[stay] - np.exp(1j * yaw) * self._hips(candidate.action)[found.leave])
        place = Placement(yaw, shift).after(link)
        added = _Candidate(
            (*candidate.links, number),
            (*candidate.bends, stretch.bend),
            link.target,
            found.enter,
            link.blend_end + round(LEAST_STAY_S / CONTROL_DT),
            place.yaw,
            place.shift,
            int(stretch.along[stay]),
            candidate.age + stay * CONTROL_DT,
            float(stretch.price[stay]) + LINK_PRICE * link.change,
        )
        self.waiting.setdefault(int(added.age / AGE_S), []).append(added)
