"""A play file (docs/aiming.md): a library of waits and hits, and what to strike, as one motion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..aiming.play import Order, Recorded, play
from ..base.errors import InputError
from ..base.json_files import check_json_objects, dataclass_from_json, read_json_file
from ..base.npz_file import FORMAT_KEY, SCHEMA_KEY
from ..motion.bvh_reader import BvhClip
from ..recognition import recognise
from ..scene.aims import Aim
from .source import Source, read_clip

FORMAT = "heft-play"
SCHEMA = 1
SUFFIX = ".json"
_ORDER = ("hit", "wait")


@dataclass(frozen=True)
class _Cut:
    """A part of a file: from and to [s]; strike [s], on the same axis."""

    file: str
    seconds: tuple[float, float] | None = None
    strike: float | None = None


class _Library:
    """Motions by the file and the part that they are taken from; each file is read once."""

    def __init__(self, folder: Path, unit: float | None, fps: float | None) -> None:
        self.folder, self.unit, self.fps = folder, unit, fps
        self.files: dict[str, BvhClip] = {}
        self.first_frames: dict[str, int] = {}
        self.owner: dict[str, BvhClip] = {}

    def record(self, values: object, what: str) -> Recorded:
        cut: _Cut = dataclass_from_json(_Cut, values, what)
        if cut.file not in self.files:
            self.files[cut.file] = read_clip(self.folder / cut.file, self.unit, self.fps)
        clip = self.files[cut.file]
        start, end = (0.0, clip.motion.duration) if cut.seconds is None else cut.seconds
        short = Path(cut.file).name
        name = short if cut.seconds is None else f"{short} {start:g}-{end:g}"
        motion = clip.motion.between(start, end)
        motion = replace(motion, time=motion.time - motion.time[0])  # a play begins at zero
        self.owner[name] = clip
        self.first_frames[name] = round(start * motion.rate_hz) + clip.frames_skipped + 1
        return Recorded(name, motion, None if cut.strike is None else cut.strike - start)


def read_play(path: Path, unit: float | None, fps: float | None, blend_seconds: float) -> Source:
    """unit [m], fps [Hz]: of all its files, where their own are wrong"""
    data = read_json_file(path, "play")
    if data.get(FORMAT_KEY) != FORMAT or data.get(SCHEMA_KEY) != SCHEMA:
        raise InputError(
            f"'{path}' has format '{data.get(FORMAT_KEY)}', schema {data.get(SCHEMA_KEY)}, "
            f"but '{FORMAT}', {SCHEMA} is needed."
        )
    library, where = _Library(path.parent, unit, fps), f"'{path}'"
    wait = library.record(data.get("wait"), f"The wait of {where}")
    listed = check_json_objects("hits", data.get("hits"), where)
    hits = {_name(hit, where): _examples(library, hit, where) for hit in listed}
    bones = {_name(hit, where): hit.get("bone") for hit in listed}
    orders = [_order(o, bones, f"Order {n} of {where}") for n, o in enumerate(_orders(data, where), 1)]
    mapping = recognise(wait.motion.skeleton)
    played = play(wait, hits, orders, mapping, blend_seconds)
    records = [hits[part.name][0] if part.name in hits else wait for part in played.chain.parts]
    return Source(
        tuple(library.owner[record.name] for record in records),
        tuple(record.motion for record in records),
        mapping,
        played.chain,
        tuple(library.first_frames[record.name] for record in records),
        played.aims,
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


def _examples(library: _Library, hit: dict[str, Any], where: str) -> list[Recorded]:
    name = _name(hit, where)
    found = check_json_objects("examples", hit.get("examples"), f"'{name}' in {where}")
    return [
        library.record(values, f"Example {n} of '{name}' in {where}") for n, values in enumerate(found, 1)
    ]


def _order(values: dict[str, Any], bones: dict[str, Any], what: str) -> Order:
    hit, wait = values.get("hit"), values.get("wait")
    if hit not in bones:
        raise InputError(f"{what} asks for the hit '{hit}'; there are {', '.join(bones)}.")
    if wait is not None and not isinstance(wait, (int, float)):
        raise InputError(f"The 'wait' of {what} must be a number of seconds.")
    own = {name: value for name, value in values.items() if name not in _ORDER}
    if "bone" in own or "time" in own:
        raise InputError(f"{what} has a 'bone' or a 'time'; its hit and the play decide about them.")
    return Order(
        str(hit),
        dataclass_from_json(Aim, own | {"bone": bones[hit]}, what),
        None if wait is None else float(wait),
    )
