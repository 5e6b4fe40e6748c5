"""Forces of takes, estimated from their markers alone, and joint moments against OpenSim's."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.ndimage import binary_dilation

from sim_core.analysis.analysis import Analysis
from sim_core.analysis.analysis_file import rms
from sim_core.analysis.clip_dynamics import DynamicsSettings, analyse_motion, smooth_poses, weigh_motion
from sim_core.base import rotations
from sim_core.base.conventions import BoolArray, FloatArray
from sim_core.character.posing import segment_poses
from sim_core.markers.fit_pipeline import FittedFile
from sim_core.motion.motion import CONTROL_DT
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario, make_scenario
from sim_core.scenario.settings import BakeSettings

from ..common.tables import Row
from .captures import GAIT, GAIT_PLATES, ForceTake, read_storage
from .opensim_hip import about_hip, hip_in_markers, model_hip, regression_hip
from .steps import EDGE, LOADED_N

AROUND_S = 0.1
"""Time before and after a stance that is compared, too [s]."""
START_S = 0.1
"""Beginning of OpenSim's file, in which forces at its pelvis have no cause in the file itself [s]."""
BY_PLATES, BY_HEIGHT = ", mass from the plates", ", mass not given"
"""Suffixes of the names of takes whose mass is that of their plates, or of an average body of this height."""
MOMENTS = {"ankle": ("foot", "ankle_angle"), "knee": ("shin", "knee_angle"), "hip": ("thigh", "hip_flexion")}


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
    loads = () if take.plate_file is None else take.plate_file.loads()
    weighed = weigh_motion(motion, mapping, settings, fitted.take.plates, loads)  # also loads libraries
    found, seconds = _without_plates(fitted, take.mass)
    return Measured(take, fitted, found, seconds, None if weighed is None else weighed.mass)


def with_plate_mass(measured: Measured) -> Measured:
    """Return the same take with the mass that its plates weigh, and nothing else of them."""
    assert measured.plate_mass is not None
    found, seconds = _without_plates(measured.fitted, measured.plate_mass)
    take = replace(measured.take, name=f"{measured.take.name}{BY_PLATES}", mass=measured.plate_mass)
    return replace(measured, take=take, analysis=found, seconds=seconds)


def without_mass(measured: Measured) -> Measured:
    """Return the same take as if nobody had said what the subject weighs."""
    found, seconds = _without_plates(measured.fitted, None)
    take = replace(measured.take, name=f"{measured.take.name}{BY_HEIGHT}")
    return replace(measured, take=take, analysis=found, seconds=seconds)


def _without_plates(fitted: FittedFile, mass: float | None) -> tuple[Analysis, float]:
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
        "mass": found.mass,
        "plate_mass": measured.plate_mass,
        "samples": len(found.time),
        "residual_n": rms(found.residual[inner, :3]),
        "residual_nm": rms(found.residual[inner, 3:]),
        "fps": len(found.time) / measured.seconds,
        "notes": " ".join(found.notes),
    }


def moment_rows(measured: Measured) -> list[Row]:
    """Compare joint moments with measured and with estimated forces to OpenSim's inverse dynamics."""
    fitted, mass = measured.fitted, measured.take.mass
    motion, mapping = fitted.fit.motion, fitted.fit.subject.calibration.rig.mapping
    settings = DynamicsSettings(mass=mass)
    with_plates = analyse_motion(motion, mapping, settings, loads=GAIT_PLATES.loads())
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
