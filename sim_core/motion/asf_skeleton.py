"""Reads the skeleton of an Acclaim motion, an ASF file, after the published definition (version 1.10).

Each bone begins at the end of its parent and has a direction and a length in the file's axes. The rotations
of a motion are about the axes of the bone, which `axis` turns from those of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from ..base.errors import SHOWN
from .motion_file import unrotated_skeleton
from .skeleton import NO_PARENT, Skeleton
from .text_file import error_at, numbers_at, read_lines

ROOT = "root"
MAX_BONES = 2000
ANGLES = {"deg": np.pi / 180.0, "rad": 1.0}
ROTATIONS, MOVES = ("rx", "ry", "rz"), ("tx", "ty", "tz")
_WHITESPACE = re.compile(r"[(),\s]+")
Line = tuple[int, list[str]]
"""The number of a line, counted from 0, and its words."""


@dataclass
class AsfBone:
    """One bone.

    offset (3): from its begin to its end at rest; axes (4): its own axes in those of the file
    channels: degrees of freedom in the order in which a motion lists and applies them
    """

    name: str
    line: int
    offset: FloatArray = field(default_factory=lambda: np.zeros(3))
    axes: FloatArray = field(default_factory=lambda: IDENTITY_QUATERNION)
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class AsfSkeleton:
    """The bones of a file, the root first and parents before children.

    place (3): what is added to the root's positions; angle_rad: radians per unit of angles in the file
    """

    bones: tuple[AsfBone, ...]
    rest: Skeleton
    place: FloatArray
    angle_rad: float

    @property
    def tips(self) -> dict[str, FloatArray]:
        """The ends of the bones without children from their begins (3)."""
        ends = (n for n, below in enumerate(self.rest.children) if not below)
        return {self.bones[n].name: self.bones[n].offset for n in ends}


def read_asf(path: Path) -> AsfSkeleton:
    """Read a skeleton."""
    sections = _sections(path)
    angle_rad = _angle_unit(sections.get("units", []), path)
    for name in ("root", "bonedata", "hierarchy"):
        if not sections.get(name):
            last = max((line for rows in sections.values() for line, _ in rows), default=0)
            raise error_at(path, last, f"the file ends without ':{name}'", "it is cut off, export it again")
    root, place = _root(sections["root"], path)
    bones = {ROOT: root} | _bones(sections["bonedata"], angle_rad, path)
    parents = _parents(sections["hierarchy"], bones, path)
    ordered = [bones[name] for name in parents]
    heads: dict[str, FloatArray] = {}
    for name, parent in parents.items():
        heads[name] = place if parent is None else heads[parent] + bones[parent].offset
    index = {name: n for n, name in enumerate(parents)}
    above = [NO_PARENT if parent is None else index[parent] for parent in parents.values()]
    rest = unrotated_skeleton(list(parents), above, np.array(list(heads.values())))
    return AsfSkeleton(tuple(ordered), rest, place, angle_rad)


def rows_of(path: Path, kind: str) -> Iterator[Line]:
    """Yield the lines of an Acclaim file that say something; commas and parentheses are spaces."""
    for number, text in enumerate(read_lines(path, kind)):
        words = [word for word in _WHITESPACE.split(text.partition("#")[0]) if word]
        if words:
            yield number, words


def _sections(path: Path) -> dict[str, list[Line]]:
    """Return the lines below each keyword, which begins with a colon."""
    found: dict[str, list[Line]] = {}
    current: list[Line] | None = None
    for number, words in rows_of(path, "an ASF"):
        if words[0].startswith(":"):
            current = found.setdefault(words[0][1:].lower(), [])
        elif current is None:
            raise error_at(
                path, number, "an ASF file starts with ':version', so this is none", "choose an ASF file"
            )
        else:
            current.append((number, words))
    return found


def _angle_unit(rows: list[Line], path: Path) -> float:
    for number, words in rows:
        if words[0].lower() == "angle":
            if words[-1].lower() not in ANGLES:
                raise error_at(
                    path,
                    number,
                    f"the angles are in '{words[-1][:SHOWN]}'",
                    "known are deg and rad, so export it again",
                )
            return ANGLES[words[-1].lower()]
    return ANGLES["deg"]


def _root(rows: list[Line], path: Path) -> tuple[AsfBone, FloatArray]:
    """Return the root and its place (3)."""
    root = AsfBone(ROOT, rows[0][0])
    place: FloatArray = np.zeros(3)
    for number, (keyword, *words) in rows:
        if keyword.lower() == "order":
            root.channels = _channels(words, ROOT, (*MOVES, *ROTATIONS), path, number)
        elif keyword.lower() == "position":
            place = numbers_at(words, path, number, "the position of the root", 3)
        elif keyword.lower() == "orientation":
            _refuse_turned(numbers_at(words, path, number, "the orientation of the root", 3), path, number)
    if set(root.channels) != {*MOVES, *ROTATIONS}:
        found = " ".join(root.channels) or "nothing"
        raise error_at(path, rows[0][0], f"'order' of the root must list TX TY TZ RX RY RZ, but has {found}")
    return root, place


def _refuse_turned(angles: FloatArray, path: Path, number: int) -> None:
    if angles.any():
        found = " ".join(f"{angle:g}" for angle in angles)
        raise error_at(
            path,
            number,
            f"the root is turned by {found} beforehand, which programs read in different ways",
            "export the skeleton with the orientation 0 0 0",
        )


def _bones(rows: list[Line], angle_rad: float, path: Path) -> dict[str, AsfBone]:
    bones: dict[str, AsfBone] = {}
    block: list[Line] | None = None
    for number, words in rows:
        keyword = words[0].lower()
        if keyword == "begin":
            block = []
        elif block is None:
            raise error_at(path, number, f"'{words[0][:SHOWN]}' stands outside of begin and end")
        elif keyword == "end":
            bone = _bone(block, number, angle_rad, path)
            if bone.name in bones or bone.name == ROOT:
                raise error_at(path, bone.line, f"two bones are called '{bone.name}'", "rename one of them")
            bones[bone.name] = bone
            block = None
        else:
            block.append((number, words))
    if block is not None:
        raise error_at(
            path, rows[-1][0], "the last bone has no 'end'", "the file is cut off, export it again"
        )
    if len(bones) > MAX_BONES:
        raise error_at(path, rows[0][0], f"there are more than {MAX_BONES} bones")
    return bones


def _bone(block: list[Line], end: int, angle_rad: float, path: Path) -> AsfBone:
    rows = {words[0].lower(): (number, words[1:]) for number, words in reversed(block)}
    if not rows.get("name", (end, []))[1]:
        raise error_at(path, end, "the bone before this line has no name")
    line, (name, *_) = rows["name"]
    for needed in ("direction", "length"):
        if needed not in rows:
            raise error_at(path, line, f"bone '{name}' has no '{needed}'")
    number, words = rows["direction"]
    direction = numbers_at(words, path, number, f"the direction of bone '{name}'", 3)
    number, words = rows["length"]
    length = float(numbers_at(words, path, number, f"the length of bone '{name}'", 1)[0])
    size = float(np.linalg.norm(direction))
    if length < 0.0 or (length > 0.0 and size < 1e-9):
        raise error_at(path, number, f"bone '{name}' has the length {length:g} along {direction.tolist()}")
    bone = AsfBone(name, line, direction * (length / max(size, 1e-9)))
    if "axis" in rows:
        bone.axes = _axes(*rows["axis"], name, angle_rad, path)
    if "dof" in rows:
        number, words = rows["dof"]
        bone.channels = _channels(words, name, ROTATIONS, path, number)
    return bone


def _axes(number: int, words: list[str], name: str, angle_rad: float, path: Path) -> FloatArray:
    order = words[3] if len(words) == 4 else ""
    if sorted(order.upper()) != ["X", "Y", "Z"]:
        raise error_at(path, number, f"the axis of bone '{name}' needs three angles and an order such as XYZ")
    angles = angle_rad * numbers_at(words[:3], path, number, f"the axis of bone '{name}'", 3)
    return about_fixed_axes([f"r{axis}" for axis in order.lower()], angles[None])[0]


def about_fixed_axes(channels: list[str], angles: FloatArray) -> FloatArray:
    """Return rotations (T, 4) by angles (T, C) [rad] about fixed axes, such as "rx", one after another."""
    if not channels:
        return np.tile(IDENTITY_QUATERNION, (len(angles), 1))
    # Turns about fixed axes are turns about moving axes in the opposite order.
    sequence = "".join(channel[1] for channel in reversed(channels))
    return rotations.from_euler(sequence, angles[:, ::-1])


def _channels(
    words: list[str], name: str, known: tuple[str, ...], path: Path, number: int
) -> tuple[str, ...]:
    channels = tuple(word.lower() for word in words)
    unknown = next((channel for channel in channels if channel not in known), None)
    if unknown is not None or len(set(channels)) != len(channels):
        found = unknown or " ".join(channels)
        raise error_at(
            path,
            number,
            f"'{name}' moves by '{found[:SHOWN]}', but each of {', '.join(known)} may occur once",
        )
    return channels


def _parents(rows: list[Line], bones: dict[str, AsfBone], path: Path) -> dict[str, str | None]:
    """Return the parent of each bone, parents first."""
    parents: dict[str, str | None] = {ROOT: None}
    waiting = [(number, words) for number, words in rows if words[0].lower() not in ("begin", "end")]
    for number, words in waiting:
        unknown = next((name for name in words if name not in bones), None)
        if unknown is not None:
            raise error_at(
                path, number, f"the hierarchy names the bone '{unknown[:SHOWN]}', which is not defined"
            )
        parent, *children = words
        if parent not in parents:
            raise error_at(path, number, f"'{parent}' has children before it has a parent itself")
        for child in children:
            if child in parents:
                raise error_at(path, number, f"bone '{child}' has two parents in the hierarchy")
            parents[child] = parent
    loose = next((name for name in bones if name not in parents), None)
    if loose is not None:
        raise error_at(path, bones[loose].line, f"bone '{loose}' is not in the hierarchy")
    return parents
