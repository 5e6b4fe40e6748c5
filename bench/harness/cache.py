"""Outcomes that are kept between runs, one JSON line each, for the code that made them."""

from __future__ import annotations

import hashlib
import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from .clips import ROOT

Item = dict[str, Any]
Outcome = dict[str, Any]

_TRIALS = ("bakes", "balance_plan", "balance_trials", "changes", "curves", "grounds", "motions", "trials")
MEASURED = (
    "sim_core",
    "presets",
    "requirements/engine-*.txt",
    *(f"bench/harness/{name}.py" for name in _TRIALS),
)
"""What the figures depend on."""


def _git(*arguments: str) -> str:
    answer = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return answer.stdout


def commit_id() -> str:
    """The present commit, with a mark where measured files differ from it."""
    changed = _git("status", "--porcelain", "--", *MEASURED)
    return _git("rev-parse", "HEAD").strip() + (" with changes" if changed else "")


def code_id() -> str:
    """A digest of the measured files as they are now: documents and tests do not change it."""
    digest = hashlib.sha256()
    listed = _git("ls-files", "--cached", "--others", "--exclude-standard", "--", *MEASURED)
    for name in sorted(listed.splitlines()):
        path = ROOT / name
        if path.is_file():
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def key_of(item: Item) -> str:
    return json.dumps(item, sort_keys=True)


class Cache:
    """Outcomes by item; each is on disk as soon as it is known."""

    def __init__(self, path: Path, fresh: bool) -> None:
        self.path, self.code, self.commit = path, code_id(), commit_id()
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
        """Note an outcome; one that was lost with its process is tried again by the next run."""
        record = {"code": self.code, "commit": self.commit, "item": item, "outcome": outcome}
        with self._lock:
            self.outcomes[key_of(item)] = outcome
            if outcome.get("lost"):
                return
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")

    def get(self, item: Item) -> Outcome | None:
        return self.outcomes.get(key_of(item))

    def missing(self, items: list[Item]) -> list[Item]:
        return [item for item in items if key_of(item) not in self.outcomes]

    def warn_of_edits(self) -> None:
        """Says so where measured files were edited since the start."""
        if code_id() != self.code:
            print("The measured code was edited during this run; run again with --fresh for clean figures.")
