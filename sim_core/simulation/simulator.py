"""Running one controller against the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..control.protocol import Controller, State
from ..conventions import FloatArray
from .ensemble import Ensemble, Start
from .flights import Flight
from .trace import Trace
from .world import World

OnTick = Callable[[int, State], bool]
"""Called after each control interval with the state that the command was made from; False ends it all."""


class Simulator:
    """An ensemble of one character."""

    def __init__(self, world: World, control_dt: float, hold: int = 1) -> None:
        """hold: a command is kept for so many intervals"""
        self.ensemble = Ensemble((world,), control_dt, (hold,))
        self.data, self.performer = self.ensemble.data, self.ensemble.performers[0]

    def run(
        self,
        controller: Controller,
        qpos: FloatArray,
        qvel: FloatArray,
        ticks: int,
        on_tick: OnTick,
        flights: Sequence[Flight] = (),
    ) -> Trace:
        """Simulates `ticks` control intervals from a starting state; ticks + 1 samples."""

        def after(tick: int) -> bool:
            assert self.performer.seen is not None
            return on_tick(tick, self.performer.seen)

        return self.ensemble.run((Start(controller, qpos, qvel),), ticks, after, flights)[0]
