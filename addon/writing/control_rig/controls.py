"""Which control moves each simulated bone, and which of its channels can be keyed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mathutils import Euler, Quaternion

from ....sim_core.base import rotations
from ....sim_core.base.conventions import BoolArray, FloatArray
from ...blender.blender_types import ArmatureObject
from .constraints import Following, IkChain

Y_AXIS = 1


@dataclass(frozen=True, eq=False)
class Channels:
    """Which channels of a bone can be keyed.

    free_turn (3), free_move (3): axes that keys can change
    mode: the bone's rotation mode, which stays
    is_hidden: a mechanism bone, fully locked and without a shape, that no user should unlock
    """

    bone: str
    mode: Any
    free_turn: BoolArray
    free_move: BoolArray
    is_hidden: bool

    @staticmethod
    def of(obj: ArmatureObject, name: str) -> Channels:
        """Read the channels of a bone."""
        bone = obj.pose.bones[name]
        driven = _driven(obj, bone)
        turn, move = ~np.array(bone.lock_rotation, dtype=bool), ~np.array(bone.lock_location, dtype=bool)
        if any("rotation" in path for path, _ in driven):
            turn &= False
        for path, index in driven:
            if path == "location":
                move[index] = False
        if bone.bone.use_connect and bone.parent is not None:
            move &= False
        locks = (*bone.lock_location, *bone.lock_rotation, *bone.lock_scale)
        return Channels(name, bone.rotation_mode, turn, move, all(locks) and bone.custom_shape is None)

    @property
    def turns_freely(self) -> bool:
        """Whether all rotation axes can be keyed."""
        return bool(self.free_turn.all())

    @property
    def moves_freely(self) -> bool:
        """Whether all location axes can be keyed."""
        return bool(self.free_move.all())

    @property
    def is_hinge(self) -> bool:
        """Whether some rotation axes and no location axes can be keyed."""
        return bool(self.free_turn.any()) and not self.free_move.any()

    def held(self, wanted: FloatArray, now: FloatArray) -> FloatArray:
        """Return rotations (F, 4) with the locked axes as they are now."""
        if self.turns_freely:
            return wanted
        if not self.free_turn.any():
            return now
        order = self.mode if self.mode not in ("QUATERNION", "AXIS_ANGLE") else "XYZ"
        return np.array([self._held_once(order, *both) for both in zip(wanted, now, strict=True)])

    def _held_once(self, order: Any, wanted: FloatArray, now: FloatArray) -> FloatArray:
        old = Quaternion(now.tolist()).to_euler(order)
        new = Quaternion(wanted.tolist()).to_euler(order, old)
        mixed = [new[i] if self.free_turn[i] else old[i] for i in range(3)]
        return np.array(Euler(mixed, order).to_quaternion(), dtype=np.float64)


def _driven(obj: ArmatureObject, bone: Any) -> list[tuple[str, int]]:
    """Return the channels of a bone that drivers set, as property and axis."""
    prefix = bone.path_from_id() + "."
    drivers = obj.animation_data.drivers if obj.animation_data is not None else ()
    return [
        (curve.data_path.removeprefix(prefix), curve.array_index)
        for curve in drivers
        if curve.data_path.startswith(prefix)
    ]


@dataclass(frozen=True, eq=False)
class ChannelValues:
    """Rotations (F, 4) as quaternions and locations (F, 3) of one control."""

    rotation: FloatArray
    location: FloatArray

    def at(self, frames: Any) -> ChannelValues:
        """Return the values of some frames."""
        return ChannelValues(self.rotation[frames], self.location[frames])

    def put(self, frames: Any, values: ChannelValues) -> None:
        """Replace the values of some frames."""
        self.rotation[frames] = values.rotation
        self.location[frames] = values.location


def about_y(angle: FloatArray) -> FloatArray:
    """Return rotations (F, 4) by angles [rad] about a bone's length."""
    vector = np.zeros((len(angle), 3))
    vector[:, Y_AXIS] = angle
    return rotations.from_vector(vector)


