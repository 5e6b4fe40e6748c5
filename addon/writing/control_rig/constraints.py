"""Which bone follows which, from parents and constraints, and the properties that switch FK and IK."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ...blender.blender_types import ArmatureObject

MAIN_INFLUENCE = 0.5
"""A constraint above this decides where a bone is; one below it only bends what others do."""

LOCAL_SPACES = ("LOCAL", "LOCAL_OWNER_ORIENT", "LOCAL_WITH_PARENT")


@dataclass(frozen=True)
class Link:
    """What a bone follows.

    bone: its name; None for another object, which no key of this rig moves
    replaces: the bone's own rotation keys have no effect
    local: the other's own rotation is copied, not where it points
    switched: a constraint stands in for the parent, as where a control may belong to one of several
    """

    bone: str | None
    replaces: bool = False
    local: bool = False
    switched: bool = False


@dataclass(frozen=True)
class IkChain:
    """Bones that an IK constraint bends, from the chain's root to its tip.

    target, pole: bones that they reach and point to; None where it is another object or there is none
    pole_is_used: also where the pole is another object
    """

    bones: tuple[str, ...]
    target: str | None
    pole: str | None
    pole_is_used: bool


@dataclass(frozen=True)
class Following:
    """links: by bone, without those of roots; chains: by bone, for bones of active IK chains"""

    links: Mapping[str, Link]
    chains: Mapping[str, IkChain]

    @staticmethod
    def of(evaluated: ArmatureObject) -> Following:
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
        """The bone and all that it follows, from the nearest to the root."""
        return tuple(dict.fromkeys(self._walk(bone)))

    def is_replaced(self, bone: str) -> bool:
        """Whether the bone's own rotation keys have no effect."""
        link = self.links.get(bone)
        return bone in self.chains or (link is not None and link.replaces)

    def handle_path(self, target: str) -> tuple[str, ...]:
        """The part of an IK target's path before it reaches a parent that can be switched."""
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
    """The last constraint that decides, or else the parent."""
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
    """Whether the other's rotation takes the place of the bone's."""
    if constraint.type == "COPY_TRANSFORMS":
        return bool(constraint.mix_mode == "REPLACE")
    axes = (constraint.use_x, constraint.use_y, constraint.use_z)
    turns = (constraint.invert_x, constraint.invert_y, constraint.invert_z)
    return all(axes) and not any(turns) and constraint.mix_mode == "REPLACE"


def ik_chains(evaluated: ArmatureObject, bone: Any, also_off: bool = False) -> Iterator[IkChain]:
    """Of the IK constraints on a bone; also_off: those that have no effect now as well."""
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
    """The bone's name if it is one of this armature."""
    own = target is not None and target.original == evaluated.original
    return name if own and name in evaluated.pose.bones else None


VALUES = (0.0, 1.0)
"""What such a property goes between."""


@dataclass(frozen=True)
class Switch:
    """A property, and the constraint that it blends towards the IK chain.

    path: of the property, from the object; holder: the bone that has it
    bone, constraint: where its effect shows
    """

    path: str
    holder: str
    bone: str
    constraint: str

    def ik_share(self, evaluated: ArmatureObject) -> float:
        """How much of the IK chain the bone shows now."""
        return float(evaluated.pose.bones[self.bone].constraints[self.constraint].influence)


def find_switches(obj: ArmatureObject, simulated: Sequence[str]) -> tuple[Switch, ...]:
    """One for each property that decides about simulated bones, or about what they copy."""
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
    """(bone, constraint) -> the one property of the same object that its influence follows."""
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
