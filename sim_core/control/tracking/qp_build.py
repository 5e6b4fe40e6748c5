"""Builds the tracking QP as the sum of its tasks and of the costs of its inputs.

With the inputs x of inputs.py, the equations of motion give qdd = by_input x + free (da Silva et al. 2008,
eq. 6 and 7d). A task of rows A and wanted values a then costs |W (A by_input x + A free - a)|^2 / 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from ...base.conventions import FloatArray
from .inputs import InputGroup
from .prediction import Prediction
from .qp import BoxQP
from .tasks import CoordinateTask, JacobianTask, Task


@dataclass(frozen=True, eq=False)
class InputResponse:
    """The generalised acceleration as a function of the inputs: qdd = by_input x + free.

    by_input (nv, n); free (nv): -M^-1 bias
    """

    by_input: FloatArray
    free: FloatArray

    def acceleration(self, x: FloatArray) -> FloatArray:
        """Return qdd (nv) of inputs x (n)."""
        return np.asarray(self.by_input @ x + self.free)


def input_response(prediction: Prediction, inputs: Sequence[InputGroup]) -> InputResponse:
    """Return how the inputs, in their order, accelerate the character."""
    force = np.concatenate([*(group.force for group in inputs), prediction.bias[None]])
    solved = dposv(prediction.mass_matrix.T, force.T, lower=True, overwrite_b=True)[1]
    return InputResponse(solved[:, :-1], -solved[:, -1])


def build_qp(response: InputResponse, tasks: Sequence[Task], inputs: Sequence[InputGroup]) -> BoxQP:
    """Return the QP over the inputs: the sum of the tasks and of the inputs' costs, within their bounds."""
    matrix, error = _stack(response, tasks)
    costs = inputs[0].cost.stacked(tuple(group.cost for group in inputs[1:]))
    gradient = matrix @ error + np.concatenate([group.gradient for group in inputs])
    return BoxQP(matrix @ matrix.T + costs.hessian, gradient, costs.low, costs.high)


def _stack(response: InputResponse, tasks: Sequence[Task]) -> tuple[FloatArray, FloatArray]:
    """Return the tasks' weighted rows over the inputs (n, m), and their weighted errors at x = 0 (m).

    The matrix has a row for each input, because A A' is then computed as a symmetric product. Coordinate
    tasks come first: their rows are those of the response.
    """
    direct = [task for task in tasks if isinstance(task, CoordinateTask)]
    others = [task for task in tasks if isinstance(task, JacobianTask)]
    stacked: list[Task] = [*direct, *others]
    root_weight = np.concatenate([task.root_weight for task in stacked])
    wanted = np.concatenate([task.wanted for task in stacked])
    nv, n = response.by_input.shape
    rows = np.concatenate([task.rows for task in others]) if others else np.empty((0, nv))
    matrix = np.empty((n, len(wanted)))
    start = 0
    for task in direct:
        own = slice(start, start + len(task.wanted))
        np.multiply(response.by_input[task.coordinates].T, task.root_weight, out=matrix[:, own])
        start = own.stop
    np.matmul(response.by_input.T, (root_weight[start:, None] * rows).T, out=matrix[:, start:])
    free = np.concatenate([*(response.free[task.coordinates] for task in direct), rows @ response.free])
    return matrix, root_weight * (free - wanted)
