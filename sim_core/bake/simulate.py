"""Step 4, simulate: all characters in one engine, until the end of their references."""

from __future__ import annotations

from collections.abc import Sequence

from ..motion.motion import CONTROL_DT
from ..reference.reference import Reference
from ..result.metrics import FALL_SECONDS
from ..simulation.kinematic import KinematicPart
from ..simulation.overlaps import refuse_overlaps
from ..simulation.preview import PREVIEW_TICKS, preview_of
from ..simulation.projectiles import Flight, plan_flights
from ..simulation.simulation import Simulation
from ..simulation.trace import Trace
from ..world.world import World
from .around_hits import AroundHits, CharacterWatch
from .make_controller import ControlledCharacter
from .monitor import Monitor
from .setup import CharacterSetup

HOLD = {"draft": 2, "standard": 1, "best": 1}
"""Control intervals for which a command is kept: drafts are controlled fifty times a second."""
SHOWN_S = 0.1
"""How long a fall is simulated further in an attempt that is not kept [s]."""


def simulate(
    setups: Sequence[CharacterSetup],
    worlds: Sequence[World],
    controlled: Sequence[ControlledCharacter],
    stage: str,
    monitor: Monitor,
    stop_when_falls: int | None = None,
    beaten_s: float | None = None,
) -> tuple[Trace, ...]:
    """Return what the simulation recorded for each character.

    A character that has fallen goes limp, and the others go on. stop_when_falls: index of the character
    whose fall ends the simulation, which is a trial then. beaten_s: until when the only character stayed up
    in an earlier attempt; one that falls sooner is not kept, so it ends soon after its fall
    """
    scenarios = [own.scenario for own in setups]
    references = [own.controller.reference for own in controlled]
    refuse_overlaps(worlds, [own.start.qpos for own in controlled])
    simulation = Simulation(worlds, CONTROL_DT, [HOLD[own.settings.quality] for own in setups])
    ticks = len(references[0]) - 1

    def on_tick(tick: int) -> bool:
        preview = None
        if stop_when_falls is None and tick % PREVIEW_TICKS == 0:
            preview = preview_of(simulation.data, worlds, scenarios, tick * CONTROL_DT)
        monitor.simulated(stage, tick / ticks, preview)
        if beaten_s is not None and _is_beaten(controlled[0], tick * CONTROL_DT, beaten_s):
            return False
        return stop_when_falls is None or not controlled[stop_when_falls].controller.fallen

    flights = flights_of(setups, worlds, references)
    for character, setup, world, reference in zip(
        simulation.characters, setups, worlds, references, strict=True
    ):
        character.kinematic_part = _kinematic_part(setup, world, reference)
    starts = [own.start for own in controlled]
    if not setups[0].settings.only_around_hits:
        return simulation.run(starts, ticks, on_tick, flights, records_inputs=stop_when_falls is None)
    lookahead = Simulation(worlds, CONTROL_DT, [1] * len(worlds))
    watches = [_watch(*own) for own in zip(setups, worlds, controlled, strict=True)]
    around = AroundHits(simulation, lookahead, watches, flights, ticks)
    traces = simulation.run(starts, ticks, on_tick, flights, around)
    return tuple(around.blended(index, trace) for index, trace in enumerate(traces))


def _is_beaten(controlled: ControlledCharacter, time_s: float, fell_s: float) -> bool:
    """Return whether a character has fallen for good, and sooner than in an earlier attempt [s].

    The trace must show the fall by the report's own measure, so some more samples are simulated.
    """
    controller = controlled.controller
    last_upright_s = controller.upright_at
    settled = time_s - last_upright_s > FALL_SECONDS + SHOWN_S
    return controller.fallen and settled and last_upright_s + SHOWN_S < fell_s


def flights_of(
    setups: Sequence[CharacterSetup], worlds: Sequence[World], references: Sequence[Reference]
) -> list[Flight]:
    """Return the launches of all projectiles, aimed at characters that follow their references."""
    return [
        flight
        for setup, world, reference in zip(setups, worlds, references, strict=True)
        for flight in plan_flights(world, reference, setup.scenario.binding.parts)
    ]


def _kinematic_part(setup: CharacterSetup, world: World, reference: Reference) -> KinematicPart | None:
    """Return what follows the source while the rest is simulated; None if all is simulated."""
    if not setup.kinematic_segments:
        return None
    qacc = setup.source_qacc if setup.settings.only == "soft" else reference.qacc
    return KinematicPart(world, setup.source_clip, qacc, setup.kinematic_segments)


def _watch(setup: CharacterSetup, world: World, controlled: ControlledCharacter) -> CharacterWatch:
    reference, reactions = controlled.controller.reference, controlled.tracker.reactions
    return CharacterWatch(world, setup.source_clip, reference, reactions, setup.scenario.leg_length)
