"""An object that shows the markers of a take, to and from the core's take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import bpy
import numpy as np
from bpy.types import Mesh, NodeTree, Object, Scene

from ...sim_core.base.conventions import BoolArray, FloatArray, IntArray
from ...sim_core.base.errors import InputError
from ...sim_core.markers.marker_take import MarkerTake
from ..blender import compat
from ..blender.mesh_attributes import POSITION, read_numbers, read_positions, write_numbers, write_vectors
from .display_nodes import ERROR, SEEN, UNFITTED, marker_group

MODIFIER = "Heft"


def add_modifier(obj: Object, group: NodeTree, points: int, take: MarkerTake, start_s: float) -> None:
    """Add the modifier that shows samples of some points each, the first at the scene's time start_s."""
    modifier: Any = obj.modifiers.new(MODIFIER, "NODES")
    modifier.node_group = group
    inputs = {"Points": points, "Samples": len(take.time), "Rate": take.rate_hz, "Start": start_s}
    for name, value in inputs.items():
        set_input(obj, name, value)


def has_modifier(obj: Object) -> bool:
    """Return whether an object has the modifier."""
    return MODIFIER in obj.modifiers


def get_input(obj: Object, name: str) -> float:
    """Return an input of the object's modifier."""
    return float(compat.modifier_input(obj.modifiers[MODIFIER], name))


def set_input(obj: Object, name: str, value: float) -> None:
    """Set an input of the object's modifier; whole-number inputs need whole numbers."""
    compat.set_modifier_input(obj.modifiers[MODIFIER], name, value)


def sample_mesh(name: str, position: FloatArray, seen: BoolArray) -> Mesh:
    """Make a mesh of samples (T, N, 3), those of the first sample first; seen (T, N)."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(seen.size)
    write_vectors(mesh, POSITION, position)
    write_numbers(mesh, SEEN, seen)
    return mesh


def filled(position: FloatArray) -> FloatArray:
    """Return positions (T, N, 3) with gaps filled by straight lines, because hidden points need positions."""
    result = np.array(position)
    sample = np.arange(len(result))
    for n in range(result.shape[1]):
        seen = np.isfinite(result[:, n]).all(axis=1)
        for axis in range(3):
            known = result[seen, n, axis]
            result[:, n, axis] = np.interp(sample, sample[seen], known) if len(known) else 0.0
    return result


MARKER_SIZE_M = 0.02
"""Diameter of the balls; those of captures have 9 to 19 mm."""
NEARLY = 1e-3
"""Frames closer than this are the same: the nodes keep times in single precision."""
MOST_SAMPLES = 2**24
"""The node group counts in single precision, which is exact up to here."""

if TYPE_CHECKING:
    from .marker_table import HeftTake

    class TakeObject(Object):
        """A mesh object that shows the markers of a take."""

        data: Mesh
        heft_take: HeftTake

else:
    TakeObject = Object


def as_take(obj: Object | None) -> TakeObject | None:
    """Return the object if it shows a take's markers, else None."""
    if obj is None or obj.type != "MESH" or not cast(TakeObject, obj).heft_take.present:
        return None
    return cast(TakeObject, obj) if has_modifier(obj) else None


def shown_take(obj: Object | None) -> TakeObject | None:
    """Return the take for the panel: the object's own, or the one that an armature was fitted to."""
    if obj is None or obj.type != "ARMATURE":
        return as_take(obj)
    takes = (as_take(other) for other in bpy.data.objects if other.type == "MESH")
    return next((take for take in takes if take is not None and take.heft_take.armature == obj), None)


def require_take(obj: Object | None) -> TakeObject:
    """Return the object as a take, or raise an InputError."""
    take = as_take(obj)
    if take is None:
        raise InputError("Markers are needed; import a file of markers and select its object.")
    return take


