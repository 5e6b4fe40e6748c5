"""Reads an Acclaim motion: the AMC file, and the ASF file with its skeleton beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.errors import SHOWN, InputError
from .asf_skeleton import ANGLES, AsfBone, AsfSkeleton, Line, about_fixed_axes, read_asf, rows_of
from .motion_file import MotionFile
from .skeleton import rest_offsets
from .text_file import error_at, numbers_at

SUFFIX, SKELETON_SUFFIX = ".amc", ".asf"
USUAL_RATE_HZ = 120.0
"""Rate of the captures of Carnegie Mellon University, the largest collection of such files [Hz]."""
UNITS = {":degrees": ANGLES["deg"], ":radians": ANGLES["rad"]}
MOST_TURNS = 2.0
"""No joint turns farther."""
SMALLEST_RANGE_DEG = 2.0 * np.pi
"""Degrees that are all smaller than this are probably radians."""


def read_amc(path: Path, skeleton: Path | None = None) -> MotionFile:
    """Read a motion; skeleton: its ASF file, None looks for it beside the motion."""
    body = read_asf(skeleton or find_asf(path))
    unit, values = _frames(path, body)
    position = np.tile(rest_offsets(body.rest), (len(values[0]), 1, 1))
    quaternion = np.empty((*position.shape[:2], 4))
    for n, (bone, own) in enumerate(zip(body.bones, values, strict=True)):
        turns = [k for k, channel in enumerate(bone.channels) if channel.startswith("r")]
        turned = about_fixed_axes([bone.channels[k] for k in turns], unit * own[:, turns])
        quaternion[:, n] = rotations.multiply(
            rotations.multiply(bone.axes, turned), rotations.conjugate(bone.axes)
        )
        if n == 0:
            moves = [bone.channels.index(channel) for channel in ("tx", "ty", "tz")]
            position[:, n] = body.place + own[:, moves]
    note = f"An AMC file states no frame rate; {USUAL_RATE_HZ:g} frames a second were taken (--fps)."
    notes = (note, *_angle_notes(body, values, unit, path))
    return MotionFile(body.rest, body.tips, position, quaternion, 1.0 / USUAL_RATE_HZ, notes=notes)


def find_asf(path: Path) -> Path:
    """Return the skeleton of a motion: the ASF file of its name or its subject, or the only one beside it."""
    try:
        beside = sorted(file for file in path.parent.iterdir() if file.suffix.lower() == SKELETON_SUFFIX)
    except OSError as problem:
        raise InputError(
            f"The folder of '{path.name}' cannot be read ({problem.strerror}); name its ASF (--skeleton)."
        ) from problem
    stem = path.stem.casefold()
    subject = re.split(r"[_\-. ]", stem)[0]
    for wanted in (stem, subject):
        named = [file for file in beside if file.stem.casefold() == wanted]
        if named:
            return named[0]
    if len(beside) == 1:
        return beside[0]
    found = f"{len(beside)} others are there" if beside else "no ASF file is there"
    looked_for = f"neither '{path.stem}.asf' nor '{subject}.asf' lies beside it"
    if subject == stem:
        looked_for = f"'{path.stem}.asf' does not lie beside it"
    raise InputError(
        f"The skeleton of '{path.name}' is missing: {looked_for}, and {found}. Put it there, "
        "or name it (--skeleton FILE.asf)."
    )


def _frames(path: Path, body: AsfSkeleton) -> tuple[float, list[FloatArray]]:
    """Return the radians per unit of angles, and the values of each bone (T, its channels)."""
    unit, frames = ANGLES["deg"], list[dict[str, FloatArray]]()
    by_name = {bone.name: bone for bone in body.bones}
    number = 0
    for number, words in _rows(path):
        keyword = words[0].lower()
        if keyword.startswith(":"):
            unit = UNITS.get(keyword, unit)
        elif len(words) == 1 and words[0].isdigit():
            _check_whole(frames, body, path, number)
            frames.append({})
        elif not frames:
            raise error_at(path, number, f"'{words[0][:SHOWN]}' stands before the first frame number")
        else:
            _add(frames[-1], by_name, words, path, number)
    if not frames:
        raise error_at(path, number, "there is no frame", "the file is cut off, export it again")
    _check_whole(frames, body, path, number)
    return unit, [_stacked(bone, frames) for bone in body.bones]


def _rows(path: Path) -> Iterator[Line]:
    rows = rows_of(path, "an AMC")
    first = next(rows, None)
    if first is None:
        raise InputError(f"'{path.name}' says nothing; export the motion again.")
    if not (first[1][0].startswith(":") or first[1][0].isdigit()):
        raise error_at(
            path,
            first[0],
            f"'{first[1][0][:SHOWN]}' does not begin an AMC file",
            "choose an AMC file",
        )
    yield first
    yield from rows


def _add(
    frame: dict[str, FloatArray], by_name: dict[str, AsfBone], words: list[str], path: Path, number: int
) -> None:
    name, *values = words
    if name not in by_name:
        raise error_at(
            path,
            number,
            f"the bone '{name[:SHOWN]}' is not in the skeleton",
            "give the ASF file of this subject",
        )
    if name in frame:
        raise error_at(path, number, f"bone '{name}' occurs twice in this frame")
    frame[name] = numbers_at(values, path, number, f"bone '{name}'", len(by_name[name].channels))


def _check_whole(frames: list[dict[str, FloatArray]], body: AsfSkeleton, path: Path, number: int) -> None:
    """Refuse a last frame in which a bone is missing that moves."""
    if not frames:
        return
    missing = next((b.name for b in body.bones if b.channels and b.name not in frames[-1]), None)
    if missing is not None:
        raise error_at(
            path,
            number,
            f"frame {len(frames)} ends here without the bone '{missing}'",
            "the file is cut off or of another skeleton, so export it again",
        )


def _stacked(bone: AsfBone, frames: list[dict[str, FloatArray]]) -> FloatArray:
    if not bone.channels:
        return np.zeros((len(frames), 0))
    return np.array([frame[bone.name] for frame in frames])


def _angle_notes(body: AsfSkeleton, values: list[FloatArray], unit: float, path: Path) -> tuple[str, ...]:
    """Return a warning about degrees that may be radians; refuse radians that nothing turns by."""
    angles = [
        own[:, [channel.startswith("r") for channel in bone.channels]]
        for bone, own in zip(body.bones, values, strict=True)
    ]
    # The root's angles go on counting where the body turns round; those of joints do not.
    turned, bent = (max(float(np.abs(o).max(initial=0.0)) for o in part) for part in (angles, angles[1:]))
    if unit * bent > MOST_TURNS * 2.0 * np.pi:
        raise InputError(
            f"An angle in '{path.name}' is {bent:g}, which is over {MOST_TURNS:g} turns in the unit that the "
            "file states; it is probably in degrees: replace ':RADIANS' by ':DEGREES'."
        )
    if unit == ANGLES["deg"] and 0.0 < turned < SMALLEST_RANGE_DEG:
        return (
            f"No angle in the file is larger than {turned:.2g} degrees; if they are radians, write "
            "':RADIANS' into it.",
        )
    return ()
