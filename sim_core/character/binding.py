"""The binding of a character's segments to the bones of a rig.

Segment axes come from the joint positions of the rest pose alone: bone rolls, tails and the rotation of the
armature object do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.errors import RecognitionError
from ..motion.skeleton import Skeleton
from ..recognition.mapping import SIDES, BoneMapping

LIMB_CHAINS = (("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot"))


@dataclass(frozen=True)
class SegmentBones:
    """The bones of a segment.

    joint: the bone whose head is the joint; driver: the bone whose rotation the segment has
    bones: all bones that move with the segment
    """

    name: str
    parent: str | None
    joint: str
    driver: str
    bones: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RigBinding:
    """The binding of S segments to the bones of a skeleton.

    driver (S), joint (S): bone indices
    rest_quaternion_world (S, 4): segment axes in the rig's rest pose
    bone_to_segment (S, 4): rotation from the driver bone's axes to the segment's
    bone (M): indices of all mapped bones, bone_segment (M): the segment each belongs to
    detached (M): whether a bone needs location keys (hips; feet on a control bone)
    """

    skeleton: Skeleton
    segments: tuple[SegmentBones, ...]
    driver: IntArray
    joint: IntArray
    rest_quaternion_world: FloatArray
    bone_to_segment: FloatArray
    bone: IntArray
    bone_segment: IntArray
    detached: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the segments."""
        return tuple(segment.name for segment in self.segments)

    def index(self, name: str) -> int:
        """Return the index of a segment."""
        return self.names.index(name)

    @property
    def parts(self) -> dict[str, int]:
        """Return the segment of each segment name and bone name; bone names take precedence."""
        bones = zip(self.bone.tolist(), self.bone_segment.tolist(), strict=True)
        own = {name: i for i, name in enumerate(self.names)}
        return own | {self.skeleton.names[bone]: segment for bone, segment in bones}

    def rest_position(self, name: str) -> FloatArray:
        """Return the position of the segment's joint at rest (3) [m]."""
        return self.skeleton.rest_position_world[self.joint[self.index(name)]]


def bind(skeleton: Skeleton, mapping: BoneMapping, toes: bool = False) -> RigBinding:
    """Make the segments that a rig has, and bind them to its bones; toes: as segments of their own."""
    segments = tuple(_trunk(mapping) + _limbs(mapping, toes))
    index = skeleton.index
    axes = _rest_axes(skeleton, mapping, segments)
    driver = np.array([index[s.driver] for s in segments])
    bones = [(index[bone], i) for i, s in enumerate(segments) for bone in s.bones]
    bone, bone_segment = (np.array(column) for column in zip(*sorted(bones), strict=True))
    return RigBinding(
        skeleton=skeleton,
        segments=segments,
        driver=driver,
        joint=np.array([index[s.joint] for s in segments]),
        rest_quaternion_world=axes,
        bone_to_segment=rotations.relative(skeleton.rest_quaternion_world[driver], axes),
        bone=bone,
        bone_segment=bone_segment,
        detached=_detached(skeleton, segments, bone, bone_segment),
    )


