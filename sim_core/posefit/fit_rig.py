"""A rig's skeleton as a jointed body, and poses of that body as a motion of the rig.

Every mapped bone is a link; further bones of a limb (twist bones, second halves) and unmapped bones follow
the bone above them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..character.anthropometry import MASS_FRACTION
from ..character.binding import bind
from ..character.joint_limits import HINGE_RANGE_DEG, LIMITS
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, Skeleton
from ..recognition.mapping import SIDES, SLOTS, BoneMapping
from .fit_body import JointedBody, Link, LinkJoint, LinkJointKind

BODY_MASS = 70.0
"""Mass of the body, of which only the links' shares matter [kg]."""
STIFFNESS = 40.0
"""Stiffness of all joints towards the prior pose [Nm/rad]."""
LIGHT = {"clavicle": 0.02, "toe": 0.004, "neck": 0.02}
"""Shares of the body's mass for links that the published table does not have."""

X, Y, Z = np.eye(3)
TWIST_DEG = 100.0
"""Range of a forearm's twist to either side."""
HINGES: dict[str, tuple[tuple[FloatArray, float, float], ...]] = {
    # axis, lowest and highest angle [deg], on the left side
    "clavicle": ((X, -30.0, 45.0), (Z, -30.0, 30.0)),
    "forearm": ((Y, *HINGE_RANGE_DEG["forearm"]), (Z, -TWIST_DEG, TWIST_DEG)),
    "hand": ((X, -60.0, 60.0), (Y, -85.0, 85.0)),
    "shin": ((Y, *HINGE_RANGE_DEG["shin"]),),
    "toe": ((Y, -60.0, 40.0),),
}
ANY_TURN = float(np.radians(175.0))
"""Widest cone of a ball joint, beyond which a rotation vector would wrap [rad]."""
CONES_DEG = {"spine": 45.0, "neck": 45.0, "head": 60.0}


CARRIER = {
    "spine": "hips",
    "neck": "spine",
    "head": "neck",
    "clavicle": "spine",
    "upper_arm": "clavicle",
    "forearm": "upper_arm",
    "hand": "forearm",
    "thigh": "hips",
    "shin": "thigh",
    "foot": "shin",
    "toe": "foot",
}
"""Part -> the part that it is attached to; if the rig lacks that part, the one that carries that."""
SIDED = ("clavicle", "upper_arm", "forearm", "thigh", "shin", "foot")


@dataclass(frozen=True, eq=False)
class RigBody:
    """A jointed body and its rig.

    bone (L): the bone of each link; slot (L): its entry in the bone mapping
    rest_quaternion_world (L, 4): link axes in the rig's rest pose
    """

    body: JointedBody
    skeleton: Skeleton
    mapping: BoneMapping
    bone: IntArray
    slot: tuple[str, ...]
    rest_quaternion_world: FloatArray

    def link(self, slot: str) -> int | None:
        """Return the link of a slot; "chest" is the last bone of the spine; None if the rig has none."""
        wanted = "spine" if slot == "chest" else slot
        found = [i for i, name in enumerate(self.slot) if name == wanted]
        if not found:
            return None
        return found[-1] if slot == "chest" else found[0]

    def carrier(self, slot: str) -> int:
        """Return the link of a slot, or of the part that it is attached to if the rig has none."""
        found = self.link(slot)
        if found is not None:
            return found
        part, _, side = slot.partition(".")
        above = "hips" if slot == "chest" else CARRIER[part]
        above = "chest" if above == "spine" else above
        return self.carrier(f"{above}.{side}" if above in SIDED else above)

    def with_anchors(self, anchors: FloatArray) -> RigBody:
        """Return the same rig with other lengths: link anchors (L, 3) [m]."""
        heads = np.array(self.skeleton.rest_position_world)
        old = heads.copy()
        link_of = {int(b): i for i, b in enumerate(self.bone)}
        for bone in range(len(heads)):
            parent = int(self.skeleton.parents[bone])
            if bone in link_of and self.body.links[link_of[bone]].parent != NO_PARENT:
                above = self.body.links[link_of[bone]].parent
                turn = self.rest_quaternion_world[above]
                heads[bone] = heads[self.bone[above]] + rotations.rotate(turn, anchors[link_of[bone]])
            elif bone not in link_of and parent != NO_PARENT:
                heads[bone] = heads[parent] + old[bone] - old[parent]
        skeleton = replace(self.skeleton, rest_position_world=heads)
        return replace(self, body=self.body.with_anchors(anchors), skeleton=skeleton)

    def motion(self, time: FloatArray, position: FloatArray, quaternion: FloatArray) -> Motion:
        """Return link poses (T, L, 3) and (T, L, 4) as a motion of the rig."""
        rest = self.skeleton.rest_quaternion_world
        heads = self.skeleton.rest_position_world
        bones = len(self.skeleton.names)
        placed = np.tile(heads, (len(time), 1, 1))
        turned = np.tile(rest, (len(time), 1, 1))
        link_of = {int(b): i for i, b in enumerate(self.bone)}
        for bone in range(bones):
            parent = int(self.skeleton.parents[bone])
            if bone in link_of:
                i = link_of[bone]
                placed[:, bone] = position[:, i]
                offset = rotations.relative(self.rest_quaternion_world[i], rest[bone])
                turned[:, bone] = rotations.multiply(quaternion[:, i], offset)
            elif parent != NO_PARENT:
                turn = rotations.multiply(turned[:, parent], rotations.conjugate(rest[parent]))
                placed[:, bone] = placed[:, parent] + rotations.rotate(turn, heads[bone] - heads[parent])
                turned[:, bone] = rotations.multiply(turn, rest[bone])
        return Motion(self.skeleton, time, placed, turned)


