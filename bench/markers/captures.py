"""Marker captures, and what is known about their subjects."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.markers.marker_take import MarkerTake
from sim_core.markers.read_markers import read_markers
from sim_core.reading.bvh_clip import ReadingChoices, read_bvh

from ..common.clips import CMU, MARKERS

CMU_UNIT = 0.056444
"""Metres per unit of the CMU BVH files."""

Angles = dict[str, FloatArray]
"""Flexion over time (T) [deg] by joint: 'hip L', 'knee R', ...; NaN where it is not known."""


@dataclass(frozen=True)
class Capture:
    """A marker take, its static trial if it has one, and references: leg length [m] and joint angles.

    held_out: nothing was chosen with this take in view, and no bar is set for it
    broken: faults are put into it
    """

    name: str
    file: Path
    leg: Callable[[], float] | None
    static: Path | None = None
    angles: Callable[[MarkerTake], Angles] | None = None
    held_out: bool = False
    broken: bool = True


def _osim_leg(file: Path) -> float:
    """Return hip to knee at full extension plus knee to ankle, of a scaled gait2392 model [m]."""
    text = file.read_text()
    knee = re.search(r'<CustomJoint name="knee_r">(.*?)</CustomJoint>', text, re.S)
    ankle = re.search(r'<(?:Custom|Pin)Joint name="ankle_r">(.*?)</(?:Custom|Pin)Joint>', text, re.S)
    assert knee and ankle
    axis = re.search(r'<TransformAxis name="translation2">(.*?)</TransformAxis>', knee[1], re.S)
    assert axis
    angle, height = (_numbers(axis[1], name) for name in ("x", "y"))
    thigh = abs(float(np.interp(0.0, angle, height)) * _numbers(axis[1], "scale")[0])
    return thigh + float(np.linalg.norm(_numbers(ankle[1], "translation")))


def _numbers(text: str, tag: str) -> FloatArray:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)
    assert found
    return np.array([float(word) for word in found[1].split()])


def _plug_in_gait_leg(file: Path) -> float:
    """Return the distance of the capture software's joint centres, mean of both sides [m]."""
    take = read_markers(file).take()

    def apart(first: str, second: str) -> float:
        away = take.position_world[:, take.index(first)] - take.position_world[:, take.index(second)]
        return float(np.nanmedian(np.linalg.norm(away, axis=1)))

    return 0.5 * sum(apart(f"{s}FEP", f"{s}FEO") + apart(f"{s}FEO", f"{s}TIO") for s in "LR")


def _opencap_leg(file: Path) -> float:
    """Return hip to knee to ankle in a static trial, hips by the regression of the laboratory [m]."""
    take = read_markers(file).take()
    column = {label.lower(): take.index(label) for label in take.labels}

    def middle(*labels: str) -> FloatArray:
        return np.asarray(
            np.nanmean(take.position_world[:, [column[label] for label in labels]], axis=(0, 1))
        )

    legs = []
    for side in "lr":
        knee = middle(f"{side}_knee", f"{side}_mknee")
        ankle = middle(f"{side}_ankle", f"{side}_mankle")
        legs.append(np.linalg.norm(middle(f"{side}_hjc_reg") - knee) + np.linalg.norm(knee - ankle))
    return float(np.mean(legs))


def _bvh_leg(file: Path) -> float:
    skeleton = read_bvh(file, ReadingChoices(CMU_UNIT)).motion.skeleton
    bones = [skeleton.index[name] for name in ("LeftUpLeg", "LeftLeg", "LeftFoot")]
    return float(np.linalg.norm(np.diff(skeleton.rest_position_world[bones], axis=0), axis=1).sum())


def _opensim_angles(file: Path, take: MarkerTake) -> Angles:
    lines = file.read_text().splitlines()
    start = lines.index("endheader") + 1
    names = lines[start].split()
    table = np.array([[float(word) for word in line.split()] for line in lines[start + 1 :] if line.strip()])

    def column(name: str) -> FloatArray:
        values = table[:, names.index(name)]
        return np.interp(take.time, table[:, 0], values, left=np.nan, right=np.nan)

    hips = {f"hip {s}": column(f"hip_flexion_{s.lower()}") for s in "LR"}
    return hips | {f"knee {s}": -column(f"knee_angle_{s.lower()}") for s in "LR"}


def _plug_in_gait_angles(take: MarkerTake) -> Angles:
    return {f"{j.lower()} {s}": take.outputs[f"{s}{j}Angles"][:, 0] for j in ("Hip", "Knee") for s in "LR"}


_GAIT, _PYCGM = MARKERS / "gait2392_subject01", MARKERS / "pycgm"
_CMU, _OPENCAP = MARKERS / "cmu_c3d", MARKERS / "opencap_subject4"
_PIG = MARKERS / "btk_pig" / "PiG_walk_One.c3d"
CAPTURES = (
    Capture(
        "gait2392 walk",
        _GAIT / "walk.trc",
        partial(_osim_leg, _GAIT / "subject01_scaled.osim"),
        _GAIT / "static.trc",
        partial(_opensim_angles, _GAIT / "walk_ik.mot"),
    ),
    Capture("PiG_walk_One", _PIG, partial(_plug_in_gait_leg, _PIG), None, _plug_in_gait_angles),
    Capture(
        "pycgm stairs",
        _PYCGM / "stairs_Movement_trial.c3d",
        partial(_plug_in_gait_leg, _PYCGM / "Static_trial.c3d"),
        _PYCGM / "Static_trial.c3d",
    ),
    Capture("CMU 02_01", _CMU / "02_01.c3d", partial(_bvh_leg, CMU / "02_01.bvh")),
    Capture(
        "OpenCap walk",
        _OPENCAP / "walking1.trc",
        partial(_opencap_leg, _OPENCAP / "static1.trc"),
        _OPENCAP / "static1.trc",
        broken=False,
    ),
    Capture(
        "OpenCap sit to stand",
        _OPENCAP / "STS1.trc",
        partial(_opencap_leg, _OPENCAP / "static1.trc"),
        _OPENCAP / "static1.trc",
        broken=False,
    ),
    Capture("CMU 02_05", _CMU / "cmu_02_05.c3d", partial(_bvh_leg, CMU / "02_05.bvh"), held_out=True),
    Capture("CMU basketball", _CMU / "cmu_dribble_shoot_basketball.c3d", None, held_out=True),
)