def _trunk(mapping: BoneMapping) -> list[SegmentBones]:
    """Return pelvis, abdomen and chest, by the number of spine bones, and the head with its neck."""
    hips = mapping.bones["hips"]
    trunk = [SegmentBones("pelvis", None, hips[0], hips[0], hips)]
    spine = mapping.bones.get("spine", ())
    if len(spine) > 1:
        # The abdomen has the rotation of the middle bone in the world.
        trunk.append(SegmentBones("abdomen", "pelvis", spine[0], spine[(len(spine) - 1) // 2], spine[:-1]))
    if spine:
        shoulders = tuple(b for side in SIDES for b in mapping.bones.get(f"clavicle.{side}", ()))
        trunk.append(SegmentBones("chest", trunk[-1].name, spine[-1], spine[-1], spine[-1:] + shoulders))
    neck, head = mapping.bones.get("neck", ()), mapping.bones.get("head", ())
    if neck or head:
        driver = head[0] if head else neck[-1]
        trunk.append(SegmentBones("head", trunk[-1].name, (neck + head)[0], driver, neck + head))
    return trunk


def _limbs(mapping: BoneMapping, toes: bool) -> list[SegmentBones]:
    limbs = []
    arms_on = "chest" if mapping.bones.get("spine") else "pelvis"
    for chain, root in zip(LIMB_CHAINS, (arms_on, "pelvis"), strict=True):
        for side in SIDES:
            parent = root
            for slot in chain:
                bones = mapping.bones.get(f"{slot}.{side}", ())
                if not bones:
                    break
                ball = mapping.bones.get(f"toe.{side}", ()) if slot == "foot" else ()
                name = f"{slot}.{side}"
                own = bones if toes else bones + ball
                limbs.append(SegmentBones(name, parent, bones[0], bones[0], own))
                if ball and toes:
                    limbs.append(SegmentBones(f"toe.{side}", name, ball[0], ball[0], ball))
                parent = name
    return limbs


def _detached(
    skeleton: Skeleton, segments: tuple[SegmentBones, ...], bone: IntArray, bone_segment: IntArray
) -> np.ndarray:
    """Return which bones have no bone of the same or the parent segment above them in the rig."""
    by_name = {s.name: s for s in segments}
    result = np.zeros(len(bone), dtype=bool)
    for i, (b, s) in enumerate(zip(bone, bone_segment, strict=True)):
        segment = segments[s]
        own = set(segment.bones)
        if segment.parent is not None:
            own |= set(by_name[segment.parent].bones)
        above = {skeleton.names[a] for a in skeleton.ancestors(int(b))}
        result[i] = not (above & own)
    return result


def _rest_axes(skeleton: Skeleton, mapping: BoneMapping, segments: tuple[SegmentBones, ...]) -> FloatArray:
    """Return segment axes in the world at rest (S, 4), from joint positions."""
    trunk = _trunk_axes(skeleton, mapping)
    axes = {s.name: trunk for s in segments}
    heads = {s.name: skeleton.rest_position_world[skeleton.index[s.joint]] for s in segments}
    for chain in LIMB_CHAINS:
        for side in SIDES:
            for upper, lower in zip(chain, chain[1:], strict=False):
                if f"{lower}.{side}" in heads:
                    along = heads[f"{upper}.{side}"] - heads[f"{lower}.{side}"]
                    axes[f"{upper}.{side}"] = _limb_axes(along, trunk, f"{upper}.{side}")
            if f"hand.{side}" in axes and f"forearm.{side}" in axes:
                axes[f"hand.{side}"] = axes[f"forearm.{side}"]
    return rotations.from_matrix(np.array([axes[s.name] for s in segments]))


def _trunk_axes(skeleton: Skeleton, mapping: BoneMapping) -> FloatArray:
    """Return a matrix with the trunk's axes as columns: Y left along the hips, Z up along the spine."""

    def head(slot: str, which: int = 0) -> FloatArray:
        return skeleton.rest_position_world[skeleton.index[mapping.bones[slot][which]]]

    hips_left, hips_right = head("thigh.L"), head("thigh.R")
    top = next((s for s in ("head", "neck", "spine") if mapping.bones.get(s)), None)
    if top is not None:
        up = head(top, -1) - 0.5 * (hips_left + hips_right)
    else:
        up = 0.5 * (hips_left + hips_right - head("foot.L") - head("foot.R"))
    return _axes(up=up, left=hips_left - hips_right, names="hips and spine")


def _limb_axes(up: FloatArray, trunk: FloatArray, name: str) -> FloatArray:
    """Return a limb's axes: Z along the limb towards the trunk, X as far forward as possible."""
    length = float(np.linalg.norm(up))
    if length < 1e-6:
        raise RecognitionError(
            f"The part '{name}' has no length: its joint and the next one coincide at rest. "
            "Choose other bones in the mapping table."
        )
    z = up / length
    forward = trunk[:, 0] if abs(z @ trunk[:, 0]) < 0.9 else trunk[:, 2]
    y = np.cross(z, forward)
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


def _axes(up: FloatArray, left: FloatArray, names: str) -> FloatArray:
    x = np.cross(left, up)
    if np.linalg.norm(x) < 1e-9:
        raise RecognitionError(f"The {names} coincide at rest and leave no left, right or up; check them.")
    x /= np.linalg.norm(x)
    z = up / np.linalg.norm(up)
    return np.stack([x, np.cross(z, x), z], axis=1)
