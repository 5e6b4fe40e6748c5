"""Which bone follows which, from parents and constraints, and the properties that switch FK and IK.

Everything is read from an evaluated object, where drivers have set the influences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ...blender.blender_types import ArmatureObject

MAIN_INFLUENCE = 0.5
"""Influence from which on a constraint decides where a bone is; weaker ones only modify it."""

LOCAL_SPACES = ("LOCAL", "LOCAL_OWNER_ORIENT", "LOCAL_WITH_PARENT")


@dataclass(frozen=True)
class Link:
    """What a bone follows.

    bone: name of the followed bone; None for another object, which no key of this rig moves
    replaces: the bone's own rotation keys have no effect
    local: the other bone's local rotation is copied, not its world rotation
    switched: a constraint acts as the parent, as where a control can have one of several parents
    """

    bone: str | None
    replaces: bool = False
    local: bool = False
    switched: bool = False


@dataclass(frozen=True)
class IkChain:
    """Bones that an IK constraint bends, from the chain's root to its tip.

    target, pole: names of bones; None for another object, or if there is none
    pole_is_used: whether there is a pole, also if it is another object
    """

    bones: tuple[str, ...]
    target: str | None
    pole: str | None
    pole_is_used: bool


@dataclass(frozen=True)
class Following:
    """The links of all bones but roots, and the active IK chains, by bone."""

    links: Mapping[str, Link]
    chains: Mapping[str, IkChain]

    @staticmethod
    def of(evaluated: ArmatureObject) -> Following:
        """Read the constraints of an evaluated armature."""
        links: dict[str, Link] = {}
        chains: dict[str, IkChain] = {}
        for bone in evaluated.pose.bones:
            link = _link(evaluated, bone)
            if link is not None:
                links[bone.name] = link
            for chain in ik_chains(evaluated, bone):
                chains.update(dict.fromkeys(chain.bones, chain))
        return Following(links, chains)

    def path(self, bone: str) -> tuple[str, ...]:
        """Return the bone and all that it follows, from the nearest to the root."""
        return tuple(dict.fromkeys(self._walk(bone)))

    def is_replaced(self, bone: str) -> bool:
        """Return whether the bone's own rotation keys have no effect."""
        link = self.links.get(bone)
        return bone in self.chains or (link is not None and link.replaces)

    def handle_path(self, target: str) -> tuple[str, ...]:
        """Return the part of an IK target's path up to the first parent that can be switched."""
        path = self.path(target)
        ends = [i for i, here in enumerate(path) if here in self.links and self.links[here].switched]
        return path[: ends[0] + 1] if ends else path

    def _walk(self, bone: str) -> Iterator[str]:
        seen: set[str] = set()
        here: str | None = bone
        while here is not None and here not in seen:
            seen.add(here)
            yield here
            link = self.links.get(here)
            here = None if link is None else link.bone


def _link(evaluated: ArmatureObject, bone: Any) -> Link | None:
    """Return the link of the last constraint that decides, or else of the parent."""
    for constraint in reversed(bone.constraints):
        if not _is_active(constraint):
            continue
        if constraint.type in ("COPY_TRANSFORMS", "COPY_ROTATION") and _copies_all(constraint):
            local = constraint.target_space in LOCAL_SPACES
            return Link(_own_bone(evaluated, constraint.target, constraint.subtarget), True, local)
        if constraint.type == "ARMATURE" and constraint.targets:
            nearest = max(constraint.targets, key=lambda target: target.weight)
            return Link(_own_bone(evaluated, nearest.target, nearest.subtarget), switched=True)
        if constraint.type == "CHILD_OF" and constraint.target is not None:
            return Link(_own_bone(evaluated, constraint.target, constraint.subtarget), switched=True)
    return None if bone.parent is None else Link(bone.parent.name)


def _is_active(constraint: Any) -> bool:
    valid = bool(constraint.is_valid) and not constraint.mute and constraint.enabled
    return valid and constraint.influence > MAIN_INFLUENCE


def _copies_all(constraint: Any) -> bool:
    """Return whether the other bone's rotation fully replaces the bone's."""
    if constraint.type == "COPY_TRANSFORMS":
        return bool(constraint.mix_mode == "REPLACE")
    axes = (constraint.use_x, constraint.use_y, constraint.use_z)
    turns = (constraint.invert_x, constraint.invert_y, constraint.invert_z)
    return all(axes) and not any(turns) and constraint.mix_mode == "REPLACE"


def ik_chains(evaluated: ArmatureObject, bone: Any, also_off: bool = False) -> Iterator[IkChain]:
    """Yield the chains of the IK constraints on a bone; also_off: also those without effect now."""
    for constraint in bone.constraints:
        if constraint.type != "IK" or not (also_off or _is_active(constraint)):
            continue
        tip = bone if constraint.use_tail else bone.parent
        above = [] if tip is None else [tip, *tip.parent_recursive]
        bones = above[: constraint.chain_count] if constraint.chain_count else above
        yield IkChain(
            tuple(each.name for each in reversed(bones)),
            _own_bone(evaluated, constraint.target, constraint.subtarget),
            _own_bone(evaluated, constraint.pole_target, constraint.pole_subtarget),
            constraint.pole_target is not None,
        )


def _own_bone(evaluated: ArmatureObject, target: Any, name: str) -> str | None:
    """Return the bone's name if it belongs to this armature."""
    own = target is not None and target.original == evaluated.original
    return name if own and name in evaluated.pose.bones else None


VALUES = (0.0, 1.0)
"""The two ends of a switch."""


@dataclass(frozen=True)
class Switch:
    """A property that blends a constraint between FK and IK.

    path: of the property, from the object; holder: the bone that has it
    bone, constraint: what it drives
    """

    path: str
    holder: str
    bone: str
    constraint: str

    def ik_share(self, evaluated: ArmatureObject) -> float:
        """Return the influence of the IK chain on the bone now."""
        return float(evaluated.pose.bones[self.bone].constraints[self.constraint].influence)


def find_switches(obj: ArmatureObject, simulated: Sequence[str]) -> tuple[Switch, ...]:
    """Return a switch for each property that drives simulated bones or the bones that they copy."""
    driven = _driven_influences(obj)
    on_chains = {
        name
        for bone in obj.pose.bones
        for chain in ik_chains(obj, bone, also_off=True)
        for name in chain.bones
    }
    found: dict[str, Switch] = {}
    for name in simulated:
        for constraint in obj.pose.bones[name].constraints:
            path = driven.get((name, constraint.name))
            if path is None or getattr(constraint, "subtarget", "") not in on_chains:
                continue
            holder = path.split('"')[1] if path.startswith('pose.bones["') else ""
            found.setdefault(path, Switch(path, holder, name, constraint.name))
    return tuple(found.values())


def _driven_influences(obj: ArmatureObject) -> dict[tuple[str, str], str]:
    """Return the one property of the same object that drives each influence, by bone and constraint."""
    found: dict[tuple[str, str], str] = {}
    for curve in obj.animation_data.drivers if obj.animation_data is not None else ():
        if not curve.data_path.endswith(".influence") or curve.driver is None:
            continue
        parts = curve.data_path.split('"')
        variables = curve.driver.variables
        if len(parts) != 5 or len(variables) != 1:
            continue
        target = variables[0].targets[0]
        if isinstance(target.id, bpy.types.Object) and target.id.original == obj.original:
            found[parts[1], parts[3]] = target.data_path
    return found
