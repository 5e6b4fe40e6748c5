"""Estimated forces against measured ones, and joint moments against OpenSim's."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from sim_core import rotations
from sim_core.character.posing import segment_poses
from sim_core.character.take import Take, make_take
from sim_core.conventions import GRAVITY, FloatArray
from sim_core.dynamics.analysis import Analysis
from sim_core.dynamics.clip import DynamicsSettings, analyse_motion, smooth_poses
from sim_core.dynamics.figures import rms
from sim_core.dynamics.loads import CUTOFF_HZ
from sim_core.job import Job
from sim_core.markers.pipeline import FittedFile
from sim_core.reference.smoothing import low_pass_values
from sim_core.settings import BakeSettings
from sim_core.spells import spells

from .force_takes import GAIT, ForceTake, gait_loads, read_storage
from .tables import Row

EDGE = 5
"""Samples at both ends of a take that are not judged: differences are one-sided there."""
LOADED_N, CARRIES = 20.0, 0.02
"""A plate is loaded above this force; an estimated foot carries above this share of the weight."""
AXES = ("x", "y", "z")
MOMENTS = {"ankle": ("foot", "ankle_angle"), "knee": ("shin", "knee_angle"), "hip": ("thigh", "hip_flexion")}


@dataclass(frozen=True, eq=False)
class Step:
    """One foot on one plate: forces (T, 3) [N] over times (T) that were compared."""

    take: str
    plate: str
    side: str
    time: FloatArray
    estimated: FloatArray
    measured: FloatArray


@dataclass(frozen=True, eq=False)
class Measured:
    """A take, its fit and its analysis without plates."""

    take: ForceTake
    fitted: FittedFile
    analysis: Analysis
    seconds: float


def analyse(take: ForceTake) -> Measured:
    fitted = take.fitted()
    motion, mapping = fitted.fit.motion, fitted.fit.subject.calibration.rig.mapping
    settings = DynamicsSettings(mass=take.mass, measured=False)
    analyse_motion(motion, mapping, settings)  # the first call also loads libraries
    began = time.process_time()
    found = analyse_motion(motion, mapping, settings)
    return Measured(take, fitted, found, time.process_time() - began)


def take_row(measured: Measured) -> Row:
    found, inner = measured.analysis, slice(EDGE, -EDGE)
    return {
        "name": measured.take.name,
        "held_out": measured.take.held_out,
        "mass": measured.take.mass,
        "samples": len(found.time),
        "residual_n": rms(found.residual[inner, :3]),
        "residual_nm": rms(found.residual[inner, 3:]),
        "fps": len(found.time) / measured.seconds,
        "notes": " ".join(found.notes),
    }


def steps_of(measured: Measured) -> list[Step]:
    """Each foot over the time in which its plate saw it: its step, and the swings before and after."""
    found = measured.analysis
    if not measured.take.steps:
        return [_treadmill_step(measured, foot) for foot in (0, 1)]
    steps = []
    for number, side in measured.take.steps.items():
        plate = measured.fitted.take.plates[number - 1]
        foot = "LR".index(side)
        rate = (len(plate.time) - 1) / float(plate.time[-1] - plate.time[0])
        force = _at(found.time, plate.time, low_pass_values(plate.force_world, rate, CUTOFF_HZ))
        start, end = max(spells(force[:, 2] > LOADED_N), key=lambda spell: spell[1] - spell[0])
        carries = found.foot_force[:, foot, 2] > CARRIES * found.mass * GRAVITY
        first, last = _with_swings(carries, start, end)
        part = slice(max(first, EDGE), min(last, len(carries) - EDGE))
        steps.append(
            Step(
                measured.take.name,
                f"plate {number}",
                side,
                found.time[part],
                found.foot_force[part, foot],
                force[part],
            )
        )
    return steps


def _treadmill_step(measured: Measured, foot: int) -> Step:
    found, load = measured.analysis, gait_loads()[foot]
    rate = (len(load.time) - 1) / float(load.time[-1] - load.time[0])
    force = _at(found.time, load.time, low_pass_values(load.force, rate, CUTOFF_HZ))
    part = slice(EDGE, -EDGE)
    return Step(
        measured.take.name, "belt", "LR"[foot], found.time[part], found.foot_force[part, foot], force[part]
    )


def _with_swings(carries: np.ndarray, start: int, end: int) -> tuple[int, int]:
    """From the end of the contact before to the start of the one after."""
    while start > 0 and carries[start - 1]:
        start -= 1
    while start > 0 and not carries[start - 1]:
        start -= 1
    while end < len(carries) and carries[end]:
        end += 1
    while end < len(carries) and not carries[end]:
        end += 1
    return start, end


def step_row(step: Step, mass: float) -> Row:
    """Correlation and RMS difference as a share of the weight, for each axis; and at the best lag."""
    weight = mass * GRAVITY
    forward = int(np.argmax(np.ptp(step.measured[:, :2], axis=0)))
    row: dict[str, object] = {"name": step.take, "plate": step.plate, "side": step.side}
    for name, axis in (("vertical", 2), ("fore_aft", forward), ("sideways", 1 - forward)):
        mine, theirs = step.estimated[:, axis], step.measured[:, axis]
        row[f"{name}_r"] = float(np.corrcoef(mine, theirs)[0, 1])
        row[f"{name}_error"] = float(100.0 * np.sqrt(((mine - theirs) ** 2).mean()) / weight)
    row["impulse_ratio"] = float(step.estimated[:, 2].sum() / step.measured[:, 2].sum())
    row["lag_ms"], row["lag_r"] = _best_lag(step)
    return row


def _best_lag(step: Step) -> tuple[float, float]:
    """By how much the plate is later than the motion [ms], and the vertical correlation then."""
    mine, theirs = step.estimated[:, 2], step.measured[:, 2]
    lags = range(-4, 5)
    found = [
        float(np.corrcoef(mine[4 - lag : len(mine) - 4 - lag], theirs[4 : len(theirs) - 4])[0, 1])
        for lag in lags
    ]
    best = int(np.argmax(found))
    return 10.0 * lags[best], found[best]


def moment_rows(measured: Measured) -> list[Row]:
    """Joint moments with measured forces, and with estimated ones, against OpenSim's inverse dynamics."""
    fitted, mass = measured.fitted, measured.take.mass
    motion, mapping = fitted.fit.motion, fitted.fit.subject.calibration.rig.mapping
    settings = DynamicsSettings(mass=mass)
    with_plates = analyse_motion(motion, mapping, settings, loads=gait_loads())
    take = make_take(Job(motion, mapping, BakeSettings(mass=mass)))
    table = read_storage(GAIT / "walk_id.sto")
    inside = (with_plates.time > table["time"][0]) & (with_plates.time < table["time"][-1])
    rows = []
    for joint, (segment, column) in MOMENTS.items():
        for side in "LR":
            theirs = np.interp(
                with_plates.time[inside], table["time"], table[f"{column}_{side.lower()}_moment"]
            )
            row: dict[str, object] = {"joint": joint, "side": side, "range_nm": float(np.ptp(theirs))}
            for kind, found in (("measured", with_plates), ("estimated", measured.analysis)):
                # OpenSim counts flexion and extension the other way.
                mine = -sagittal_moment(take, found, settings, f"{segment}.{side}")[inside]
                row[f"{kind}_r"] = float(np.corrcoef(mine, theirs)[0, 1])
                row[f"{kind}_error_nm"] = float(np.sqrt(((mine - theirs) ** 2).mean()))
            rows.append(row)
    return rows


def sagittal_moment(take: Take, found: Analysis, settings: DynamicsSettings, segment: str) -> FloatArray:
    """Of a joint (T) [Nm]: about its hinge, or about the side axis of the segment above it."""
    columns = np.flatnonzero(np.char.startswith(found.axis_name, f"{segment}/"))
    if len(columns) == 1:
        return found.torque[:, columns[0]]
    names = list(take.spec.names)
    quaternion = segment_poses(take.spec, smooth_poses(take, settings)[1])[1]
    parent = take.spec[segment].parent
    assert parent is not None
    above = quaternion[:, names.index(parent if segment.startswith("thigh") else segment)]
    world = rotations.rotate(quaternion[:, names.index(segment)], found.torque[:, columns])
    return np.asarray(rotations.rotate(rotations.conjugate(above), world)[:, 1])


def _at(time_s: FloatArray, own: FloatArray, values: FloatArray) -> FloatArray:
    return np.stack([np.interp(time_s, own, column) for column in values.T], axis=1)
