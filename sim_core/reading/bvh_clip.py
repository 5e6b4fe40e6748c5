"""A motion file as a motion in metres with Z up, whose skeleton stands at rest.

The up axis, the unit, the direction that the body faces and rest frames before the motion are found from
the motion itself, and notes tell the user about them. The same motion gives the same poses in the world,
however its file writes the rest pose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError, RecognitionError
from ..base.files import names_its_file
from ..base.rotations import rotate
from ..motion.bvh_reader import parse_bvh
from ..motion.motion import Motion
from ..motion.motion_file import MotionFile
from ..motion.skeleton import Skeleton
from ..recognition import recognise
from ..recognition.mapping import BoneMapping
from .judge_body import judge_body, judge_pace, judge_size
from .rest_frames import count_rest_frames, rest_frames_note
from .rest_pose import standing_at_rest, with_rest_pose
from .stance import Body, stands
from .unit import find_unit
from .up_axis import UpAxis, find_up_axis, given_up_axis, longest_side

LEG_SHARE = 0.491
"""Length from hip to ankle as a share of body height (Drillis & Contini 1966: 0.245 + 0.246)."""
ANKLE_TO_CROWN_SHARE = 0.95
"""Height from the lowest joints to the head's tip as a share of body height, used if no legs are found."""
TRIED_POSES = 24
"""Number of poses of a motion in which body parts are looked for, where the rest pose shows none."""


SLOWEST_FPS, FASTEST_FPS = 0.1, 100000.0
"""Limits of a rate that is stated [Hz]; what is beyond is a slip, and no memory would hold the motion."""


@dataclass(frozen=True)
class ReadingChoices:
    """What the user states about a file instead of letting it be found.

    unit_m: metres per unit of the file; up: its up axis, such as "+Y"; fps: its rate [Hz]
    keep_rest_frames: a rest pose before the motion is a part of it
    height_m, mass_kg: physical height and mass of the body
    marker_set: of a marker file, by its name or its JSON file
    skeleton: the file with the skeleton of a motion, where that is another one
    """

    unit_m: float | None = None
    up: str | None = None
    fps: float | None = None
    keep_rest_frames: bool = False
    height_m: float | None = None
    marker_set: str | None = None
    skeleton: Path | None = None
    mass_kg: float | None = None

    def __post_init__(self) -> None:
        if self.unit_m is not None and not 0.0 < self.unit_m < float("inf"):
            raise InputError(f"The unit is {self.unit_m}; it must be metres per file unit, above zero.")
        if self.fps is not None and not SLOWEST_FPS <= self.fps <= FASTEST_FPS:
            raise InputError(
                f"--fps is {self.fps:g}; it must be a number above zero, from {SLOWEST_FPS:g} to "
                f"{FASTEST_FPS:g}."
            )
        if self.height_m is not None and not 0.0 < self.height_m < float("inf"):
            raise InputError(f"height is {self.height_m}; it must be a number above zero.")


AS_FOUND = ReadingChoices()
"""Nothing is stated, so all is found."""


@dataclass(frozen=True, eq=False)
class BvhClip:
    """A motion read from a file, with what had to be found.

    unit_m: metres per unit of the file
    frames_skipped: number of rest frames before the motion, which were left out
    tips_world: bone -> offset of its End Site from the bone's head at rest [m], in world axes
    mass_kg: of the subject as force plates weigh it or the file states it; None if neither does
    start_s: time of the motion's first frame on the file's own clock
    world_from_file (3, 3): from the file's axes to those of the world
    """

    motion: Motion
    unit_m: float
    frames_skipped: int
    notes: tuple[str, ...]
    tips_world: dict[str, FloatArray] = field(default_factory=dict)
    mass_kg: float | None = None
    start_s: float = 0.0
    world_from_file: FloatArray = field(default_factory=lambda: np.eye(3))


@names_its_file
def read_bvh(path: Path, chosen: ReadingChoices = AS_FOUND) -> BvhClip:
    """Read a BVH file; what the user does not state is found from the motion."""
    return clip_of(parse_bvh(path), chosen)


def clip_of(file: MotionFile, chosen: ReadingChoices = AS_FOUND) -> BvhClip:
    """Return the motion of a file; what neither the file nor the user states is found from the motion."""
    skipped = 0
    if not chosen.keep_rest_frames:
        skipped = count_rest_frames(file.local_quaternion, file.frame_time_s)
    mapping = _mapping(file)
    found = _found_by_shape(file, chosen) if mapping is None else _found(file, mapping, skipped, chosen)
    motion = _world_motion(file, found)
    if mapping is not None:
        motion = _at_standing_rest(motion, mapping, skipped)
        if chosen.unit_m is None and chosen.height_m is None:
            judge_size(motion.skeleton, mapping, motion.position_world)
    time = motion.time[skipped:] - motion.time[min(skipped, len(motion.time) - 1)]
    motion = Motion(motion.skeleton, time, motion.position_world[skipped:], motion.quaternion_world[skipped:])
    warnings: tuple[str, ...] = ()
    if mapping is not None:
        warnings = (*judge_body(file.rest, mapping), *judge_pace(motion, mapping))
    notes = (*warnings, *file.notes, *found.notes, *([rest_frames_note(skipped)] if skipped else []))
    tips_world = _tips_world(file, found, motion.skeleton)
    start_s = file.start_s + skipped * file.frame_time_s
    turn = found.up.world_from_file
    return BvhClip(motion, found.unit_m, skipped, notes, tips_world, file.mass_kg, start_s, turn)


