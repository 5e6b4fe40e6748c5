"""Contacts between the characters of one simulation, recorded at every step of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..world.world import World
from .trace import HatAverage


@dataclass(frozen=True, order=True)
class SegmentPair:
    """Two segments that touch: indices of both characters and of a segment of each."""

    character: int
    segment: int
    other: int
    other_segment: int

    @property
    def reversed(self) -> SegmentPair:
        """The same pair as the other character sees it."""
        return SegmentPair(self.other, self.other_segment, self.character, self.segment)


@dataclass(frozen=True, eq=False)
class ContactSlots:
    """Contacts of one character with other characters, in M slots, one for each pair of segments.

    values (T, M, 7): means about the samples of a trace: the force on the character [N], the contact point
    times the force's magnitude [N m], and that magnitude [N]
    segment (M): index of the character's own segment
    other (M): index among the engine's other characters; other_segment (M): index of its segment
    """

    values: FloatArray
    segment: IntArray
    other: IntArray
    other_segment: IntArray


def force_on_second(data: mujoco.MjData, contact: int) -> FloatArray:
    """Return the force (3) [N] of a contact on its second geom, in the world frame."""
    address = data.contact.efc_address[contact]
    axes = data.contact.frame[contact].reshape(3, 3)
    return np.asarray(data.efc_force[address : address + 3] @ axes)


class CharacterContacts:
    """Records every contact between two characters until the simulation is over."""

    def __init__(self, worlds: Sequence[World], data: mujoco.MjData) -> None:
        self.data, self.several = data, len(worlds) > 1
        bodies = worlds[0].engine.model.geom_bodyid
        self.character: IntArray = np.full(len(bodies), -1)  # by geom
        self.segment: IntArray = np.full(len(bodies), -1)
        for number, world in enumerate(worlds):
            segment = world.engine.index.segment_of(bodies)
            own = segment >= 0
            self.character[own], self.segment[own] = number, segment[own]
        self.steps = 0
        self.found: dict[SegmentPair, list[tuple[int, FloatArray, FloatArray]]] = {}

    def clear(self) -> None:
        """Forget all contacts before a new run."""
        self.steps, self.found = 0, {}

    def step(self) -> None:
        """Record the contacts of the engine's last step."""
        if self.several:
            self._record()
        self.steps += 1

    def _record(self) -> None:
        contacts = self.data.contact
        owner = self.character[contacts.geom]  # (N, 2)
        between = (owner.min(axis=1) >= 0) & (owner[:, 0] != owner[:, 1]) & (contacts.efc_address >= 0)
        for i in np.flatnonzero(between):
            first, second = contacts.geom[i].tolist()
            pair = SegmentPair(
                *(int(of[geom]) for geom in (first, second) for of in (self.character, self.segment))
            )
            force = force_on_second(self.data, int(i))
            if pair.character > pair.other:
                pair, force = pair.reversed, -force
            self.found.setdefault(pair, []).append((self.steps, force, contacts.pos[i].copy()))

    def slots(self, character: int, samples: int, steps_per_sample: int) -> ContactSlots:
        """Return all contacts of a character, averaged about the first samples of the simulation."""
        pairs = sorted(pair for pair in self.found if character in (pair.character, pair.other))
        values = np.zeros((samples, len(pairs), 7))
        for slot, pair in enumerate(pairs):
            mean = HatAverage(samples, (7,), steps_per_sample)
            mean.add(0, self._by_step(pair, character))
            values[:, slot] = mean.values(samples)
        own = [pair if pair.character == character else pair.reversed for pair in pairs]
        columns = np.array([(p.segment, p.other - (p.other > character), p.other_segment) for p in own])
        return ContactSlots(values, *columns.reshape(-1, 3).astype(np.int64).T)

    def _by_step(self, pair: SegmentPair, character: int) -> FloatArray:
        """Values (steps, 7) of a pair at every step of the engine, see ContactSlots."""
        values = np.zeros((self.steps, 7))
        for step, on_other, point in self.found[pair]:
            force = on_other if character == pair.other else -on_other
            magnitude = float(np.linalg.norm(force))
            values[step] += np.concatenate([force, magnitude * point, [magnitude]])
        return values
