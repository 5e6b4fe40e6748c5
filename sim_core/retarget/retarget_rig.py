"""A rig as source or target of a retargeting: its parts, its soles, and axes that mean the same on any rig.

Rest poses differ, so rotations are never copied from rest to rest. Part axes come from joint positions: limbs
have Z along the bone, the trunk has its hip line to the left and its shoulders above, the head faces forward,
feet stand on their soles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, FloatArray, IntArray
from ..base.errors import InputError
from ..base.files import names_its_file, read_bytes
from ..character.anthropometry import leg_length
from ..character.binding import LIMB_CHAINS
from ..character.from_rig import RigCharacter, character_from_rig
from ..motion.glb_mesh import read_glb_mesh, unread_mesh_note
from ..motion.glb_skeleton import read_glb_skeleton
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, Skeleton
from ..motion.skinned_mesh import SkinnedMesh
from ..reading.bvh_clip import ReadingChoices, read_bvh
from ..reading.judge_body import judge_size
from ..reading.rest_pose import standing_at_rest
from ..recognition import check_mapping, mapping_from_json, recognise
from ..recognition.mapping import CENTRE_SLOTS, SIDES, BoneMapping, part_label
from .body_surface import PartSurface, part_surfaces

STANDS_DEG = 45.0
"""A rig whose trunk leans less from the vertical at rest stands upright and faces forward [deg]."""
LIMB_PARTS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
TOWARDS_HIPS = {
    "hips": (),
    "spine": ("hips",),
    "neck": ("spine", "hips"),
    "head": ("neck", "spine", "hips"),
    "clavicle": ("spine", "hips"),
    "upper_arm": ("clavicle", "spine", "hips"),
    "forearm": ("upper_arm",),
    "hand": ("forearm",),
    "thigh": ("hips",),
    "shin": ("thigh",),
    "foot": ("shin",),
    "toe": ("foot",),
}
"""Part -> the possible parent parts on a body, the nearest first."""
CUT_OFF = ("foot", "hand")
"""Parts that move with the next part towards the hips even where a control rig parents them elsewhere."""


@dataclass(frozen=True, eq=False)
class RetargetRig:
    """A rig with its parts.

    axes_rest_world: slot -> axes of the part (4) in the rest pose; all bones of a slot share them
    mesh: the character's surface, if it is known
    """

    skeleton: Skeleton
    mapping: BoneMapping
    character: RigCharacter
    axes_rest_world: dict[str, FloatArray]
    mesh: SkinnedMesh | None = None

    @cached_property
    def surfaces(self) -> dict[str, PartSurface]:
        """The surfaces of its parts, by segment: those of the mesh, or capsules without one."""
        return part_surfaces(self.character, self.carriers, self.mesh)

    def bone(self, slot: str, which: int = 0) -> int:
        """Return the index of a slot's bone."""
        return self.skeleton.index[self.mapping.bones[slot][which]]

    def rest(self, slot: str) -> FloatArray:
        """Return the position of the part's joint at rest (3) [m]."""
        return self.skeleton.rest_position_world[self.bone(slot)]

    def axes_of(self, rotation: FloatArray, slot: str, which: int = 0) -> FloatArray:
        """Return the axes of a part (T, 4) whose bone has rotations (T, 4) in the world."""
        rest = self.skeleton.rest_quaternion_world[self.bone(slot, which)]
        return rotations.multiply(rotation, rotations.relative(rest, self.axes_rest_world[slot]))

    def part_axes(self, quaternion_world: FloatArray, slot: str, which: int = 0) -> FloatArray:
        """Return the axes of a part (T, 4) from rotations of all bones (T, N, 4)."""
        return self.axes_of(quaternion_world[:, self.bone(slot, which)], slot, which)

    def bone_rotation(self, axes: FloatArray, slot: str, which: int = 0) -> FloatArray:
        """Return the rotations of a part's bone (T, 4) for part axes (T, 4)."""
        rest = self.skeleton.rest_quaternion_world[self.bone(slot, which)]
        return rotations.multiply(axes, rotations.relative(self.axes_rest_world[slot], rest))

    @cached_property
    def part_bones(self) -> list[int]:
        """Bones with rotations of their own: all of spine and neck, and the first one of other parts."""
        names = [
            name
            for slot, bones in self.mapping.bones.items()
            for name in (bones if slot in ("spine", "neck") else bones[:1])
        ]
        return [self.skeleton.index[name] for name in names]

    @property
    def leg_length(self) -> float:
        """Distance from hip to ankle along the bones [m]."""
        return leg_length(self.character.binding)

    @property
    def sole_depth(self) -> float:
        """Depth of the soles below the ankles [m]."""
        return -float(self.sole("L")[:, 2].min())

    def sole(self, side: str) -> FloatArray:
        """Return two heel points and two toe points (4, 3) in the foot's part axes, from the ankle [m]."""
        return self.character.spec[f"foot.{side}"].contact_points

    @cached_property
    def carriers(self) -> IntArray:
        """The bone that each bone moves with (N): its parent, or the part a control rig separated it from."""
        carriers = np.array(self.skeleton.parents)
        parts = {self.skeleton.index[name] for name in self.mapping.all_bones}
        for slot in self.mapping:
            for which in range(len(self.mapping.bones[slot])):
                bone, carrier = self.bone(slot, which), self._part_above(slot, which)
                above = set(self.skeleton.ancestors(bone))
                is_cut = carrier not in above if slot.partition(".")[0] in CUT_OFF else not above & parts
                if carrier is not None and is_cut and bone not in self.skeleton.ancestors(carrier):
                    carriers[bone] = carrier
        return carriers

    def _part_above(self, slot: str, which: int) -> int | None:
        """Return the bone of the body's next part towards the hips; None for the hips."""
        if which:
            return self.bone(slot, which - 1)
        part, _, side = slot.partition(".")
        limb = f".{side}" if side else ""
        for above in TOWARDS_HIPS[part]:
            name = above if above in CENTRE_SLOTS else above + limb
            if name in self.mapping:
                return self.bone(name, -1 if above in CENTRE_SLOTS else 0)
        return None

    @cached_property
    def carriers_first(self) -> list[int]:
        """All bones, each after the bone that it moves with."""
        children: dict[int, list[int]] = {}
        for bone, carrier in enumerate(self.carriers.tolist()):
            children.setdefault(carrier, []).append(bone)
        order, waiting = [], list(children[NO_PARENT])
        while waiting:
            order.append(waiting.pop())
            waiting += children.get(order[-1], [])
        return order


