"""Many clips that nobody tuned on: `python3 dev.py bench library --clips FOLDER` (docs/benchmarks.md).

Clips are baked by the batch command: a run can be stopped at any time, and goes on when it is started again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from sim_core.base.errors import InputError
from sim_core.cli.batch.batch_folder import BatchFolder, ItemRecord, load_record

from ..common.clips import ROOT
from ..common.measured_code import code_id, commit_of
from ..common.options import CACHE, plain_parser
from ..common.pages import write_page
from .clips import LibraryClip, read_library
from .report import Row, tables

LONGEST_S = 8.0
OPTIONS = {"assist": 0, "no-find-assist": True}


def main(argv: list[str]) -> int:
    """Bake what is not finished yet, and write the tables."""
    options = _parser().parse_args(argv)
    library = read_library(options.clips)
    for file in library.skipped:
        print(f"{file}: skipped, it is not a BVH file")
    folder = _folder(options)
    if not options.report:
        _bake(library.clips, folder, options)
    rows = [Row(clip, _record(clip, folder)) for clip in library.clips]
    print(write_page(options.out / "library.md", _page(rows, len(library.skipped), options)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = plain_parser("library", "Many clips through the batch command, at 0 N.")
    about = "a folder with BVH files, also in folders below, which name their groups; or a list as CSV"
    parser.add_argument("--clips", type=Path, required=True, metavar="LIST", help=about)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="clips at a time (default: 1)")
    parser.add_argument("--minutes", type=float, metavar="N", help="stop after this time; run again to go on")
    parser.add_argument("--fresh", action="store_true", help="forget outcomes of earlier runs")
    parser.add_argument("--report", action="store_true", help="run nothing, write what is known")
    parser.add_argument(
        "--longest", type=float, default=LONGEST_S, metavar="S", help=f"of a clip (default: {LONGEST_S:g})"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a further option of bake"
    )
    return parser


def _folder(options: argparse.Namespace) -> BatchFolder:
    """Return the folder of this code's outcomes; those of other code are forgotten, as they would mislead."""
    path = CACHE / "library" / code_id(())
    others = [own for own in path.parent.glob("*") if own != path or options.fresh]
    for own in others if not options.report else ():
        shutil.rmtree(own)
    return BatchFolder(path)


def _bake(clips: Sequence[LibraryClip], folder: BatchFolder, options: argparse.Namespace) -> None:
    """Run the batch command on all clips until it ends or the time is over."""
    folder.path.mkdir(parents=True, exist_ok=True)
    listed = folder.path / "clips.json"
    items = [_item(clip) for clip in clips]
    common = OPTIONS | {"seconds": [0.0, options.longest]}
    batch = {"format": "heft-batch", "schema": 1, "options": common, "items": items}
    listed.write_text(json.dumps(batch, indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "sim_core", "batch", str(listed), "--out", str(folder.path)]
    command += ["--jobs", str(options.jobs), *(word for one in options.set for word in ("--set", one))]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        process.wait(None if options.minutes is None else 60.0 * options.minutes)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        # Not by SIGINT, which a shell's background jobs ignore; the bake that runs ends with the batch.
        process.terminate()
        process.wait()


def _item(clip: LibraryClip) -> dict[str, object]:
    rate = {} if clip.fps is None else {"fps": clip.fps}
    return {"name": clip.name, "motion": str(clip.file.resolve()), **rate}


def _record(clip: LibraryClip, folder: BatchFolder) -> ItemRecord | None:
    try:
        return load_record(clip.name, folder)
    except InputError:
        return None


def _page(rows: Sequence[Row], skipped: int, options: argparse.Namespace) -> list[str]:
    waiting = sum(row.record is None for row in rows)
    more = f", and {', '.join(options.set)}" if options.set else ""
    about = (
        "Made by `python3 dev.py bench library`; docs/benchmarks.md explains it. No outside force, human "
        f"torque limits, the first {options.longest:g} s of each clip, the defaults of `heft bake`{more}. "
        f"{len(rows) - waiting} of {len(rows)} clips were run; {skipped} files of other kinds were skipped. "
        f"Errors are medians, or means of a clip, of what reaches the end. Commit {commit_of('library')}."
    )
    return ["# Library", about, tables(rows)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
