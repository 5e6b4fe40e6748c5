"""A Gauss-Newton step that is regressed from samples, for costs whose derivatives are not known.

With parameters and residuals of n samples about a centre, A = (theta_i - theta) / sqrt(n) and
B = (r_i - r) / sqrt(n), the residuals are modelled as r + B' w for a step A' w. The damped minimum is
w = -(B B' + alpha tr(B B') / n I)^-1 B r.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..base.conventions import FloatArray

DAMPINGS = (0.03, 0.3, 3.0)
"""alpha: from bold to careful."""
LONGEST = 3.0
"""Root mean square of a step over the standard deviations of its parameters, at most."""
WORST_RATIO = 3.0
"""Samples that cost more than this multiple of the median are left out of the regression."""


def regressed_steps(
    samples: FloatArray, residuals: FloatArray, centre: FloatArray, at_centre: FloatArray, sigma: FloatArray
) -> Iterator[FloatArray]:
    """Yield improved parameters (p): steps of several dampings, from the centre and from the best sample.

    samples (n, p), residuals (n, m); centre (p) with its residuals at_centre (m); sigma (p): of the samples
    """
    cost = (residuals**2).sum(axis=1)
    best = int(cost.argmin())
    kept = cost <= WORST_RATIO * np.median(cost)
    root_n = np.sqrt(kept.sum())
    a, b = (samples[kept] - centre) / root_n, (residuals[kept] - at_centre) / root_n
    gram = b @ b.T
    mean = np.trace(gram) / len(gram)
    for damping in DAMPINGS:
        solve = np.linalg.inv(gram + damping * mean * np.eye(len(gram)) + 1e-12 * np.eye(len(gram)))
        for start, at_start in ((centre, at_centre), (samples[best], residuals[best])):
            step = -a.T @ (solve @ (b @ at_start))
            length = np.sqrt(np.mean((step / sigma) ** 2))
            yield start + step * min(1.0, LONGEST / max(length, 1e-12))


def elite_mean(samples: FloatArray, cost: FloatArray) -> FloatArray:
    """Return the mean (p) of the cheapest eighth of samples (n, p), the cheaper the heavier (MPPI)."""
    chosen = np.argsort(cost)[: max(len(cost) // 8, 6)]
    spread = max(float(cost[chosen].mean() - cost[chosen[0]]), 1e-6)
    weight = np.exp(-(cost[chosen] - cost[chosen[0]]) / spread)
    return np.asarray(weight @ samples[chosen] / weight.sum())