def make_retarget_rig(
    skeleton: Skeleton,
    mapping: BoneMapping,
    motion: Motion | None = None,
    mesh: SkinnedMesh | None = None,
) -> RetargetRig:
    """Return a rig with its parts.

    standing frames of `motion`, or else the rest pose, show how feet lie flat
    """
    if motion is not None:
        motion = standing_at_rest(motion, mapping)
        skeleton = motion.skeleton
    _refuse_no_length(skeleton, mapping)
    _refuse_gaps(mapping)
    character = character_from_rig(rest_motion(skeleton) if motion is None else motion, mapping)
    return RetargetRig(skeleton, mapping, character, _axes(skeleton, mapping, character), mesh)


def rest_motion(skeleton: Skeleton) -> Motion:
    """Return two samples of the rest pose."""
    both = (2, 1, 1)
    return Motion(
        skeleton,
        np.array([0.0, 1.0]),
        np.tile(skeleton.rest_position_world, both),
        np.tile(skeleton.rest_quaternion_world, both),
    )


def _axes(skeleton: Skeleton, mapping: BoneMapping, character: RigCharacter) -> dict[str, FloatArray]:
    binding = character.binding
    trunk, head = _trunk_axes(skeleton, mapping)
    axes = {}
    for slot in mapping:
        part, _, side = slot.partition(".")
        if part in LIMB_PARTS:
            axes[slot] = binding.rest_quaternion_world[binding.index(slot)]
        elif part == "toe":
            axes[slot] = binding.rest_quaternion_world[binding.index(f"foot.{side}")]
        else:
            axes[slot] = head if part == "head" else trunk
    return axes


