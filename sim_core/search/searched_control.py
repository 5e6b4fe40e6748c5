"""A controller that searches its controls while the simulation runs, between two tracking controllers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..base.conventions import FloatArray
from ..simulation.protocol import Command, Controller, State, idle_command
from .search import WindowSearch

EngineState = Callable[[], FloatArray]
"""The present state of the whole engine, from which trials start."""
TakeOver = Callable[[int], Controller | None]
"""Asked at a control tick before a block is searched: who takes over from there, or nobody."""
ImpactObserver = Callable[[State], None]
"""Told of every state while controls are played without feedback."""


class SearchedControl:
    """Another controller at first, found controls from a control tick on, then whoever takes over.

    Found controls are played in blocks, and the next block is searched when one has been played, from the
    state that the simulation has come to. The constraint solver is restarted at each block, as in a trial.
    first_tick, end_tick: from when to when controls were searched
    """

    def __init__(
        self,
        before: Controller,
        search: WindowSearch,
        first_tick: int,
        engine_state: EngineState,
        take_over: TakeOver,
        observe: ImpactObserver,
    ) -> None:
        self.before, self.search, self.engine_state = before, search, engine_state
        self.take_over, self.observe = take_over, observe
        self.first_tick = self.end_tick = first_tick
        self.after: Controller | None = None
        self.block: FloatArray = search.no_controls  # of the ticks before end_tick: (ticks, n, nu)
        problem = search.problem
        self.dt = problem.prepared.reference.dt
        self.template = replace(idle_command(len(problem.sigma)), kp=problem.stiffness, kd=problem.damping)

    def command(self, state: State) -> Command:
        """Return the command of the control interval that starts at the state's time."""
        tick = round(state.time / self.dt)
        if tick < self.first_tick:
            return self.before.command(state)
        starts = tick == self.end_tick
        if starts and self.after is None:
            self.after = self.take_over(tick)
            if self.after is None:
                self.block = self.search.plan(self.engine_state(), tick)
                self.end_tick = tick + len(self.block)
        if self.after is not None:
            command = self.after.command(state)
            return replace(command, restarts_solver=True) if starts else command
        self.observe(state)
        controls = self.block[len(self.block) - (self.end_tick - tick)]
        return replace(self.template, controls=controls, restarts_solver=starts)
