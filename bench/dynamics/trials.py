"""Estimated forces against measured ones, and joint moments against OpenSim's."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.ndimage import binary_dilation

from sim_core.analysis.analysis import Analysis
from sim_core.analysis.analysis_file import rms
from sim_core.analysis.clip_dynamics import DynamicsSettings, analyse_motion, smooth_poses, weigh_motion
from sim_core.analysis.plate_loads import CUTOFF_HZ
from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, BoolArray, FloatArray
from sim_core.base.intervals import true_intervals
from sim_core.character.posing import segment_poses
from sim_core.markers.fit_pipeline import FittedFile
from sim_core.motion.motion import CONTROL_DT, low_pass_values
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario, make_scenario
from sim_core.scenario.settings import BakeSettings

from ..common.tables import Row
from .captures import GAIT, ForceTake, gait_loads, read_storage
from .opensim_hip import about_hip, hip_in_markers, model_hip, regression_hip

EDGE = 5
"""Samples at both ends of a take that are not judged, because differences are one-sided there."""
LOADED_N, CARRIES = 20.0, 0.02
"""A plate is loaded above this force [N]; an estimated foot carries above this share of the weight."""
AROUND_S = 0.1
"""Time before and after a stance that is compared, too [s]."""
START_S = 0.1
"""Beginning of OpenSim's file, in which forces at its pelvis have no cause in the file itself [s]."""
BY_PLATES = ", mass from the plates"
"""Suffix of the name of a take whose mass is measured by its plates."""
MOMENTS = {"ankle": ("foot", "ankle_angle"), "knee": ("shin", "knee_angle"), "hip": ("thigh", "hip_flexion")}


@dataclass(frozen=True, eq=False)
class Step:
    """Forces (T, 3) [N] of one foot on one plate at the times (T) that are compared.

    alone (T): whether nothing else carries the body
    """

    take: str
    plate: str
    side: str
    time: FloatArray
    estimated: FloatArray
    measured: FloatArray
    alone: BoolArray


@dataclass(frozen=True, eq=False)
class Measured:
    """A take, its fit and its analysis without plates.

    plate_mass [kg]: the mass that its plates weigh
    """

    take: ForceTake
    fitted: FittedFile
    analysis: Analysis
    seconds: float
    plate_mass: float | None


def analyse(take: ForceTake) -> Measured:
    """Fit a take and estimate its forces."""
    fitted = take.fitted()
    motion, mapping = fitted.fit.motion, fitted.fit.subject.calibration.rig.mapping
    settings = DynamicsSettings(mass=take.mass)
    loads = () if take.steps else gait_loads()
    weighed = weigh_motion(motion, mapping, settings, fitted.take.plates, loads)  # also loads libraries
    found, seconds = _without_plates(fitted, take.mass)
    return Measured(take, fitted, found, seconds, None if weighed is None else weighed.mass)


def with_plate_mass(measured: Measured) -> Measured:
    """Return the same take with the mass that its plates weigh, and nothing else of them."""
    assert measured.plate_mass is not None
    take = replace(measured.take, name=f"{measured.take.name}{BY_PLATES}", mass=measured.plate_mass)
    found, seconds = _without_plates(measured.fitted, take.mass)
    return replace(measured, take=take, analysis=found, seconds=seconds)


def _without_plates(fitted: FittedFile, mass: float) -> tuple[Analysis, float]:
    """Return forces from the markers alone, and the processor time they took [s]."""
    began = time.process_time()
    found = analyse_motion(
        fitted.fit.motion,
        fitted.fit.subject.calibration.rig.mapping,
        DynamicsSettings(mass=mass, measured=False),
    )
    return found, time.process_time() - began


def take_row(measured: Measured) -> Row:
    """Return the figures of a take."""
    found, inner = measured.analysis, slice(EDGE, -EDGE)
    return {
        "name": measured.take.name,
        "held_out": measured.take.held_out,
        "mass": measured.take.mass,
        "plate_mass": measured.plate_mass,
        "samples": len(found.time),
        "residual_n": rms(found.residual[inner, :3]),
        "residual_nm": rms(found.residual[inner, 3:]),
        "fps": len(found.time) / measured.seconds,
        "notes": " ".join(found.notes),
    }


