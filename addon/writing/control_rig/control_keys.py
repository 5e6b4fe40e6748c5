"""Few keys on the controls of a rig, judged by the evaluated rig.

A tree of controls and simulated bones determines which keys are needed, as for bones without controls. It
does not know what else the rig does (IK, blends, limits): so the rig is evaluated with the new curves, and
where a bone's error is too large, everything that moves it gets a key, until no error is too large.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....sim_core.base import rotations
from ....sim_core.base.conventions import BoolArray, FloatArray, IntArray
from ....sim_core.keys.bone_errors import BoneTree
from ....sim_core.keys.channel import LOCATION, Track
from ....sim_core.keys.key_limits import KeyFigures
from ....sim_core.keys.reduce import ReducedKeys, reduce_keys
from ....sim_core.motion.skeleton import NO_PARENT
from ...blender import compat
from ...blender.blender_types import RigContext
from ...blender.channels import Channel, write_spline
from ...blender.matrices import unscaled
from ...blender.steps import as_part
from ..few_keys import KeyChoice, allowed_share, channel_to_world, heads_world, stance_key_frames
from .correction import Goals, PoseErrors
from .passes import Fitted, Rig, control_channels, evaluating

ROUNDS = 6
"""Rounds of reduction; the last one keys every frame of what moves a bone with too large an error."""


def writing_few_keys(
    context: RigContext, rig: Rig, target: compat.SlottedAction, goals: Goals, fitted: Fitted, keys: KeyChoice
) -> Generator[float, None, tuple[KeyFigures, PoseErrors]]:
    """Write few keys in place of those at every frame; return their figures and the bones' errors."""
    work = _Controls(rig, goals, fitted, keys)
    frame, needed = rig.sampled.frame, work.needed_at_least()
    for number in range(ROUNDS):
        few = yield from as_part(work.reducing(needed), 2 * number, 2 * ROUNDS)
        work.write(target, few)
        pose = yield from as_part(evaluating(context, rig, frame), 2 * number + 1, 2 * ROUNDS)
        turn, shift = work.off(pose)
        wrong = work.too_far(turn, shift)
        if not wrong.any():
            break
        needed = work.needed_more(needed, wrong, everywhere=number == ROUNDS - 2)
    figures = KeyFigures.of(few, len(frame))
    reached = replace(figures, degrees=float(np.degrees(turn.max())), millimetres=1000.0 * float(shift.max()))
    return reached, goals.errors(pose)


