"""What strikes: a point of a bone, as it rides on its segment of the character."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..character.binding import RigBinding
from ..character.from_rig import segment_rotations
from ..character.part_names import part_words
from ..character.posing import pose_from_motion, segment_poses
from ..character.spec import CharacterSpec
from ..motion.motion import Motion
from ..scene.aims import Aim

TRUNK = ("pelvis", "abdomen", "chest")


@dataclass(frozen=True, eq=False)
class Striker:
    """name: in words; segment: by its place in the character

    points (T, 3): where it is in the segment's frame [m] at each sample. A bone that a segment does not
    follow exactly keeps its distance from it (`character/posing.py`), so it is the bone that shall hit.
    """

    name: str
    segment: int
    points: FloatArray

    def path(self, spec: CharacterSpec, qpos: FloatArray, first: int = 0) -> FloatArray:
        """Where it is in poses (T, nq) from a sample on: (T, 3) [m]."""
        position, quaternion = (values[:, self.segment] for values in segment_poses(spec, qpos))
        return position + rotations.rotate(quaternion, self.points[first : first + len(qpos)])

    def shoulder(self, spec: CharacterSpec, qpos: FloatArray) -> FloatArray:
        """Where its limb hangs on the trunk (T, 3) [m]."""
        return segment_poses(spec, qpos)[0][:, limb(self.segment, spec)[-1]]


def limb(segment: int, spec: CharacterSpec) -> list[int]:
    """Segments from one up to where its limb hangs on the trunk."""
    found, parents = [segment], spec.parents
    while parents[found[-1]] >= 0 and spec.names[parents[found[-1]]] not in TRUNK:
        found.append(int(parents[found[-1]]))
    return found


def find_striker(aim: Aim, spec: CharacterSpec, binding: RigBinding, motion: Motion) -> Striker:
    """The part of the body that an aim names, or the bone with the part that carries it.

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
        name = part_words(spec.names[segment])
        place = _middle(spec, binding, motion, segment)
    else:
        name = f"bone '{aim.bone}'"
        # A part's own name stands for the bone that drives it.
        place = _point(aim, motion, int(binding.driver[segment]) if bone is None else bone)
    return Striker(name, segment, rotations.rotate(rotations.conjugate(quaternion), place - position))


def _middle(spec: CharacterSpec, binding: RigBinding, motion: Motion, segment: int) -> FloatArray:
    """Of a part of the body where the rig has it (T, 3) [m]."""
    joint, axes = binding.joint[segment], segment_rotations(binding, motion)[:, segment]
    return motion.position_world[:, joint] + rotations.rotate(axes, spec.segments[segment].com)


def _point(aim: Aim, motion: Motion, bone: int) -> FloatArray:
    """Of a bone (T, 3) [m]."""
    point = np.zeros(3) if aim.point is None else aim.point
    return motion.position_world[:, bone] + rotations.rotate(motion.quaternion_world[:, bone], point)
