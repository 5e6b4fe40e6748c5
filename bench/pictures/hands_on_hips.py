"""Hands on hips on characters with meshes, retargeted without hands and with them, side by side."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

from sim_core.motion.motion import Motion
from sim_core.motion.skinned_mesh import SkinnedMesh
from sim_core.retarget.retarget import retarget
from sim_core.retarget.retarget_options import RetargetOptions
from sim_core.retarget.retarget_rig import RetargetRig
from tests.core.sample_touches import touching

from ..retarget.hand_measures import skinned
from ..retarget.hand_trials import bodies

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

SHOWN = ("Knight", "CesiumMan", "RobotExpressive")
AT = 1.0
"""Hands are on the hips then [s]."""
LIGHT = np.array([0.8, 0.3, 0.5])
ARM, BODY = np.array([0.86, 0.45, 0.20]), np.array([0.62, 0.66, 0.72])


def write_hands_on_hips(path: Path) -> None:
    """Write the picture."""
    source, motion = touching("hands on hips")
    found, row = bodies(), int(np.searchsorted(motion.time, AT))
    figure, axes = pyplot.subplots(1, 2 * len(SHOWN), figsize=(1.8 * 2 * len(SHOWN), 2.3), dpi=100)
    for number, name in enumerate(SHOWN):
        target = found[name]
        ways = {
            "without hands": retarget(source, motion, target, RetargetOptions(hands=False)).motion,
            "Heft": retarget(source, motion, target).motion,
        }
        for (way, shown), axis in zip(ways.items(), axes[2 * number : 2 * number + 2], strict=True):
            assert target.mesh is not None
            _draw(axis, target, target.mesh, shown, row)
            axis.set_title(f"{name},\n{way}", fontsize=8)
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=0.84, wspace=0.0)
    figure.savefig(path)
    pyplot.close(figure)


def _draw(axis: Axes, rig: RetargetRig, mesh: SkinnedMesh, motion: Motion, row: int) -> None:
    """Draw the skinned mesh from the front; arms have a colour of their own, held weapons are left out."""
    first = np.take_along_axis(mesh.bone, mesh.weight.argmax(axis=1)[:, None], axis=1)[:, 0]
    skeleton = rig.skeleton
    shoulders = [rig.bone(f"upper_arm.{side}") for side in "LR"]
    arms = {*shoulders, *(bone for one in shoulders for bone in skeleton.descendants(one))}
    held = {b for b, name in enumerate(skeleton.names) if "slot" in name}
    triangle = mesh.triangle[~np.isin(first, list(held))[mesh.triangle].any(axis=1)]
    corners = skinned(mesh, motion, row)[triangle]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    bright = 0.45 + 0.55 * np.clip(normal @ LIGHT, 0.0, 1.0)
    is_arm = np.asarray(np.isin(first, list(arms))[triangle].all(axis=1))
    colour = np.where(is_arm[:, None], ARM, BODY) * bright[:, None]
    order = np.argsort(corners[:, :, 0].mean(axis=1))
    faces = PolyCollection(
        corners[order][:, :, 1:], facecolors=colour[order], edgecolors="face", linewidths=0.3
    )
    axis.add_collection(faces)
    middle, high = corners.reshape(-1, 3).mean(axis=0), corners[:, :, 2].max()
    low, reach = corners[:, :, 2].min(), 0.5 * float(np.ptp(corners[:, :, 2]))
    axis.set_xlim(middle[1] - 0.8 * reach, middle[1] + 0.8 * reach)
    axis.set_ylim(low - 0.02, high + 0.02)
    axis.set_aspect("equal")
    axis.axis("off")
