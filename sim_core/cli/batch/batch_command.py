"""Bake many motions, characters, seeds and perturbations, and rank what comes out."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...base.errors import Cancelled, InputError
from ..console import Console
from .batch_folder import FAILED, FELL, UP, BatchFolder, ItemRecord, finished, load_record
from .batch_list import BatchList, changes_from_words, read_list
from .digest import Digests
from .flamenco import write_flamenco
from .ranking import DEFAULT_MEASURE, ranked, rows_of, write_table
from .run_item import ItemTask, RecordCallback, run_here
from .sheet import summary_of, write_sheet

ITEM_SECONDS = 1800.0
"""Longest time of an item unless another is given [s]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    about = "what to bake: a list, LIST.json (docs/batch.md), or a folder of motions"
    parser.add_argument("list", metavar="LIST", type=Path, help=about)
    parser.add_argument("--out", metavar="FOLDER", type=Path, required=True, help="where all results go")
    cores = os.cpu_count() or 1
    parser.add_argument(
        "--jobs", metavar="N", type=int, default=cores, help=f"items at a time (default: {cores})"
    )
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of bake for all items, over what the list says; may be given several times",
    )
    parser.add_argument("--again", action="store_true", help="do finished items again as well")
    parser.add_argument(
        "--item-seconds",
        metavar="S",
        type=float,
        default=ITEM_SECONDS,
        help=f"an item that takes longer is stopped and counts as failed (default: {ITEM_SECONDS:g})",
    )
    parser.add_argument(
        "--rank-by",
        metavar="MEASURE",
        default=DEFAULT_MEASURE,
        help=f"what decides among those that stayed up without assist (default: {DEFAULT_MEASURE})",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="give the items out to the machines of a Dask scheduler"
    )
    parser.add_argument(
        "--flamenco", metavar="JOB.json", type=Path, help="only write the tasks for Flamenco; bake nothing"
    )
    parser.add_argument("--only", metavar="ITEM", help="carry out this one item, without table and sheet")
    parser.add_argument("--sheet-only", action="store_true", help="make table and sheet of what is there")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Bake what is not finished yet, then write the table and the sheet; return the numbers of outcomes."""
    _refuse_numbers(options)
    batch = read_list(options.list, changes_from_words(options.set))
    ranked([], options.rank_by)  # an unknown measure is refused before any work
    folder = BatchFolder(options.out.resolve())
    if options.flamenco is not None:
        more = [word for change in options.set for word in ("--set", change)]
        write_flamenco(options.flamenco, batch, options.list, folder, more)
        return {"tasks": len(batch.items) + 1, "job": str(options.flamenco)}
    folder.create()
    if options.only is not None:
        batch = BatchList(batch.folder, (batch.named(options.only),))
    records = _records(batch, folder) if options.sheet_only else _run_items(batch, folder, options)
    counts = {state: sum(record.state == state for record in records) for state in (UP, FELL, FAILED)}
    if options.only is not None:
        return {"items": 1, **counts}
    ordered = ranked(records, options.rank_by)
    rows = rows_of(ordered, batch, folder)
    write_table(rows, folder)
    order = (
        "those that stayed up, by less assist and then by "
        f"{options.rank_by}; then those that fell, the latest first; then those that failed."
    )
    write_sheet(ordered, rows, folder, f"Batch {options.list.stem}", order)
    return {"items": len(records), **counts, "table": str(folder.table_csv), "sheet": str(folder.sheet)}


def _refuse_numbers(options: argparse.Namespace) -> None:
    if options.jobs < 1:
        raise InputError(f"--jobs is {options.jobs}; it must be 1 or more.")
    if not options.item_seconds > 0.0:
        raise InputError(f"--item-seconds is {options.item_seconds:g}; it must be above zero.")


def _run_items(batch: BatchList, folder: BatchFolder, options: argparse.Namespace) -> list[ItemRecord]:
    console = Console()
    tasks = _tasks(batch, folder, options)
    records: dict[str, ItemRecord] = {}
    for task in tasks:
        done = None if options.again else finished(task.name, task.digest, folder)
        if done is not None:
            records[task.name] = done
    left = [task for task in tasks if task.name not in records]
    if records:
        console.message(f"{len(records)} of {len(tasks)} items are finished already.")
    if options.again:
        for task in left:
            folder.record(task.name).unlink(missing_ok=True)

    def on_record(record: ItemRecord) -> None:
        records[record.name] = record
        console.message(f"[{len(records)}/{len(tasks)}] {record.name}: {record.sentence()}")

    try:
        _distribute(left, options, on_record)
    except KeyboardInterrupt as stop:
        raise Cancelled(
            f"Stopped; {len(records)} of {len(tasks)} items are finished and kept; the same command goes on."
        ) from stop
    folder.sweep()  # a machine that was lost meanwhile may have been writing
    everything = [records[task.name] for task in tasks]
    console.message(summary_of(everything))
    return everything


def _distribute(tasks: Sequence[ItemTask], options: argparse.Namespace, on_record: RecordCallback) -> None:
    if tasks and options.scheduler is not None:
        from .cluster import run_on_cluster  # here, because most batches do without it

        run_on_cluster(tasks, options.scheduler, on_record)
    elif tasks:
        run_here(tasks, min(options.jobs, len(tasks)), on_record)


def _tasks(batch: BatchList, folder: BatchFolder, options: argparse.Namespace) -> list[ItemTask]:
    digests = Digests(batch.folder)
    return [
        ItemTask(
            item.name,
            item.options,
            digests.of(item),
            str(batch.folder),
            str(folder.path),
            options.item_seconds,
        )
        for item in batch.items
    ]


def _records(batch: BatchList, folder: BatchFolder) -> Sequence[ItemRecord]:
    """Return the records that exist; an item without one was never finished."""
    found = []
    for item in batch.items:
        try:
            found.append(load_record(item.name, folder))
        except InputError:
            found.append(
                ItemRecord(item.name, "", FAILED, "It was not run, or was stopped before it finished.")
            )
    return found
