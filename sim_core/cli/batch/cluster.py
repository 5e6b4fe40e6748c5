"""A batch on many machines: Dask's scheduler distributes the items, and again when a machine is lost.

Only text is sent in both directions; files are in folders that all machines share.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from typing import Any

from ...base.errors import InputError, SimulationError
from .batch_folder import FAILED, ItemRecord, record_from_json, save_record
from .run_item import ItemTask, RecordCallback, run_item_json

CONNECT_S = 15
"""How long the scheduler may take to answer [s]."""


def run_on_cluster(tasks: Sequence[ItemTask], address: str, on_record: RecordCallback) -> None:
    """Run all tasks on the workers of a scheduler ("tcp://host:8786")."""
    distributed = _distributed()
    with _client(distributed, address) as client:
        # A key of its own for each run: the scheduler would answer with what it still remembers.
        futures = {client.submit(run_item_json, task.as_json(), pure=False): task for task in tasks}
        try:
            for future in distributed.as_completed(list(futures), loop=client.loop):
                on_record(_record(future, futures[future]))
        except CancelledError as problem:  # nobody else cancels what was submitted
            raise SimulationError(
                f"The Dask scheduler at '{address}' was lost; finished items are kept, so start it again "
                "with its workers, and the same command goes on."
            ) from problem


def _record(future: Any, task: ItemTask) -> ItemRecord:
    problem = future.exception()
    if problem is None:
        return record_from_json(future.result())
    error = f"{type(problem).__name__}: {problem}"
    reason = f"The machines that tried it were lost or could not run it ({error})."
    record = ItemRecord(task.name, task.digest, FAILED, reason)
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
        # Before the client is there: one that never connected ends the process with a long complaint.
        distributed.comm.resolve_address(address)
    except ValueError as problem:
        raise InputError(
            f"--scheduler '{address}' is no address of a Dask scheduler ({problem}); "
            "write it as tcp://HOST:PORT."
        ) from problem
    except OSError as problem:
        raise InputError(
            f"The machine of --scheduler '{address}' is not known here ({problem}); check its name."
        ) from problem
    try:
        return distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as problem:  # a timeout is an OSError
        raise InputError(
            f"No Dask scheduler answers at '{address}' within {CONNECT_S} s; "
            "start one with `dask scheduler --host localhost` and check the address."
        ) from problem
