"""Goals of the simulated bones, and one correction of all controls towards them, for many frames at once.

A control is taken to be fixed to its simulated bone: what turns and moves the bone from where it is now to
its goal does the same to the control. Its channels follow from that and from what its parents will have done
by then. Where the rig does more in between (blends, tracks, limits), the next pass sees it and corrects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ....sim_core.base import rotations
from ....sim_core.base.conventions import FloatArray, IntArray
from ...blender.matrices import inverse, turned, unscaled
from ...blender.rig_space import RigSpace
from ...reading.motion_reader import SampledMotion
from ..baked_bones import BakedBones
from ..new_pose import wanted_changes
from .constraints import Following
from .controls import ChannelValues, Control, ControlChoice, Limb, about_y

ANGLE_TO_LENGTH = 0.3
"""An angle [rad] weighs as much as the distance that it moves the end of a bone of this length [m]."""


@dataclass(frozen=True, eq=False)
class Goals:
    """Poses of M simulated bones at F frames, in the armature's space.

    bones (M): indices in the skeleton
    rotation (F, M, 4); head (F, M, 3) [Blender units]
    unit_m (F): metres of one unit of the armature's space
    """

    names: tuple[str, ...]
    bones: tuple[int, ...]
    rotation: FloatArray
    head: FloatArray
    unit_m: FloatArray

    @staticmethod
    def of(sampled: SampledMotion, baked: BakedBones) -> Goals:
        """Return the goals of baked bones."""
        bones = [sampled.skeleton.index[name] for name in baked.names]
        turn, head = wanted_changes(sampled, baked, sampled.object_matrix)
        linear = turn @ unscaled(sampled.pose_matrix[:, bones, :3, :3])
        scale = np.linalg.norm(sampled.object_matrix[:, :3, 0], axis=-1)
        return Goals(
            baked.names,
            tuple(bones),
            rotations.from_matrix(linear),
            head,
            scale * sampled.metres_per_unit,
        )

    def at(self, frames: IntArray) -> Goals:
        """Return the goals at some frames."""
        return Goals(self.names, self.bones, self.rotation[frames], self.head[frames], self.unit_m[frames])

    def errors(self, pose: FloatArray) -> PoseErrors:
        """Return the errors of poses (F, N, 4, 4) of all bones."""
        found = pose[:, list(self.bones)]
        rotation = rotations.from_matrix(unscaled(found[..., :3, :3]))
        distance = np.linalg.norm(found[..., :3, 3] - self.head, axis=-1) * self.unit_m[:, None]
        return PoseErrors(rotations.angle_between(rotation, self.rotation), distance)


@dataclass(frozen=True, eq=False)
class PoseErrors:
    """Errors of M bones against their goals at F frames: angle_rad (F, M), distance_m (F, M)."""

    angle_rad: FloatArray
    distance_m: FloatArray

    @property
    def cost(self) -> FloatArray:
        """One cost a frame (F) [m²]."""
        turned = ANGLE_TO_LENGTH * self.angle_rad
        return np.asarray(np.sum(turned**2 + self.distance_m**2, axis=-1))

    def put(self, frames: IntArray, other: PoseErrors) -> None:
        """Replace the errors of some frames."""
        self.angle_rad[frames] = other.angle_rad
        self.distance_m[frames] = other.distance_m


STRAIGHT, BENT = 0.02, 0.08
"""Distance of a knee from its limb's axis, relative to the upper bone: without and with a clear plane."""

Values = Mapping[str, ChannelValues]


@dataclass(frozen=True, eq=False)
class RigidMove:
    """A move in the armature's space: first turn (F, 4), then shift (F, 3)."""

    turn: FloatArray
    shift: FloatArray

    @staticmethod
    def none(frames: int) -> RigidMove:
        """Return the move that changes nothing."""
        return RigidMove(np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1)), np.zeros((frames, 3)))

    def point(self, position: FloatArray) -> FloatArray:
        """Return where the move takes a point."""
        return rotations.rotate(self.turn, position) + self.shift

    def back(self, position: FloatArray) -> FloatArray:
        """Return the point that the move takes to a position."""
        return rotations.rotate(rotations.conjugate(self.turn), position - self.shift)


def corrected(
    rig: RigSpace,
    following: Following,
    choice: ControlChoice,
    goals: Goals,
    pose: FloatArray,
    now: Values,
) -> dict[str, ChannelValues]:
    """Return better channels than those that gave a pose (F, N, 4, 4)."""
    return _Correction(rig, following, choice, goals, pose, now).values()


