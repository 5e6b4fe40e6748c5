"""Markers on the mannequin, as a motion capture system would see them, and their TRC file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import X_FORWARD, FloatArray
from sim_core.markers.marker_sets import preset_set
from sim_core.motion.motion import Motion

MARKER_SET = "cmu_41"
BONE_OF_PART = {"clavicle": "shoulder"}
"""Parts of marker sets whose bone has another name on the mannequin."""
ARMS = ("upper_arm", "forearm", "hand")
"""Parts whose offsets are given for arms that hang, while the mannequin rests with its arms sideways."""
ATTACHED_WITHIN_M = 0.008
"""Standard deviation of where markers sit [m], so that a fit has to find them."""


def marker_paths(motion: Motion, scale: float = 1.0, seed: int = 0) -> tuple[list[str], FloatArray]:
    """Return labels (M) and paths (T, M, 3) of markers on a mannequin [m]; scale: its size over 1.75 m."""
    rng = np.random.default_rng(seed)
    skeleton, labels, paths = motion.skeleton, [], []
    for label, row in preset_set(MARKER_SET).rows.items():
        if row.offset is None:
            continue
        part, _, side = row.part.partition(".")
        name = BONE_OF_PART.get(part, part) + (f".{side}" if side else "")
        bone = skeleton.index[name]
        raised = np.pi / 2 * {"L": 1.0, "R": -1.0}.get(side, 0.0) * (part in ARMS)
        offset = rotations.rotate(rotations.from_vector(raised * X_FORWARD), scale * row.offset)
        offset = offset + rng.normal(0.0, ATTACHED_WITHIN_M, 3)
        turn = rotations.multiply(
            motion.quaternion_world[:, bone], rotations.conjugate(skeleton.rest_quaternion_world[bone])
        )
        labels.append(label)
        paths.append(motion.position_world[:, bone] + rotations.rotate(turn, offset))
    return labels, np.stack(paths, axis=1)


def write_trc(path: Path, labels: list[str], paths: FloatArray, rate_hz: float) -> Path:
    """Write paths (T, M, 3) [m] as a TRC file in millimetres, and return its path."""
    frames = len(paths)
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate_hz:g}\t{rate_hz:g}\t{frames}\t{len(labels)}\tmm\t{rate_hz:g}\t1\t{frames}",
        "Frame#\tTime\t" + "\t\t\t".join(labels) + "\t\t\t",
        "\t\t" + "\t".join(f"{axis}{n}" for n in range(1, len(labels) + 1) for axis in "XYZ"),
        "",
    ]
    for frame, points in enumerate(1000.0 * paths):
        cells = [f"{value:.3f}" for value in points.ravel()]
        lines.append("\t".join([str(frame + 1), f"{frame / rate_hz:.5f}", *cells]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
