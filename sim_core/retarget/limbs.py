"""Limbs that reach goals while they keep close to their style, by Gauss-Newton steps of the engine.

The root is a part of the trunk; the parts above keep their rotations in the world, so that legs that reach
for the ground do not disturb the style of the upper body. A search starts from the law of cosines, since no
Gauss-Newton step can find out in which direction a straight limb bends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.skeleton import NO_PARENT
from ..posefit.engine_solver import ODDS, EngineSolver, Pull
from ..posefit.fit_body import JointedBody, Link, LinkJoint, LinkJointKind
from ..posefit.fit_rig import ANY_TURN, link_mass
from ..posefit.points import Attachments
from .retarget_rig import RetargetRig
from .style import BoneRotations

STRAIGHTEST = 0.999
"""Share of both lengths together that the end may be away from the root, unless it already is further."""
BENT = 0.05
"""A limb whose bones are further out of line gives its own bending axis (sine of the angle)."""
CLEARLY_BENT = 0.3
"""A limb that is bent further is bent in its own direction, even if it seems to be the wrong one: on many
rigs the upper bone does not turn about itself as the limb does (sine of the angle)."""


def reach_turns(
    root: FloatArray, middle: FloatArray, end: FloatArray, goal: FloatArray, axis: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return rotations in the world (T, 4) of the upper and of the lower bone that bring `end` to `goal`.

    root, middle, end, goal (T, 3): positions of the joints, and of the goal [m]
    axis (T, 3): about which the lower bone bends where the limb is straight
    """
    upper, lower, wanted = middle - root, end - middle, goal - root
    a, b = np.linalg.norm(upper, axis=1), np.linalg.norm(lower, axis=1)
    normal = np.cross(upper, lower)
    sine = np.linalg.norm(normal, axis=1, keepdims=True) / (a * b)[:, None]
    own = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    turns_back = np.sum(own * axis, axis=1, keepdims=True) < 0.0
    own *= np.where(turns_back & (sine < CLEARLY_BENT), -1.0, 1.0)
    share = np.clip(sine / BENT, 0.0, 1.0)
    bend_axis = share * own + (1.0 - share) * axis
    bend_axis /= np.linalg.norm(bend_axis, axis=1, keepdims=True)
    furthest = np.maximum(STRAIGHTEST * (a + b), np.linalg.norm(end - root, axis=1))
    distance = np.clip(np.linalg.norm(wanted, axis=1), np.abs(a - b) * 1.001 + 1e-6, furthest)
    now = _signed_angle(upper, lower, bend_axis)
    then = np.arccos(np.clip((distance**2 - a**2 - b**2) / (2.0 * a * b), -1.0, 1.0))
    bend = rotations.from_vector((then - now)[:, None] * bend_axis)
    aim = rotations.shortest_rotation(upper + rotations.rotate(bend, lower), wanted)
    return aim, rotations.multiply(aim, bend)


def _signed_angle(first: FloatArray, second: FloatArray, axis: FloatArray) -> FloatArray:
    return np.arctan2(np.sum(np.cross(first, second) * axis, axis=1), np.sum(first * second, axis=1))


STEPS = 4
"""Number of Gauss-Newton steps for each sample."""
STIFFNESS = 20.0
"""Stiffness of joints towards their style [Nm/rad]."""


def weight_of(share: float) -> float:
    """Return the weight of a point whose constraint takes this share of what the masses would do."""
    return share / (1.0 - share) / ODDS


@dataclass(frozen=True, eq=False)
class PulledPoints:
    """Points of one part that have goals.

    slot; offset (M, 3): in the part's axes [m]; share: from 0, free, to 1, firm
    """

    slot: str
    offset: FloatArray
    share: float


class LimbSolver:
    """A root part with limbs, each a chain of slots from the root on."""

    def __init__(
        self,
        rig: RetargetRig,
        root: tuple[str, int],
        chains: Sequence[Sequence[str]],
        pulled: Sequence[PulledPoints],
    ) -> None:
        self.rig, self.root = rig, root
        self.slots: list[tuple[str, int]] = [root]
        links = [self._link(root, NO_PARENT, None)]
        for chain in chains:
            parent = 0
            for slot in chain:
                links.append(self._link((slot, 0), parent, self.slots[parent]))
                self.slots.append((slot, 0))
                parent = len(links) - 1
        index = {slot: i for i, (slot, _) in enumerate(self.slots)}
        link = [index[one.slot] for one in pulled for _ in one.offset]
        self.weight = np.array([weight_of(one.share) for one in pulled for _ in one.offset])
        self.solver = EngineSolver(
            JointedBody(tuple(links)),
            Attachments(np.array(link), np.concatenate([one.offset for one in pulled])),
        )
        self.parents = [link.parent for link in links]
        self.bones = [rig.bone(*slot) for slot in self.slots]

    def _link(self, slot: tuple[str, int], parent: int, above: tuple[str, int] | None) -> Link:
        rig = self.rig
        name = rig.skeleton.names[rig.bone(*slot)]
        if above is None:
            return Link(name, parent, np.zeros(3), LinkJoint(LinkJointKind.FREE), link_mass(slot[0]))
        heads = rig.skeleton.rest_position_world
        apart = heads[rig.bone(*slot)] - heads[rig.bone(*above)]
        anchor = rotations.rotate(rotations.conjugate(rig.axes_rest_world[above[0]]), apart)
        joint = LinkJoint(LinkJointKind.BALL, cone=ANY_TURN)
        return Link(name, parent, anchor, joint, link_mass(slot[0]), STIFFNESS)

    def poses_of(self, turned: BoneRotations, root_world: FloatArray) -> FloatArray:
        """Return joint coordinates (T, nq) for rotations of bones, with the root's bone at (T, 3) [m]."""
        axes = [
            self.rig.axes_of(turned[bone], *slot) for bone, slot in zip(self.bones, self.slots, strict=True)
        ]
        columns = [root_world, axes[0]]
        columns += [
            rotations.relative(axes[parent], own)
            for own, parent in zip(axes[1:], self.parents[1:], strict=True)
        ]
        return np.concatenate(columns, axis=1)

    def reach(self, poses: FloatArray, goals: FloatArray, start: FloatArray) -> FloatArray:
        """Return poses (T, nq) near others with points at goals (T, M, 3) [m].

        the search begins at `start`
        """
        result = start.copy()
        for t, pose in enumerate(poses):
            self.solver.set_prior(pose)
            result[t] = self.solver.solve(start[t], Pull(goals[t], self.weight), STEPS)
        return result

    def rotations_of(self, poses: FloatArray) -> BoneRotations:
        """Return rotations of the bones in the world for poses (T, nq)."""
        axes = [poses[:, 3:7]]
        for i in range(1, len(self.slots)):
            local = poses[:, 3 + 4 * i : 7 + 4 * i]
            axes.append(rotations.multiply(axes[self.parents[i]], local))
        return {
            bone: self.rig.bone_rotation(own, *slot)
            for bone, slot, own in zip(self.bones, self.slots, axes, strict=True)
        }
