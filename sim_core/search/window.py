"""One window of the search: offsets of spring targets over a short horizon, improved by sampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray
from .improvement import elite_mean, regressed_steps

Evaluate = Callable[[FloatArray], FloatArray]
"""Residuals (n, m) of parameters (n, p)."""


@dataclass(frozen=True)
class WindowSettings:
    """How a window is improved.

    samples: of one iteration; iterations: at most
    spread: factor of the sampling deviations; scales: of the spread, tried when one brings too little
    easy: cost below which nothing is searched; calm: cost below which a small gain ends the search
    enough: gain, as a share of the cost, below which another scale is tried
    """

    samples: int = 32
    iterations: int = 4
    spread: float = 0.5
    scales: tuple[float, ...] = (1.0, 0.3, 0.1)
    easy: float = 0.15
    calm: float = 0.5
    enough: float = 0.1


@dataclass(frozen=True, eq=False)
class Improved:
    """The best parameters (p) of a window, their cost, and the index of the scale that brought them."""

    parameters: FloatArray
    cost: float
    scale: int


def improve(
    evaluate: Evaluate,
    start: FloatArray,
    sigma: FloatArray,
    rng: np.random.Generator,
    settings: WindowSettings,
    scale: int = 1,
) -> Improved:
    """Return parameters (p) that cost no more than the start; sigma (p): standard deviations of samples."""
    best, at_best = start, evaluate(start[None])[0]
    cost = float(at_best @ at_best)
    if cost < settings.easy:
        return Improved(best, cost, scale)
    tried: set[int] = set()
    good = scale
    for _ in range(settings.iterations):
        before, deviation = cost, sigma * settings.spread * settings.scales[scale]
        samples = best + deviation * rng.standard_normal((settings.samples, len(best)))
        residuals = evaluate(samples)
        costs = (residuals**2).sum(axis=1)
        candidates = np.array(
            [*regressed_steps(samples, residuals, best, at_best, deviation), elite_mean(samples, costs)]
        )
        all_parameters = np.concatenate([samples, candidates])
        all_residuals = np.concatenate([residuals, evaluate(candidates)])
        all_costs = (all_residuals**2).sum(axis=1)
        cheapest = int(all_costs.argmin())
        if all_costs[cheapest] < cost:
            best, at_best, cost = (
                all_parameters[cheapest],
                all_residuals[cheapest],
                float(all_costs[cheapest]),
            )
        if before - cost >= settings.enough * before:
            tried, good = set(), scale
            continue
        tried.add(scale)
        if cost < settings.calm or len(tried) == len(settings.scales):
            break
        scale = next(other for other in (1, 2, 0) if other not in tried)
    return Improved(best, cost, good)
