"""Why a character fell, and which help from outside would have kept it up."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.errors import SimulationError
from ..result.records import Failure
from ..world.world import with_timestep
from .attempt import Outcome
from .diagnosis import fell_at, find_causes, least_assist
from .make_controller import make_controller
from .monitor import Monitor
from .setup import TIMESTEP, CharacterSetup
from .simulate import simulate


def explain_fall(
    setups: Sequence[CharacterSetup], outcomes: Sequence[Outcome], index: int, monitor: Monitor
) -> Failure | None:
    """Return why one of the characters fell; None if it did not."""
    setup, fallen = setups[index], outcomes[index]
    if fallen.fell_s is None:
        return None
    causes = find_causes(setup.world, fallen.prepared, fallen.trace, fallen.fell_s)
    if not setup.settings.find_assist:
        return Failure(fallen.fell_s, causes, None, ())
    drafts = with_timestep([own.world for own in setups], TIMESTEP["draft"])

    def stays_up(assist_cap: float) -> bool:
        caps = [assist_cap if own is setup else own.settings.assist_cap for own in setups]
        try:
            controlled = [
                make_controller(own, world, outcome.prepared, outcome.attempt.method, cap)
                for own, world, outcome, cap in zip(setups, drafts, outcomes, caps, strict=True)
            ]
            stage = "Looking for the smallest assist"
            trace = simulate(setups, drafts, controlled, stage, monitor, stop_when_falls=index)[index]
        except SimulationError:
            return False
        reference = fallen.prepared.reference
        return len(trace.time) == len(reference) and fell_at(setup.scenario, reference, trace) is None

    return Failure(fallen.fell_s, causes, *least_assist(stays_up, setup.settings.assist_cap))
