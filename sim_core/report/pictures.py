"""Figures of source and result as capsules, ready to be drawn as SVG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..conventions import Z_UP, FloatArray
from ..result import Result

WIDTH_M = {
    "pelvis": 0.17,
    "abdomen": 0.18,
    "chest": 0.2,
    "head": 0.17,
    "clavicle": 0.1,
    "upper_arm": 0.085,
    "forearm": 0.07,
    "hand": 0.06,
    "thigh": 0.13,
    "shin": 0.095,
    "foot": 0.075,
    "toe": 0.06,
}
OTHER_WIDTH_M = 0.08
TURNED = np.radians(35.0)
"""The view is from the side, turned towards the front by this."""
METRES_PER_N = 1.0 / 1500.0
"""Length of the arrows of forces."""
ROOM_M = 0.75
"""Half the width of a picture of a body of USUAL_HEIGHT [m]."""
USUAL_HEIGHT = 1.75
STRIP = 8
"""Pictures in a strip."""


@dataclass(frozen=True)
class Stroke:
    """A line with round ends, or an arrow: x to the right, y down [m]; dark: on the right side."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    dark: bool = False


@dataclass(frozen=True)
class Picture:
    """One moment: the far parts come first.

    at_s: since the first sample; left, top, size: of what is seen [m]; ground [m]
    """

    at_s: float
    left: float
    top: float
    width: float
    height: float
    ground: float
    source: tuple[Stroke, ...]
    result: tuple[Stroke, ...]
    forces: tuple[Stroke, ...]


class Camera:
    """Looks at the whole motion from one side."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.changed = bool((result.simulated > 0.0).any() or result.meta.get("plausible_metrics"))
        self.ends, self.source_ends = _ends(result)
        self.across = _across(result)
        self.into = np.cross(Z_UP, self.across)
        character = result.meta.get("character") or {}
        self.size = float(character.get("height") or USUAL_HEIGHT) / USUAL_HEIGHT
        self.ground = float(result.meta.get("ground_height") or 0.0)

    def picture(self, at_s: float) -> Picture:
        result = self.result
        sample = int(np.argmin(np.abs(result.time - result.time[0] - at_s)))
        source = (result.source_joint_position[sample], self.source_ends[sample])
        new = (result.joint_position[sample], self.ends[sample])
        middle = float((new if self.changed else source)[0].mean(axis=0) @ self.across)
        low = min(float(source[0][:, 2].min()), float(new[0][:, 2].min()), self.ground + 0.2)
        width = 2.0 * ROOM_M * self.size
        height = 2.15 * self.size + max(self.ground - low, 0.0)
        return Picture(
            at_s,
            middle - 0.5 * width,
            -(self.ground + 2.05 * self.size),
            width,
            height,
            -self.ground,
            self._strokes(*source),
            self._strokes(*new) if self.changed else (),
            self._forces(sample),
        )

    def strip(self) -> tuple[Picture, ...]:
        """Evenly over time."""
        seconds = float(self.result.time[-1] - self.result.time[0])
        return tuple(self.picture(at) for at in np.linspace(0.0, seconds, STRIP))

    def _strokes(self, joints: FloatArray, ends: FloatArray) -> tuple[Stroke, ...]:
        names, parent = self.result.body_name, self.result.joint_parent
        drawn: list[tuple[float, Stroke]] = []
        for k, name in enumerate(names):
            part, _, side = str(name).partition(".")
            width = self.size * WIDTH_M.get(part, OTHER_WIDTH_M)
            # The way to a joint belongs to the part above it; what carries nothing has an end of its own.
            if parent[k] >= 0:
                above = str(names[parent[k]]).partition(".")[0]
                drawn.append(
                    self._stroke(
                        joints[parent[k]], joints[k], self.size * WIDTH_M.get(above, OTHER_WIDTH_M), side
                    )
                )
            if not (parent == k).any():
                drawn.append(self._stroke(joints[k], ends[k], width, side))
        return tuple(stroke for _, stroke in sorted(drawn, key=lambda pair: -pair[0]))

    def _stroke(self, start: FloatArray, end: FloatArray, width: float, side: str) -> tuple[float, Stroke]:
        """With how far away it is."""
        x1, x2 = float(start @ self.across), float(end @ self.across)
        away = float((start + end) @ self.into)
        return away, Stroke(x1, -float(start[2]), x2, -float(end[2]), width, side == "R")

    def _forces(self, sample: int) -> tuple[Stroke, ...]:
        """Of contacts on the result, all that belong to one body as one arrow."""
        force, point = self.result.contact_force[sample], self.result.contact_point[sample]
        strokes = []
        for body in np.unique(self.result.contact_body[sample]):
            mine = self.result.contact_body[sample] == body
            strength = np.linalg.norm(force[mine], axis=1)
            if body < 0 or strength.sum() < 1.0:
                continue
            foot = (strength[:, None] * point[mine]).sum(axis=0) / strength.sum()
            tip = foot + METRES_PER_N * force[mine].sum(axis=0)
            strokes.append(self._stroke(foot, tip, 0.02 * self.size, "")[1])
        return tuple(strokes)


def _ends(result: Result) -> tuple[FloatArray, FloatArray]:
    """Far ends (T, J, 3) of parts, in result and source: twice as far as the centre of mass."""
    joints, turned = result.joint_position, result.joint_quaternion_world
    arm = 2.0 * (result.body_com - joints)
    turn = rotations.multiply(result.source_joint_quaternion_world, rotations.conjugate(turned))
    return joints + arm, result.source_joint_position + rotations.rotate(turn, arm)


def _across(result: Result) -> FloatArray:
    """Horizontal direction (3) that points to the right in pictures: mostly where the character faces."""
    names = [str(name) for name in result.body_name]
    forward = np.array([1.0, 0.0, 0.0])
    if "thigh.L" in names and "thigh.R" in names:
        left, right = (result.source_joint_position[:, names.index(f"thigh.{s}")] for s in "LR")
        forward = np.cross((left - right).mean(axis=0), Z_UP)
    forward[2] = 0.0
    length = float(np.linalg.norm(forward))
    forward = forward / length if length > 1e-6 else np.array([1.0, 0.0, 0.0])
    return np.asarray(rotations.rotate(rotations.from_vector(TURNED * Z_UP), forward))
