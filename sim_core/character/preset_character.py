"""Preset characters: published models of the human body, link by link.

A file lists the links of the trunk, and the limbs as chains, which are given for the left side and mirrored
to the right. A link is a rod or a box with its centre of mass in the middle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..base.json_files import read_preset
from ..recognition.mapping import SIDES
from .anthropometry import box_inertia, rod_inertia, rod_radius
from .joint_limits import LIMITS, ball_joint
from .spec import (
    MOST_INSET,
    CharacterSpec,
    Joint,
    JointKind,
    Segment,
    SegmentBox,
    SegmentCapsule,
    SegmentShape,
)

GROUP = "characters"
MIRROR = np.array([1.0, -1.0, 1.0])


def load_character(name: str) -> CharacterSpec:
    """Read the preset character of this name."""
    data = read_preset(GROUP, name)
    if "trunk" not in data:
        raise InputError(f"The preset '{name}' has no body of its own; give it with --preset instead.")
    return character_from_dict(name, data)


def character_from_dict(name: str, content: Mapping[str, Any]) -> CharacterSpec:
    """Return the character in JSON data; torque limits are human ones for its mass and height."""
    data = _Fields(content, f"The preset character '{name}'")
    height = data.number("height")
    rows = _rows(data)
    mass = sum(row.number("mass") for row, _, _ in rows)
    segments = tuple(_segment(row, side, parent, mass, height) for row, side, parent in rows)
    return CharacterSpec(name, segments, height)


class _Fields:
    """A JSON object whose fields are checked when they are read."""

    def __init__(self, data: object, owner: str) -> None:
        if not isinstance(data, Mapping):
            raise InputError(f"{owner} is broken: a JSON object was expected, found {data!r}.")
        self.data, self.owner = data, owner

    def __contains__(self, field: str) -> bool:
        return field in self.data

    def broken(self, field: str, wanted: str) -> InputError:
        """Return the error of a field that is missing or wrong."""
        found = f"found {self.data[field]!r}" if field in self.data else "it is missing"
        return InputError(f"{self.owner} is broken: '{field}' must be {wanted}, {found}.")

    def number(self, field: str) -> float:
        """Return a finite number above zero."""
        value = self.data.get(field)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0.0 < value < np.inf:
            return float(value)
        raise self.broken(field, "a number above zero")

    def numbers(self, field: str, *shape: int) -> FloatArray:
        """Return an array of this shape; -1 stands for any length."""
        try:
            value = np.array(self.data.get(field), dtype=np.float64)
        except (TypeError, ValueError):
            value = np.array(np.nan)
        fits = len(value.shape) == len(shape) and all(
            n in (-1, m) for n, m in zip(shape, value.shape, strict=True)
        )
        if fits and np.isfinite(value).all():
            return value
        raise self.broken(field, f"{' x '.join('n' if n < 0 else str(n) for n in shape)} numbers")

    def text(self, field: str, choices: tuple[str, ...]) -> str:
        """Return a text that is one of the choices."""
        value = self.data.get(field)
        if value in choices:
            return str(value)
        raise self.broken(field, f"one of {', '.join(choices)}")

    def objects(self, field: str) -> list[Any]:
        """Return a list that is not empty."""
        value = self.data.get(field)
        if isinstance(value, list) and value:
            return value
        raise self.broken(field, "a list")

    def inner(self, field: str) -> _Fields:
        """Return a JSON object inside this one."""
        return _Fields(self.data.get(field), f"{self.owner}, '{field}'")


def _rows(data: _Fields) -> list[tuple[_Fields, str, str | None]]:
    """Return links in depth-first order, as the engine numbers bodies: (fields, side or "", parent)."""
    rows: list[tuple[_Fields, str, str | None]] = []
    names: list[str] = []
    for link in data.objects("trunk"):
        row = _row(link, data)
        rows.append((row, "", row.text("parent", tuple(names)) if names else None))
        names.append(str(row.data["name"]))
    for chain in data.objects("limbs"):
        if not isinstance(chain, list) or not chain:
            raise data.broken("limbs", "a list of lists of links")
        for side in SIDES:
            links = [_row(link, data) for link in chain]
            parent = links[0].text("parent", tuple(names))
            for row in links:
                rows.append((row, side, parent))
                parent = f"{row.data['name']}.{side}"
    return rows


def _row(link: object, data: _Fields) -> _Fields:
    row = _Fields(link, f"{data.owner}, link {link.get('name') if isinstance(link, Mapping) else ''!r}")
    row.text("name", ("pelvis", *LIMITS))
    return row


def _segment(row: _Fields, side: str, parent: str | None, total_mass: float, height: float) -> Segment:
    name = f"{row.data['name']}.{side}" if side else str(row.data["name"])
    flip = MIRROR if side == "R" else np.ones(3)
    mass = row.number("mass")
    centre, inertia, shape = _rod(row, mass, flip) if "rod" in row else _box(row, mass, flip)
    points = row.numbers("contact_points", -1, 3) * flip if "contact_points" in row else np.zeros((0, 3))
    anchor = np.zeros(3) if parent is None else row.numbers("anchor", 3) * flip
    joint = _joint(row, name, parent, total_mass, height)
    return Segment(name, parent, joint, anchor, mass, centre, inertia, (shape,), points)


def _joint(row: _Fields, name: str, parent: str | None, total_mass: float, height: float) -> Joint:
    """Return the joint of a link: free for the root, else a ball joint or a hinge about Y."""
    kind = row.text("joint", ("free",) if parent is None else ("ball", "hinge"))
    if parent is None:
        return Joint(JointKind.FREE)
    joint = replace(ball_joint(name, total_mass, height), stiffness=row.number("stiffness"))
    if kind == "ball":
        return joint
    low, high = np.radians(row.numbers("range_deg", 2))
    if not low < high:
        raise row.broken("range_deg", "a lower and an upper angle")
    return Joint(
        JointKind.HINGE,
        low=float(low),
        high=float(high),
        torque_limit=joint.torque_limit,
        stiffness=joint.stiffness,
    )


def _rod(row: _Fields, mass: float, flip: FloatArray) -> tuple[FloatArray, FloatArray, SegmentShape]:
    """Return centre, inertia and shape of a rod from the joint to a point on one of the link's axes."""
    fields = row.inner("rod")
    end = fields.numbers("to", 3) * flip
    along = int(np.argmax(np.abs(end)))
    length = float(np.abs(end[along]))
    if length == 0.0 or np.count_nonzero(end) != 1:
        raise fields.broken("to", "a point on one axis, away from the joint")
    radius = fields.number("radius") if "radius" in fields else rod_radius(mass, length)
    inertia = np.roll(rod_inertia(mass, length, radius), along + 1)
    _replace_across(row, inertia, along)
    inset = min(radius, MOST_INSET * length) / length
    return 0.5 * end, inertia, SegmentCapsule(inset * end, (1.0 - inset) * end, radius)


def _box(row: _Fields, mass: float, flip: FloatArray) -> tuple[FloatArray, FloatArray, SegmentShape]:
    """Return centre, inertia and shape of a box."""
    fields = row.inner("box")
    centre, size = fields.numbers("centre", 3) * flip, fields.numbers("size", 3)
    if not np.all(size > 0.0):
        raise fields.broken("size", "three lengths above zero")
    inertia = box_inertia(mass, size)
    _replace_across(row, inertia, int(np.argmax(size)))
    return centre, inertia, SegmentBox(centre, 0.5 * size)


def _replace_across(row: _Fields, inertia: FloatArray, along: int) -> None:
    """Replace the inertia about both axes across the link by the tabulated one, if there is one."""
    if "inertia" in row:
        inertia[[axis for axis in range(3) if axis != along]] = row.number("inertia")
