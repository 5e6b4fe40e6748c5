"""The search after a fall: who is searched, by which reference, and what it came to.

All characters are simulated together at the search's own time step. Where a tracker falls, controls are
searched from the last moment at which it was still near its reference, until the tracker can carry on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..aiming.correction import Correction
from ..reference.prepare import Prepared
from ..scenario.search_limit import budget_seconds
from ..world.world import with_timestep
from .attempt import Attempt, Outcome
from .make_reference import make_reference
from .monitor import Monitor
from .search_budget import SearchBudget
from .setup import CharacterSetup

MUCH_UNEXPLAINED = 0.1
"""Unexplained share of the weight from which another reference than the usual one may be searched for."""


@dataclass(frozen=True, eq=False)
class Searched:
    """A searched run of all characters: the setups at its time step, and the outcomes."""

    setups: tuple[CharacterSetup, ...]
    outcomes: tuple[Outcome, ...]


def can_search(setup: CharacterSetup) -> bool:
    """Return whether a character may be searched."""
    settings = setup.settings
    return settings.search and settings.quality != "draft" and _moved_by_controls_alone(setup)


def is_wanted(setups: Sequence[CharacterSetup], kept: Sequence[Outcome]) -> bool:
    """Return whether a search is called for after the attempts have come to these outcomes."""
    wanted = any(_wanted(*own) for own in zip(setups, kept, strict=True))
    return wanted and all(map(_moved_by_controls_alone, setups))


def _moved_by_controls_alone(setup: CharacterSetup) -> bool:
    """Return whether nothing follows the clip, no hand holds on, nothing is soft: trials know none of it."""
    follows = bool(setup.kinematic_segments) or setup.settings.only_around_hits
    return not follows and setup.world.index.grips == 0 and setup.world.soft is None


def _wanted(setup: CharacterSetup, kept: Outcome) -> bool:
    return can_search(setup) and (not kept.satisfies or setup.settings.quality == "best")


def search_after_fall(
    setups: Sequence[CharacterSetup], kept: Sequence[Outcome], monitor: Monitor
) -> Searched:
    """Return the run of all characters with searched controls where their trackers fall.

    kept: the outcomes of the attempts, whose methods are tracked before and after the search
    """
    # Here, because most bakes do not fall.
    from .search_run import TIMESTEP, SearchedCharacter, SearchRuns

    worlds = with_timestep([own.world for own in setups], TIMESTEP)
    characters = [
        SearchedCharacter(
            replace(setup, world=world),
            outcome,
            _best_reference(setup, outcome.attempt.correction) if can_search(setup) else outcome.prepared,
            can_search(setup),
        )
        for setup, world, outcome in zip(setups, worlds, kept, strict=True)
    ]
    duration_s = float(kept[0].prepared.reference.time[-1])
    seconds = max(budget_seconds(own.settings, duration_s) for own in setups)
    outcomes = SearchRuns(characters, SearchBudget(seconds, monitor)).run()
    return Searched(tuple(own.setup for own in characters), outcomes)


def _best_reference(setup: CharacterSetup, correction: Correction | None) -> Prepared:
    """Return the usual reference, or the best explained one where forces do not explain the usual one."""
    usual = make_reference(setup, Attempt(setup.methods[0], correction))
    if _residual(usual) < MUCH_UNEXPLAINED:
        return usual
    return min((make_reference(setup, Attempt(own, correction)) for own in setup.methods), key=_residual)


def _residual(prepared: Prepared) -> float:
    """Return the share of the weight that no force explains."""
    return np.inf if prepared.change is None else prepared.change.residual_after_share
