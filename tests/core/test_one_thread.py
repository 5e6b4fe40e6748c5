"""Scripts get one thread of linear algebra inside of Heft's functions, and theirs back afterwards."""

from __future__ import annotations

import inspect

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sim_core import api
from sim_core.base.one_thread import with_one_thread


def blas_threads() -> set[int]:
    """How many threads the libraries of linear algebra use: numpy and SciPy bring one each."""
    found = [own["num_threads"] for own in threadpool_info() if own["user_api"] == "blas"]
    assert found, "no library of linear algebra is loaded"
    return set(found)


def test_one_thread_inside_and_as_many_as_before_afterwards() -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        assert blas_threads() == {2}
        assert with_one_thread(blas_threads)() == {1}
        assert blas_threads() == {2}


def test_threads_come_back_after_an_error() -> None:
    @with_one_thread
    def fails() -> None:
        raise ValueError

    with threadpool_limits(limits=2, user_api="blas"):
        with pytest.raises(ValueError):
            fails()
        assert blas_threads() == {2}


@pytest.mark.parametrize("name", ["bake", "fit", "retarget", "dynamics", "supports", "stream"])
def test_every_function_that_computes_is_limited(name: str) -> None:
    function = getattr(api, name)
    assert inspect.unwrap(function) is not function and function.__doc__