def _trunk_axes(skeleton: Skeleton, mapping: BoneMapping) -> tuple[FloatArray, FloatArray]:
    """Return the axes of trunk and head at rest (4): hips to the left; shoulders, or the vertical, above."""

    def middle(part: str) -> FloatArray:
        return np.mean([_head(skeleton, mapping, f"{part}.{side}") for side in SIDES], axis=0)

    left = _head(skeleton, mapping, "thigh.L") - _head(skeleton, mapping, "thigh.R")
    hips = middle("thigh")
    if all(f"upper_arm.{side}" in mapping for side in SIDES):
        up = middle("upper_arm") - hips
    else:
        top = next((slot for slot in ("head", "neck", "spine") if slot in mapping), None)
        up = _head(skeleton, mapping, top) - hips if top else hips - middle("foot")
    stands = up @ Z_UP > np.cos(np.radians(STANDS_DEG)) * np.linalg.norm(up)
    return _axes_of(left, up), _axes_of(left, Z_UP if stands else up)


def _head(skeleton: Skeleton, mapping: BoneMapping, slot: str) -> FloatArray:
    return skeleton.rest_position_world[skeleton.index[mapping.first(slot)]]


def _axes_of(left: FloatArray, up: FloatArray) -> FloatArray:
    """Return a quaternion with Y along `left` and Z as near to `up` as possible."""
    y = left / np.linalg.norm(left)
    x = np.cross(y, up)
    x /= np.linalg.norm(x)
    return rotations.from_matrix(np.stack([x, y, np.cross(x, y)], axis=1))


def _refuse_gaps(mapping: BoneMapping) -> None:
    """Raise InputError for a part of a limb without the part above it: a forearm hangs on an upper arm."""
    for chain in LIMB_CHAINS:
        for side in SIDES:
            for upper, lower in zip(chain, chain[1:], strict=False):
                above, below = f"{upper}.{side}", f"{lower}.{side}"
                if below in mapping and above not in mapping:
                    raise InputError(
                        f"'{mapping.first(below)}' is the {part_label(below)}, but no bone is the "
                        f"{part_label(above)} above it; choose one in the bone table."
                    )


def _refuse_no_length(skeleton: Skeleton, mapping: BoneMapping) -> None:
    """Raise InputError for limbs without length, which have no direction that could be copied."""
    for chain in LIMB_CHAINS:
        for side in SIDES:
            for upper, lower in zip(chain, chain[1:], strict=False):
                pair = (f"{upper}.{side}", f"{lower}.{side}")
                if not all(slot in mapping for slot in pair):
                    continue
                first, second = (_head(skeleton, mapping, slot) for slot in pair)
                if np.linalg.norm(second - first) < 1e-6:
                    names = " and ".join(f"'{mapping.first(slot)}'" for slot in pair)
                    raise InputError(
                        f"The {part_label(pair[0])} has no length: {names} rest at the same position; "
                        "move one of them or choose other bones."
                    )


@names_its_file
def read_target(path: Path, unit: float | None = None, table: BoneMapping | None = None) -> RetargetRig:
    """Read the character of a BVH or GLB file.

    unit: metres per unit of a BVH file, None infers it; table: mapping of its bones, None recognises them
    """
    kind = path.suffix.lower()
    if kind == ".bvh":
        motion = read_bvh(path, ReadingChoices(unit)).motion
        return make_retarget_rig(motion.skeleton, _mapping(motion.skeleton, table), motion)
    if kind == ".glb":
        skeleton = read_glb_skeleton(path)
        mapping = _mapping(skeleton, table)
        judge_size(skeleton, mapping)
        unread = unread_mesh_note(path)
        if unread is not None:
            mapping = replace(mapping, notes=(*mapping.notes, unread))
        return make_retarget_rig(skeleton, mapping, mesh=read_glb_mesh(path))
    raise InputError(
        f"The target '{path.name}' is neither a BVH nor a GLB file; characters of other kinds are "
        "opened in Blender, so export this one from there as GLB or BVH."
    )


@names_its_file
def read_table(path: Path) -> BoneMapping:
    """Read a bone mapping as the panel saves it."""
    return mapping_from_json(read_bytes(path).decode("utf-8", errors="replace"))


def _mapping(skeleton: Skeleton, table: BoneMapping | None) -> BoneMapping:
    if table is None:
        return recognise(skeleton)
    check_mapping(table, skeleton)
    return table
