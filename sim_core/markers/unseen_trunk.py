"""Bodies without a marker above the pelvis: their trunk is held upright, because nobody knows what it did.

Left to itself the trunk would follow the pelvis, whose tilt differs from person to person and from marker
to marker by ten degrees and more. Half of the body's mass would then hang behind or in front of its feet.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..posefit.fit_body import EngineBody, LinkJointKind
from .marker_fit import MarkerFit

UPRIGHT_DEG, LYING_DEG = 30.0, 60.0
"""Tilts of the pelvis up to which the trunk is held upright, and from which on it lies as the pelvis does."""
NOTE = (
    "No marker is above the pelvis: what trunk, arms and head did is not known. The trunk is held upright "
    "over the pelvis, and forces and balance count on that."
)


def with_upright_trunk(fit: MarkerFit) -> tuple[MarkerFit, tuple[str, ...]]:
    """Return a fit whose unseen trunk is upright, and a note; as it is where a marker shows the trunk."""
    rig = fit.subject.calibration.rig
    spine, moved_by = rig.link("spine"), rig.body.moved_by
    thighs = [link for link in (rig.link("thigh.L"), rig.link("thigh.R")) if link is not None]
    of_legs: BoolArray = np.asarray(moved_by[:, thighs].any(axis=1))
    of_legs[0] = True
    if not of_legs[fit.attachments.link].all():
        return fit, ()
    if spine is None or rig.body.links[spine].joint.kind is not LinkJointKind.BALL:
        return fit, (NOTE,)
    engine = EngineBody(rig.body)
    link, quaternion = rig.body.links[spine], engine.poses(fit.qpos)[1]
    upright = _upright(quaternion[:, 0], quaternion[:, spine])
    above = rotations.multiply(quaternion[:, link.parent], link.joint.centre)
    first = int(engine.model.joint(link.name).qposadr[0])
    qpos = fit.qpos.copy()
    qpos[:, first : first + 4] = rotations.multiply(rotations.conjugate(above), upright)
    motion = rig.motion(fit.motion.time, *engine.poses(qpos))
    return replace(fit, qpos=qpos, motion=motion), (NOTE,)


def _upright(pelvis: FloatArray, trunk: FloatArray) -> FloatArray:
    """Return rotations (T, 4) of the trunk: upright over an upright pelvis, as it is over one that lies."""
    cosine = np.clip(rotations.rotate(pelvis, Z_UP)[:, 2], -1.0, 1.0)
    share = np.clip((LYING_DEG - np.degrees(np.arccos(cosine))) / (LYING_DEG - UPRIGHT_DEG), 0.0, 1.0)
    return rotations.slerp(trunk, rotations.about_vertical(rotations.heading(pelvis)), share)
