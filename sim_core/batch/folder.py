"""Where a batch keeps what: results, a record of each item, and how often each was started."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError


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
