"""Punches that are aimed elsewhere."""

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
from sim_core.motion.bvh_reader import read_bvh
from sim_core.motion.motion import Motion
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.aims import Aim

from ..common.clips import clip_of

BEFORE_S, AFTER_S = 1.2, 1.0
"""Of the clip, about the strike [s]."""
STEP = 0.1
"""Of the grid [m]."""
RATIOS = (0.5, 0.7, 0.85, 1.2, 1.5, 1.8)
"""Speeds that are asked for, of the strike's own."""
DRIFTS = ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
"""Velocities of moving targets: ahead, left, up [m/s]."""
LATE_S = 0.05
"""A moving target is met this long after it was where the punch itself strikes [s]."""
PHYSICAL = BakeSettings(assist_cap=0.0, find_assist=False)


@dataclass(frozen=True)
class Punch:
    """A strike of a capture: what strikes, and when [s]."""

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
"""The one that was looked at while the method was made; the others were not."""


@dataclass(frozen=True, eq=False)
class Own:
    """A punch as it is: where it strikes [m], its speed [m/s], and the directions ahead, from the
    hips to there, left and up as rows (3, 3).
    """

    punch: Punch
    motion: Motion
    place: FloatArray
    speed: float
    axes: FloatArray


@dataclass(frozen=True)
class Blow:
    """What is asked for: an offset from the punch's own place [m] and a velocity of the target [m/s], both
    ahead, left, up; ratio: of its own speed, 0 asks for none
    """

    kind: str
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)
    ratio: float = 1.0
    drift: tuple[float, ...] = (0.0, 0.0, 0.0)


def grid(wide: bool) -> list[tuple[float, ...]]:
    """One step each way; wide: two to the sides, up and down."""
    near = list(product((-STEP, 0.0, STEP), repeat=3))
    sides = (-2 * STEP, -STEP, 0.0, STEP, 2 * STEP)
    far = [(0.0, y, z) for y in sides for z in sides if max(abs(y), abs(z)) > 1.5 * STEP]
    return near + (far if wide else [])


def own_strike(punch: Punch) -> Own:
    """Measured on the prepared motion, before it is changed."""
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
    return Own(punch, motion, contact.position, contact.speed, np.array([ahead, np.cross(Z_UP, ahead), Z_UP]))


def carry_out(own: Own, blow: Blow) -> Result | str:
    """The result, or why it was refused."""
    struck_s = float(own.motion.time[0]) + BEFORE_S
    place, drift = (np.array(values) @ own.axes for values in (blow.offset, blow.drift))
    times = struck_s + np.linspace(-1.0, 1.0, 21)
    path = own.place + place + np.outer(times - struck_s, drift)
    contact_s = struck_s + (LATE_S if drift.any() else 0.0)
    aim = Aim(own.punch.bone, path, times, time=contact_s, speed=blow.ratio * own.speed)
    try:
        return bake(Job(own.motion, recognise(own.motion.skeleton), PHYSICAL, aims=(aim,)))
    except InputError as problem:
        return str(problem)
