"""A simulation of one character."""

from __future__ import annotations

from collections.abc import Sequence

from sim_core.base.conventions import FloatArray
from sim_core.simulation.projectiles import Flight
from sim_core.simulation.protocol import Controller
from sim_core.simulation.simulation import CharacterStart, OnTick, Simulation
from sim_core.simulation.trace import Trace
from sim_core.world.world import World


def go_on(_: int) -> bool:
    """Simulate to the end."""
    return True


class SingleSimulation:
    """A simulation of one character; hold: number of control intervals for which a command is kept."""

    def __init__(self, world: World, control_dt: float, hold: int = 1) -> None:
        self.simulation = Simulation((world,), control_dt, (hold,))
        self.data, self.character = self.simulation.data, self.simulation.characters[0]

    def run(
        self,
        controller: Controller,
        qpos: FloatArray,
        qvel: FloatArray,
        ticks: int,
        on_tick: OnTick = go_on,
        flights: Sequence[Flight] = (),
    ) -> Trace:
        """Simulate `ticks` control intervals from a state; return a trace of ticks + 1 samples."""
        return self.simulation.run((CharacterStart(controller, qpos, qvel),), ticks, on_tick, flights)[0]
