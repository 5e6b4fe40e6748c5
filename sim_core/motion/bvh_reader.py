"""Reads a BVH motion file: its joints, and their poses in the axes and units of the file.

Joints may have position and rotation channels in any order. What a file does not state, such as its unit and
its up axis, is found in the package `reading`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.errors import SHOWN, InputError
from .motion_file import MotionFile, unrotated_skeleton
from .skeleton import NO_PARENT, Skeleton
from .text_file import error_at, is_number, read_lines

AXES = {"X": 0, "Y": 1, "Z": 2}
MAX_BONES = 2000


@dataclass
class _Joint:
    name: str
    parent: int
    offset: FloatArray
    channels: tuple[str, ...] = ()
    tip: FloatArray | None = None


def parse_bvh(path: Path) -> MotionFile:
    """Read what a BVH file states."""
    path = Path(path)
    lines = read_lines(path, "a BVH")
    joints, motion_line = _parse_hierarchy(lines, path)
    values, frame_time_s, notes = _parse_motion(lines, motion_line, joints, path)
    tips = {joint.name: joint.tip for joint in joints if joint.tip is not None}
    return MotionFile(_rest_skeleton(joints), tips, *_local_poses(joints, values), frame_time_s, notes=notes)


def _parse_hierarchy(lines: list[str], path: Path) -> tuple[list[_Joint], int]:
    """Return the joints, parents first, and the index of the MOTION line."""
    reader = _HierarchyReader(path)
    started = False
    for number, line in enumerate(lines):
        words = line.split()
        if not words:
            continue
        keyword = words[0].upper()
        if not started:
            if keyword != "HIERARCHY":
                raise error_at(
                    path, number, "a BVH file starts with HIERARCHY, so this is none", "choose a BVH file"
                )
            started = True
        elif keyword == "MOTION":
            reader.finish(number)
            return reader.joints, number
        else:
            reader.read_line(keyword, words, number)
    raise error_at(
        path, len(lines) - 1, "the file ends before its MOTION part", "it is cut off, export it again"
    )


class _HierarchyReader:
    """Collects joints line by line; a brace may be on the line of its joint."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.joints: list[_Joint] = []
        self.open: list[int | None] = []
        """Joints whose block is open; None is an End Site."""
        self.pending: int | None = NO_PARENT
        """Joint that the next opening brace belongs to; NO_PARENT for none."""

    def read_line(self, keyword: str, words: list[str], line: int) -> None:
        """Read one line of the hierarchy."""
        if keyword in ("ROOT", "JOINT"):
            self._start_joint(words, line)
        elif keyword == "END":
            self._expect_open_joint(line)
            self.pending = None
        elif keyword == "OFFSET":
            self._offset(words, line)
        elif keyword == "CHANNELS":
            self._channels(words, line)
        elif keyword not in ("{", "}"):
            raise error_at(self.path, line, f"'{words[0][:SHOWN]}' is not a BVH keyword")
        for word in words:
            if word == "{":
                self._open_block(line)
            elif word == "}":
                self._close_block(line)

    def finish(self, line: int) -> None:
        """Check that the hierarchy is complete."""
        if not self.joints:
            raise error_at(self.path, line, "the hierarchy has no ROOT joint")
        if self.open:
            raise error_at(self.path, line, f"{len(self.open)} closing brace(s) are missing before MOTION")

    def _open_block(self, line: int) -> None:
        if self.pending == NO_PARENT:
            raise error_at(self.path, line, "an opening brace has no joint")
        self.open.append(self.pending)
        self.pending = NO_PARENT

    def _close_block(self, line: int) -> None:
        if not self.open:
            raise error_at(self.path, line, "there is one closing brace too many")
        self.open.pop()

    def _expect_open_joint(self, line: int) -> int:
        if not self.open or self.open[-1] is None:
            raise error_at(self.path, line, "this stands outside of a joint's braces")
        return self.open[-1]

    def _start_joint(self, words: list[str], line: int) -> None:
        name = " ".join(word for word in words[1:] if word != "{")
        if not name:
            raise error_at(self.path, line, "a joint has no name")
        if any(joint.name == name for joint in self.joints):
            raise error_at(self.path, line, f"two joints are called '{name}'", "rename one of them")
        if len(self.joints) >= MAX_BONES:
            raise error_at(self.path, line, f"there are more than {MAX_BONES} joints")
        parent = self._expect_open_joint(line) if words[0].upper() == "JOINT" else NO_PARENT
        self.joints.append(_Joint(name, parent, np.zeros(3)))
        self.pending = len(self.joints) - 1

    def _offset(self, words: list[str], line: int) -> None:
        try:
            offset = np.array([float(word) for word in words[1:4]])
        except ValueError:
            offset = np.full(3, np.nan)
        if offset.shape != (3,) or not np.isfinite(offset).all():
            raise error_at(self.path, line, "OFFSET needs three numbers")
        if not self.open:
            raise error_at(self.path, line, "this stands outside of a joint's braces")
        if self.open[-1] is not None:
            self.joints[self.open[-1]].offset = offset
        elif len(self.open) > 1 and self.open[-2] is not None:
            self.joints[self.open[-2]].tip = offset

    def _channels(self, words: list[str], line: int) -> None:
        joint = self.joints[self._expect_open_joint(line)]
        names = [word for word in words[2:] if word not in "{}"]
        if len(words) < 2 or words[1] != str(len(names)):
            raise error_at(
                self.path, line, f"CHANNELS of joint '{joint.name}' does not list as many as it says"
            )
        for name in names:
            if name[:1].upper() not in AXES or name[1:].lower() not in ("position", "rotation"):
                what = f"channel '{name[:SHOWN]}' of joint '{joint.name}' is unknown"
                raise error_at(self.path, line, what)
        joint.channels = tuple(name[0].upper() + name[1:].lower() for name in names)


