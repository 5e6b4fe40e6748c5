"""One thread of linear algebra for as long as a function runs, in a program that is not Heft's own.

Matrices of a bake are small: several threads only wait for each other, and a bake takes up to seven times as
long. Heft's own programs say so before numpy loads (`limit_threads`); a script has loaded it already.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import scipy.linalg  # noqa: F401  its library must be there to be limited
from threadpoolctl import threadpool_limits

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def with_one_thread(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Return a function that uses one thread of linear algebra; afterwards there are as many as before."""

    @wraps(function)
    def limited(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        with threadpool_limits(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