def steps_of(measured: Measured) -> list[Step]:
    """Return each foot over the time in which its plate measures it: a step, and the swings beside it."""
    found = measured.analysis
    if not measured.take.steps:
        return [_treadmill_step(measured, foot) for foot in (0, 1)]
    steps = []
    for number, side in measured.take.steps.items():
        plate = measured.fitted.take.plates[number - 1]
        foot = "LR".index(side)
        rate = (len(plate.time) - 1) / float(plate.time[-1] - plate.time[0])
        force = _at(found.time, plate.time, low_pass_values(plate.force_world, rate, CUTOFF_HZ))
        start, end = max(
            true_intervals(force[:, 2] > LOADED_N), key=lambda interval: interval[1] - interval[0]
        )
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
                _alone(found, foot)[part],
            )
        )
    return steps


def _alone(found: Analysis, foot: int) -> BoolArray:
    """Return where the other foot carries nothing (T)."""
    return np.asarray(found.foot_force[:, 1 - foot, 2] < 1.0)


def _treadmill_step(measured: Measured, foot: int) -> Step:
    found, load = measured.analysis, gait_loads()[foot]
    rate = (len(load.time) - 1) / float(load.time[-1] - load.time[0])
    force = _at(found.time, load.time, low_pass_values(load.force, rate, CUTOFF_HZ))
    part = slice(EDGE, -EDGE)
    return Step(
        measured.take.name,
        "belt",
        "LR"[foot],
        found.time[part],
        found.foot_force[part, foot],
        force[part],
        _alone(found, foot)[part],
    )


def _with_swings(carries: np.ndarray, start: int, end: int) -> tuple[int, int]:
    """Return the samples from the end of the contact before to the start of the one after."""
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
    """Return correlation and RMS difference as a share of the weight, for each axis; and at the best lag."""
    weight = mass * GRAVITY
    forward = int(np.argmax(np.ptp(step.measured[:, :2], axis=0)))
    row: dict[str, object] = {"name": step.take, "plate": step.plate, "side": step.side}
    for name, axis in (("vertical", 2), ("fore_aft", forward), ("sideways", 1 - forward)):
        mine, theirs = step.estimated[:, axis], step.measured[:, axis]
        row[f"{name}_r"] = float(np.corrcoef(mine, theirs)[0, 1])
        row[f"{name}_error"] = float(100.0 * np.sqrt(((mine - theirs) ** 2).mean()) / weight)
    row["impulse_ratio"] = float(step.estimated[:, 2].sum() / step.measured[:, 2].sum())
    row["lag_ms"], row["lag_r"] = _best_lag(step)
    # While one foot carries all, the estimate is mass times acceleration: nothing is shared, or chosen.
    alone = step.alone & (step.estimated[:, 2] > LOADED_N) & (step.measured[:, 2] > LOADED_N)
    row["plate_mass"] = mass * float(step.measured[alone, 2].sum() / step.estimated[alone, 2].sum())
    return row


def _best_lag(step: Step) -> tuple[float, float]:
    """Return how much later the plate is than the motion [ms], and the vertical correlation then."""
    mine, theirs = step.estimated[:, 2], step.measured[:, 2]
    lags = range(-4, 5)
    found = [
        float(np.corrcoef(mine[4 - lag : len(mine) - 4 - lag], theirs[4 : len(theirs) - 4])[0, 1])
        for lag in lags
    ]
    best = int(np.argmax(found))
    return 10.0 * lags[best], found[best]


