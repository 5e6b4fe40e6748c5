"""Reader of play files (docs/aiming.md): a library of waits and hits, and the targets to strike in turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..aiming.hit_sequence import HitOrder, LibraryMotion, make_hit_sequence
from ..base.errors import InputError
from ..base.files import names_its_file
from ..base.json_files import check_json_objects, dataclass_from_json, read_json_file
from ..base.npz_file import refuse_other_format
from ..reading.bvh_clip import BvhClip, ReadingChoices
from ..recognition import recognise
from ..scene.aims import Aim
from ..sources.motion_source import MotionSource, read_clip

FORMAT = "heft-play"
SCHEMA = 1
LONGEST_WAIT_S = 60.0
"""Longest wait before a hit; its motion is repeated, joined to itself each time [s]."""
_ORDER = ("hit", "wait")


@dataclass(frozen=True)
class _Excerpt:
    """Part of a motion file from one time to another [s]; strike: contact time on the same axis [s]."""

    file: str
    seconds: tuple[float, float] | None = None
    strike: float | None = None


class _Library:
    """Motions by file and excerpt; each file is read once."""

    def __init__(self, folder: Path, chosen: ReadingChoices) -> None:
        self.folder, self.chosen = folder, chosen
        self.files: dict[str, BvhClip] = {}
        self.first_frames: dict[str, int] = {}
        self.owner: dict[str, BvhClip] = {}

    def record(self, values: object, what: str) -> LibraryMotion:
        """Return the motion that an entry of the play file describes."""
        excerpt: _Excerpt = dataclass_from_json(_Excerpt, values, what)
        if excerpt.file not in self.files:
            self.files[excerpt.file] = read_clip(self.folder / excerpt.file, self.chosen)
        clip = self.files[excerpt.file]
        start, end = (0.0, clip.motion.duration) if excerpt.seconds is None else excerpt.seconds
        short = Path(excerpt.file).name
        name = short if excerpt.seconds is None else f"{short} {start:g}-{end:g}"
        motion = clip.motion.between(start, end)
        motion = replace(motion, time=motion.time - motion.time[0])  # a sequence starts at zero
        self.owner[name] = clip
        self.first_frames[name] = round(start * motion.rate_hz) + clip.frames_skipped + 1
        return LibraryMotion(name, motion, None if excerpt.strike is None else excerpt.strike - start)


@names_its_file
def read_play(path: Path, chosen: ReadingChoices, blend_seconds: float) -> MotionSource:
    """Read a play file as one motion with its strikes; `chosen` is said of all its files."""
    data = read_json_file(path, "play")
    refuse_other_format(data, FORMAT, SCHEMA, f"'{path}'")
    library, where = _Library(path.parent, chosen), f"'{path}'"
    wait = library.record(data.get("wait"), f"The wait of {where}")
    listed = check_json_objects("hits", data.get("hits"), where)
    hits = {_name(hit, where): _examples(library, hit, where) for hit in listed}
    bones = {_name(hit, where): hit.get("bone") for hit in listed}
    orders = [_order(o, bones, f"Order {n} of {where}") for n, o in enumerate(_orders(data, where), 1)]
    mapping = recognise(wait.motion.skeleton)
    sequence = make_hit_sequence(wait, hits, orders, mapping, blend_seconds)
    records = [hits[part.name][0] if part.name in hits else wait for part in sequence.chain.parts]
    return MotionSource(
        tuple(library.owner[record.name] for record in records),
        tuple(record.motion for record in records),
        mapping,
        sequence.chain,
        tuple(library.first_frames[record.name] for record in records),
        sequence.aims,
    )


def _orders(data: dict[str, Any], where: str) -> list[dict[str, Any]]:
    orders = check_json_objects("play", data.get("play"), where)
    if not orders:
        raise InputError(f"The 'play' of {where} is empty; let it hit something.")
    return orders


def _name(hit: dict[str, Any], where: str) -> str:
    name = hit.get("name")
    if not isinstance(name, str) or not isinstance(hit.get("bone"), str):
        raise InputError(f"A hit of {where} needs a 'name' and a 'bone' that strikes.")
    return name


def _examples(library: _Library, hit: dict[str, Any], where: str) -> list[LibraryMotion]:
    name = _name(hit, where)
    found = check_json_objects("examples", hit.get("examples"), f"'{name}' in {where}")
    return [
        library.record(values, f"Example {n} of '{name}' in {where}") for n, values in enumerate(found, 1)
    ]


def _order(values: dict[str, Any], bones: dict[str, Any], what: str) -> HitOrder:
    hit, wait = values.get("hit"), values.get("wait")
    if not isinstance(hit, str) or hit not in bones:
        raise InputError(f"{what} asks for the hit '{hit}'; there are {', '.join(bones)}.")
    if wait is not None and not (isinstance(wait, (int, float)) and 0.0 <= wait <= LONGEST_WAIT_S):
        raise InputError(f"The 'wait' of {what} must be a number of seconds, at most {LONGEST_WAIT_S:g}.")
    own = {name: value for name, value in values.items() if name not in _ORDER}
    if "bone" in own or "time" in own:
        raise InputError(f"{what} has a 'bone' or a 'time'; its hit and the play decide about them.")
    return HitOrder(
        hit,
        dataclass_from_json(Aim, own | {"bone": bones[hit]}, what),
        None if wait is None else float(wait),
    )
