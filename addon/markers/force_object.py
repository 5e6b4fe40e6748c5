"""An object that shows the force plates of a take and the forces on them."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Object

from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.markers.marker_take import ForcePlate, MarkerTake
from .force_nodes import CORNER, FORCE_VECTOR, force_group
from .sample_modifier import add_modifier, set_input
from .samples import filled, sample_mesh, write_numbers, write_vectors

METRES_PER_NEWTON = 1e-3
"""A man's weight is 0.7 m long."""
THICKNESS_M = 0.02


def make_force_object(name: str, take: MarkerTake, start_s: float, unit_m: float) -> Object:
    """A new object, in no collection yet; see make_take_object."""
    nearest = [_nearest(plate, take.time) for plate in take.plates]
    pressure = _stacked([plate.pressure_world[at] for plate, at in zip(take.plates, nearest, strict=True)])
    force = _stacked([plate.force_world[at] for plate, at in zip(take.plates, nearest, strict=True)])
    corners = np.concatenate([plate.corners_world for plate in take.plates])
    places = np.concatenate([filled(pressure).reshape(-1, 3), corners]) / unit_m
    seen = np.isfinite(pressure).all(axis=2)
    is_corner = np.arange(len(places)) >= seen.size
    mesh = sample_mesh(name, places, np.concatenate([seen.ravel(), np.ones(len(corners), dtype=bool)]))
    write_vectors(mesh, FORCE_VECTOR, np.concatenate([np.nan_to_num(force).reshape(-1, 3), 0.0 * corners]))
    write_numbers(mesh, CORNER, is_corner)
    _add_faces(mesh, seen.size + np.arange(len(corners)).reshape(-1, 4))
    obj = bpy.data.objects.new(name, mesh)
    add_modifier(obj, force_group(), len(take.plates), take, start_s)
    set_input(obj, "Length per Newton", METRES_PER_NEWTON / unit_m)
    set_input(obj, "Thickness", THICKNESS_M / unit_m)
    return obj


def _nearest(plate: ForcePlate, time: FloatArray) -> IntArray:
    """The plate's samples nearest to the markers' times."""
    after = np.clip(np.searchsorted(plate.time, time), 1, len(plate.time) - 1)
    return np.where(time - plate.time[after - 1] < plate.time[after] - time, after - 1, after)


def _stacked(columns: list[FloatArray]) -> FloatArray:
    """One array (T, P, 3) of the plates' own (T, 3)."""
    return np.stack(columns, axis=1)


def _add_faces(mesh: bpy.types.Mesh, corner_index: IntArray) -> None:
    """A face for each plate's corners (P, 4)."""
    mesh.loops.add(corner_index.size)
    mesh.polygons.add(len(corner_index))
    mesh.loops.foreach_set("vertex_index", corner_index.astype(np.int32).ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, corner_index.size, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
