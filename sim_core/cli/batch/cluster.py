"""A batch over many machines: Dask's scheduler gives the items out, and again when a machine is lost.

What is sent is text, and what comes back is text; files are in folders that all machines share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.errors import InputError
from .folder import FAILED, Record, record_from_json, save_record
from .local import Tell
from .run_item import Task, carry_out_json

CONNECT_S = 15
"""How long the scheduler may take to answer [s]."""


def run_on_cluster(tasks: Sequence[Task], address: str, tell: Tell) -> None:
    """Carry out all tasks on the workers of a scheduler ("tcp://host:8786")."""
    distributed = _distributed()
    with _client(distributed, address) as client:
        # A key of its own for each run: the scheduler would answer with what it still remembers.
        futures = {client.submit(carry_out_json, task.as_json(), pure=False): task for task in tasks}
        for future in distributed.as_completed(list(futures), loop=client.loop):
            tell(_record(future, futures[future]))


def _record(future: Any, task: Task) -> Record:
    problem = future.exception()
    if problem is None:
        return record_from_json(future.result())
    told = f"{type(problem).__name__}: {problem}"
    reason = f"The machines that tried it were lost or could not run it ({told})."
    record = Record(task.name, task.digest, FAILED, reason)
    save_record(record, task.folder)
    return record


def _distributed() -> Any:
    try:
        import distributed  # here, because most batches do without it
    except ImportError as problem:
        raise InputError(
            "--scheduler needs the package 'distributed', which is not installed; "
            "install it with `pip install 'heft[cluster]'` here and on all machines."
        ) from problem
    return distributed


def _client(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as problem:  # a timeout is an OSError
        raise InputError(
            f"No Dask scheduler answers at '{address}' within {CONNECT_S} s; "
            "start one with `dask scheduler` and check the address."
        ) from problem
