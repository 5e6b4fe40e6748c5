"""A bake's overlay values as the points of a mesh: saved, undone and copied by Blender.

The mesh is in no scene. Its points are all arrays one after the other, three numbers each; a text beside
them says which arrays, of which shape. A mesh is never changed: another bake makes another one
(docs/decisions/0008-overlays.md).
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import fields
from functools import partial
from typing import cast

import bpy
import numpy as np
from bpy.types import Mesh, Object

from ...sim_core.drawing.overlay_series import OverlaySeries, series_of
from ...sim_core.result.result import Result
from ..blender_types import ArmatureObject, ShownObject
from ..markers.samples import POSITION, read_positions, write_vectors
from ..motion_reader import SampledMotion
from ..steps import aside
from .ghost import ghost_of

LAYOUT = "heft_layout"
LAYOUT_VERSION = 1


def shown(obj: Object) -> ShownObject:
    """An object as one that may have overlays; all objects have the property."""
    return cast(ShownObject, obj)


def making_series(
    obj: ArmatureObject, sampled: SampledMotion, result: Result
) -> Generator[float, None, OverlaySeries]:
    """What overlays show of a bake, giving back control on the way."""
    ghost = ghost_of(obj, sampled, tuple(str(name) for name in result.bone_name))
    time = sampled.motion.time[sampled.frame_sample]
    return (yield from aside(partial(series_of, result, sampled.frame, time, sampled.metres_per_unit, ghost)))


def keep_series(obj: Object, series: OverlaySeries) -> None:
    """Store what overlays show of the object's last bake; that of the one before is removed."""
    forget_series(obj)
    shown(obj).heft_overlay.data = mesh_of(f".{obj.name} overlays", series)


def forget_series(obj: Object) -> None:
    data = shown(obj).heft_overlay.data
    shown(obj).heft_overlay.data = None
    if data is not None and data.users == 0:
        bpy.data.meshes.remove(data)


def mesh_of(name: str, series: OverlaySeries) -> Mesh:
    arrays = series.arrays()
    flat = np.concatenate([array.ravel() for array in arrays.values()])
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(-(-len(flat) // 3))
    write_vectors(mesh, POSITION, np.pad(flat, (0, -len(flat) % 3)))
    layout = {"version": LAYOUT_VERSION, "arrays": {key: array.shape for key, array in arrays.items()}}
    mesh[LAYOUT] = json.dumps(layout)
    return mesh


def series_in(mesh: Mesh) -> OverlaySeries | None:
    """What was stored in a mesh; None where another version of Heft stored it."""
    layout = json.loads(mesh.get(LAYOUT, "{}"))
    shapes = layout.get("arrays", {})
    if layout.get("version") != LAYOUT_VERSION or set(shapes) != {f.name for f in fields(OverlaySeries)}:
        return None
    flat, arrays, start = read_positions(mesh).ravel(), {}, 0
    for key, shape in shapes.items():
        size = int(np.prod(shape))
        arrays[key] = flat[start : start + size].reshape(shape)
        start += size
    return OverlaySeries(**arrays)
