"""Steering: which link to take next, for each of the commands that a player can give.

Each command has a price at each sample of each action: nothing where the body does what is wanted, up to one
where it does not. The value of a link is the least price, discounted over some seconds, of all that can
follow it; it is found by value iteration over the links. So a command needs no plan while the simulation
runs: the best link from where the body is, is a sum and a minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..motion.motion import CONTROL_DT
from .action import STANDING_SPEED, Action
from .graph import LEAST_STAY_S, ActionGraph, Link

HORIZON_S = 4.0
"""What comes later than this counts less than a third [s]."""
LINK_PRICE = 3.0
"""Price of a link, per square of its cost [m/s], in seconds of doing something else than what is wanted."""
JUMP_PRICE = 200.0
"""Price of a link's jump of the capture point, per square [m], likewise: pressure under the feet takes one of
some centimetres, while one of more than half a foot's length leaves the body in a stance to be recovered."""
FULL_TURN_DEG_S = 60.0
"""Turning that is all that a command to turn asks for [deg/s]."""
STRAIGHT_DEG_S = 40.0
"""Turning at which a walk is not at all straight [deg/s]."""
USUAL_WALK = 0.35
"""Speed that a command to walk asks for, as a share of sqrt(g leg): 1.0 m/s for an adult."""
HURRY = 0.9
"""Speed that a command to go faster asks for, as a share of the fastest action's."""
LATEST_S = 1.0
"""A command is taken within this time, if there is any link [s]."""
ITERATIONS = 200
CONVERGED = 1e-4
"""Value iteration ends when no value changes by more than this [s]."""

FORWARD, FASTER, LEFT, RIGHT, STOP = "forward", "faster", "left", "right", "stop"
COMMANDS = (FORWARD, FASTER, LEFT, RIGHT, STOP)
"""What a body can be asked to do; names of actions are commands, too."""


@dataclass(frozen=True, eq=False)
class Policy:
    """The prices and values of one command.

    spent: for each action the discounted price of its samples up to each (T + 1) [s]
    value: of each link, from the sample at which it is entered on (L) [s]
    """

    graph: ActionGraph
    spent: tuple[FloatArray, ...]
    value: FloatArray

    def best_of(self, action: int, sample: int, exits: Sequence[int], latest: float = np.inf) -> int:
        """Return the best of some links from a sample of an action.

        Of those whose blend starts at the sample `latest` or before; without such, of the first ones.
        """
        begin = np.array([self.graph.links[link].blend_start for link in exits])
        links = np.array(exits, dtype=int)[begin <= max(latest, float(begin.min()))]
        return int(links[np.argmin(_prices(self.graph, self.spent[action], sample, links, self.value))])


def _discount(seconds: FloatArray | float) -> FloatArray:
    return np.exp(-np.asarray(seconds) / HORIZON_S)


def _prices(
    graph: ActionGraph, spent: FloatArray, sample: int, links: IntArray, value: FloatArray
) -> FloatArray:
    """Return the discounted prices (n) of staying in an action until links (n), and of all after them [s]."""
    leave = np.array([graph.links[link].transition.leave for link in links])
    price = np.array([_link_price(graph.links[link]) for link in links])
    later = _discount((leave - sample) * CONTROL_DT)
    stay = (spent[leave] - spent[sample]) / _discount(sample * CONTROL_DT)
    return np.asarray(stay + later * (price + value[links]))


def _link_price(link: Link) -> float:
    """Return the price of taking a link [s]."""
    return LINK_PRICE * link.transition.cost**2 + JUMP_PRICE * link.capture_jump**2


