"""Properties that blend a limb between FK and IK, found from the drivers of its constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from ..blender_types import ArmatureObject
from .following import ik_chains

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
