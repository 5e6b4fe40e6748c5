"""The differences between Blender 4.2 and 5.2, in one place.

Up to 4.3 an action holds its curves itself. From 4.4 on it holds slots, and the curves of a slot lie
in a channelbag; from 5.0 on there is no other way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import AnimData, FCurve, Object

from .curve_keys import Span


@dataclass(frozen=True)
class SlottedAction:
    """An action and the slot of it that one object uses; the slot is None before Blender 4.4.

    The fields are untyped, because the stubs know one version of Blender only.
    """

    action: Any
    slot: Any = None


def has_slots() -> bool:
    """Return whether this Blender's actions have slots."""
    return hasattr(bpy.types, "ActionSlot")


def action_of(obj: Object) -> SlottedAction | None:
    """Return the action and slot that animate the object now, or None."""
    animation = obj.animation_data
    if animation is None or animation.action is None:
        return None
    if not has_slots():
        return SlottedAction(animation.action)
    return None if animation.action_slot is None else SlottedAction(animation.action, animation.action_slot)


def slotted(action: Any, obj: Object, identifier: str = "") -> SlottedAction:
    """Return an action with the slot of that name, or else the slot that Blender would choose."""
    if not has_slots():
        return SlottedAction(action)
    fitting = [slot for slot in action.slots if slot.target_id_type in ("OBJECT", "UNSPECIFIED")]
    wanted = [identifier, f"OB{obj.name}"]
    ranked = sorted(fitting, key=lambda s: wanted.index(s.identifier) if s.identifier in wanted else 2)
    return SlottedAction(action, ranked[0] if ranked else None)


def slot_name(source: SlottedAction) -> str:
    """Return the identifier of the slot, or an empty string without one."""
    return "" if source.slot is None else str(source.slot.identifier)


def strip_source(strip: Any) -> SlottedAction:
    """Return the action and slot that an NLA strip plays."""
    return SlottedAction(strip.action, strip.action_slot if has_slots() else None)


def assign_strip_slot(strip: Any, source: SlottedAction) -> None:
    """Let an NLA strip use the slot of an action."""
    if source.slot is not None:
        strip.action_slot = source.slot


def all_slots(action: Any) -> list[SlottedAction]:
    """Return an action with each of its slots."""
    return [SlottedAction(action, slot) for slot in action.slots] if has_slots() else [SlottedAction(action)]


def curves_of(source: SlottedAction) -> list[FCurve]:
    """Return the curves of an action's slot; nothing is created."""
    if source.slot is None:
        return [] if has_slots() else list(source.action.fcurves)
    bags = [
        strip.channelbag(source.slot)
        for layer in source.action.layers
        for strip in layer.strips
        if strip.type == "KEYFRAME"
    ]
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


def new_action(obj: Object, name: str) -> SlottedAction:
    """Create an action with a slot for an object."""
    action = bpy.data.actions.new(name)
    if not has_slots():
        return SlottedAction(action)
    return SlottedAction(action, action.slots.new(id_type="OBJECT", name=obj.name))


def copy_action(source: SlottedAction, name: str) -> SlottedAction:
    """Copy an action with only the slot of this user."""
    action = source.action.copy()
    action.name = name
    # With a copied fake user, a bake that the user deletes would stay in the file.
    action.use_fake_user = False
    if source.slot is None:
        return SlottedAction(action)
    handle = source.slot.handle
    for slot in [slot for slot in action.slots if slot.handle != handle]:
        action.slots.remove(slot)
    return SlottedAction(action, action.slots[0])


def assign_action(animation: AnimData, chosen: SlottedAction) -> None:
    """Make an action and its slot the animation."""
    animation.action = chosen.action
    if chosen.slot is not None:
        animation.action_slot = chosen.slot


def modifier_input(modifier: Any, name: str) -> Any:
    """Return the value of a node group's input in a modifier."""
    holder, key = _modifier_input(modifier, name)
    return holder.value if key is None else holder[key]


def set_modifier_input(modifier: Any, name: str, value: Any) -> None:
    """Set the value of a node group's input in a modifier."""
    holder, key = _modifier_input(modifier, name)
    if key is None:
        holder.value = value
    else:
        holder[key] = value
    modifier.id_data.update_tag()


def _modifier_input(modifier: Any, name: str) -> tuple[Any, str | None]:
    """Return the holder of an input's value, and its key; from 5.2 on each input is an object."""
    sockets = modifier.node_group.interface.items_tree
    key = next(socket.identifier for socket in sockets if socket.name == name and socket.in_out == "INPUT")
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, key), None
    return modifier, key


class CurveWriter:
    """Creates and removes curves of one action's slot.

    span: the frames of the keys that the action had before; None without any
    """

    def __init__(self, target: SlottedAction) -> None:
        self._curves, self._groups = _curve_collections(target)
        self._by_channel = {(curve.data_path, curve.array_index): curve for curve in self._curves}
        ends = [curve.range() for curve in self._curves if len(curve.keyframe_points)]
        self.span = Span(min(e[0] for e in ends), max(e[1] for e in ends)) if ends else None
        parameters = self._curves.bl_rna.functions["new"].parameters.keys()
        self._group_argument = next((n for n in ("group_name", "action_group") if n in parameters), None)

    def old(self, data_path: str, index: int) -> FCurve | None:
        """Return the channel's curve as it is now, or None."""
        return self._by_channel.get((data_path, index))

    def replace(self, data_path: str, index: int, group: str) -> FCurve:
        """Return a new empty curve in place of the channel's old one."""
        old = self._by_channel.pop((data_path, index), None)
        if old is not None:
            self._curves.remove(old)
        if self._group_argument:
            return self._curves.new(data_path, index=index, **{self._group_argument: group})
        curve = self._curves.new(data_path, index=index)
        curve.group = self._groups.get(group) or self._groups.new(group)
        return curve


def _curve_collections(target: SlottedAction) -> tuple[Any, Any]:
    action = target.action
    if target.slot is None:
        return action.fcurves, action.groups
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    bag = strip.channelbag(target.slot, ensure=True)
    return bag.fcurves, bag.groups