class Steering:
    """Policies of all commands, each made when it is first asked for."""

    def __init__(self, graph: ActionGraph) -> None:
        self.graph = graph
        self._policies: dict[str, Policy] = {}

    def policy(self, command: str) -> Policy:
        """Return the policy of a command, which is one of COMMANDS or the name of an action."""
        if command not in self._policies:
            self._policies[command] = self._make(command)
        return self._policies[command]

    def satisfied(self, command: str, action: int, sample: int) -> bool:
        """Return whether the body does what is wanted at a sample of an action."""
        return bool(self._price(command)[action][sample] < 0.5)

    def _make(self, command: str) -> Policy:
        price = self._price(command)
        spent = tuple(
            np.concatenate([[0.0], np.cumsum(own * _discount(np.arange(len(own)) * CONTROL_DT)) * CONTROL_DT])
            for own in price
        )
        return Policy(self.graph, spent, self._values(spent))

    def _price(self, command: str) -> tuple[FloatArray, ...]:
        if command in COMMANDS:
            fastest = max(float(np.median(action.speed)) for action in self.graph.actions)
            return tuple(_price(command, action, fastest) for action in self.graph.actions)
        wanted = self.graph.number_of(command)
        return tuple(np.full(len(own), float(n != wanted)) for n, own in enumerate(self.graph.actions))

    def _values(self, spent: tuple[FloatArray, ...]) -> FloatArray:
        """Return the values of all links (L) by value iteration."""
        value: FloatArray = np.zeros(len(self.graph.links))
        for _ in range(ITERATIONS):
            before, value = value, self._improved(spent, value)
            if np.abs(value - before).max() < CONVERGED:
                break
        return value

    def _improved(self, spent: tuple[FloatArray, ...], value: FloatArray) -> FloatArray:
        result = np.zeros_like(value)
        for n, entry in enumerate(self._entries):
            if not len(entry.links):
                continue
            own = entry.price + value[entry.exits]
            # From the entered sample to each exit, all discounted to the start of the action.
            total = spent[n][entry.leave] + _discount(entry.leave * CONTROL_DT) * own
            prices = np.where(entry.allowed, total, np.inf).min(axis=1) - spent[n][entry.enter]
            result[entry.links] = prices / _discount(entry.enter * CONTROL_DT)
        return result

    @cached_property
    def _entries(self) -> tuple[_Entries, ...]:
        graph, stay = self.graph, round(LEAST_STAY_S / CONTROL_DT)
        found = []
        for action in range(len(graph.actions)):
            links = np.array([n for n, link in enumerate(graph.links) if link.target == action], dtype=int)
            exits = graph.exits[action]
            begun = np.array([graph.links[n].blend_start for n in exits], dtype=int)
            ended = np.array([graph.links[n].blend_end for n in links], dtype=int)
            found.append(
                _Entries(
                    links,
                    exits,
                    np.array([graph.links[n].transition.enter for n in links], dtype=int),
                    np.array([graph.links[n].transition.leave for n in exits], dtype=int),
                    np.array([_link_price(graph.links[n]) for n in exits]),
                    begun >= ended[:, None] + stay,
                )
            )
        return tuple(found)


@dataclass(frozen=True, eq=False)
class _Entries:
    """The links into and out of one action.

    links (n) into it and the samples they enter; exits (m), the samples they leave, and their prices [s]
    allowed (n, m): whether the exit can follow the link
    """

    links: IntArray
    exits: IntArray
    enter: IntArray
    leave: IntArray
    price: FloatArray
    allowed: np.ndarray


def _price(command: str, action: Action, fastest: float) -> FloatArray:
    """Return how far each sample of an action is from what a command asks for (T), from 0 to 1.

    fastest: speed of the fastest action [m/s]
    """
    relative, turning = action.speed / action.usual_speed, action.turning
    slow = np.clip(1.0 - relative / USUAL_WALK, 0.0, 1.0)
    bent = np.clip(np.abs(turning) / STRAIGHT_DEG_S, 0.0, 1.0)
    if command == FORWARD:
        fast = np.clip(relative / USUAL_WALK - 1.5, 0.0, 1.0)
        return np.maximum(np.maximum(slow, fast), bent)
    if command == FASTER:
        wanted = HURRY * fastest
        return np.maximum(np.clip(2.0 * (1.0 - action.speed / wanted), 0.0, 1.0), bent)
    if command == STOP:
        return np.clip(relative / (2.0 * STANDING_SPEED), 0.0, 1.0)
    side = 1.0 if command == LEFT else -1.0
    return np.clip(1.0 - side * turning / FULL_TURN_DEG_S, 0.0, 1.0)
