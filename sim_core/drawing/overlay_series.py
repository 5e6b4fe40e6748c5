"""What overlays show of a bake, at its whole frames and in the units of the view."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base import rotations
from ..base.conventions import FloatArray, IntArray, frozen
from ..result import metrics

if TYPE_CHECKING:
    from ..result.records import CharacterFacts
    from ..result.result import Result

UPRIGHT_SHARE = 0.5
"""A contact supports the body if at least this share of its force points up."""


@dataclass(frozen=True, eq=False)
class Ghost:
    """The source as sticks between M bones, at F frames.

    parent (M): the bone that each one's stick starts at, -1 for none
    head (F, M, 3); leaf (L): bones without children, tail (F, L, 3): their ends
    """

    parent: IntArray
    head: FloatArray
    leaf: IntArray
    tail: FloatArray

    def sticks(self, row: int) -> FloatArray:
        """Return the ends (2 N, 3) of the sticks at a frame."""
        head, hanging = self.head[row], self.parent >= 0
        bones = np.stack([head[self.parent[hanging]], head[hanging]], axis=1)
        ends = np.stack([head[self.leaf], self.tail[row]], axis=1)
        return np.concatenate([bones, ends]).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class OverlaySeries:
    """F frames, B bodies, C capsules, X boxes, N contacts of all frames, M bones of the source.

    Positions and lengths are in the units of the view, forces in N and Nm.
    frame (F): numbers; unit (1): units of the view in a metre
    body_position (F, B, 3), body_quaternion (F, B, 4): centres of mass and axes
    body_joint (B, 3): joint of each body to its parent, in its own axes from its centre of mass
    capsule (C, 8): body, start, end and radius, likewise; box (X, 7): body, centre and half sizes
    centre_of_mass (F, 3): of the whole body; floor_height (F): of the surface it stands on, or stood on last
    contact_count (F): number of contacts of each frame, in order
    contact_point (N, 3), contact_force (N, 3): at the frame's time; contact_body (N)
    contact_carries (N): 1 where it supports the body from below, 0 otherwise
    assist (F, 6): the largest external force, then torque, from half a frame before to half a frame after
    effort (F, B): largest torque of the joint's axes relative to their limits in that time
    ghost_parent (M), ghost_head (F, M, 3), ghost_leaf (L), ghost_tail (F, L, 3): see Ghost
    """

    frame: IntArray
    unit: FloatArray
    body_position: FloatArray
    body_quaternion: FloatArray
    body_joint: FloatArray
    capsule: FloatArray
    box: FloatArray
    centre_of_mass: FloatArray
    floor_height: FloatArray
    contact_count: IntArray
    contact_point: FloatArray
    contact_force: FloatArray
    contact_body: IntArray
    contact_carries: IntArray
    assist: FloatArray
    effort: FloatArray
    ghost_parent: IntArray
    ghost_head: FloatArray
    ghost_leaf: IntArray
    ghost_tail: FloatArray

    def __post_init__(self) -> None:
        for spec in fields(self):
            kind = np.int64 if spec.type == "IntArray" else np.float64
            object.__setattr__(self, spec.name, frozen(getattr(self, spec.name), kind))

    @cached_property
    def body_turn(self) -> FloatArray:
        """body_quaternion as matrices (F, B, 3, 3)."""
        return rotations.to_matrix(self.body_quaternion)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name."""
        return {spec.name: getattr(self, spec.name) for spec in fields(self)}

    @property
    def ghost(self) -> Ghost:
        """The source as sticks."""
        return Ghost(self.ghost_parent, self.ghost_head, self.ghost_leaf, self.ghost_tail)

    def row_of(self, frame: int) -> int | None:
        """Return the row of a frame; None outside of what was simulated."""
        row = int(np.searchsorted(self.frame, frame))
        return row if row < len(self.frame) and self.frame[row] == frame else None

    def contacts_of(self, row: int) -> slice:
        """Return the range of contacts of a frame."""
        start = int(self.contact_count[:row].sum())
        return slice(start, start + int(self.contact_count[row]))

    def assist_at(self, row: int) -> tuple[float, float]:
        """Return the largest assist force [N] and torque [Nm] of a frame."""
        return float(np.linalg.norm(self.assist[row, :3])), float(np.linalg.norm(self.assist[row, 3:]))


def series_of(
    result: Result, frame: IntArray, time: FloatArray, metres_per_unit: float, ghost: Ghost
) -> OverlaySeries:
    """Return what a result shows at frames (F) with times (F) on the result's own time axis.

    Frames after the end of a simulation with a fall are left out.
    """
    step = float(result.time[1] - result.time[0])
    kept = time <= result.time[-1] + 0.5 * step
    frame, time = frame[kept], time[kept]
    character = result.meta.character
    unit = 1.0 / metres_per_unit
    scale, offset = unit / character.scale, _moved_by(character, result.time)
    at = _samples(result, time)
    centre = np.einsum("tbi,b->ti", result.body_com[at], result.body_mass) / result.body_mass.sum()
    capsules, boxes, joints = _forms(result, scale)
    around = _around(at)
    contacts = _contacts(result, at)
    floor = _floor_height(contacts, len(at), result.meta.ground_height)
    return OverlaySeries(
        frame=frame,
        unit=np.array([unit]),
        body_position=(result.body_com[at] - offset[at, None]) * scale,
        body_quaternion=result.body_quaternion_world[at],
        body_joint=joints,
        capsule=capsules,
        box=boxes,
        centre_of_mass=(centre - offset[at]) * scale,
        floor_height=(floor - offset[at, 2]) * scale,
        contact_count=np.bincount(contacts.row, minlength=len(at)),
        contact_point=(contacts.point - offset[at][contacts.row]) * scale,
        contact_force=contacts.force,
        contact_body=contacts.body,
        contact_carries=contacts.carries,
        assist=_strongest(result.assist, around),
        effort=_effort(result, around),
        ghost_parent=ghost.parent,
        ghost_head=ghost.head[kept],
        ghost_leaf=ghost.leaf,
        ghost_tail=ghost.tail[kept],
    )


