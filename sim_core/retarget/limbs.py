"""Limbs that reach goals while they keep to their style: the engine's Gauss-Newton steps on a part of a rig.

The trunk's part of the rig is the root; what hangs above it keeps its own rotations in the world, so that
legs that reach for the ground do not disturb the style of the upper body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..conventions import FloatArray
from ..posefit.body import JointedBody, Link, LinkJoint, Turning
from ..posefit.engine import ODDS, EngineSolver, Pull
from ..posefit.points import Attachments
from ..posefit.rig import ANY_TURN, link_mass
from ..skeleton import NO_PARENT
from .actor import Actor
from .style import Turned

STEPS = 4
"""Gauss-Newton steps for each sample."""
STIFFNESS = 20.0
"""Of joints towards their style [Nm/rad]."""


def weight_of(share: float) -> float:
    """The weight of a point whose constraint takes this share of what the masses would do."""
    return share / (1.0 - share) / ODDS


@dataclass(frozen=True, eq=False)
class Pulled:
    """Points of one part that have goals.

    slot; offset (M, 3): in the part's axes [m]; share: from 0, free, to 1, firm
    """

    slot: str
    offset: FloatArray
    share: float


class LimbSolver:
    """A root part with limbs, each a chain of slots from the root on."""

    def __init__(
        self, actor: Actor, root: tuple[str, int], chains: Sequence[Sequence[str]], pulled: Sequence[Pulled]
    ) -> None:
        self.actor, self.root = actor, root
        self.slots: list[tuple[str, int]] = [root]
        links = [self._link(root, NO_PARENT, None)]
        for chain in chains:
            parent = 0
            for slot in chain:
                links.append(self._link((slot, 0), parent, self.slots[parent]))
                self.slots.append((slot, 0))
                parent = len(links) - 1
        place = {slot: i for i, (slot, _) in enumerate(self.slots)}
        link = [place[one.slot] for one in pulled for _ in one.offset]
        self.weight = np.array([weight_of(one.share) for one in pulled for _ in one.offset])
        self.solver = EngineSolver(
            JointedBody(tuple(links)),
            Attachments(np.array(link), np.concatenate([one.offset for one in pulled])),
        )
        self.parents = [link.parent for link in links]
        self.bones = [actor.bone(*slot) for slot in self.slots]

    def _link(self, slot: tuple[str, int], parent: int, above: tuple[str, int] | None) -> Link:
        actor = self.actor
        name = actor.skeleton.names[actor.bone(*slot)]
        if above is None:
            return Link(name, parent, np.zeros(3), LinkJoint(Turning.FREE), link_mass(slot[0]))
        heads = actor.skeleton.rest_position_world
        apart = heads[actor.bone(*slot)] - heads[actor.bone(*above)]
        anchor = rotations.rotate(rotations.conjugate(actor.axes_rest_world[above[0]]), apart)
        joint = LinkJoint(Turning.BALL, cone=ANY_TURN)
        return Link(name, parent, anchor, joint, link_mass(slot[0]), STIFFNESS)

    def poses_of(self, turned: Turned, root_world: FloatArray) -> FloatArray:
        """Joint coordinates (T, nq) of rotations of bones, with the root's bone at (T, 3) [m]."""
        axes = [
            self.actor.axes_of(turned[bone], *slot) for bone, slot in zip(self.bones, self.slots, strict=True)
        ]
        columns = [root_world, axes[0]]
        columns += [
            rotations.relative(axes[parent], own)
            for own, parent in zip(axes[1:], self.parents[1:], strict=True)
        ]
        return np.concatenate(columns, axis=1)

    def reach(self, poses: FloatArray, goals: FloatArray, start: FloatArray) -> FloatArray:
        """Poses (T, nq) near others whose points are at goals (T, M, 3) [m]; the search begins at `start`."""
        result = start.copy()
        for t, pose in enumerate(poses):
            self.solver.set_prior(pose)
            result[t] = self.solver.solve(start[t], Pull(goals[t], self.weight), STEPS)
        return result

    def rotations_of(self, poses: FloatArray) -> Turned:
        """Rotations in the world of the bones of poses (T, nq)."""
        axes = [poses[:, 3:7]]
        for i in range(1, len(self.slots)):
            local = poses[:, 3 + 4 * i : 7 + 4 * i]
            axes.append(rotations.multiply(axes[self.parents[i]], local))
        return {
            bone: self.actor.bone_rotation(own, *slot)
            for bone, slot, own in zip(self.bones, self.slots, axes, strict=True)
        }
