"""Punches of captures that are aimed at other targets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from sim_core.bake.attempt import Attempt
from sim_core.bake.make_reference import planned_qpos
from sim_core.bake.methods import USUAL
from sim_core.bake.pipeline import bake
from sim_core.bake.setup import set_up
from sim_core.base.conventions import Z_UP, FloatArray
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.aims import Aim

from ..common.clips import clip_of

BEFORE_S, AFTER_S = 1.2, 1.0
"""Part of the clip that is used before and after the strike [s]."""
STEP = 0.1
"""Spacing of the grid [m]."""
RATIOS = (0.5, 0.7, 0.85, 1.2, 1.5, 1.8)
"""Requested speeds, as shares of the original one."""
DRIFTS = ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
"""Velocities of moving targets: ahead, left, up [m/s]."""
LATE_S = 0.05
"""A moving target is met this long after it was at the original contact [s]."""
PHYSICAL = BakeSettings(assist_cap=0.0, find_assist=False)


@dataclass(frozen=True)
class Punch:
    """A strike of a capture: the bone that strikes, and when [s]."""

    clip: str
    bone: str
    time: float


STRIKES = {
    "02_05 right": Punch("02_05", "hand.R", 1.17),
    "02_05 right, later": Punch("02_05", "hand.R", 11.37),
    "13_18 left": Punch("13_18", "hand.L", 3.26),
    "13_18 right": Punch("13_18", "hand.R", 3.55),
}
TUNED = "02_05 right"
"""The punch with which the method was developed; the others were not looked at."""


@dataclass(frozen=True, eq=False)
class OriginalStrike:
    """A punch as it was captured: position (3) [m] and speed [m/s] at its contact.

    axes (3, 3): the directions ahead, from the hips to the contact, left and up as rows
    """

    punch: Punch
    motion: Motion
    position: FloatArray
    speed: float
    axes: FloatArray


@dataclass(frozen=True)
class RequestedStrike:
    """What is requested of a punch, in directions ahead, left, up.

    offset (3): from the original contact [m]; drift (3): velocity of the target [m/s]
    ratio: of the original speed; 0 requests none
    """

    kind: str
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)
    ratio: float = 1.0
    drift: tuple[float, ...] = (0.0, 0.0, 0.0)


def grid(wide: bool) -> list[tuple[float, ...]]:
    """Return the offsets of a grid: one step in each direction, or two to the sides, up and down if wide."""
    near = list(product((-STEP, 0.0, STEP), repeat=3))
    sides = (-2 * STEP, -STEP, 0.0, STEP, 2 * STEP)
    far = [(0.0, y, z) for y in sides for z in sides if max(abs(y), abs(z)) > 1.5 * STEP]
    return near + (far if wide else [])


def original_strike(punch: Punch) -> OriginalStrike:
    """Measure a punch on its prepared motion, before that is changed."""
    whole = read_bvh(clip_of(punch.clip).file).motion
    motion = whole.between(punch.time - BEFORE_S, punch.time + AFTER_S)
    aim = Aim(punch.bone, np.zeros(3), time=float(whole.time[0]) + punch.time)
    (setup,) = set_up((Job(motion, recognise(motion.skeleton), PHYSICAL, aims=(aim,)),))
    assert setup.aiming is not None
    (contact,) = setup.aiming.contacts(planned_qpos(setup, Attempt(USUAL)))
    sample = int(np.argmin(np.abs(motion.time - motion.time[0] - BEFORE_S)))
    ahead = (contact.position - motion.position_world[sample, setup.scenario.binding.joint[0]]) * [
        1.0,
        1.0,
        0.0,
    ]
    ahead /= np.linalg.norm(ahead)
    return OriginalStrike(
        punch, motion, contact.position, contact.speed, np.array([ahead, np.cross(Z_UP, ahead), Z_UP])
    )


def bake_strike(original: OriginalStrike, requested: RequestedStrike) -> Result | str:
    """Return the result of a requested strike, or why it was refused."""
    struck_s = float(original.motion.time[0]) + BEFORE_S
    position, drift = (np.array(values) @ original.axes for values in (requested.offset, requested.drift))
    times = struck_s + np.linspace(-1.0, 1.0, 21)
    path = original.position + position + np.outer(times - struck_s, drift)
    contact_s = struck_s + (LATE_S if drift.any() else 0.0)
    aim = Aim(original.punch.bone, path, times, time=contact_s, speed=requested.ratio * original.speed)
    try:
        return bake(Job(original.motion, recognise(original.motion.skeleton), PHYSICAL, aims=(aim,)))
    except InputError as problem:
        return str(problem)