def make_take_object(name: str, take: MarkerTake, start_s: float, unit_m: float) -> TakeObject:
    """Make an object that shows a take, in no collection yet.

    start_s: the scene's time of the first sample; unit_m: metres per Blender unit
    """
    refuse_too_long(take)
    mesh = sample_mesh(name, filled(take.position_world) / unit_m, take.seen)
    write_numbers(mesh, ERROR, np.full(take.seen.size, UNFITTED))
    obj = cast(TakeObject, bpy.data.objects.new(name, mesh))
    add_modifier(obj, marker_group(), len(take.labels), take, start_s)
    set_input(obj, "Size", MARKER_SIZE_M / unit_m)
    set_input(obj, "Chosen", -1)
    kept = obj.heft_take
    kept.present, kept.subject, kept.plates = True, take.name, len(take.plates)
    for label, labelled, share in zip(take.labels, take.labelled, take.seen.mean(axis=0), strict=True):
        row = kept.rows.add()
        row.label, row.labelled, row.seen_share = label, bool(labelled), float(share)
    return obj


def read_take(obj: TakeObject, unit_m: float) -> MarkerTake:
    """Return the take that an object shows, with time from 0 on and without force plates."""
    rows, mesh = obj.heft_take.rows, obj.data
    count = len(rows)
    if (
        count == 0
        or len(mesh.vertices) % count
        or len(mesh.vertices) < 2 * count
        or SEEN not in mesh.attributes
    ):
        raise InputError(f"The samples in the mesh of '{obj.name}' were changed; import its file again.")
    position = unit_m * read_positions(mesh).reshape(-1, count, 3)
    position[read_numbers(mesh, SEEN).reshape(-1, count) < 0.5] = np.nan
    return MarkerTake(
        name=obj.heft_take.subject,
        labels=tuple(row.label for row in rows),
        labelled=np.array([row.labelled for row in rows]),
        time=np.arange(len(position)) / rate_hz(obj),
        position_world=_moved(position, np.array(obj.matrix_world, dtype=np.float64), unit_m),
        residual=np.full(position.shape[:2], np.nan),
    )


def rate_hz(obj: TakeObject) -> float:
    """Return the take's samples per second."""
    return get_input(obj, "Rate")


@dataclass(frozen=True)
class Clock:
    """Converts between frames of the scene and samples of a take.

    start_s: the scene's time of the first sample
    """

    fps: float
    start_s: float
    rate_hz: float
    samples: int

    @staticmethod
    def of(obj: TakeObject, scene: Scene) -> Clock:
        """Return the clock of a take in a scene."""
        fps = scene.render.fps / scene.render.fps_base
        return Clock(fps, get_input(obj, "Start"), rate_hz(obj), sample_count(obj))

    def frame(self, sample: float) -> float:
        """Return the frame of a sample."""
        return (self.start_s + sample / self.rate_hz) * self.fps

    def seconds(self, frame: IntArray) -> FloatArray:
        """Return the time of frames since the first sample [s]."""
        return np.asarray(frame / self.fps - self.start_s)

    def whole_frames(self) -> IntArray:
        """Return all whole frames within the take."""
        first, last = self.frame(0), self.frame(self.samples - 1)
        return np.arange(math.ceil(first - NEARLY), math.floor(last + NEARLY) + 1)


def sample_count(obj: TakeObject) -> int:
    """Return the number of samples of a take."""
    return len(obj.data.vertices) // max(1, len(obj.heft_take.rows))


def refuse_too_long(take: MarkerTake) -> None:
    """Raise an InputError for a take with more samples than the node group can count."""
    if take.seen.size > MOST_SAMPLES:
        raise InputError(
            f"The take has {len(take.time)} frames of {len(take.labels)} markers, and Blender can show "
            f"{MOST_SAMPLES // len(take.labels)} frames of so many; cut it into parts."
        )


def _moved(position: FloatArray, matrix: FloatArray, unit_m: float) -> FloatArray:
    """Return positions (..., 3) [m] transformed by an object's matrix (4, 4)."""
    return np.asarray(position @ matrix[:3, :3].T + unit_m * matrix[:3, 3])