@dataclass(frozen=True, eq=False)
class _Controls:
    rig: Rig
    goals: Goals
    fitted: Fitted
    keys: KeyChoice

    @cached_property
    def channels(self) -> list[Channel]:
        return control_channels(self.rig, self.fitted.values)

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Controls and simulated bones, each after what it follows."""
        names = dict.fromkeys([*self.rig.choice.keyed, *self.goals.names])
        return tuple(sorted(names, key=lambda name: len(self.rig.following.path(name))))

    @cached_property
    def tree(self) -> BoneTree:
        index, following = {name: number for number, name in enumerate(self.nodes)}, self.rig.following
        parents = [
            next((index[here] for here in following.path(name)[1:] if here in index), NO_PARENT)
            for name in self.nodes
        ]
        bones = [self._bone(name) for name in self.nodes]
        inherits = self.rig.space.inherits_rotation
        turns = [
            following.is_replaced(name) or inherits[bone]
            for name, bone in zip(self.nodes, bones, strict=True)
        ]
        heads = heads_world(self.rig.sampled, self.fitted.pose[:, bones])
        return BoneTree(np.array(parents), heads, tuple(turns))

    def _bone(self, name: str) -> int:
        return self.rig.sampled.skeleton.index[name]

    @cached_property
    def stands(self) -> dict[int, BoolArray]:
        """When each foot among the nodes stands."""
        feet = self.keys.stances.items()
        return {self.nodes.index(foot): flags for foot, flags in feet if foot in self.nodes}

    @cached_property
    def share(self) -> FloatArray:
        """The share of the allowed error for all nodes (F, N)."""
        return allowed_share(len(self.rig.sampled.frame), len(self.nodes), self.stands)

    @cached_property
    def movers(self) -> dict[str, set[str]]:
        """The controls that move each simulated bone."""
        path, keyed = self.rig.following.path, self.rig.choice.keyed
        found = {name: set(path(name)) for name in self.goals.names}
        for limb in self.rig.choice.limbs:
            own = [name for name in (limb.handle, limb.pole, limb.swivel) if name is not None]
            for bone in (limb.upper, limb.lower):
                found[bone].update(*(path(name) for name in own))
        return {name: {here for here in carried if here in keyed} for name, carried in found.items()}

    def needed_at_least(self) -> BoolArray:
        """Return the frames that must be keys of each channel (F, K): where feet begin and end to stand."""
        needed = np.zeros((len(self.rig.sampled.frame), len(self.channels)), dtype=bool)
        for node, frames in stance_key_frames(self.tree, self.stands).items():
            for number, channel in enumerate(self.channels):
                needed[frames, number] |= channel.group == self.nodes[node]
        return needed

    def needed_more(self, needed: BoolArray, wrong: BoolArray, everywhere: bool) -> BoolArray:
        """Return these frames and those with wrong bones (F, M), or all, for everything that moves them."""
        more = needed.copy()
        for name, frames in zip(self.goals.names, wrong.T, strict=True):
            if frames.any():
                moving = np.array([channel.group in self.movers[name] for channel in self.channels])
                more |= moving & (frames | everywhere)[:, None]
        return more

    def reducing(self, needed: BoolArray) -> Generator[float, None, ReducedKeys]:
        tracks = [
            self._track(channel, np.flatnonzero(own))
            for channel, own in zip(self.channels, needed.T, strict=True)
        ]
        frame = self.rig.sampled.frame.astype(np.float64)
        return (yield from reduce_keys(frame, self.tree, tracks, *self.keys.limits.allowed(self.share)))

    def _track(self, channel: Channel, kept: IntArray) -> Track:
        name = self._turned_by(channel)
        node, bone, rig = self.nodes.index(name), self._bone(name), self.rig
        to_world = channel_to_world(rig.space, rig.sampled, self.fitted.pose, bone, channel.mode)
        return Track(node, channel.mode, channel.values, to_world, kept)

    def _turned_by(self, channel: Channel) -> str:
        """Return the bone that a channel turns: a copied control turns the bone that copies it."""
        local = {control.bone: control.follows for control in self.rig.choice.controls if control.local}
        return channel.group if channel.mode == LOCATION else local.get(channel.group, channel.group)

    def write(self, target: compat.SlottedAction, few: ReducedKeys) -> None:
        writer = compat.CurveWriter(target)
        for channel, spline in zip(self.channels, few.splines, strict=True):
            write_spline(writer, channel.data_path, channel.group, spline)

    def off(self, pose: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the errors of simulated bones against keys at every frame (F, M) [rad], [m]."""
        now, wanted = pose[:, list(self.goals.bones)], self.fitted.pose[:, list(self.goals.bones)]
        turn = rotations.angle_between(
            *(rotations.from_matrix(unscaled(matrix[..., :3, :3])) for matrix in (now, wanted))
        )
        shift = np.linalg.norm(now[..., :3, 3] - wanted[..., :3, 3], axis=-1) * self.goals.unit_m[:, None]
        return turn, shift

    def too_far(self, turn: FloatArray, shift: FloatArray) -> BoolArray:
        share = self.share[:, [self.nodes.index(name) for name in self.goals.names]]
        most_turn, most_shift = self.keys.limits.allowed(share)
        return np.asarray((turn > most_turn) | (shift > most_shift))
