"""Whose motion is carried over."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from bpy.types import Object

from ...sim_core.base.errors import InputError
from ..blender_types import ArmatureObject
from ..markers.take_object import as_take
from ..rig_reader import require_armature

if TYPE_CHECKING:
    from .properties import HeftRetarget

    class TargetObject(ArmatureObject):
        heft_retarget: HeftRetarget

else:
    TargetObject = Object


def target_of(obj: Object | None) -> TargetObject:
    """An armature as the target of a retargeting; all objects have the properties of one."""
    return cast(TargetObject, require_armature(obj))


def chosen_source(obj: Object | None) -> ArmatureObject | None:
    """The armature that moves as a chosen object does: itself, or the one that was fitted to its markers."""
    take = as_take(obj)
    found = obj if take is None else take.heft_take.armature
    return require_armature(found) if found is not None and found.type == "ARMATURE" else None


def require_source_of(target: TargetObject) -> ArmatureObject:
    chosen = target.heft_retarget.source
    if chosen is None:
        raise InputError(f"No source is chosen for '{target.name}'; choose an armature with an action.")
    source = chosen_source(chosen)
    if source is None:
        raise InputError(f"'{chosen.name}' has no fitted armature; fit its markers first.")
    if source == target:
        raise InputError(f"'{target.name}' is source and target at once; choose another armature.")
    return source
