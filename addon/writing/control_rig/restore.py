"""Channels that the source does not animate: noted before a bake, put back when the source is shown again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import bpy
from bpy.props import CollectionProperty, EnumProperty, FloatVectorProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

from ...blender import compat
from ...blender.blender_types import ArmatureObject

LIMBS = (
    ("AUTO", "As They Are", "Each limb stays FK or IK, as it is at the first frame"),
    ("FK", "FK", "All limbs with an FK/IK switch become FK; the switch is keyed"),
    ("IK", "IK", "All limbs with an FK/IK switch become IK; the switch is keyed"),
)


class HeftKeptChannel(PropertyGroup):
    """A channel that the source of the last bake does not animate, and its values before the bake."""

    path: StringProperty()
    size: IntProperty()
    values: FloatVectorProperty(size=4)


class HeftControls(PropertyGroup):
    """How a bake is written to the controls of a rig, on the object."""

    limbs: EnumProperty(
        name="Arms and Legs", description="Which controls get the keys", items=LIMBS, default="AUTO"
    )
    kept: CollectionProperty(type=HeftKeptChannel)


CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")
SIZE = 4
"""Size of the longest channel."""

Values = Mapping[str, tuple[float, ...]]


def read_channels(obj: ArmatureObject, switch_paths: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """Return the values of all channels of the pose and of the switches, by their paths."""
    found: dict[str, tuple[float, ...]] = {}
    for bone in obj.pose.bones:
        prefix = bone.path_from_id()
        found |= {f"{prefix}.{channel}": tuple(getattr(bone, channel)) for channel in CHANNELS}
    return found | {path: (float(obj.path_resolve(path)),) for path in switch_paths}


def newly_keyed(
    before: Values, source: compat.SlottedAction | None, target: compat.SlottedAction
) -> dict[str, tuple[float, ...]]:
    """Return the values whose channels only the new action animates."""
    known = set() if source is None else {curve.data_path for curve in compat.curves_of(source)}
    new = {curve.data_path for curve in compat.curves_of(target)} - known
    return {path: values for path, values in before.items() if path in new}


def note_channels(obj: ArmatureObject, values: Values) -> None:
    """Store channel values on the object, in place of earlier ones."""
    rows = obj.heft_controls.kept
    rows.clear()
    for path, numbers in values.items():
        row = rows.add()
        row.path, row.size = path, len(numbers)
        row.values = (*numbers, *(0.0,) * (SIZE - len(numbers)))


def restore_noted_channels(obj: ArmatureObject) -> None:
    """Restore the stored values; deleted bones are skipped."""
    restore_channels(obj, {row.path: tuple(row.values)[: row.size] for row in obj.heft_controls.kept})


def restore_channels(obj: ArmatureObject, values: Values) -> None:
    """Restore channel values; deleted bones are skipped."""
    for path, numbers in values.items():
        owner_path, _, rest = path.rpartition('"].' if path.endswith(CHANNELS) else '"]["')
        try:
            owner: Any = obj.path_resolve(f'{owner_path}"]')
        except ValueError:
            continue
        if path.endswith(CHANNELS):
            setattr(owner, rest, numbers)
        else:
            name = rest.removesuffix('"]')
            owner[name] = type(owner[name])(numbers[0])


CLASSES = (
    HeftKeptChannel,
    HeftControls,
)

GROUPS = ((bpy.types.Object, "heft_controls", HeftControls),)
