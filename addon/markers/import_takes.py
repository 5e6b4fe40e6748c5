"""Imports marker files as objects of the scene."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Context, Object

from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.markers.marker_take import ForcePlate, MarkerFile, MarkerTake
from ...sim_core.markers.read_markers import read_markers
from ...sim_core.markers.session_folder import is_session, session_folder
from ..blender.mesh_attributes import write_numbers, write_vectors
from ..reading.rig_reader import metres_per_unit
from .display_nodes import CORNER, FORCE_VECTOR, force_group
from .marker_table import fill_by_labels
from .take_object import (
    TakeObject,
    add_modifier,
    filled,
    make_take_object,
    refuse_too_long,
    sample_mesh,
    set_input,
)


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """Options of an import.

    unit: metres per unit of the file; 0 uses the file's own
    fps: frames per second of the file; 0 uses the file's own
    frame_start: frame of the first sample
    """

    unit: float = 0.0
    fps: float = 0.0
    frame_start: int = 1
    set_range: bool = False
    set_rate: bool = False


@dataclass(frozen=True, eq=False)
class Imported:
    """The new objects, one for each take, and notes for the user."""

    takes: tuple[TakeObject, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """One sentence about what was imported."""
        markers = sum(len(obj.heft_take.rows) for obj in self.takes)
        takes = f" in {len(self.takes)} takes" if len(self.takes) > 1 else ""
        return f"Imported {markers} markers{takes} from '{self.takes[0].heft_take.file_name}'."


def import_takes(context: Context, path: Path, options: ImportOptions) -> Imported:
    """Import all takes of a file or of a session's folder; one that cannot be used changes nothing."""
    path = session_folder(path) if is_session(path) else path
    file = read_markers(path, options.unit or None, options.fps or None)
    for take in file.takes:
        refuse_too_long(take)
    scene = context.scene
    if options.set_rate:
        scene.render.fps, scene.render.fps_base = frame_rate(file.takes[0].rate_hz)
    fps = scene.render.fps / scene.render.fps_base
    made = _make_objects(file, path, options.frame_start / fps, metres_per_unit(scene))
    for take_object in made:
        for obj in (take_object, take_object.heft_take.forces):
            if obj is not None:
                context.collection.objects.link(obj)
    if options.set_range:
        lasts = max(float(take.time[-1]) for take in file.takes) - float(file.takes[0].time[0])
        scene.frame_start, scene.frame_end = options.frame_start, options.frame_start + int(lasts * fps)
    _select(context, made)
    return Imported(tuple(made), file.notes)


def _make_objects(file: MarkerFile, path: Path, start_s: float, unit_m: float) -> list[TakeObject]:
    made = []
    for take in file.takes:
        name = f"{path.stem} {take.name}" if len(file.takes) > 1 else path.stem
        take_start_s = start_s + float(take.time[0] - file.takes[0].time[0])
        obj = make_take_object(name, take, take_start_s, unit_m)
        obj.heft_take.file_name = path.name
        fill_by_labels(obj)
        for note in file.notes:
            obj.heft_take.notes.add().text = note
        if take.plates:
            forces = make_force_object(f"{name} Forces", take, take_start_s, unit_m)
            # The plates move with the markers.
            forces.parent = obj
            obj.heft_take.forces = forces
        made.append(obj)
    return made


def frame_rate(rate_hz: float) -> tuple[int, float]:
    """Return Blender's frame rate and its divisor for a rate."""
    whole = max(1, round(rate_hz))
    return whole, whole / rate_hz


def _select(context: Context, made: list[TakeObject]) -> None:
    for obj in context.selected_objects:
        obj.select_set(False)
    for obj in made:
        obj.select_set(True)
    chosen: Object = made[0]
    context.view_layer.objects.active = chosen


METRES_PER_NEWTON = 1e-3
"""Length of a force: a man's weight is drawn 0.7 m long."""
THICKNESS_M = 0.02


def make_force_object(name: str, take: MarkerTake, start_s: float, unit_m: float) -> Object:
    """Make an object that shows force plates and forces, in no collection yet."""
    nearest = [_nearest(plate, take.time) for plate in take.plates]
    pressure = _stacked([plate.pressure_world[at] for plate, at in zip(take.plates, nearest, strict=True)])
    force = _stacked([plate.force_world[at] for plate, at in zip(take.plates, nearest, strict=True)])
    corners = np.concatenate([plate.corners_world for plate in take.plates])
    positions = np.concatenate([filled(pressure).reshape(-1, 3), corners]) / unit_m
    seen = np.isfinite(pressure).all(axis=2)
    is_corner = np.arange(len(positions)) >= seen.size
    mesh = sample_mesh(name, positions, np.concatenate([seen.ravel(), np.ones(len(corners), dtype=bool)]))
    write_vectors(mesh, FORCE_VECTOR, np.concatenate([np.nan_to_num(force).reshape(-1, 3), 0.0 * corners]))
    write_numbers(mesh, CORNER, is_corner)
    _add_faces(mesh, seen.size + np.arange(len(corners)).reshape(-1, 4))
    obj = bpy.data.objects.new(name, mesh)
    add_modifier(obj, force_group(), len(take.plates), take, start_s)
    set_input(obj, "Length per Newton", METRES_PER_NEWTON / unit_m)
    set_input(obj, "Thickness", THICKNESS_M / unit_m)
    return obj


def _nearest(plate: ForcePlate, time: FloatArray) -> IntArray:
    """Return the plate's samples nearest to the markers' times."""
    after = np.clip(np.searchsorted(plate.time, time), 1, len(plate.time) - 1)
    return np.where(time - plate.time[after - 1] < plate.time[after] - time, after - 1, after)


def _stacked(columns: list[FloatArray]) -> FloatArray:
    """Return one array (T, P, 3) of the plates' arrays (T, 3)."""
    return np.stack(columns, axis=1)


def _add_faces(mesh: bpy.types.Mesh, corner_index: IntArray) -> None:
    """Add a face for the corners of each plate (P, 4)."""
    mesh.loops.add(corner_index.size)
    mesh.polygons.add(len(corner_index))
    mesh.loops.foreach_set("vertex_index", corner_index.astype(np.int32).ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, corner_index.size, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