@dataclass(frozen=True)
class Control:
    """A bone that gets keys.

    follows: the simulated bone that it moves
    local: the simulated bone copies its local rotation, not its world rotation
    """

    bone: str
    follows: str
    turns: bool
    moves: bool
    local: bool = False


@dataclass(frozen=True)
class Limb:
    """Two simulated bones on an IK chain.

    handle: the control that carries the chain's target; end: the simulated bone that turns with it
    pole: the control that carries the pole; swivel: the chain's root, if it turns the knee itself
    """

    upper: str
    lower: str
    chain: IkChain
    handle: str | None
    end: str | None
    pole: str | None
    swivel: str | None


@dataclass(frozen=True, eq=False)
class ControlChoice:
    """The controls to key, roots first, limbs on IK chains, and simulated bones without a control."""

    controls: tuple[Control, ...]
    limbs: tuple[Limb, ...]
    without: tuple[str, ...]
    channels: Mapping[str, Channels]

    @property
    def keyed(self) -> dict[str, tuple[bool, bool]]:
        """Bones that get keys, and whether of rotation and of location."""
        found = {control.bone: (control.turns, control.moves) for control in self.controls}
        for limb in self.limbs:
            if limb.handle is not None:
                found[limb.handle] = (limb.end is not None, True)
            if limb.pole is not None:
                found[limb.pole] = (False, True)
            if limb.swivel is not None:
                found[limb.swivel] = (True, False)
        return found


def needs_controls(following: Following, simulated: Sequence[str]) -> bool:
    """Return whether keys on the simulated bones have no effect, because they follow other bones.

    Bones that copy another object have no control; they get keys that show without the constraint.
    """
    links = [following.links.get(bone) for bone in simulated]
    copied = any(link is not None and link.replaces and link.bone is not None for link in links)
    return copied or any(bone in following.chains for bone in simulated)


def choose(
    obj: ArmatureObject, following: Following, simulated: Sequence[str], hips: str | None
) -> ControlChoice:
    """Choose the controls of the simulated bones, which are ordered from root to tip."""
    return _ControlFinder(obj, following, tuple(simulated), hips).choice()


