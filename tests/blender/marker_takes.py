"""Marker files for tests, and what an object shows of them."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from sim_core.base.conventions import FloatArray
from tests.core.sample_markers import standing_points, write_trc
from tests.core.sample_subject import KnownSubject, walker

RATE_HZ = 100.0


def walking_file(folder: Path, frames: int = 60) -> tuple[Path, FloatArray]:
    """A TRC file of eight markers at 100 Hz, and their positions (T, 8, 3) [m].

    The second marker is not seen from sample 20 to 29; the others move at 1 m/s and go up and down.
    """
    labels, points = standing_points(frames)
    points[:, :, 2] += 50.0 * np.sin(0.2 * np.arange(frames))[:, None]
    points[20:30, 1] = np.nan
    return write_trc(folder / "walk.trc", labels, points), points / 1000.0


def import_file(path: Path, **options: object) -> Object:
    assert bpy.ops.heft.import_markers(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.object


def evaluated_mesh(obj: Object) -> bpy.types.Mesh:
    return obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data


def shown_markers(obj: Object, frame: int, subframe: float = 0.0) -> dict[int, NDArray[np.float64]]:
    """Where the balls of markers are at a frame, in the object's space, by the marker's number."""
    bpy.context.scene.frame_set(frame, subframe=subframe)
    mesh = evaluated_mesh(obj)
    position = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", position)
    number = np.empty(len(mesh.vertices), dtype=np.float32)
    mesh.attributes["marker"].data.foreach_get("value", number)
    return {
        round(float(n)): position.reshape(-1, 3)[number == n].mean(axis=0, dtype=np.float64)
        for n in np.unique(number)
    }


def colours(obj: Object) -> dict[int, str]:
    """The material of each ball by its marker's number, at the current frame."""
    mesh = evaluated_mesh(obj)
    number = mesh.attributes["marker"].data
    return {
        round(number[face.vertices[0]].value): mesh.materials[face.material_index].name
        for face in mesh.polygons
    }


def walker_file(folder: Path, frames: int = 90) -> tuple[Path, KnownSubject]:
    """A TRC file of a subject whose lengths and motion are known, at 100 Hz."""
    known = walker(frames)
    path = folder / "walker.trc"
    return write_trc(path, list(known.labels), 1000.0 * known.take.position_world), known
