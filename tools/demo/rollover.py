"""How a foot rolls on the floor: over the heel, then over ball and toes."""

from __future__ import annotations

import numpy as np

from sim_core.base.conventions import FloatArray

from .body import HEEL_REST, TOE_TIP_REST, Body

TOE_BEND_LIMIT = np.radians(45.0)
"""The toes bend up towards this and the foot rolls on over their tip."""


def toe_bend(pitch: FloatArray) -> FloatArray:
    """Bend of the toes against the foot [rad] while it stands with a pitch (toes up positive) [rad]."""
    heel_up = np.maximum(-pitch, 0.0)
    return np.asarray(-TOE_BEND_LIMIT * np.expm1(-heel_up / TOE_BEND_LIMIT))


def ankle_shift(pitch: FloatArray, body: Body) -> FloatArray:
    """Where the ankle goes from its place over the flat foot, (..., 2) forward and up [m]."""
    heel, tip = (body.rest_point(point, "L")[[0, 2]] for point in (HEEL_REST, TOE_TIP_REST))
    ankle, ball = (body.rest_head(bone)[[0, 2]] for bone in ("foot.L", "toe.L"))
    on_heel = heel + _tilted(ankle - heel, pitch)
    toes_pitch = pitch + toe_bend(pitch)
    on_toes = tip + _tilted(ball - tip, toes_pitch) + _tilted(ankle - ball, pitch)
    return np.asarray(np.where((pitch > 0.0)[..., None], on_heel, on_toes) - ankle)


def _tilted(arm: FloatArray, pitch: FloatArray) -> FloatArray:
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([arm[0] * c - arm[1] * s, arm[0] * s + arm[1] * c], axis=-1)