@dataclass
class _ControlFinder:
    obj: ArmatureObject
    following: Following
    simulated: tuple[str, ...]
    hips: str | None
    channels: dict[str, Channels] = field(default_factory=dict)
    paths: dict[str, tuple[str, ...]] = field(default_factory=dict)
    handles: dict[IkChain, tuple[str, ...]] = field(default_factory=dict)

    def choice(self) -> ControlChoice:
        self.paths = {bone: self.following.path(bone) for bone in self.simulated}
        on_chain = {bone: chain for bone in self.simulated if (chain := self._chain_of(bone)) is not None}
        free = [bone for bone in self.simulated if bone not in on_chain]
        self.handles = {chain: self._handle_path(chain) for chain in on_chain.values()}
        limbs = self._limbs(on_chain, free)
        ends = {limb.end for limb in limbs}
        controls = self._turning([bone for bone in free if bone not in ends])
        mover = self._mover(free)
        if mover is not None and self.hips is not None:
            controls[mover] = Control(mover, self.hips, self._channels(mover).turns_freely, True)
        moved = {control.follows for control in controls.values()} | ends
        without = [bone for bone in free if bone not in moved and not self._is_carried(bone, controls)]
        ordered = sorted(controls.values(), key=lambda control: len(self.following.path(control.bone)))
        return ControlChoice(tuple(ordered), tuple(limbs), tuple(without), dict(self.channels))

    def _channels(self, bone: str) -> Channels:
        if bone not in self.channels:
            self.channels[bone] = Channels.of(self.obj, bone)
        return self.channels[bone]

    def _chain_of(self, bone: str) -> IkChain | None:
        """Return the IK chain that the bone is part of, itself or by copying one of its bones."""
        for here in self.paths[bone]:
            if here in self.following.chains:
                return self.following.chains[here]
            if not self.following.is_replaced(here):
                return None
        return None

    def _turning(self, free: Sequence[str]) -> dict[str, Control]:
        """Return the nearest control of each bone; where two share one, the later takes the next one."""
        claimed: dict[str, Control] = {}
        for bone in free:
            found = self._nearest(bone, claimed) or self._tweak(bone, claimed)
            if found is not None:
                claimed[found.bone] = found
        return claimed

    def _nearest(self, bone: str, claimed: Mapping[str, Control]) -> Control | None:
        # Beyond the second control, controls move more than this bone.
        for here, local in self._keyable(bone)[:2]:
            if here not in claimed:
                return Control(here, bone, turns=True, moves=False, local=local)
        return None

    def _tweak(self, bone: str, claimed: Mapping[str, Control]) -> Control | None:
        """Return a control of this bone alone that turns about some axes."""
        for here in self.paths[bone]:
            if here in claimed:
                break
            if not self.following.is_replaced(here) and self._channels(here).free_turn.any():
                return Control(here, bone, turns=True, moves=False)
        return None

    def _keyable(self, bone: str) -> list[tuple[str, bool]]:
        """Return bones on its path with effective rotation keys, and whether by a local copy."""
        found: list[tuple[str, bool]] = []
        local = False
        for here in self.paths[bone]:
            if self.following.is_replaced(here):
                link = self.following.links.get(here)
                local = local or (link is not None and link.replaces and link.local)
                continue
            channels = self._channels(here)
            if channels.turns_freely or channels.is_hinge:
                found.append((here, local))
            local = False
        return found

    def _mover(self, free: Sequence[str]) -> str | None:
        """Return the control that carries the hips and everything that is not on an IK chain."""
        if self.hips is None:
            return None
        for here in self.paths[self.hips]:
            carries_all = all(here in self.paths[bone] for bone in free if not self._hangs_on_a_handle(bone))
            if carries_all and not self.following.is_replaced(here) and self._channels(here).moves_freely:
                return here
        return None

    def _handle_path(self, chain: IkChain) -> tuple[str, ...]:
        """Return what carries a chain's target, but neither the chain's root nor the hips."""
        if chain.target is None:
            return ()
        body = {*self.following.path(chain.bones[0]), *self.paths.get(self.hips or "", ())}
        return tuple(here for here in self.following.handle_path(chain.target) if here not in body)

    def _hangs_on_a_handle(self, bone: str) -> bool:
        """Return whether the bone moves with an IK target and not with the body."""
        return any(here in path for path in self.handles.values() for here in self.paths[bone])

    def _limbs(self, on_chain: Mapping[str, IkChain], free: Sequence[str]) -> list[Limb]:
        limbs = []
        for chain in dict.fromkeys(on_chain.values()):
            bones = [bone for bone in self.simulated if on_chain.get(bone) == chain]
            handle = self._handle(chain)
            end = next((b for b in free if handle is not None and handle in self.paths[b]), None)
            limbs.append(
                Limb(bones[0], bones[-1], chain, handle, end, self._pole(chain), self._swivel(chain))
            )
        return limbs

    def _handle(self, chain: IkChain) -> str | None:
        """Return the outermost control of the target."""
        movable = self._movable(self.handles[chain])
        return movable[-1] if movable else None

    def _pole(self, chain: IkChain) -> str | None:
        movable = self._movable(() if chain.pole is None else self.following.path(chain.pole))
        return movable[0] if movable else None

    def _movable(self, path: Sequence[str]) -> list[str]:
        return [
            here
            for here in path
            if not self.following.is_replaced(here) and self._channels(here).moves_freely
        ]

    def _swivel(self, chain: IkChain) -> str | None:
        """Return the chain's root if its own rotation sets the direction of the knee."""
        if chain.pole_is_used or len(chain.bones) != 2:
            return None
        return chain.bones[0] if self._channels(chain.bones[0]).free_turn[1] else None

    def _is_carried(self, bone: str, controls: Mapping[str, Control]) -> bool:
        """Return whether some control moves the bone along, though none is its own."""
        return any(here in controls for here in self.paths[bone])
