"""A bake's overlay values as the points of a mesh, which Blender saves, undoes and copies.

The mesh is in no scene. Its points hold all arrays one after the other, three numbers each; a custom
property lists the arrays and their shapes. A mesh is never changed: another bake makes another one
(docs/decisions/0008-overlays.md).
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import fields
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, cast

import bpy
import numpy as np
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, PointerProperty
from bpy.types import Mesh, Object, PropertyGroup

from ...sim_core.base.errors import InputError
from ...sim_core.base.json_files import parse_json_object
from ..blender.blender_types import ArmatureObject, OverlayObject
from ..blender.mesh_attributes import POSITION, read_positions, write_vectors
from ..blender.steps import in_thread

if TYPE_CHECKING:
    from ...sim_core.drawing.overlay_series import OverlaySeries
    from ...sim_core.result.result import Result
    from ..reading.motion_reader import SampledMotion

LAYOUT = "heft_layout"
LAYOUT_VERSION = 1


def overlay_object(obj: Object) -> OverlayObject:
    """Return an object typed with its overlay data; all objects have the property."""
    return cast(OverlayObject, obj)


def making_series(
    obj: ArmatureObject, sampled: SampledMotion, result: Result, made: bool = False
) -> Generator[float, None, OverlaySeries]:
    """Make the overlay values of a bake, yielding on the way; made: see PreparedBake."""
    from ...sim_core.drawing.overlay_series import series_of
    from .sticks import followed_ghost, ghost_of

    bones = [str(name) for name in result.bone_name]
    ghost = followed_ghost(obj, sampled, result) if made else ghost_of(obj, sampled, bones)
    time = sampled.motion.time[sampled.frame_sample]
    return (
        yield from in_thread(partial(series_of, result, sampled.frame, time, sampled.metres_per_unit, ghost))
    )


def keep_series(obj: Object, series: OverlaySeries) -> None:
    """Store the overlay values of the object's last bake in place of earlier ones."""
    forget_series(obj)
    overlay_object(obj).heft_overlay.data = mesh_of(f".{obj.name} overlays", series)


def forget_series(obj: Object) -> None:
    """Remove the overlay values of an object."""
    data = overlay_object(obj).heft_overlay.data
    overlay_object(obj).heft_overlay.data = None
    if data is not None and data.users == 0:
        bpy.data.meshes.remove(data)


def mesh_of(name: str, series: OverlaySeries) -> Mesh:
    """Make a mesh that holds overlay values."""
    arrays = series.arrays()
    flat = np.concatenate([array.ravel() for array in arrays.values()])
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(-(-len(flat) // 3))
    write_vectors(mesh, POSITION, np.pad(flat, (0, -len(flat) % 3)))
    layout = {"version": LAYOUT_VERSION, "arrays": {key: array.shape for key, array in arrays.items()}}
    mesh[LAYOUT] = json.dumps(layout)
    return mesh


def series_in(mesh: Mesh) -> OverlaySeries | None:
    """Return the values in a mesh, or None if another version of Heft stored them, or they are damaged."""
    from ...sim_core.drawing.overlay_series import OverlaySeries

    try:
        layout = parse_json_object(str(mesh.get(LAYOUT, "{}")), "The layout")
        shapes = {str(name): _shape(sizes) for name, sizes in layout["arrays"].items()}
        if layout["version"] != LAYOUT_VERSION or set(shapes) != {f.name for f in fields(OverlaySeries)}:
            return None
        arrays: dict[str, Any] = {}
        flat, start = read_positions(mesh).ravel(), 0
        for name, shape in shapes.items():
            arrays[name] = flat[start : start + prod(shape)].reshape(shape)
            start += prod(shape)
        return OverlaySeries(**arrays)
    except (InputError, AttributeError, KeyError, TypeError, ValueError):
        return None


def _shape(sizes: list[int]) -> tuple[int, ...]:
    """Return a stored shape; a negative size raises a ValueError."""
    if not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise ValueError("a size is not a whole number")
    return tuple(sizes)


class HeftOverlays(PropertyGroup):
    """Which overlays are drawn, on the scene."""

    show: BoolProperty(
        name="Overlays", description="Draw data of the simulation over the character", default=False
    )
    show_body: BoolProperty(
        name="Physical Body", description="The capsules and boxes that were simulated", default=True
    )
    show_forces: BoolProperty(
        name="Contact Forces", description="Forces on the character at its contacts", default=True
    )
    show_balance: BoolProperty(
        name="Balance",
        description="The centre of mass, the point below it on the floor, and the support polygon",
        default=True,
    )
    show_effort: BoolProperty(
        name="Effort",
        description="How much of its strength each joint uses: green little, orange half, red all of it",
        default=False,
    )
    show_ghost: BoolProperty(name="Source", description="The source motion as a stick figure", default=False)
    newtons_per_metre: FloatProperty(
        name="Newtons per Metre",
        description="The force that is drawn as an arrow of one metre",
        default=1000.0,
        min=1.0,
        soft_min=100.0,
        soft_max=5000.0,
        precision=0,
    )
    ghost_offset: FloatVectorProperty(
        name="Offset",
        description="Offset of the source from the result; 0 draws it over the result",
        subtype="TRANSLATION",
        unit="LENGTH",
    )


class HeftOverlayData(PropertyGroup):
    """The overlay values of the last bake, on the object."""

    data: PointerProperty(type=Mesh)


CLASSES = (
    HeftOverlays,
    HeftOverlayData,
)

GROUPS = (
    (bpy.types.Scene, "heft_overlays", HeftOverlays),
    (bpy.types.Object, "heft_overlay", HeftOverlayData),
)
