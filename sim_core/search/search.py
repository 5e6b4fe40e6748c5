"""The receding horizon: windows are improved one after the other, and the start of each is committed."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..base.conventions import FloatArray
from .problem import SearchProblem
from .residuals import Residuals, ResidualScales
from .window import WindowSettings, improve

PRIOR = 0.5
"""Weight of the offsets' own size beside the errors."""
HOPELESS_COST, HOPELESS_WINDOWS = 60.0, 6
"""A search whose windows cost more than the first for as many windows in a row is given up."""


@dataclass(frozen=True)
class SearchSettings:
    """Times of the search [s], and how windows are improved.

    horizon_s: of a window; commit_s: of what is kept of it; knot_s: between offsets; compare_s: between the
    times at which states are compared with the reference
    seed: of all samples
    """

    horizon_s: float = 0.4
    commit_s: float = 0.1
    knot_s: float = 0.1
    compare_s: float = 0.04
    seed: int = 0
    window: WindowSettings = WindowSettings()
    scales: ResidualScales = ResidualScales()


@dataclass(eq=False)
class Found:
    """Controls that were found.

    first_tick: control tick at which they start; controls (steps, nu): of every engine step from there on
    qpos, qvel: state after the last of them; gave_up: why the search ended early, or nothing
    cost: of each window; seconds: wall time spent
    """

    first_tick: int
    controls: FloatArray
    qpos: FloatArray
    qvel: FloatArray
    gave_up: str = ""
    cost: list[float] = field(default_factory=list)
    seconds: float = 0.0


OnCommit = Callable[[Found], bool]
"""Called after each committed block; returns False to end the search there."""


class WindowSearch:
    """Searches controls from a state of the body to the end of its reference."""

    def __init__(self, problem: SearchProblem, leg_length: float, settings: SearchSettings) -> None:
        self.problem, self.settings = problem, settings
        self.residuals = Residuals(problem.world.spec, leg_length, settings.scales)
        self.rng = np.random.default_rng(settings.seed)
        step_s = problem.world.timestep
        self.horizon, self.commit, self.knot = (
            round(value / step_s) for value in (settings.horizon_s, settings.commit_s, settings.knot_s)
        )
        self.compare = max(round(settings.compare_s / problem.prepared.reference.dt), 1)

    def run(self, tick: int, qpos: FloatArray, qvel: FloatArray, on_commit: OnCommit) -> Found:
        """Search from a state at a control tick until the end, or until on_commit ends it."""
        problem, began = self.problem, clock.monotonic()
        first = tick * problem.steps_per_tick
        found = Found(tick, np.zeros((0, problem.model.nu)), qpos, qvel)
        offsets = np.zeros(((problem.steps - first) // self.knot + 2, problem.model.nu))
        state, step, scale = problem.state(qpos, qvel), first, 1
        while step < problem.steps:
            window = _Window(self, state, step, first)
            own = slice(window.first_knot, window.first_knot + window.knots)
            start = _padded(offsets[own], window.knots).ravel()
            better = improve(window.evaluate, start, window.sigma, self.rng, self.settings.window, scale)
            scale = better.scale
            chosen = better.parameters.reshape(window.knots, -1)
            offsets[own] = chosen[: len(offsets[own])]
            controls = window.controls(better.parameters[None])[:, : min(self.commit, problem.steps - step)]
            state = problem.roll_out(state, controls)[0, -1]
            step += controls.shape[1]
            self._extend(found, controls[0], state, better.cost)
            found.seconds = clock.monotonic() - began
            if found.gave_up or not on_commit(found):
                break
        return found

    def _extend(self, found: Found, controls: FloatArray, state: FloatArray, cost: float) -> None:
        model = self.problem.model
        found.controls = np.concatenate([found.controls, controls])
        found.qpos, found.qvel = state[1 : 1 + model.nq], state[1 + model.nq : 1 + model.nq + model.nv]
        found.cost.append(cost)
        last = found.cost[-HOPELESS_WINDOWS:]
        if len(last) == HOPELESS_WINDOWS and min(last) > HOPELESS_COST:
            found.gave_up = "it stays far from the motion"


class _Window:
    """The parameters of one window and what they come to."""

    def __init__(self, search: WindowSearch, state: FloatArray, step: int, first: int) -> None:
        self.search, self.state, self.step = search, state, step
        problem = search.problem
        self.steps = min(search.horizon, problem.steps - step)
        self.first_knot = (step - first) // search.knot
        self.knots = -(-self.steps // search.knot) + 1
        self.blend = _interpolation(self.steps, search.knot, self.knots)
        per_tick, tick = problem.steps_per_tick, step // problem.steps_per_tick
        ahead = np.arange(search.compare, self.steps // per_tick + 1, search.compare)
        last = self.steps // per_tick
        ahead = np.append(ahead, last) if len(ahead) == 0 or ahead[-1] != last else ahead
        self.compared_steps, self.compared_ticks = ahead * per_tick - 1, tick + ahead
        weight = np.ones(len(ahead))
        weight[-1] = 2.0
        self.root_weight = np.sqrt(weight / weight.sum())
        self.sigma = np.tile(problem.sigma, self.knots)
        self.prior = np.sqrt(PRIOR / (self.knots * len(problem.sigma) / 6.0)) / (2.0 * self.sigma)

    def controls(self, parameters: FloatArray) -> FloatArray:
        """Return the controls (n, steps, nu) of parameters (n, p)."""
        problem = self.search.problem
        offsets = parameters.reshape(len(parameters), self.knots, -1)
        base = problem.base[self.step : self.step + self.steps]
        return np.asarray(base + problem.stiffness * np.einsum("sk,nku->nsu", self.blend, offsets))

    def evaluate(self, parameters: FloatArray) -> FloatArray:
        """Return the residuals (n, m) of parameters (n, p)."""
        problem, count = self.search.problem, len(parameters)
        states = problem.roll_out(self.state, self.controls(parameters))[:, self.compared_steps]
        actual = problem.features(states.reshape(-1, states.shape[-1]))
        wanted = problem.reference[np.tile(self.compared_ticks, count)]
        errors = self.search.residuals(actual, wanted).reshape(count, len(self.compared_ticks), -1)
        weighted = (self.root_weight[:, None] * errors).reshape(count, -1)
        return np.concatenate([weighted, self.prior * parameters], axis=1)


def _interpolation(steps: int, knot: int, knots: int) -> FloatArray:
    """Return the matrix (steps, knots) that interpolates linearly between knots."""
    position = np.arange(steps) / knot
    low = np.minimum(position.astype(np.int64), knots - 2)
    share = position - low
    matrix = np.zeros((steps, knots))
    matrix[np.arange(steps), low] = 1.0 - share
    matrix[np.arange(steps), low + 1] = share
    return matrix


def _padded(offsets: FloatArray, knots: int) -> FloatArray:
    """Repeat no offsets beyond the last knot: they are zero there."""
    return np.concatenate([offsets, np.zeros((max(knots - len(offsets), 0), offsets.shape[1]))])[:knots]
