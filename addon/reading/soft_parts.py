"""Soft parts of an armature: the list of chains on the object, to and from the core's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    StringProperty,
)
from bpy.types import Context, PropertyGroup, Scene

from ...sim_core.character.soft_parts import ROLES, SoftPart, soft_part
from ..blender.blender_types import ArmatureObject
from .bone_table import find_mapping
from .rig_reader import read_skeleton, require_armature

if TYPE_CHECKING:
    from ...sim_core.recognition.soft_chains import SoftChain, SoftParts

ROLE_ITEMS = [(name, role.label, f"Takes the dials of {role.label}") for name, role in ROLES.items()]
SEPARATOR = "\n"
"""Between the names of bones in one text; no name holds it."""


def _take_dials(chain: Any, _context: Context) -> None:
    """Set the dials to those of the role that was chosen."""
    role = ROLES[chain.role]
    chain.stiffness, chain.damping, chain.collides = role.stiffness, role.damping, role.collides


class HeftSoftChain(PropertyGroup):
    """A chain of bones that can be simulated as a soft part."""

    bones: StringProperty()
    tip: StringProperty()
    use: BoolProperty(name="Simulate", description="Simulate this chain of bones as a soft part")
    role: EnumProperty(
        name="Kind",
        description="What the chain is; choosing it sets the dials below",
        items=ROLE_ITEMS,
        default="other",
        update=_take_dials,
    )
    stiffness: FloatProperty(
        name="Stiffness",
        description="0 hangs limp, 1 follows its animation closely",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    damping: FloatProperty(
        name="Damping",
        description="0 swings on, 1 does not swing back",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    collides: BoolProperty(name="Collide", description="Touches the body, the ground and objects")


class HeftSoft(PropertyGroup):
    """The chains of an armature that were found."""

    chains: CollectionProperty(type=HeftSoftChain)
    chains_index: IntProperty()


def find_soft_parts(obj: ArmatureObject, scene: Scene) -> SoftParts:
    """Fill the list with the chains of an armature; what was chosen for a chain before is kept."""
    from ...sim_core.recognition.soft_chains import find_soft_chains

    armature = require_armature(obj)
    found = find_soft_chains(read_skeleton(armature, scene), find_mapping(armature, scene))
    rows = obj.heft_soft.chains
    before = {row.name: (row.use, row.role, row.stiffness, row.damping, row.collides) for row in rows}
    rows.clear()
    for chain in found.chains:
        _fill(rows.add(), chain, before.get(chain.bones[0]))
    obj.heft_soft.chains_index = min(obj.heft_soft.chains_index, max(len(rows) - 1, 0))
    return found


def choose_soft_parts(obj: ArmatureObject, scene: Scene) -> None:
    """Find the chains of an armature, and choose all of them."""
    find_soft_parts(obj, scene)
    for row in obj.heft_soft.chains:
        row.use = True


def _fill(row: HeftSoftChain, chain: SoftChain, before: tuple[bool, str, float, float, bool] | None) -> None:
    part = soft_part(chain)
    row.name, row.bones, row.tip = part.name, SEPARATOR.join(part.bones), part.tip or ""
    row.role = part.role  # sets the dials
    if before is not None:
        row.use, row.role, row.stiffness, row.damping, row.collides = before


def soft_parts_of(obj: ArmatureObject) -> tuple[SoftPart, ...]:
    """Return the chains that shall be simulated."""
    return tuple(
        SoftPart(
            tuple(row.bones.split(SEPARATOR)),
            row.role,
            row.stiffness,
            row.damping,
            row.collides,
            row.tip or None,
        )
        for row in obj.heft_soft.chains
        if row.use
    )


CLASSES = (HeftSoftChain, HeftSoft)

GROUPS = ((bpy.types.Object, "heft_soft", HeftSoft),)
