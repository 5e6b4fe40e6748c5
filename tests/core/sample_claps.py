"""A person who claps once."""

from __future__ import annotations

import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.retarget.arms import palms
from sim_core.retarget.retarget_rig import make_retarget_rig
from tests.core.sample_motions import times
from tests.core.sample_people import MAPPING, Performance, person


def arms_at(time: FloatArray, sideways: FloatArray, bend: float = 1.2) -> Performance:
    """Stands with upper arms raised forwards and forearms bent, turned inwards by `sideways` (T) [rad]."""
    turns = {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        zero = np.zeros_like(time)
        turns[f"upper_arm.{side}"] = np.stack([-sign * sideways, zero - 0.6, zero], axis=1)
        turns[f"forearm.{side}"] = np.tile([0.0, -bend, 0.0], (len(time), 1))
    return Performance(time, turns, np.zeros((len(time), 3)))


def clap() -> Performance:
    """Hands that come together at 0.5 s and part again."""
    time = times(1.0)
    angle = np.linspace(0.0, 1.2, 400)
    motion = person(arms_at(angle, angle))
    actor = make_retarget_rig(motion.skeleton, MAPPING, motion)
    apart = np.linalg.norm(palms(actor, motion, "L") - palms(actor, motion, "R"), axis=1)
    meet = angle[int(np.argmin(apart))]
    return arms_at(time, meet * np.sin(np.pi * time) ** 2)