def body_from_rig(skeleton: Skeleton, mapping: BoneMapping) -> RigBody:
    """Return a body with the rig's proportions and human joints.

    Links are connected like a body, whatever the rig's own hierarchy, since feet may be parented to control
    bones.
    """
    chosen = _bones(mapping)
    bone = np.array([skeleton.index[name] for _, name in chosen])
    slots = tuple(slot for slot, _ in chosen)
    binding = bind(skeleton, mapping)
    segment_of = dict(zip(binding.bone.tolist(), binding.bone_segment.tolist(), strict=True))
    axes = binding.rest_quaternion_world[[segment_of[int(b)] for b in bone]]
    links = []
    for i, (slot, name) in enumerate(chosen):
        parent = _parent(slots, i)
        anchor: FloatArray = np.zeros(3)
        if parent != NO_PARENT:
            apart = skeleton.rest_position_world[bone[i]] - skeleton.rest_position_world[bone[parent]]
            anchor = rotations.rotate(rotations.conjugate(axes[parent]), apart)
        links.append(_link(name, slot, parent, anchor))
    return RigBody(JointedBody(tuple(links)), skeleton, mapping, bone, slots, axes)


def _bones(mapping: BoneMapping) -> list[tuple[str, str]]:
    """Return slots and bones that become links, from the hips outwards."""
    chosen = []
    for slot in (slot for slot in SLOTS if slot in mapping):
        names = mapping.bones[slot]
        chosen += [(slot, name) for name in (names if slot in ("spine", "neck") else names[:1])]
    return chosen


def _parent(slots: tuple[str, ...], link: int) -> int:
    """The link that carries another: the one before it of the same slot, or the last of the part above."""
    part, _, side = slots[link].partition(".")
    if part == "hips":
        return NO_PARENT
    if link > 0 and slots[link - 1] == slots[link]:
        return link - 1
    above = part
    while above in CARRIER:
        above = CARRIER[above]
        wanted = f"{above}.{side}" if above in SIDED else above
        found = [i for i, slot in enumerate(slots[:link]) if slot == wanted]
        if found:
            return found[-1]
    return slots.index("hips")


def _link(name: str, slot: str, parent: int, anchor: FloatArray) -> Link:
    part, _, side = slot.partition(".")
    if parent == NO_PARENT:
        return Link(name, parent, anchor, LinkJoint(LinkJointKind.FREE), link_mass(slot))
    joint = joint_of(part, side)
    return Link(name, parent, anchor, joint, link_mass(slot), STIFFNESS)


def link_mass(slot: str) -> float:
    """Return the mass of a slot's bone in the search for poses [kg]."""
    part = slot.partition(".")[0]
    share = LIGHT.get(part) or MASS_FRACTION.get({"hips": "pelvis", "spine": "abdomen"}.get(part, part), 0.05)
    return share * BODY_MASS


def joint_of(part: str, side: str) -> LinkJoint:
    """Return a human joint; the right side mirrors the left."""
    mirror = -1.0 if side == SIDES[1] else 1.0
    if part in HINGES:
        axes = np.array([axis for axis, _, _ in HINGES[part]])
        # Rotations about X and Z change their sign on the other side; reversing their axes does that.
        axes[:, [0, 2]] *= mirror
        low, high = np.radians([[low, high] for _, low, high in HINGES[part]]).T
        return LinkJoint(LinkJointKind.HINGES, axes, low, high)
    if part in CONES_DEG:
        return LinkJoint(LinkJointKind.BALL, cone=float(np.radians(CONES_DEG[part])))
    limits = LIMITS[part]
    x, y, z = np.radians(limits.centre_deg)
    centre = rotations.from_vector(np.array([mirror * x, y, mirror * z]))
    return LinkJoint(LinkJointKind.BALL, centre=centre, cone=float(np.radians(limits.half_angle_deg)))
