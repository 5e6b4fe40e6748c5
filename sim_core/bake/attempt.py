"""Step 5, judge: what an attempt came to, and which of several is the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..aiming.correction import Correction
from ..base.conventions import BoolArray, FloatArray
from ..character.posing import segment_poses
from ..reference.prepare import Prepared
from ..result.metrics import LOST_DEG, joint_error_deg
from ..result.records import Failure, GetUpRecord, Hit, SearchRecord, StrikeOutcome
from ..simulation.trace import Trace
from .diagnosis import fell_at
from .methods import Method
from .setup import CharacterSetup

FAR_DEG = 4.0
"""Joint error from which a body that stays up is so far from its reference that more is tried [deg]."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """One attempt of one character; correction: of its strikes, after what was missed before."""

    method: Method
    correction: Correction | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What an attempt came to for one character.

    hits: what hit the character until it fell; fallbacks: control intervals that OSQP solved instead of DAQP
    fell_s: time of the fall [s]; None if it stayed up
    joint_error_deg: mean angle between simulated and planned joint rotations [deg]
    strikes: how its strikes came out; relative_miss: the largest miss relative to its tolerance
    next_correction: what the next round should aim at; rounds: how often it was simulated for its strikes
    failure: why it fell; methods_tried: names of all methods up to the end
    search: when and how controls were searched; None where the tracker carried out everything
    get_ups: falls after which it got up; stays_down: why it did not, where it should have
    """

    attempt: Attempt
    prepared: Prepared
    trace: Trace
    hits: tuple[Hit, ...]
    fell_s: float | None
    joint_error_deg: float
    strikes: tuple[StrikeOutcome, ...] = ()
    relative_miss: float = 0.0
    next_correction: Correction | None = None
    rounds: int = 1
    failure: Failure | None = None
    fallbacks: int = 0
    methods_tried: tuple[str, ...] = ()
    search: SearchRecord | None = None
    get_ups: tuple[GetUpRecord, ...] = ()
    stays_down: str = ""

    @property
    def follows_clip(self) -> BoolArray:
        """Return at which samples (T) the clip is followed: not while the body falls, lies and gets up."""
        follows = np.ones(len(self.trace.time), dtype=bool)
        for own in self.get_ups:
            follows &= (self.trace.time < own.fell_at) | (self.trace.time >= own.back_at)
        return follows

    @property
    def succeeded(self) -> bool:
        """Whether the character stayed up and near its reference."""
        return self.fell_s is None and self.joint_error_deg < LOST_DEG

    @property
    def satisfies(self) -> bool:
        """Whether nothing better need be tried. A hit or a push may take a body as far as it does."""
        return self.succeeded and (self.disturbed or self.joint_error_deg < FAR_DEG)

    @property
    def disturbed(self) -> bool:
        """Whether anything hit or pushed the character."""
        return bool(self.hits) or bool(self.trace.push.any())

    def after_rounds(self, first: Outcome, rounds: int) -> Outcome:
        """Return this outcome as the best of several rounds, with how the first one's strikes missed."""
        pairs = zip(self.strikes, first.strikes, strict=True)
        return replace(self, rounds=rounds, strikes=tuple(kept.after(began) for kept, began in pairs))

    def after_search(self, searched: Outcome) -> Outcome:
        """Return this outcome with what a search has cost that brought nothing better."""
        search = searched.search
        return self if search is None else replace(self, search=replace(search, kept=False))


def judge(
    setup: CharacterSetup, attempt: Attempt, prepared: Prepared, trace: Trace, hits: tuple[Hit, ...]
) -> Outcome:
    """Judge what was simulated: did it fall, how far is it from its reference, did its strikes hit."""
    fell_s = fell_at(setup.scenario, prepared.reference, trace, setup.source_lies)
    outcome = Outcome(
        attempt, prepared, trace, hits, fell_s, mean_joint_error_deg(setup, prepared.reference.qpos, trace)
    )
    aiming, correction = setup.aiming, attempt.correction
    if aiming is None or correction is None:
        return outcome
    contacts = aiming.contacts(trace.qpos)
    return replace(
        outcome,
        strikes=aiming.outcomes(contacts, correction),
        relative_miss=aiming.relative_miss(contacts),
        next_correction=correction.after(aiming.strikes, contacts),
    )


def mean_joint_error_deg(setup: CharacterSetup, planned_qpos: FloatArray, trace: Trace) -> float:
    """Return the mean angle between simulated and planned joint rotations [deg]; planned_qpos (T, nq)."""
    spec = setup.scenario.spec
    simulated = segment_poses(spec, trace.qpos)[1]
    planned = segment_poses(spec, planned_qpos[: len(trace.qpos)])[1]
    return float(joint_error_deg(simulated, planned, spec.parents).mean())


def rank(outcomes: Sequence[Outcome]) -> tuple[int, float, float, float]:
    """Return a key for sorting: fewer falls, then later falls, then strikes that hit, then smaller errors."""
    falls_s = [own.fell_s for own in outcomes if own.fell_s is not None]
    missed = sum(max(own.relative_miss - 1.0, 0.0) for own in outcomes)
    error_deg = sum(own.joint_error_deg for own in outcomes if own.fell_s is None)
    return len(falls_s), -sum(falls_s), missed, error_deg
