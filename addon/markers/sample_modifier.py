"""The modifier that shows the samples of an object's mesh, and what it is told."""

from __future__ import annotations

from typing import Any

from bpy.types import NodeTree, Object

from ...sim_core.markers.marker_take import MarkerTake
from .. import compat

NAME = "Heft"


def add_modifier(obj: Object, group: NodeTree, points: int, take: MarkerTake, start_s: float) -> None:
    """points: of each sample; start_s: the scene's time of the first sample"""
    modifier: Any = obj.modifiers.new(NAME, "NODES")
    modifier.node_group = group
    told = {"Points": points, "Samples": len(take.time), "Rate": take.rate_hz, "Start": start_s}
    for name, value in told.items():
        set_input(obj, name, value)


def has_modifier(obj: Object) -> bool:
    return NAME in obj.modifiers


def get_input(obj: Object, name: str) -> float:
    return float(compat.modifier_input(obj.modifiers[NAME], name))


def set_input(obj: Object, name: str, value: float) -> None:
    """Whole numbers for inputs that are whole numbers: Blender refuses others."""
    compat.set_modifier_input(obj.modifiers[NAME], name, value)
