"""Which columns of a table hold the coordinates of which keypoint."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..base.errors import InputError

AXES = "xyz"
_UNIT = r"(?:[\s_\[(]+(?P<unit>mm|cm|m)[\])]?)?"
AXIS_LAST = re.compile(rf"^(?P<name>.*\S)[\s_.,:/|-]+(?P<axis>[xyzXYZ]){_UNIT}$")
AXIS_LETTER = re.compile(r"^(?P<name>.*[a-z0-9])(?P<axis>[XYZ])(?P<unit>)$")
AXIS_FIRST = re.compile(rf"^(?P<axis>[xyzXYZ])[\s_.,:/|-]*(?P<name>\S.*?){_UNIT}$")
SPELLINGS = (AXIS_LAST, AXIS_LETTER, AXIS_FIRST)
"""Ways to name a coordinate: nose_x, nose.X, noseX, x_nose, x1; with or without a unit."""
NUMBERED = re.compile(r"^(landmark|keypoint|point|joint|marker|lm|kp)?[\s_.-]*\d+$", re.IGNORECASE)
BODY = "body_"
"""Prefix of the body's points in a file that also holds face and hands."""
LEAST_OF_BODY = 5


@dataclass(frozen=True)
class CoordinateColumns:
    """P keypoints: their names, columns (P, 3) of their coordinates, and the unit that these name, or ""."""

    names: tuple[str, ...]
    columns: tuple[tuple[int, int, int], ...]
    unit: str

    @property
    def numbered(self) -> bool:
        """Whether points are only numbered."""
        return all(NUMBERED.match(name) for name in self.names)


def coordinate_columns(header: Sequence[str], owner: str) -> CoordinateColumns:
    """Return the columns by the spelling that explains most of a header; `owner` names the file."""
    found = max((_by_spelling(header, spelling) for spelling in SPELLINGS), key=_explains)
    whole = {name: axes for name, axes in found[0].items() if len(axes) == len(AXES)}
    if not whole:
        flat = any(set(axes) == {"x", "y"} for axes in found[0].values())
        raise InputError(
            f"{owner} has x and y of its points, but no z: these are places in a picture. Export keypoints "
            "in space, triangulated from several cameras."
            if flat
            else f"{owner} has no columns such as nose_x, nose_y, nose_z, and none called keypoint, x, y, z; "
            "export the keypoints with their names."
        )
    body = [name for name in whole if name.lower().startswith(BODY)]
    if len(body) >= LEAST_OF_BODY:
        whole = {name[len(BODY) :]: whole[name] for name in body}
    return CoordinateColumns(
        tuple(whole), tuple((axes["x"], axes["y"], axes["z"]) for axes in whole.values()), found[1]
    )


def _explains(found: tuple[dict[str, dict[str, int]], str]) -> tuple[int, int]:
    whole = sum(len(axes) == len(AXES) for axes in found[0].values())
    return whole, sum({"x", "y"} <= set(axes) for axes in found[0].values())


def _by_spelling(header: Sequence[str], spelling: re.Pattern[str]) -> tuple[dict[str, dict[str, int]], str]:
    """Return name -> axis -> column of cells in this spelling, and the unit of the first that names one."""
    points: dict[str, dict[str, int]] = {}
    unit = ""
    for column, cell in enumerate(header):
        match = spelling.match(re.sub(r"[\s()'\"\[\],]+", " ", cell).strip())
        if match:
            points.setdefault(match["name"].strip(), {}).setdefault(match["axis"].lower(), column)
            unit = unit or match["unit"] or ""
    return points, unit