def source_at(
    result: Result, time: FloatArray, metres_per_unit: float
) -> tuple[FloatArray, FloatArray]:
    """Return where the source has the mapped joints (F, J, 3) [units of the view] and (F, J, 4) at times."""
    at, character = _samples(result, time), result.meta.character
    moved = _moved_by(character, result.time)[at, None]
    position = (result.source_joint_position[at] - moved) / (metres_per_unit * character.scale)
    return position, result.source_joint_quaternion_world[at]


def _samples(result: Result, time: FloatArray) -> IntArray:
    """Return the samples of a result at times (F)."""
    step = float(result.time[1] - result.time[0])
    return np.clip(np.rint((time - result.time[0]) / step).astype(np.int64), 0, len(result.time) - 1)


def _moved_by(character: CharacterFacts, time: FloatArray) -> FloatArray:
    """Return how far the body is from where its rig has it (T, 3) [m]."""
    walked = (time - character.belt_from)[:, None] * np.array(character.belt)
    return np.array(character.offset) - walked


def _forms(result: Result, scale: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return capsules, boxes and joints of all bodies in the view's units; see OverlaySeries."""
    shapes = result.meta.body_shapes
    capsules = [
        [body, *(scale * np.array([*c.start, *c.end, c.radius]))]
        for body, shape in enumerate(shapes)
        for c in shape.capsules
    ]
    boxes = [
        [body, *(scale * np.array([*b.centre, *b.half_size]))]
        for body, shape in enumerate(shapes)
        for b in shape.boxes
    ]
    joints = scale * np.array([shape.joint for shape in shapes])
    return np.reshape(capsules, (-1, 8)), np.reshape(boxes, (-1, 7)), joints


@dataclass(frozen=True, eq=False)
class _Contacts:
    """All contacts of all frames, by the frame's row; see OverlaySeries."""

    row: IntArray
    point: FloatArray
    force: FloatArray
    body: IntArray
    carries: IntArray


def _contacts(result: Result, at: IntArray) -> _Contacts:
    force = result.contact_force[at]
    size = np.linalg.norm(force, axis=-1)
    row, slot = np.nonzero(size > 0.0)
    size, force = size[row, slot], force[row, slot]
    alone = np.array([name == "" for name in result.contact_other], dtype=bool)[slot]
    carries = alone & (size > metrics.LOADED_N) & (force[:, 2] > UPRIGHT_SHARE * size)
    return _Contacts(
        row,
        result.contact_point[at][row, slot],
        force,
        result.contact_body[at][row, slot],
        carries.astype(np.int64),
    )


def _floor_height(contacts: _Contacts, frames: int, ground: float) -> FloatArray:
    """Return the height of the supporting surface (F) [m]; in the air the last one, initially the ground."""
    height, now = np.empty(frames), ground
    for row in range(frames):
        below = contacts.point[(contacts.row == row) & (contacts.carries == 1), 2]
        now = float(below.mean()) if len(below) else now
        height[row] = now
    return height


def _around(at: IntArray) -> list[slice]:
    """Return the samples from half a frame before to half a frame after each sample (F)."""
    middle = (at[1:] + at[:-1]) // 2
    starts, ends = np.concatenate([at[:1], middle]), np.concatenate([middle, at[-1:]])
    return [slice(int(start), int(end) + 1) for start, end in zip(starts, ends, strict=True)]


def _strongest(assist: FloatArray, around: list[slice]) -> FloatArray:
    """Return the largest force and torque of each range (F, 6), so that none is lost between two frames."""
    found = np.zeros((len(around), 6))
    for row, part in enumerate(around):
        for axes in (slice(0, 3), slice(3, 6)):
            values = assist[part, axes]
            found[row, axes] = values[np.argmax(np.linalg.norm(values, axis=1))]
    return found


def _effort(result: Result, around: list[slice]) -> FloatArray:
    used = metrics.effort_share(result.torque, result.torque_limit)
    names = [str(name).rpartition("/")[0] for name in result.torque_name]
    effort = np.zeros((len(around), len(result.body_name)))
    for body, name in enumerate(result.body_name):
        axes = [axis for axis, of in enumerate(names) if of == name]
        if axes:
            effort[:, body] = [used[part][:, axes].max() for part in around]
    return effort


def bodies_in_world(series: OverlaySeries, row: int, body: IntArray, point: FloatArray) -> FloatArray:
    """Return points (N, 3) of bodies (N), given in their own axes, at a frame."""
    # take is faster than an index here, in what is done for every new frame that is drawn.
    turn, position = (
        np.take(values[row], body, axis=0) for values in (series.body_turn, series.body_position)
    )
    return np.asarray(np.einsum("nij,nj->ni", turn, point) + position)
