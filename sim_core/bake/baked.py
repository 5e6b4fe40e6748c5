"""All that is known of a character after a bake."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..motion.motion import Motion
from ..reference.prepare import Prepared
from ..scenario.scenario import Scenario
from ..simulation.trace import Trace
from ..world.world import World
from .attempt import Outcome
from .setup import CharacterSetup


@dataclass(frozen=True, eq=False)
class BakedCharacter:
    """A character and the outcome that was kept.

    outcome: None where nothing was simulated
    planned: the motion made possible for forces, where that was all that was asked for
    others: worlds and traces of those that were simulated with it, in the order of the engine's others
    """

    setup: CharacterSetup
    outcome: Outcome | None = None
    planned: Prepared | None = None
    others: tuple[tuple[World, Trace], ...] = ()

    @property
    def scenario(self) -> Scenario:
        """What the character was asked to do."""
        return self.setup.scenario

    @property
    def world(self) -> World:
        """The engine as the character sees it."""
        return self.setup.world

    @cached_property
    def source(self) -> Motion:
        """The source motion on the control grid, as long as what was simulated."""
        if self.outcome is None:
            return self.setup.source
        return self.setup.source.first(len(self.outcome.trace.time))

    @property
    def prepared(self) -> Prepared | None:
        """The reference: of the outcome, or the planned one; None where the source was left as it is."""
        return self.planned if self.outcome is None else self.outcome.prepared
