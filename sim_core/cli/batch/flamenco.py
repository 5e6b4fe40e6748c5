"""A batch as a job of Flamenco, Blender's render manager: one task per item, and one for the sheet.

A job type of Flamenco is JavaScript (docs/batch.md has it); it takes the list of tasks that is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...base.files import write_text_atomically
from ...base.json_files import to_json
from .batch_folder import BatchFolder
from .batch_list import BatchList

FORMAT = "heft-flamenco"
SCHEMA = 1


def write_flamenco(
    path: Path, batch: BatchList, list_file: Path, folder: BatchFolder, more: Sequence[str]
) -> None:
    """Write command lines for all items; more: further arguments of each."""
    common = ["batch", str(list_file.resolve()), "--out", str(folder.path.resolve()), *more]
    tasks: list[dict[str, Any]] = [
        {"name": item.name, "exe": "heft", "args": [*common, "--only", item.name], "after": []}
        for item in batch.items
    ]
    sheet = {
        "name": "contact sheet",
        "exe": "heft",
        "args": [*common, "--sheet-only"],
        "after": [item.name for item in batch.items],
    }
    job = {"format": FORMAT, "schema": SCHEMA, "name": list_file.stem, "tasks": [*tasks, sheet]}
    write_text_atomically(path, to_json(job) + "\n")
