"""Strikers: points of bones that shall hit a target, attached to segments of the character."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..character.binding import RigBinding
from ..character.from_rig import segment_rotations
from ..character.posing import pose_from_motion, segment_poses
from ..character.spec import CharacterSpec
from ..motion.motion import Motion
from ..recognition.mapping import part_label
from ..scene.aims import Aim

TRUNK = ("pelvis", "abdomen", "chest")


@dataclass(frozen=True, eq=False)
class Striker:
    """A point that strikes; name: its description; segment: index of its segment.

    points (T, 3): its position in the segment's frame [m] at each sample. It varies because a bone that its
    segment does not follow exactly keeps its offset (`character/posing.py`), and it is the bone that shall
    hit.
    """

    name: str
    segment: int
    points: FloatArray

    def path(self, spec: CharacterSpec, qpos: FloatArray, first: int = 0) -> FloatArray:
        """Return its positions (T, 3) [m] in poses (T, nq), the first of which is sample `first`."""
        position, quaternion = (values[:, self.segment] for values in segment_poses(spec, qpos))
        return position + rotations.rotate(quaternion, self.points[first : first + len(qpos)])

    def shoulder(self, spec: CharacterSpec, qpos: FloatArray) -> FloatArray:
        """Return the positions (T, 3) [m] of the joint between its limb and the trunk."""
        return segment_poses(spec, qpos)[0][:, limb(self.segment, spec)[-1]]


def limb(segment: int, spec: CharacterSpec) -> list[int]:
    """Return the segments from one up to the last before the trunk."""
    found, parents = [segment], spec.parents
    while parents[found[-1]] >= 0 and spec.names[parents[found[-1]]] not in TRUNK:
        found.append(int(parents[found[-1]]))
    return found


def find_striker(aim: Aim, spec: CharacterSpec, binding: RigBinding, motion: Motion) -> Striker:
    """Return the striker that an aim names: a part of the body, or a bone with the part that it follows.

    motion: the source at the samples of the simulation
    """
    parts, bones = binding.parts, binding.skeleton
    bone = bones.index.get(aim.bone)
    carriers = [] if bone is None else [bones.names[b] for b in (bone, *bones.ancestors(bone))]
    carrier = next((name for name in (aim.bone, *carriers) if name in parts), None)
    if carrier is None:
        raise InputError(
            f"'{aim.bone}' is no part of the character and hangs on none; "
            f"there are {', '.join(sorted(parts))}."
        )
    segment = parts[carrier]
    position, quaternion = (
        values[:, segment] for values in segment_poses(spec, pose_from_motion(spec, binding, motion))
    )
    if carrier == aim.bone and aim.point is None:
        name = part_label(spec.names[segment])
        point = _middle(spec, binding, motion, segment)
    else:
        name = f"bone '{aim.bone}'"
        # A part's own name stands for the bone that drives it.
        point = _point(aim, motion, int(binding.driver[segment]) if bone is None else bone)
    return Striker(name, segment, rotations.rotate(rotations.conjugate(quaternion), point - position))


def _middle(spec: CharacterSpec, binding: RigBinding, motion: Motion, segment: int) -> FloatArray:
    """Return the centre of a body part as the rig places it (T, 3) [m]."""
    joint, axes = binding.joint[segment], segment_rotations(binding, motion)[:, segment]
    return motion.position_world[:, joint] + rotations.rotate(axes, spec.segments[segment].com)


def _point(aim: Aim, motion: Motion, bone: int) -> FloatArray:
    """Return the positions of an aim's point on a bone (T, 3) [m]."""
    point = np.zeros(3) if aim.point is None else aim.point
    return motion.position_world[:, bone] + rotations.rotate(motion.quaternion_world[:, bone], point)
