"""Where a batch keeps what: results, a record of each item, and how often each was started.

What became of an item, and its file: it is there when the item is finished, whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...base.errors import InputError
from ...base.files import write_text_atomically
from ...base.json_files import dataclass_from_json, parse_json_object, read_json_file, to_json


@dataclass(frozen=True)
class BatchFolder:
    """The folder of --out."""

    path: Path

    def create(self) -> None:
        try:
            for inner in ("results", "records", "tasks", "log"):
                (self.path / inner).mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(
                f"The folder '{self.path}' cannot be used ({problem.strerror}); choose another for --out."
            ) from problem

    def result(self, name: str) -> Path:
        return self.path / "results" / f"{name}.npz"

    def record(self, name: str) -> Path:
        return self.path / "records" / f"{name}.json"

    def task(self, name: str) -> Path:
        return self.path / "tasks" / f"{name}.json"

    def log(self, name: str) -> Path:
        return self.path / "log" / f"{name}.log"

    @property
    def table_csv(self) -> Path:
        return self.path / "table.csv"

    @property
    def table_json(self) -> Path:
        return self.path / "table.json"

    @property
    def sheet(self) -> Path:
        return self.path / "sheet.html"


UP, FELL, FAILED = "up", "fell", "failed"


@dataclass(frozen=True)
class Record:
    """One item's outcome.

    state: UP or FELL with a result, FAILED without one, and then the reason
    digest: of what the result depends on
    metrics: as `heft bake` tells them; seconds: how long it took [s]; host: the machine
    """

    name: str
    digest: str
    state: str
    reason: str | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    host: str = ""

    def sentence(self) -> str:
        """One line for a log."""
        if self.state == FAILED:
            return f"failed: {self.reason}"
        error, force = self.metrics.get("joint_error_deg"), self.metrics.get("assist_force_max_n")
        told = "stayed up" if self.state == UP else "fell"
        figures = "" if error is None else f", {error:.2f} deg off, at most {force:.0f} N of help"
        return f"{told}{figures} ({self.seconds:.1f} s)"


def record_to_json(record: Record) -> str:
    return to_json(asdict(record))


def record_from_json(text: str) -> Record:
    record: Record = dataclass_from_json(Record, parse_json_object(text, "The record"), "The record")
    return record


def save_record(record: Record, folder: BatchFolder) -> None:
    write_text_atomically(folder.record(record.name), record_to_json(record) + "\n")


def load_record(name: str, folder: BatchFolder) -> Record:
    path = folder.record(name)
    data = read_json_file(path, "record")
    record: Record = dataclass_from_json(Record, data, f"The record '{path}'")
    return record


def finished(name: str, digest: str, folder: BatchFolder) -> Record | None:
    """The record of an item that has its result and need not be done again."""
    try:
        record = load_record(name, folder)
    except InputError:
        return None
    same = record.digest == digest and record.state in (UP, FELL)
    return record if same and folder.result(name).is_file() else None
