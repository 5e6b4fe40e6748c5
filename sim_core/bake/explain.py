"""Why a character fell, and which help from outside would have kept it up."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.errors import SimulationError
from ..reference.reference import Reference
from ..result.records import Failure
from ..result.support_records import SupportOffer
from ..simulation.trace import Trace
from ..world.world import with_timestep
from .attempt import Outcome, mean_joint_error_deg
from .diagnosis import fell_at, find_causes, least_assist
from .make_controller import make_controller
from .monitor import Monitor
from .setup import TIMESTEP, CharacterSetup
from .simulate import simulate
from .support_offers import explains_fall

KEPT_DEG = 10.0
"""Largest mean joint error to the source with which a body still does the same motion [deg]."""


def explain_fall(
    setups: Sequence[CharacterSetup],
    outcomes: Sequence[Outcome],
    index: int,
    monitor: Monitor,
    offers: tuple[SupportOffer, ...] = (),
) -> Failure | None:
    """Return why one of the characters fell; None if it did not. offers: supports that it misses."""
    setup, fallen = setups[index], outcomes[index]
    if fallen.fell_s is None:
        return None
    causes = find_causes(setup.world, fallen.prepared, fallen.trace, fallen.fell_s)
    if not setup.settings.find_assist or explains_fall(offers, fallen.fell_s):
        return Failure(fallen.fell_s, causes, None, (), offers)
    drafts = with_timestep([own.world for own in setups], TIMESTEP["draft"])

    def carries(assist_cap: float) -> bool:
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
        return keeps_motion(setup, fallen.prepared.reference, trace)

    return Failure(fallen.fell_s, causes, *least_assist(carries, setup.settings.assist_cap), offers)


def keeps_motion(setup: CharacterSetup, reference: Reference, trace: Trace) -> bool:
    """Return whether a body stays up to the end, and still does what the source does."""
    fell_s = fell_at(setup.scenario, reference, trace, setup.source_lies)
    if len(trace.time) < len(reference) or fell_s is not None:
        return False
    return mean_joint_error_deg(setup, setup.source_qpos, trace) <= KEPT_DEG