class _Correction:
    def __init__(
        self,
        rig: RigSpace,
        following: Following,
        choice: ControlChoice,
        goals: Goals,
        pose: FloatArray,
        now: Values,
    ) -> None:
        self._rig, self._following, self._choice = rig, following, choice
        self._goals, self._pose, self._now = goals, pose, now
        self._index = {bone.name: number for number, bone in enumerate(rig.bones)}
        self._moves: dict[str, RigidMove] = {}
        self._new = dict(now)

    def values(self) -> dict[str, ChannelValues]:
        on_handles = [control for control in self._choice.controls if self._hangs_on_a_handle(control)]
        for control in self._choice.controls:
            if control not in on_handles:
                self._correct(control)
        for limb in self._choice.limbs:
            self._correct_limb(limb)
        for control in on_handles:
            self._correct(control)
        return self._new

    def _hangs_on_a_handle(self, control: Control) -> bool:
        handles = {limb.handle for limb in self._choice.limbs}
        return any(here in handles for here in self._following.path(control.bone))

    def _correct(self, control: Control) -> None:
        bone, follows = control.bone, control.follows
        carried, error = self._carried(bone), self._error(follows)
        rotation = self._now[bone].rotation
        if control.turns:
            held_by, seen_from = (follows, follows) if control.local else (bone, bone)
            moved = (
                self._carried(held_by).turn if self._inherits(held_by) else RigidMove.none(len(error)).turn
            )
            axes = self._rotation(seen_from)
            step = rotations.multiply(rotations.conjugate(moved), error)
            rotation = rotations.multiply(rotation, _seen_from(axes, step))
        head, location = self._head(bone), self._now[bone].location
        if control.moves:
            offset = rotations.rotate(error, head - self._head(follows))
            location = self._location(bone, carried.back(self._goal_head(follows) + offset))
        self._set_channels(bone, rotation, location, carried)

    def _correct_limb(self, limb: Limb) -> None:
        upper_now, upper_goal = self._head(limb.upper), self._goal_head(limb.upper)
        tip_now, tip_goal = self._tip(limb)
        if limb.handle is not None:
            self._correct_handle(limb, limb.handle, tip_goal)
        # The limb's axis swings to its goal first; the remaining turn about the axis is the knee's.
        axis = _unit(tip_goal - upper_goal)
        swing = rotations.shortest_rotation(_unit(tip_now - upper_now), axis)
        angle = self._knee_angle(limb, axis, swing)
        if limb.swivel is not None:
            values = self._now[limb.swivel]
            turn = rotations.multiply(values.rotation, about_y(angle))
            self._new[limb.swivel] = ChannelValues(turn, values.location)
        if limb.pole is not None and limb.chain.pole is not None:
            pole, whole = self._head(limb.chain.pole), rotations.from_vector(angle[:, None] * axis)
            arm = rotations.rotate(rotations.multiply(whole, swing), pole - upper_now)
            self._move_head(limb.pole, self._head(limb.pole) + upper_goal + arm - pole)

    def _knee_angle(self, limb: Limb, axis: FloatArray, swing: FloatArray) -> FloatArray:
        """Return the knee's turn about the limb's axis [rad], by position or, if straight, by rotation."""
        left = rotations.multiply(self._error(limb.upper), rotations.conjugate(swing))
        by_bone = _twist(left, axis)
        now = rotations.rotate(swing, self._head(limb.lower) - self._head(limb.upper))
        goal = self._goal_head(limb.lower) - self._goal_head(limb.upper)
        by_position = _angle_about(axis, now, goal)
        bend = np.minimum(_beside(axis, now), _beside(axis, goal)) / np.linalg.norm(goal, axis=-1)
        trust = np.clip((bend - STRAIGHT) / (BENT - STRAIGHT), 0.0, 1.0)
        return by_bone + trust * _wrapped(by_position - by_bone)

    def _correct_handle(self, limb: Limb, handle: str, tip_goal: FloatArray) -> None:
        assert limb.chain.target is not None
        target = self._head(limb.chain.target)
        if limb.end is None:
            self._move_head(handle, self._head(handle) + tip_goal - target)
            return
        carried, error = self._carried(handle), self._error(limb.end)
        step = rotations.multiply(rotations.conjugate(carried.turn), error)
        turn = rotations.multiply(self._now[handle].rotation, _seen_from(self._rotation(handle), step))
        wanted = tip_goal + rotations.rotate(error, self._head(handle) - target)
        self._set_channels(handle, turn, self._location(handle, carried.back(wanted)), carried)

    def _move_head(self, bone: str, head: FloatArray) -> None:
        """Move a control's head without turning the control itself."""
        carried = self._carried(bone)
        self._set_channels(bone, self._now[bone].rotation, self._location(bone, carried.back(head)), carried)

    def _set_channels(
        self, bone: str, rotation: FloatArray, location: FloatArray, carried: RigidMove
    ) -> None:
        """Store a control's new channels as far as its locks allow, and how they move it."""
        channels, now = self._choice.channels[bone], self._now[bone]
        rotation = channels.held(rotation, now.rotation)
        location = np.where(channels.free_move, location, now.location)
        axes, head = self._rotation(bone), self._head(bone)
        own = rotations.multiply(rotations.conjugate(now.rotation), rotation)
        turn = rotations.multiply(carried.turn, _seen_from(rotations.conjugate(axes), own))
        moved = carried.point(head + turned(self._location_axes(bone), location - now.location))
        self._new[bone] = ChannelValues(rotation, location)
        self._moves[bone] = RigidMove(turn, moved - rotations.rotate(turn, head))

    def _carried(self, bone: str) -> RigidMove:
        """Return how the bones that a bone follows will move it."""
        for above in self._following.path(bone)[1:]:
            if above in self._moves:
                return self._moves[above]
        return RigidMove.none(len(self._pose))

    def _inherits(self, bone: str) -> bool:
        return self._rig.inherits_rotation[self._index[bone]]

    def _head(self, bone: str) -> FloatArray:
        return self._pose[:, self._index[bone], :3, 3]

    def _rotation(self, bone: str) -> FloatArray:
        return rotations.from_matrix(unscaled(self._pose[:, self._index[bone], :3, :3]))

    def _goal_head(self, bone: str) -> FloatArray:
        return self._goals.head[:, self._goals.names.index(bone)]

    def _goal_rotation(self, bone: str) -> FloatArray:
        return self._goals.rotation[:, self._goals.names.index(bone)]

    def _error(self, bone: str) -> FloatArray:
        """Return the rotation of a simulated bone to its goal (F, 4), in the armature's space."""
        return rotations.multiply(self._goal_rotation(bone), rotations.conjugate(self._rotation(bone)))

    def _tip(self, limb: Limb) -> tuple[FloatArray, FloatArray]:
        """Return where the chain ends now, and where it should end.

        The length at rest is used: a chain that is stretched towards a far target must not ask for more.
        """
        last = limb.chain.bones[-1]
        along = self._pose[:, self._index[last], :3, 1]
        length = self._rig.bones[self._index[last]].length
        now = self._head(last) + length * along
        rest = self._head(last) + length * _unit(along) - self._head(limb.lower)
        return now, self._goal_head(limb.lower) + rotations.rotate(self._error(limb.lower), rest)

    def _location_axes(self, bone: str) -> FloatArray:
        """Return matrices (F, 3, 3) from location channels to the armature's space."""
        return self._rig.location_space(self._index[bone], self._pose)[:, :3, :3]

    def _location(self, bone: str, head: FloatArray) -> FloatArray:
        """Return location channels that put a bone's head at a position if its parents do not move."""
        return self._now[bone].location + turned(inverse(self._location_axes(bone)), head - self._head(bone))


def _seen_from(axes: FloatArray, turn: FloatArray) -> FloatArray:
    return rotations.multiply(rotations.conjugate(axes), rotations.multiply(turn, axes))


def _twist(turn: FloatArray, axis: FloatArray) -> FloatArray:
    """Return the part of rotations (F, 4) about axes (F, 3) [rad], from -pi to pi."""
    return _wrapped(2.0 * np.arctan2(np.sum(turn[:, 1:] * axis, axis=-1), turn[:, 0]))


def _angle_about(axis: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the angles from vectors to vectors (F, 3) about axes (F, 3) [rad]."""
    across = np.sum(axis * np.cross(start, end), axis=-1)
    along = np.sum(start * end, axis=-1) - np.sum(start * axis, axis=-1) * np.sum(end * axis, axis=-1)
    return np.arctan2(across, along)


def _beside(axis: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return the distances of points from axes through the origin."""
    return np.asarray(np.linalg.norm(np.cross(axis, vectors), axis=-1))


def _wrapped(angle: FloatArray) -> FloatArray:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def _unit(vectors: FloatArray) -> FloatArray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
