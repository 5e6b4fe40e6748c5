"""Ground forces of a table of OpenSim, as loads on the feet of a motion in the same axes and time.

A table has force, point and moment for each plate, and does not say which foot stands there: that is the one
nearest to the point while the plate is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..base.errors import InputError
from ..base.intervals import true_intervals
from ..motion.motion import Motion
from ..motion.opensim.storage import Storage, read_storage
from ..recognition.mapping import SIDES, BoneMapping
from .plate_loads import LOADED_N, Load

FARTHEST_M = 0.3
"""Largest distance of the pressure from the middle of the foot that stands on it [m]."""
AXES = "xyz"


@dataclass(frozen=True, eq=False)
class FileFrame:
    """Where a motion's file has its axes: world_from_file (3, 3), and its time at the motion's time 0 [s]."""

    world_from_file: FloatArray
    start_s: float = 0.0


@dataclass(frozen=True, eq=False)
class _Plate:
    """What one plate measured, in world axes: time (S), force, point and moment (S, 3)."""

    name: str
    time: FloatArray
    force: FloatArray
    point: FloatArray
    moment: FloatArray


def read_loads(
    path: Path, frame: FileFrame, motion: Motion, mapping: BoneMapping
) -> tuple[tuple[Load, ...], tuple[str, ...]]:
    """Return the loads on the feet of a motion, and notes about plates that carry none of them."""
    loads: list[Load] = []
    notes: list[str] = []
    for plate in _plates(read_storage(path), frame, path):
        own, loose = _on_feet(plate, motion, mapping)
        loads += own
        if loose:
            notes.append(f"Forces '{plate.name}' act at times far from both feet and were left out there.")
    if not loads:
        raise InputError(
            f"No force in '{path.name}' acts below a foot of the motion; give the table of the same "
            "recording, in the same axes and time, with points in metres and forces on the subject."
        )
    return tuple(loads), tuple(notes)


def _plates(table: Storage, frame: FileFrame, path: Path) -> list[_Plate]:
    bases = [label[:-2] for label in table.columns if label.lower().endswith("vx")]
    plates = []
    for base in bases:
        force, point = _vector(table, base + "v"), _vector(table, base + "p")
        if force is None or point is None:
            raise InputError(
                f"'{path.name}' has '{base}vx' without the rest of force and point; export it again."
            )
        torques = (base + "m", base.replace("force", "torque"), base.replace("force", "moment") + "m")
        found = (_vector(table, label) for label in torques)
        moment = next((values for values in found if values is not None), np.zeros_like(force))
        turned = (values @ frame.world_from_file.T for values in (force, point, moment))
        plates.append(_Plate(f"{base}v", table.time - frame.start_s, *turned))
    if not plates:
        raise InputError(
            f"'{path.name}' has no ground forces: there are columns such as "
            f"'{next(iter(table.columns))}', but none that ends in vx, vy and vz."
        )
    return plates


def _vector(table: Storage, base: str) -> FloatArray | None:
    labels = [base + axis for axis in AXES]
    if not all(label in table.columns for label in labels):
        return None
    return np.stack([table.columns[label] for label in labels], axis=1)


def _on_feet(plate: _Plate, motion: Motion, mapping: BoneMapping) -> tuple[list[Load], bool]:
    """Return the loads of a plate on the feet, and whether it was loaded without one."""
    carried = np.zeros((2, len(plate.time)), dtype=bool)
    during = (plate.time >= motion.time[0]) & (plate.time <= motion.time[-1])
    loaded = (plate.force[:, 2] > LOADED_N) & during
    for start, end in true_intervals(loaded):
        away = [_distance(plate, slice(start, end), motion, mapping, side) for side in SIDES]
        if min(away) <= FARTHEST_M:
            carried[int(np.argmin(away)), start:end] = True
    loads = [_masked(plate, foot, carried[foot]) for foot in (0, 1) if carried[foot].any()]
    return loads, bool((loaded & ~carried.any(axis=0)).any())


def _distance(plate: _Plate, part: slice, motion: Motion, mapping: BoneMapping, side: str) -> float:
    """Return the mean distance of the pressure from the middle of a foot, seen from above [m]."""
    bones = [mapping.first(f"{slot}.{side}") for slot in ("foot", "toe") if f"{slot}.{side}" in mapping]
    foot = motion.position_world[:, [motion.skeleton.index[bone] for bone in bones], :2].mean(axis=1)
    there = np.stack([np.interp(plate.time[part], motion.time, foot[:, axis]) for axis in (0, 1)], axis=1)
    return float(np.linalg.norm(plate.point[part, :2] - there, axis=1).mean())


def _masked(plate: _Plate, foot: int, carried: BoolArray) -> Load:
    force, moment = (np.where(carried[:, None], values, 0.0) for values in (plate.force, plate.moment))
    return Load(foot, plate.time, force, plate.point, moment)
