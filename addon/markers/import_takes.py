"""Marker files become objects of the scene."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bpy.types import Context, Object

from ...sim_core.markers.marker_take import MarkerFile
from ...sim_core.markers.read_markers import read_markers
from ..rig_reader import metres_per_unit
from .force_object import make_force_object
from .table import fill_by_labels
from .take_object import TakeObject, make_take_object, refuse_too_long


@dataclass(frozen=True)
class ImportOptions:
    """unit: metres per unit of the file, 0 believes the file; frame_start: where the first sample goes."""

    unit: float = 0.0
    frame_start: int = 1
    set_range: bool = False
    set_rate: bool = False


@dataclass(frozen=True, eq=False)
class Imported:
    """The new objects, one for each take, and what the user should know."""

    takes: tuple[TakeObject, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        markers = sum(len(obj.heft_take.rows) for obj in self.takes)
        takes = f" in {len(self.takes)} takes" if len(self.takes) > 1 else ""
        return f"Imported {markers} markers{takes} from '{self.takes[0].heft_take.file_name}'."


def import_takes(context: Context, path: Path, options: ImportOptions) -> Imported:
    """All takes of a file; a file that cannot be used changes nothing."""
    file = read_markers(path, options.unit or None)
    for take in file.takes:
        refuse_too_long(take)
    scene = context.scene
    if options.set_rate:
        scene.render.fps, scene.render.fps_base = _frame_rate(file.takes[0].rate_hz)
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
            # Moving the markers moves the plates.
            forces.parent = obj
            obj.heft_take.forces = forces
        made.append(obj)
    return made


def _frame_rate(rate_hz: float) -> tuple[int, float]:
    """Blender's whole number and divisor of a rate."""
    whole = max(1, round(rate_hz))
    return whole, whole / rate_hz


def _select(context: Context, made: list[TakeObject]) -> None:
    for obj in context.selected_objects:
        obj.select_set(False)
    for obj in made:
        obj.select_set(True)
    chosen: Object = made[0]
    context.view_layer.objects.active = chosen
