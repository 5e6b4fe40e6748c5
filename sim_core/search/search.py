"""The receding horizon: windows are improved one after the other, and the start of each is played."""

from __future__ import annotations

from dataclasses import dataclass

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


class WindowSearch:
    """Searches the controls of a character block by block, from any state of the engine on.

    cost: of each window; gave_up: why nothing more is searched, or nothing
    """

    def __init__(self, problem: SearchProblem, leg_length: float, settings: SearchSettings) -> None:
        self.problem, self.settings = problem, settings
        self.residuals = Residuals(problem.world.spec, leg_length, settings.scales)
        self.rng = np.random.default_rng(settings.seed)
        step_s, self.per_tick = problem.world.timestep, problem.rollouts.steps_per_tick
        self.horizon, self.commit, self.knot = (
            round(value / step_s) for value in (settings.horizon_s, settings.commit_s, settings.knot_s)
        )
        self.compare = max(round(settings.compare_s / problem.prepared.reference.dt), 1)
        self.cost: list[float] = []
        self.first_step, self.scale = -1, 1
        self.offsets: FloatArray = np.zeros((0, len(problem.sigma)))

    @property
    def no_controls(self) -> FloatArray:
        """Return a block without any control interval: (0, n, nu)."""
        return np.zeros((0, self.per_tick, len(self.problem.sigma)))

    @property
    def gave_up(self) -> str:
        """Return why the search ends early; nothing while it goes on."""
        last = self.cost[-HOPELESS_WINDOWS:]
        hopeless = len(last) == HOPELESS_WINDOWS and min(last) > HOPELESS_COST
        return "it stays far from the motion" if hopeless else ""

    def plan(self, state: FloatArray, tick: int) -> FloatArray:
        """Return the controls of the next block (ticks, n, nu) from a state of the engine at a control tick.

        Blocks follow each other. The other characters' trials expect what the window came to.
        """
        problem, step = self.problem, tick * self.per_tick
        if self.first_step < 0:
            self.first_step = step
            self.offsets = np.zeros(((problem.steps - step) // self.knot + 2, len(problem.sigma)))
        window = _Window(self, state, step, self.first_step)
        own = slice(window.first_knot, window.first_knot + window.knots)
        start = _padded(self.offsets[own], window.knots).ravel()
        better = improve(window.evaluate, start, window.sigma, self.rng, self.settings.window, self.scale)
        self.scale = better.scale
        self.offsets[own] = better.parameters.reshape(window.knots, -1)[: len(self.offsets[own])]
        self.cost.append(better.cost)
        controls = window.controls(better.parameters[None])[0]
        problem.expect(step, controls)
        return controls[: self.commit].reshape(-1, self.per_tick, controls.shape[1])


class _Window:
    """The parameters of one window and what they come to."""

    def __init__(self, search: WindowSearch, state: FloatArray, step: int, first: int) -> None:
        self.search, self.state, self.step = search, state, step
        problem = search.problem
        self.steps = min(search.horizon, problem.steps - step)
        self.first_knot = (step - first) // search.knot
        self.knots = -(-self.steps // search.knot) + 1
        self.blend = _interpolation(self.steps, search.knot, self.knots)
        per_tick, tick = search.per_tick, step // search.per_tick
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
        states = problem.roll_out(self.state, self.step, self.controls(parameters))[:, self.compared_steps]
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
