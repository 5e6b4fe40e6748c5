"""The manual's pictures of acrobatics and of a tail: `python3 dev.py bench pictures` (docs/benchmarks.md).

Strips of poses for docs/search.md and docs/soft-parts.md and, with --film, the film of the front page, from
results that are baked here or given; with --tasks, the films and strips of other task pages.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sim_core.bake.pipeline import bake
from sim_core.base.errors import InputError
from sim_core.recognition import recognise
from sim_core.result.result import Result, load_result, save_result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from ..acrobatics.__main__ import CLIPS, make_item
from ..common.clips import ROOT, clip_of, require_data
from ..common.measured_code import code_id
from ..common.motions import read_clip
from ..common.options import CACHE, plain_parser
from .film import write_film
from .front import shots
from .hands_on_hips import write_hands_on_hips
from .moves import along_curve, followed, from_above
from .strip import strip_of
from .tail import TailPictures
from .tasks import films, in_sequence

IMAGES = ROOT / "docs" / "images"
NOT_SHOWN = ("61_03@60", "75_13@60")
"""Clips of the acrobatics benchmark that the tracker carries out alone."""
SHOWN = tuple(label for label in CLIPS if label not in NOT_SHOWN)
IN_FILM, FILM = ("88_07@60", "88_01@60"), "front.gif"


def main(argv: list[str]) -> int:
    """Bake what is missing, and write all pictures."""
    parser = plain_parser("pictures", "Strips and a film of acrobatic motions, for the manual.")
    parser.set_defaults(out=IMAGES)
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="result files of the clips, by name")
    parser.add_argument("--clips", nargs="*", default=SHOWN, metavar="CLIP", help="only strips of these")
    parser.add_argument("--film", action="store_true", help="also make the film of the front page")
    parser.add_argument("--tail", action="store_true", help="only the strip of a body with a tail")
    parser.add_argument("--hands", action="store_true", help="only hands on hips of retargeted motions")
    parser.add_argument("--tasks", action="store_true", help="only pictures of task pages, such as live play")
    options = parser.parse_args(argv)
    folder = options.results or CACHE / "pictures" / code_id(())
    if options.tasks:
        write_tasks(options.out, folder)
        return 0
    if options.hands:
        write_hands_on_hips(options.out / "hands_on_hips.png")
        return 0
    if options.tail:
        write_tail(options.out)
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    results = {}
    for label in options.clips:
        results[label] = _result(label, folder, may_bake=options.results is None)
        path = options.out / f"strip_{_name(label)}.png"
        strip_of(results[label]).save(path, optimize=True)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB, {_fate(results[label])}", flush=True)
    if options.film:
        acrobatic = {CLIPS[label]: _result(label, folder, may_bake=True) for label in IN_FILM}
        write_film(shots(acrobatic, partial(_kept, folder)), options.out / FILM)
        print(f"{FILM}: {(options.out / FILM).stat().st_size / 1e6:.2f} MB")
    if options.results is None:
        write_tail(options.out)
    return 0


def _kept(folder: Path, name: str, make: Callable[[], Result]) -> Result:
    """Return the result of a name in a folder, made where it is not there yet."""
    path = folder / f"{name}.npz"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        save_result(make(), path)
    result = load_result(path)
    print(f"{name}: {_fate(result)}", flush=True)
    return result


def write_tail(folder: Path) -> None:
    """Write the strip of docs/soft-parts.md."""
    require_data()
    tail, path = TailPictures.baked(), folder / "strip_tail.png"
    strip_of(tail.result, also=tail.with_tails).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB, {_fate(tail.result)}", flush=True)


def write_tasks(folder: Path, kept_in: Path) -> None:
    """Write the films of docs/live.md, get-up.md and supports.md, and the pictures of other task pages."""
    require_data()
    kept = partial(_kept, kept_in)
    for name, own in (("sequence", in_sequence), ("stream", followed)):
        strip_of(kept(name, own)).save(folder / f"strip_{name}.png", optimize=True)
    from_above(kept("curve", along_curve)).save(folder / "walk_along.png", optimize=True)
    for name, shown in films(kept).items():
        write_film(shown, folder / f"{name}.gif")
        print(f"{name}.gif: {(folder / f'{name}.gif').stat().st_size / 1e6:.2f} MB", flush=True)


def _name(label: str) -> str:
    return label.partition(":")[0].partition("@")[0]


def _fate(result: Result) -> str:
    return "to the end" if result.meta.fell_at is None else f"falls at {result.meta.fell_at:.2f} s"


def _result(label: str, folder: Path, may_bake: bool) -> Result:
    path = folder / f"{_name(label)}.npz"
    if path.is_file() or not may_bake:
        try:
            return load_result(path)
        except InputError as problem:
            raise SystemExit(str(problem)) from problem
    return _kept(folder, _name(label), lambda: _baked(label))


def _baked(label: str) -> Result:
    require_data()
    item = make_item(label, 0)
    motion = read_clip(clip_of(item["clip"])).between(item["start_s"], item["end_s"])
    settings = BakeSettings(assist_cap=0.0, find_assist=False)
    return bake(Job(motion, recognise(motion.skeleton), settings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
