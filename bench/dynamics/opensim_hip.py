"""Hip moments about other hip centres: those of OpenSim's model and of a regression, in the gait2392 walk."""

from __future__ import annotations

import re

import numpy as np

from sim_core.analysis.analysis import Analysis
from sim_core.analysis.clip_dynamics import CUTOFF_HZ
from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, Z_UP, FloatArray
from sim_core.character.posing import segment_poses
from sim_core.markers.marker_sets import MIRROR
from sim_core.markers.marker_take import MarkerTake
from sim_core.markers.predicted_hips import predicted_hip
from sim_core.motion.motion import low_pass_values
from sim_core.scenario.scenario import Scenario

from .captures import GAIT

PELVIS_MARKERS = ("L.ASIS", "R.ASIS", "V.Sacral")
LEG = ("thigh", "shin", "foot")


def model_hip(side: str) -> FloatArray:
    """Return the hip centre (3) of OpenSim's scaled model [m].

    It is given forward, left and up from the middle of the front pelvis markers.
    """
    text = (GAIT / "subject01_scaled.osim").read_text()
    marker_positions = dict(
        re.findall(r'<Marker name="([^"]+)">.*?<location>(.*?)</location>', text, re.DOTALL)
    )
    joint = re.search(rf'name="hip_{side.lower()}">.*?<translation>(.*?)</translation>', text, re.DOTALL)
    assert joint is not None
    middle, axes = _pelvis(*(_vector(marker_positions[name]) for name in PELVIS_MARKERS))
    return np.asarray(axes.T @ (_vector(joint[1]) - middle))


def regression_hip(markers: MarkerTake, side: str) -> FloatArray:
    """Return the hip centre (3) of the marker fit's regression, in the same axes [m]."""
    left, right, back = (_track(markers, name) for name in PELVIS_MARKERS)
    width = float(np.nanmedian(np.linalg.norm(left - right, axis=1)))
    depth = float(np.nanmedian(np.linalg.norm(0.5 * (left + right) - back, axis=1)))
    return predicted_hip(width, depth) * (MIRROR if side == "R" else 1.0)


def hip_in_markers(markers: MarkerTake, time: FloatArray, hip: FloatArray) -> FloatArray:
    """Return the mean position (3) of a hip (T, 3) in the axes of the pelvis markers [m]."""
    middle, axes = _pelvis(*(_sampled(markers, name, time) for name in PELVIS_MARKERS))
    return np.asarray(np.einsum("tij,ti->tj", axes, hip - middle).mean(axis=0))


def about_hip(
    hip_position: FloatArray,
    scenario: Scenario,
    found: Analysis,
    qpos: FloatArray,
    markers: MarkerTake,
    side: str,
) -> FloatArray:
    """Return the change of a hip's sagittal moment (T) [Nm] when its centre is moved.

    hip_position (3): the other centre, in the axes of the pelvis markers [m]
    """
    names = list(scenario.spec.names)
    position, quaternion = segment_poses(scenario.spec, qpos)
    own = position[:, names.index(f"thigh.{side}")]
    middle, axes = _pelvis(*(_sampled(markers, name, found.time) for name in PELVIS_MARKERS))
    leg = [names.index(f"{part}.{side}") for part in LEG]
    centre = found.body_com[:, leg]
    acceleration = np.gradient(np.gradient(centre, found.dt, axis=0), found.dt, axis=0)
    needed = np.einsum("s,tsi->ti", found.body_mass[leg], acceleration + GRAVITY * Z_UP)
    through_hip = needed - found.foot_force[:, "LR".index(side)]
    moment = np.cross(own - (middle + axes @ hip_position), through_hip)
    pelvis = quaternion[:, names.index("pelvis")]
    return np.asarray(rotations.rotate(rotations.conjugate(pelvis), moment)[:, 1])


def _pelvis(left: FloatArray, right: FloatArray, back: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the middle of the front markers (..., 3), and axes forward, left, up as columns (..., 3, 3)."""
    middle = 0.5 * (left + right)
    y = _unit(left - right)
    ahead = middle - back
    x = _unit(ahead - (ahead * y).sum(axis=-1, keepdims=True) * y)
    return middle, np.stack([x, y, np.cross(x, y)], axis=-1)


def _unit(vector: FloatArray) -> FloatArray:
    return vector / np.linalg.norm(vector, axis=-1, keepdims=True)


def _vector(text: str) -> FloatArray:
    return np.array([float(word) for word in text.split()])


def _track(markers: MarkerTake, name: str) -> FloatArray:
    return markers.position_world[:, list(markers.labels).index(name)]


def _sampled(markers: MarkerTake, name: str, time: FloatArray) -> FloatArray:
    smooth = low_pass_values(_track(markers, name), markers.rate_hz, CUTOFF_HZ)
    return np.stack([np.interp(time, markers.time, column) for column in smooth.T], axis=1)
