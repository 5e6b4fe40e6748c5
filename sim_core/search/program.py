"""A controller that plays found controls, and the tracking controller before and after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..base.conventions import FloatArray
from ..simulation.protocol import Command, Controller, State, idle_command


class OpenLoop:
    """Plays controls without feedback.

    The solver is restarted at each block, as it was when the block was found, so that the motion is the same
    to the last digit.
    """

    def __init__(
        self,
        first_tick: int,
        controls: FloatArray,
        block_ticks: int,
        dt: float,
        stiffness: FloatArray,
        damping: FloatArray,
    ) -> None:
        """Set up; controls (ticks, n, nu): of every engine step; block_ticks: intervals of a block."""
        self.first_tick, self.controls, self.block_ticks, self.dt = first_tick, controls, block_ticks, dt
        self.template = replace(idle_command(len(stiffness)), kp=stiffness, kd=damping)

    def command(self, state: State) -> Command:
        """Return the controls of the control interval that starts at the state's time."""
        at = round(state.time / self.dt) - self.first_tick
        return replace(
            self.template,
            controls=self.controls[min(at, len(self.controls) - 1)],
            restarts_solver=at % self.block_ticks == 0,
        )


@dataclass(frozen=True, eq=False)
class Part:
    """A controller from a control tick on, until the next part."""

    first_tick: int
    controller: Controller


class Program:
    """Hands the character from one controller to the next."""

    def __init__(self, parts: Sequence[Part], dt: float) -> None:
        self.parts, self.dt = tuple(parts), dt

    def command(self, state: State) -> Command:
        """Return the command of the part that the state's time belongs to."""
        tick = round(state.time / self.dt)
        part = [own for own in self.parts if own.first_tick <= tick][-1]
        command = part.controller.command(state)
        starts = tick == part.first_tick and tick > 0
        return replace(command, restarts_solver=True) if starts else command