def moment_rows(measured: Measured) -> list[Row]:
    """Compare joint moments with measured and with estimated forces to OpenSim's inverse dynamics."""
    fitted, mass = measured.fitted, measured.take.mass
    motion, mapping = fitted.fit.motion, fitted.fit.subject.calibration.rig.mapping
    settings = DynamicsSettings(mass=mass)
    with_plates = analyse_motion(motion, mapping, settings, loads=gait_loads())
    scenario = make_scenario(Job(motion, mapping, BakeSettings(mass=mass)))
    table = read_storage(GAIT / "walk_id.sto")
    time_s = with_plates.time
    inside = (time_s > table["time"][0]) & (time_s < table["time"][-1])
    late = inside & (time_s > table["time"][0] + START_S)
    rows: list[Row] = []
    for joint, (segment, column) in MOMENTS.items():
        for foot, side in enumerate("LR"):
            theirs = np.interp(time_s, table["time"], table[f"{column}_{side.lower()}_moment"])
            # OpenSim has the opposite sign of flexion and extension.
            plates, estimate = (
                -sagittal_moment(scenario, found, settings, f"{segment}.{side}")
                for found in (with_plates, measured.analysis)
            )
            compared = {"measured": plates, "estimated": estimate}
            if joint == "hip":
                poses = smooth_poses(scenario, settings)[1]
                for name, hip in (
                    ("regression", regression_hip(fitted.take, side)),
                    ("model", model_hip(side)),
                ):
                    compared[name] = plates - about_hip(hip, scenario, with_plates, poses, fitted.take, side)
            row: dict[str, Any] = {"joint": joint, "side": side, "range_nm": float(np.ptp(theirs[inside]))}
            stance = inside & _around(with_plates.foot_force[:, foot, 2] > LOADED_N)
            for kind, mine in compared.items():
                for window, chosen in (("wide", inside), ("late", late), ("stance", stance)):
                    row[f"{kind}_{window}_r"] = float(np.corrcoef(mine[chosen], theirs[chosen])[0, 1])
                    error = mine[chosen] - theirs[chosen]
                    row[f"{kind}_{window}_nm"] = float(np.sqrt((error**2).mean()))
            rows.append(row)
    return rows


def hip_rows(measured: Measured) -> list[Row]:
    """Return where three methods put the hip centres of the gait2392 walk."""
    fitted, rows = measured.fitted, list[Row]()
    motion, mapping = fitted.fit.motion, fitted.fit.subject.calibration.rig.mapping
    scenario = make_scenario(Job(motion, mapping, BakeSettings(mass=measured.take.mass)))
    time_s, qpos = smooth_poses(scenario, DynamicsSettings())
    position = segment_poses(scenario.spec, qpos)[0]
    for side in "LR":
        own = position[:, list(scenario.spec.names).index(f"thigh.{side}")]
        for name, hip in (
            ("the marker fit", hip_in_markers(fitted.take, time_s, own)),
            ("regression (Harrington et al. 2007)", regression_hip(fitted.take, side)),
            ("OpenSim's scaled model", model_hip(side)),
        ):
            back, across, down = 100.0 * abs(hip)
            rows.append({"side": side, "name": name, "back": back, "across": across, "down": down})
    return rows


def _around(loaded: BoolArray) -> BoolArray:
    """Return the samples within AROUND_S of a load (T)."""
    return np.asarray(binary_dilation(loaded, iterations=round(AROUND_S / CONTROL_DT)))


def sagittal_moment(
    scenario: Scenario, found: Analysis, settings: DynamicsSettings, segment: str
) -> FloatArray:
    """Return a joint's moment (T) [Nm] about its hinge, or about the side axis of the segment above it."""
    columns = np.flatnonzero(np.char.startswith(found.axis_name, f"{segment}/"))
    if len(columns) == 1:
        return found.torque[:, columns[0]]
    names = list(scenario.spec.names)
    quaternion = segment_poses(scenario.spec, smooth_poses(scenario, settings)[1])[1]
    parent = scenario.spec[segment].parent
    assert parent is not None
    above = quaternion[:, names.index(parent if segment.startswith("thigh") else segment)]
    world = rotations.rotate(quaternion[:, names.index(segment)], found.torque[:, columns])
    return np.asarray(rotations.rotate(rotations.conjugate(above), world)[:, 1])


def _at(time_s: FloatArray, own: FloatArray, values: FloatArray) -> FloatArray:
    return np.stack([np.interp(time_s, own, column) for column in values.T], axis=1)
