"""Mirror images of motions: a left turn from a right turn."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, Skeleton, local_from_world, world_from_local
from ..recognition.bone_names import parse_name
from ..recognition.mapping import SIDES, BoneMapping

OTHER_SIDE = dict(zip(SIDES, reversed(SIDES), strict=True))


def mirrored(motion: Motion, mapping: BoneMapping) -> Motion:
    """Return the mirror image of a motion on the same rig, which must rest symmetrically.

    Each bone turns from its rest as the bone of the other side does, reflected at the plane between the
    thighs. Bones keep their own lengths, so small differences between the sides stay.
    """
    skeleton = motion.skeleton
    normal = _left(skeleton, mapping)
    partner = _partners(skeleton, mapping)
    rest = skeleton.rest_quaternion_world
    turned = rotations.multiply(motion.quaternion_world, rotations.conjugate(rest))[:, partner]
    quaternion = rotations.multiply(_reflected_turns(turned, normal), rest)
    offset, _ = local_from_world(motion.position_world, motion.quaternion_world, skeleton.parents)
    roots = np.flatnonzero(skeleton.parents == NO_PARENT)
    offset[:, roots] = _reflected(motion.position_world[:, partner[roots]], normal)
    _, own = local_from_world(offset, quaternion, skeleton.parents)
    position, quaternion = world_from_local(offset, own, skeleton.parents)
    return Motion(skeleton, motion.time, position, quaternion)


def _left(skeleton: Skeleton, mapping: BoneMapping) -> FloatArray:
    """Return the horizontal direction from the right thigh to the left one at rest (3)."""
    left, right = (
        skeleton.rest_position_world[skeleton.index[mapping.first(f"thigh.{side}")]] for side in SIDES
    )
    across = (left - right) * [1.0, 1.0, 0.0]
    return np.asarray(across / max(float(np.linalg.norm(across)), 1e-9))


def _partners(skeleton: Skeleton, mapping: BoneMapping) -> IntArray:
    """Return for each bone the one on the other side (N): by the mapping, else by name, else itself."""
    partner = np.arange(len(skeleton.names))
    by_name = {_name_parts(name): i for i, name in enumerate(skeleton.names)}
    for i, name in enumerate(skeleton.names):
        side, words, digits = _name_parts(name)
        if side is not None:
            partner[i] = by_name.get((OTHER_SIDE[side], words, digits), i)
    for slot, bones in mapping.bones.items():
        if slot.endswith(SIDES):
            other = mapping.bones.get(f"{slot[:-1]}{OTHER_SIDE[slot[-1]]}", ())
            for mine, theirs in zip(bones, other, strict=False):
                partner[skeleton.index[mine]] = skeleton.index[theirs]
    return partner


def _name_parts(name: str) -> tuple[str | None, tuple[str, ...], str]:
    """Return side, words and digits of a name; bones of both sides differ in the first only."""
    parsed = parse_name(name)
    return parsed.side, parsed.words, "".join(letter for letter in name if letter.isdigit())


def _reflected(points: FloatArray, normal: FloatArray) -> FloatArray:
    """Return points (..., 3) reflected at the vertical plane through the origin with a unit normal."""
    return np.asarray(points - 2.0 * (points @ normal)[..., None] * normal)


def _reflected_turns(turns: FloatArray, normal: FloatArray) -> FloatArray:
    """Return rotations (..., 4) as a mirror shows them: axes are reflected, and turn the other way."""
    return np.concatenate([turns[..., :1], -_reflected(turns[..., 1:], normal)], axis=-1)
