"""The folder of a batch: results, a record of each item, and logs of when each was started.

The record of an item is written when the item is finished, whole or not at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from ...base.errors import InputError
from ...base.files import about_file, read_bytes, sweep_parts, write_text_atomically
from ...base.json_codec import fits
from ...base.json_files import dataclass_from_json, parse_json_object, read_json_file, to_json
from ...result.metrics import Metrics


@dataclass(frozen=True)
class BatchFolder:
    """The folder of --out."""

    path: Path

    def create(self) -> None:
        """Create the folder and its sub-folders; what a killed batch has half-written there is removed."""
        try:
            for folder in self._folders():
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(
                f"The folder '{self.path}' cannot be used ({problem.strerror}); choose another for --out."
            ) from problem
        self.sweep()

    def sweep(self) -> None:
        """Remove what processes that were lost have half-written here."""
        for folder in self._folders():
            sweep_parts(folder)

    def _folders(self) -> list[Path]:
        return [self.path / inner for inner in ("", "results", "records", "tasks", "log")]

    def result(self, name: str) -> Path:
        """Return the file of an item's result."""
        return self.path / "results" / f"{name}.npz"

    def record(self, name: str) -> Path:
        """Return the file of an item's record."""
        return self.path / "records" / f"{name}.json"

    def task(self, name: str) -> Path:
        """Return the file of an item's task."""
        return self.path / "tasks" / f"{name}.json"

    def log(self, name: str) -> Path:
        """Return the log of an item."""
        return self.path / "log" / f"{name}.log"

    @property
    def table_csv(self) -> Path:
        """The table of all items."""
        return self.path / "table.csv"

    @property
    def table_json(self) -> Path:
        """The table of all items as JSON."""
        return self.path / "table.json"

    @property
    def sheet(self) -> Path:
        """The contact sheet."""
        return self.path / "sheet.html"


UP, FELL, FAILED = "up", "fell", "failed"
_FIGURES = ("fell_at", *(f.name for f in fields(Metrics) if f.type in ("float", float)))
"""Measures that are numbers."""


@dataclass(frozen=True)
class ItemRecord:
    """The outcome of one item.

    state: UP or FELL with a result, FAILED without one, with a reason
    digest: of everything the result depends on; files: digest of the result files themselves
    metrics: as `heft bake` returns them; host: the machine
    seconds: wall time [s]; cpu_seconds: processor time of all threads [s]
    """

    name: str
    digest: str
    state: str
    reason: str | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    host: str = ""
    files: str = ""

    def __post_init__(self) -> None:
        odd = next((name for name in _FIGURES if not fits(self.metrics.get(name), float | None)), None)
        if self.state not in (UP, FELL, FAILED) or odd is not None:
            raise InputError(f"The record of '{self.name}' is damaged at '{odd or 'state'}'; bake it again.")

    def sentence(self) -> str:
        """Return one line for a log."""
        if self.state == FAILED:
            return f"failed: {self.reason}"
        error, force = self.metrics.get("joint_error_deg"), self.metrics.get("assist_force_max_n")
        outcome = "stayed up" if self.state == UP else "fell"
        known = error is not None and force is not None
        figures = f", joint error {error:.2f} deg, assist at most {force:.0f} N" if known else ""
        return f"{outcome}{figures} ({self.seconds:.1f} s)"


def record_to_json(record: ItemRecord) -> str:
    """Return a record as JSON text."""
    return to_json(asdict(record))


def record_from_json(text: str) -> ItemRecord:
    """Return a record from JSON text."""
    record: ItemRecord = dataclass_from_json(ItemRecord, parse_json_object(text, "The record"), "The record")
    return record


def save_record(record: ItemRecord, folder: BatchFolder) -> None:
    """Write a record to its file."""
    write_text_atomically(folder.record(record.name), record_to_json(record) + "\n")


def load_record(name: str, folder: BatchFolder) -> ItemRecord:
    """Read the record of an item."""
    path = folder.record(name)
    with about_file(path):
        data = read_json_file(path, "record")
        record: ItemRecord = dataclass_from_json(ItemRecord, data, f"The record '{path}'")
    return record


def digest_of_results(metrics: Mapping[str, Any], folder: BatchFolder) -> str:
    """Return the digest of the result files that a bake's metrics name; empty where one is missing."""
    digest = hashlib.sha256()
    others = metrics.get("others", {})
    for one in (metrics, *(others.values() if isinstance(others, Mapping) else ())):
        try:
            digest.update(read_bytes(folder.path / "results" / Path(str(one["result"])).name))
        except (InputError, KeyError, TypeError):
            return ""
    return digest.hexdigest()


def finished(name: str, digest: str, folder: BatchFolder) -> ItemRecord | None:
    """Return the record of an item whose results are as they were written, else None: it is done again."""
    try:
        record = load_record(name, folder)
    except InputError:
        return None
    same = record.digest == digest and record.state in (UP, FELL)
    whole = record.files != "" and record.files == digest_of_results(record.metrics, folder)
    return record if same and whole else None
