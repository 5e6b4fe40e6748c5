"""All that is known after a bake."""

from __future__ import annotations

from dataclasses import dataclass

from ..motion.motion import Motion
from ..reference.prepare import Prepared
from ..scenario.scenario import Scenario
from ..simulation.trace import Trace
from ..world.world import World
from .carry_out import Run


@dataclass(frozen=True, eq=False)
class Performance:
    """All that is known after a bake.

    source: the take's motion on the control grid; run: None where nothing was simulated
    planned: the motion made possible, where that was all that was asked for
    others: worlds and traces of those that were simulated with it, in the order of the engine's others
    """

    scenario: Scenario
    world: World
    source: Motion
    run: Run | None
    others: tuple[tuple[World, Trace], ...] = ()
    planned: Prepared | None = None

    @property
    def prepared(self) -> Prepared | None:
        return self.planned if self.run is None else self.run.prepared