@dataclass(frozen=True, eq=False)
class _Found:
    """The axes and the unit of a file, with notes."""

    up: UpAxis
    unit_m: float
    notes: tuple[str, ...]


def _mapping(file: MotionFile) -> BoneMapping | None:
    """Return the body parts of the file's skeleton, seen in its rest pose or in a pose of the motion."""
    for position in _poses(file):
        try:
            return recognise(
                Skeleton(file.rest.names, file.rest.parents, position, file.rest.rest_quaternion_world)
            )
        except RecognitionError:
            continue
    return None


def _poses(file: MotionFile) -> Iterator[FloatArray]:
    yield file.rest.rest_position_world
    position, _ = file.world_poses()
    for frame in np.unique(np.linspace(0, len(position) - 1, TRIED_POSES).astype(int)):
        yield position[frame]


def _found(file: MotionFile, mapping: BoneMapping, skipped: int, choices: ReadingChoices) -> _Found:
    """Return axes and unit of a file whose body parts are known."""
    body, (position, _) = Body.of(file.rest, mapping), file.world_poses()
    rest = file.rest.rest_position_world
    rest_frame = position[0] if skipped else None
    if choices.up is None:
        up = find_up_axis(body, position[skipped:], rest, rest_frame)
    else:
        up = given_up_axis(choices.up)
    poses = (pose for pose in (rest_frame, rest) if pose is not None)
    shown = next((pose for pose in poses if stands(body, pose, up.direction)), None)
    notes: tuple[str, ...] = ()
    if shown is not None:
        forward = body.forward(shown, up.direction)
        up = up.facing(forward)
        notes = _side_notes(body, shown, forward)
    unit_m, unit_note = find_unit(body.leg_length(position) / LEG_SHARE, choices.unit_m, file.unit_m)
    return _Found(up, unit_m, (unit_note, up.note, *notes))


def _side_notes(body: Body, pose: FloatArray, forward: FloatArray) -> tuple[str, ...]:
    """Return a warning if the feet of a standing pose (N, 3) point backwards, as seen from its hips."""
    if body.toe is None:
        return ()
    ahead = (pose[body.toe] - pose[body.ankle]).sum(axis=0) @ forward
    if ahead >= 0.0:
        return ()
    return ("The feet point backwards: left and right are swapped, or the file is a mirror image.",)


def _found_by_shape(file: MotionFile, choices: ReadingChoices) -> _Found:
    """Return axes and unit of a file in which no body parts are found."""
    heads = file.rest.rest_position_world
    ends = [heads[file.rest.index[name]] + tip for name, tip in file.tips.items()]
    points = np.vstack([heads, *ends])
    up = longest_side(points) if choices.up is None else given_up_axis(choices.up)
    height = float(np.ptp(points @ up.direction)) / ANKLE_TO_CROWN_SHARE
    unit_m, unit_note = find_unit(height, choices.unit_m, file.unit_m)
    return _Found(up, unit_m, (unit_note, up.note))


def _world_motion(file: MotionFile, found: _Found) -> Motion:
    """Return all frames in world axes and metres."""
    position, quaternion = file.world_poses()
    matrix = found.up.world_from_file
    # In other axes a rotation keeps its angle, and its axis is rotated.
    quaternion[..., 1:] = quaternion[..., 1:] @ matrix.T
    scaled = found.unit_m * matrix.T
    rest = file.rest
    skeleton = Skeleton(
        rest.names, rest.parents, rest.rest_position_world @ scaled, rest.rest_quaternion_world
    )
    time_s = np.arange(len(position)) * file.frame_time_s
    return Motion(skeleton, time_s, position @ scaled, quaternion)


def _tips_world(file: MotionFile, found: _Found, skeleton: Skeleton) -> dict[str, FloatArray]:
    """Return the ends of the last bones from their heads, as the skeleton rests."""
    matrix, rest = found.unit_m * found.up.world_from_file, skeleton.rest_quaternion_world
    return {name: rotate(rest[skeleton.index[name]], matrix @ tip) for name, tip in file.tips.items()}


def _at_standing_rest(motion: Motion, mapping: BoneMapping, skipped: int) -> Motion:
    """Return the motion on a skeleton that stands at rest: as in the file, or as in one of its frames."""
    body, up = Body.of(motion.skeleton, mapping), np.array([0.0, 0.0, 1.0])
    if stands(body, motion.skeleton.rest_position_world, up):
        return motion
    if skipped and stands(body, motion.position_world[0], up):
        return with_rest_pose(motion, motion.position_world[0], motion.quaternion_world[0])
    return standing_at_rest(motion, mapping)
