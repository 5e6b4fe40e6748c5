"""Pictures of a result as strokes: source and result, contact forces and assist, seen from one side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import REFERENCE_HEIGHT_M, Z_UP, FloatArray, freeze
from ..result.result import NO_BODY, Result
from .stick_figure import StickFigure, figures_of

THREE_QUARTER = np.radians(55.0)
"""Angle between the direction the body faces and the viewer, at which limbs do not hide each other."""


@dataclass(frozen=True, eq=False)
class View:
    """A horizontal view without perspective.

    right: the world's direction that points right in the picture (3), horizontal, of length 1
    """

    right: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "right")

    @property
    def toward(self) -> FloatArray:
        """Direction from the motion to the viewer (3)."""
        return np.cross(self.right, Z_UP)

    def flat(self, points: FloatArray) -> FloatArray:
        """Return points (..., 3) as right and up in the picture (..., 2) [m]."""
        return np.stack([points @ self.right, points[..., 2]], axis=-1)


def three_quarter_view(left: FloatArray) -> View:
    """Return a view between the front and the right of a body whose left side points along `left` (3)."""
    level = np.array([left[0], left[1], 0.0])
    length = float(np.linalg.norm(level))
    level = np.array([0.0, 1.0, 0.0]) if length < 1e-6 else level / length
    forward = np.cross(level, Z_UP)
    return View(np.sin(THREE_QUARTER) * forward + np.cos(THREE_QUARTER) * level)


ROOM_M = 0.75
"""Half the width of a picture of a body of REFERENCE_HEIGHT_M."""
ABOVE_M = 2.05
"""Least height of such a picture above the ground."""
MARGIN_M = 0.1
METRES_PER_N = 1.0 / 1500.0
HELP_METRES_PER_N = 1.0 / 200.0
"""Scale of assist forces, larger than that of contact forces so that small ones can be seen."""
SHOWN_N = 1.0
"""Smaller forces are not drawn [N]."""
ARROW_WIDTH_M = 0.02


@dataclass(frozen=True)
class Stroke:
    """A line with round ends: x to the right, y down [m]; dark: on the right side."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    dark: bool = False


@dataclass(frozen=True)
class Picture:
    """The figures at one time; the farthest parts come first.

    at_s: since the first sample; left, top, width, height: of the visible area [m]; ground: y of the ground
    [m]
    fallen: whether the character has fallen before
    """

    at_s: float
    left: float
    top: float
    width: float
    height: float
    ground: float
    fallen: bool
    source: tuple[Stroke, ...]
    result: tuple[Stroke, ...]
    forces: tuple[Stroke, ...]
    assist: tuple[Stroke, ...]


class Camera:
    """Draws pictures of a whole motion from one side."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.size = result.meta.character.height / REFERENCE_HEIGHT_M
        self.ground = result.meta.ground_height
        self.view = _view(result)
        self.source, self.new = figures_of(result, self.size)
        self.changed = bool((result.simulated > 0.0).any() or result.meta.plausible_metrics is not None)
        self.figures = (self.source, self.new) if self.changed else (self.source,)
        heights = np.concatenate([figure.ends[..., 2].ravel() for figure in self.figures])
        self.high = max(self.ground + ABOVE_M * self.size, float(heights.max()) + MARGIN_M)
        self.low = min(self.ground, float(heights.min())) - MARGIN_M

    def picture(self, at_s: float) -> Picture:
        """Return the picture at a time since the first sample [s]."""
        result = self.result
        sample = int(np.argmin(np.abs(result.time - result.time[0] - at_s)))
        joints = result.joint_position if self.changed else result.source_joint_position
        width = 2.0 * ROOM_M * self.size
        fell_at = result.meta.fell_at
        return Picture(
            at_s,
            float(self.view.flat(joints[sample].mean(axis=0))[0]) - 0.5 * width,
            -self.high,
            width,
            self.high - self.low,
            -self.ground,
            fell_at is not None and at_s >= fell_at,
            self._strokes(self.source, sample),
            self._strokes(self.new, sample) if self.changed else (),
            self._forces(sample),
            self._assist(sample),
        )

    def strip(self, count: int) -> tuple[Picture, ...]:
        """Return a number of pictures, evenly spaced over time."""
        seconds = float(self.result.time[-1] - self.result.time[0])
        return tuple(self.picture(at) for at in np.linspace(0.0, seconds, count))

    def _strokes(self, figure: StickFigure, sample: int) -> tuple[Stroke, ...]:
        ends = figure.ends[sample]
        farthest_first = np.argsort(ends.sum(axis=1) @ self.view.toward, kind="stable")
        return tuple(
            self._stroke(ends[k, 0], ends[k, 1], float(figure.width[k]), bool(figure.dark[k]))
            for k in farthest_first
        )

    def _stroke(self, start: FloatArray, end: FloatArray, width: float, dark: bool = False) -> Stroke:
        (x1, up1), (x2, up2) = self.view.flat(np.stack([start, end])).tolist()
        return Stroke(x1, -up1, x2, -up2, width, dark)

    def _forces(self, sample: int) -> tuple[Stroke, ...]:
        """Return the contact forces on the result, summed up for each body."""
        force, point = self.result.contact_force[sample], self.result.contact_point[sample]
        touched = self.result.contact_body[sample]
        strokes = []
        for body in np.unique(touched[touched != NO_BODY]):
            own = touched == body
            magnitude = np.linalg.norm(force[own], axis=1)
            if magnitude.sum() < SHOWN_N:
                continue
            start = (magnitude[:, None] * point[own]).sum(axis=0) / magnitude.sum()
            strokes.append(self._arrow(start, METRES_PER_N * force[own].sum(axis=0)))
        return tuple(strokes)

    def _assist(self, sample: int) -> tuple[Stroke, ...]:
        """Return the assist force at the pelvis."""
        force = self.result.assist[sample, :3]
        if np.linalg.norm(force) < SHOWN_N:
            return ()
        return (self._arrow(self.result.joint_position[sample, 0], HELP_METRES_PER_N * force),)

    def _arrow(self, start: FloatArray, vector: FloatArray) -> Stroke:
        return self._stroke(start, start + vector, ARROW_WIDTH_M * self.size)


def _view(result: Result) -> View:
    """Return the view on the body in the middle of the source."""
    names = [str(name) for name in result.body_name]
    if not {"thigh.L", "thigh.R"} <= set(names):
        return three_quarter_view(np.zeros(3))
    middle = result.source_joint_position[len(result.time) // 2]
    return three_quarter_view(middle[names.index("thigh.L")] - middle[names.index("thigh.R")])
