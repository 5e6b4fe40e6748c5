"""Contacts between characters: what two bodies do to each other, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..world.world import World
from .trace import HatAverage


@dataclass(frozen=True, order=True)
class Touching:
    """Two parts that touch: characters by their places in the simulation, segments by theirs in the body."""

    character: int
    segment: int
    other: int
    other_segment: int

    @property
    def reversed(self) -> Touching:
        return Touching(self.other, self.other_segment, self.character, self.segment)


@dataclass(frozen=True, eq=False)
class Met:
    """What touched a character, in M slots.

    values (T, M, 7), means about the samples of a trace: the force on it, the place weighted by the force's
    strength, and that strength
    segment (M): of its own; other (M): place among the engine's others; other_segment (M)
    """

    values: FloatArray
    segment: IntArray
    other: IntArray
    other_segment: IntArray


def force_on_second(data: mujoco.MjData, contact: int) -> FloatArray:
    """Of a contact (3) [N], in the world: the engine's pushes the second geom along the normal."""
    place = data.contact.efc_address[contact]
    axes = data.contact.frame[contact].reshape(3, 3)
    return np.asarray(data.efc_force[place : place + 3] @ axes)


class CharacterContacts:
    """Keeps every contact between two characters until the simulation is over."""

    def __init__(self, worlds: Sequence[World], data: mujoco.MjData) -> None:
        self.data, self.several = data, len(worlds) > 1
        bodies = worlds[0].engine.model.geom_bodyid
        self.character: IntArray = np.full(len(bodies), -1)  # by geom
        self.segment: IntArray = np.full(len(bodies), -1)
        for place, world in enumerate(worlds):
            segment = world.engine.index.segment_of(bodies)
            own = segment >= 0
            self.character[own], self.segment[own] = place, segment[own]
        self.steps = 0
        self.found: dict[Touching, list[tuple[int, FloatArray, FloatArray]]] = {}

    def clear(self) -> None:
        self.steps, self.found = 0, {}

    def step(self) -> None:
        """After each step of the engine."""
        if self.several:
            self._note()
        self.steps += 1

    def _note(self) -> None:
        contacts = self.data.contact
        who = self.character[contacts.geom]  # (N, 2)
        between = (who.min(axis=1) >= 0) & (who[:, 0] != who[:, 1]) & (contacts.efc_address >= 0)
        for i in np.flatnonzero(between):
            first, second = contacts.geom[i].tolist()
            pair = Touching(*(int(of[g]) for g in (first, second) for of in (self.character, self.segment)))
            force = force_on_second(self.data, int(i))
            if pair.character > pair.other:
                pair, force = pair.reversed, -force
            self.found.setdefault(pair, []).append((self.steps, force, contacts.pos[i].copy()))

    def of(self, character: int, samples: int, steps_per_sample: int) -> Met:
        """All that touched a character."""
        pairs = sorted(pair for pair in self.found if character in (pair.character, pair.other))
        values = np.zeros((samples, len(pairs), 7))
        for slot, pair in enumerate(pairs):
            mean = HatAverage(samples, (7,), steps_per_sample)
            mean.add(0, self._by_step(pair, character))
            values[:, slot] = mean.values(samples)
        mine = [pair if pair.character == character else pair.reversed for pair in pairs]
        columns = np.array([(p.segment, p.other - (p.other > character), p.other_segment) for p in mine])
        return Met(values, *columns.reshape(-1, 3).astype(np.int64).T)

    def _by_step(self, pair: Touching, character: int) -> FloatArray:
        values = np.zeros((self.steps, 7))
        for step, on_other, point in self.found[pair]:
            force = on_other if character == pair.other else -on_other
            strength = float(np.linalg.norm(force))
            values[step] += np.concatenate([force, strength * point, [strength]])
        return values
