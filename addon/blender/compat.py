"""What differs between Blender 4.2 and 5.2, in one place.

Up to 4.3 an action holds its curves itself. From 4.4 on it holds slots, and the curves of a slot lie
in a channelbag; from 5.0 on that is the only way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import AnimData, FCurve, Object


@dataclass(frozen=True)
class SlottedAction:
    """An action and the slot of it that one object uses; the slot is None before Blender 4.4.

    Untyped, because the stubs know one version of Blender only.
    """

    action: Any
    slot: Any = None


def has_slots() -> bool:
    return hasattr(bpy.types, "ActionSlot")


def action_of(obj: Object) -> SlottedAction | None:
    """What animates the object now, or None."""
    animation = obj.animation_data
    if animation is None or animation.action is None:
        return None
    if not has_slots():
        return SlottedAction(animation.action)
    return None if animation.action_slot is None else SlottedAction(animation.action, animation.action_slot)


def slotted(action: Any, obj: Object, identifier: str = "") -> SlottedAction:
    """An action with the slot of that name, or else the one that Blender would choose for the object."""
    if not has_slots():
        return SlottedAction(action)
    fitting = [slot for slot in action.slots if slot.target_id_type in ("OBJECT", "UNSPECIFIED")]
    wanted = [identifier, f"OB{obj.name}"]
    ranked = sorted(fitting, key=lambda s: wanted.index(s.identifier) if s.identifier in wanted else 2)
    return SlottedAction(action, ranked[0] if ranked else None)


def slot_name(source: SlottedAction) -> str:
    """Identifier of the slot; nothing where there is none."""
    return "" if source.slot is None else str(source.slot.identifier)


def strip_source(strip: Any) -> SlottedAction:
    """What an NLA strip plays."""
    return SlottedAction(strip.action, strip.action_slot if has_slots() else None)


def assign_strip_slot(strip: Any, source: SlottedAction) -> None:
    if source.slot is not None:
        strip.action_slot = source.slot


def all_slots(action: Any) -> list[SlottedAction]:
    """An action with each of its slots."""
    return [SlottedAction(action, slot) for slot in action.slots] if has_slots() else [SlottedAction(action)]


def curves_of(source: SlottedAction) -> list[FCurve]:
    """The curves of an action's slot; nothing is created."""
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
    action = bpy.data.actions.new(name)
    if not has_slots():
        return SlottedAction(action)
    return SlottedAction(action, action.slots.new(id_type="OBJECT", name=obj.name))


def copy_action(source: SlottedAction, name: str) -> SlottedAction:
    """A copy that holds only the slot of this user."""
    action = source.action.copy()
    action.name = name
    # A copied fake user would keep a bake alive that the user deletes.
    action.use_fake_user = False
    if source.slot is None:
        return SlottedAction(action)
    handle = source.slot.handle
    for slot in [slot for slot in action.slots if slot.handle != handle]:
        action.slots.remove(slot)
    return SlottedAction(action, action.slots[0])


def assign_action(animation: AnimData, chosen: SlottedAction) -> None:
    animation.action = chosen.action
    if chosen.slot is not None:
        animation.action_slot = chosen.slot


def modifier_input(modifier: Any, name: str) -> Any:
    """The value that a modifier gives to an input of its node group."""
    holder, key = _modifier_input(modifier, name)
    return holder.value if key is None else holder[key]


def set_modifier_input(modifier: Any, name: str, value: Any) -> None:
    holder, key = _modifier_input(modifier, name)
    if key is None:
        holder.value = value
    else:
        holder[key] = value
    modifier.id_data.update_tag()


def _modifier_input(modifier: Any, name: str) -> tuple[Any, str | None]:
    """What holds the value, and under which key; from 5.2 on each input is a thing of its own."""
    sockets = modifier.node_group.interface.items_tree
    key = next(socket.identifier for socket in sockets if socket.name == name and socket.in_out == "INPUT")
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, key), None
    return modifier, key


class CurveWriter:
    """Creates and removes curves of one action's slot."""

    def __init__(self, target: SlottedAction) -> None:
        self._curves, self._groups = _curve_collections(target)
        self._by_channel = {(curve.data_path, curve.array_index): curve for curve in self._curves}
        parameters = self._curves.bl_rna.functions["new"].parameters.keys()
        self._group_argument = next((n for n in ("group_name", "action_group") if n in parameters), None)

    def replace(self, data_path: str, index: int, group: str) -> FCurve:
        """A new empty curve; one that the channel had before is removed."""
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