def _parse_motion(
    lines: list[str], motion_line: int, joints: list[_Joint], path: Path
) -> tuple[FloatArray, float, tuple[str, ...]]:
    """Return the channel values (T, C) as in the file, the seconds per frame, and notes."""
    body = [number for number in range(motion_line + 1, len(lines)) if lines[number].strip()]
    if len(body) < 2:
        raise error_at(path, motion_line, "nothing follows MOTION", "the file is cut off, export it again")
    frame_count = _header_number(lines, body[0], "frames:", path)
    frame_time_s = _header_number(lines, body[1], "frame time:", path)
    if frame_time_s <= 0.0:
        raise error_at(path, body[1], f"the frame time is {frame_time_s:g} s", "it must be above zero")
    if frame_count < 1 or frame_count != int(frame_count):
        raise error_at(path, body[0], f"the number of frames is {frame_count:g}", "it must be 1 or more")
    channel_count = sum(len(joint.channels) for joint in joints)
    if channel_count == 0:
        raise InputError(
            f"'{path.name}' has no channels, so nothing moves in it; choose a file with a motion."
        )
    values = _numbers(lines, body[2:], channel_count, int(frame_count), path)
    notes: tuple[str, ...] = ()
    if len(values) > frame_count:
        notes = (f"The file says it has {frame_count:g} frames, but {len(values)} are there; all are used.",)
    return values, frame_time_s, notes


def _header_number(lines: list[str], number: int, label: str, path: Path) -> float:
    text = " ".join(lines[number].split()).lower().replace(" :", ":")
    try:
        value = float(text.removeprefix(label)) if text.startswith(label) else float("nan")
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise error_at(path, number, f"here '{label.capitalize()}' with a number was expected")
    return value


def _numbers(lines: list[str], rows: list[int], channels: int, frames: int, path: Path) -> FloatArray:
    words = " ".join(lines[row] for row in rows).split()
    try:
        values = np.array(words, dtype=np.float64)
    except ValueError:
        row, bad = next((row, word) for row in rows for word in lines[row].split() if not is_number(word))
        raise error_at(path, row, f"this frame holds '{bad[:SHOWN]}', which is not a number") from None
    if len(values) != frames * channels:
        for row in rows:
            if len(lines[row].split()) != channels:
                found = len(lines[row].split())
                raise error_at(
                    path, row, f"this frame has {found} values, but the joints have {channels} channels"
                )
        if len(rows) < frames:
            raise InputError(
                f"'{path.name}' says it has {frames} frames, but {len(rows)} are there; export it again."
            )
    if not np.isfinite(values).all():
        row = next(
            row for row in rows if not np.isfinite(np.array(lines[row].split(), dtype=np.float64)).all()
        )
        raise error_at(path, row, "this frame holds a value that is not finite (NaN)")
    return values.reshape(-1, channels)


def _local_poses(joints: list[_Joint], values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the poses of joints in their parents: positions (T, N, 3) [file units], rotations (T, N, 4)."""
    frames, column = len(values), 0
    position = np.tile([joint.offset for joint in joints], (frames, 1, 1))
    quaternion = np.tile([1.0, 0.0, 0.0, 0.0], (frames, len(joints), 1))
    for index, joint in enumerate(joints):
        columns = np.arange(column, column + len(joint.channels))
        column += len(joint.channels)
        moves = [name.endswith("position") for name in joint.channels]
        if any(moves):
            axes = [AXES[name[0]] for name in joint.channels if name.endswith("position")]
            position[:, index, axes] = _positions(joint, axes, values[:, columns[moves]])
        rotates = [not move for move in moves]
        if any(rotates):
            order = "".join(name[0] for name in joint.channels if name.endswith("rotation"))
            quaternion[:, index] = _rotations(order, np.radians(values[:, columns[rotates]]))
    return position, quaternion


def _positions(joint: _Joint, axes: list[int], written: FloatArray) -> FloatArray:
    """Return the positions that position channels mean: most exporters replace a joint's offset by them.

    Some files leave them at zero, or write them relative to the offset. A joint is never that near to its
    parent, so small values are added to the offset.
    """
    offset = joint.offset[axes]
    if joint.parent == NO_PARENT:
        added = np.abs(written).max() < 1e-3 * np.linalg.norm(offset)
    else:
        added = np.abs(written).max() < 0.5 * np.linalg.norm(offset)
    return written + offset if added else written


def _rotations(axes: str, angles: FloatArray) -> FloatArray:
    """Compose rotations about the axes in the order of the file, each about the rotated axes."""
    result = rotations.from_euler(axes[0], angles[:, :1])
    for k, axis in enumerate(axes[1:], start=1):
        result = rotations.multiply(result, rotations.from_euler(axis, angles[:, k : k + 1]))
    return result


def _rest_skeleton(joints: list[_Joint]) -> Skeleton:
    """Return the skeleton in file axes and units; the rest pose of a BVH file has no rotations."""
    position = np.zeros((len(joints), 3))
    for index, joint in enumerate(joints):
        position[index] = joint.offset + (position[joint.parent] if joint.parent != NO_PARENT else 0.0)
    return unrotated_skeleton([joint.name for joint in joints], [joint.parent for joint in joints], position)
