"""The code that a benchmark's figures depend on, found by following its imports."""

from __future__ import annotations

import ast
import hashlib
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from .clips import ROOT

WHOLE = ("sim_core", "presets", "requirements/engine-*.txt")
"""What every figure depends on, as Git path patterns. Imports of these are not followed further."""
WORKER = ROOT / "bench" / "common" / "worker.py"


def trial_files(benchmark: str) -> set[Path]:
    """Return the files that make the outcomes of a benchmark with worker processes, outside of `WHOLE`.

    Plans and reports are not among them: a plan's items are the keys of the outcomes, and a report only shows
    them.
    """
    return imported_files((WORKER, ROOT / "bench" / benchmark / "trials.py"))


def benchmark_files(benchmark: str) -> set[Path]:
    """Return all files that a benchmark uses, outside of `WHOLE`."""
    return imported_files((ROOT / "bench" / benchmark).glob("*.py"))


def imported_files(start: Iterable[Path], root: Path = ROOT) -> set[Path]:
    """Return the starting files and every file below `root` that they import, directly or not."""
    found: set[Path] = set()
    waiting = list(start)
    while waiting:
        file = waiting.pop()
        if file in found or file.relative_to(root).parts[0] in WHOLE:
            continue
        found.add(file)
        waiting += _imports(file, root)
    return found


def _imports(file: Path, root: Path) -> Iterator[Path]:
    """Yield the files below `root` that one file imports, with the `__init__` files of their packages."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = file.relative_to(root).parts[: -node.level] if node.level else ()
            base = ".".join((*package, *([node.module] if node.module else ())))
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            path = root.joinpath(*name.split("."))
            packages = [path, *(above for above in path.parents if above.is_relative_to(root))]
            files = [path.with_suffix(".py"), *(package / "__init__.py" for package in packages[:-1])]
            yield from (one for one in files if one.is_file())


def commit_id(files: Iterable[Path]) -> str:
    """Return the present commit, with a mark where these files or those of `WHOLE` differ from it."""
    changed = _git("status", "--porcelain", "--", *WHOLE, *map(str, sorted(files)))
    return _git("rev-parse", "HEAD").strip() + (" with changes" if changed else "")


def commit_of(benchmark: str) -> str:
    """Return the present commit for a report, marked where a file of the benchmark differs from it."""
    return commit_id(benchmark_files(benchmark))


def code_id(files: Iterable[Path]) -> str:
    """Return a digest of these files and those of `WHOLE` as they are now."""
    digest = hashlib.sha256()
    names = map(str, sorted(files))
    listed = _git("ls-files", "--cached", "--others", "--exclude-standard", "--", *WHOLE, *names)
    for name in sorted(set(listed.splitlines())):
        path = ROOT / name
        if path.is_file():
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _git(*arguments: str) -> str:
    answer = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return answer.stdout
