"""Outcomes that are kept between runs, one JSON line each, for the code that made them."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from .measured_code import code_id, commit_id, trial_files

Item = dict[str, Any]
Outcome = dict[str, Any]


def key_of(item: Item) -> str:
    """Return the text by which an item is found again."""
    return json.dumps(item, sort_keys=True)


class Cache:
    """Outcomes by item; each is on disk as soon as it is known."""

    def __init__(self, benchmark: str, path: Path, fresh: bool) -> None:
        self.path, self._files = path, trial_files(benchmark)
        self.code, self.commit = code_id(self._files), commit_id(self._files)
        self.outcomes: dict[str, Outcome] = {}
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        if path.is_file():
            self._read()

    def _read(self) -> None:
        text = self.path.read_text("utf-8")
        if text and not text.endswith("\n"):
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n")  # else the next outcome would join the line that was cut short
        for line in text.splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue  # a line cut short when the machine stopped
            if record.get("code") == self.code:
                self.outcomes[key_of(record["item"])] = record["outcome"]

    def add(self, item: Item, outcome: Outcome) -> None:
        """Keep an outcome; one that was lost with its process is tried again by the next run."""
        record = {"code": self.code, "commit": self.commit, "item": item, "outcome": outcome}
        with self._lock:
            self.outcomes[key_of(item)] = outcome
            if outcome.get("lost"):
                return
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")

    def get(self, item: Item) -> Outcome | None:
        """Return the outcome of an item, or None where it is not known."""
        return self.outcomes.get(key_of(item))

    def missing(self, items: list[Item]) -> list[Item]:
        """Return the items without an outcome."""
        return [item for item in items if key_of(item) not in self.outcomes]

    def warn_of_edits(self) -> None:
        """Print a warning where measured files were edited since the start."""
        if code_id(self._files) != self.code:
            print("The measured code was edited during this run; run again with --fresh for clean figures.")
