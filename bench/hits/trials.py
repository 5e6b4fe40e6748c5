"""Throws at a boxer, and how it takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import Z_UP, FloatArray
from sim_core.base.errors import InputError
from sim_core.control.hit_reaction import Hit, region_of
from sim_core.recognition import recognise
from sim_core.result import metrics
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import FLAT, Launch, Role, Scene, SceneObject
from sim_core.scene.shapes import Sphere

from ..common.clips import SECONDS, clip_of
from ..common.motions import read_clip

CLIP = "13_18"
BALL_KG, BALL_SPEED, BALL_RADIUS = 5.0, 4.0, 0.1
DISTANCE = 1.0
"""From where it is thrown to the target [m]."""
FROM_DEG = (0, 30, -30, 60, -60, 90, -90, 135, -135, 180)
"""Where it may come from, 0 is the front; the first that meets nothing else on its way."""
BACK, STEADY_S = 1.5, 0.1
"""The error that counts as back, in errors before the hit, and over how long it is averaged [s]."""


@dataclass(frozen=True, eq=False)
class Throw:
    """At a body part, at a time [s]; from_deg: where it came from.

    run: what it did to the motion's first seconds; unhit: the same start without it
    """

    target: str
    time: float
    from_deg: int
    run: Result
    unhit: Result

    @property
    def hit(self) -> Hit | None:
        """The first of all that it hit."""
        hits = self.run.meta["hits"]
        return Hit(**hits[0]) if hits else None


@dataclass(frozen=True)
class Figures:
    """before_deg, worst_deg: joint error in the second before and after
    back_s: from the last hit of the first second until the error is back; back_first_s: from the first
    back_beside_s: as back_s, where the run that was not hit is further off than before, against that

    later: mean error in the second second after the hit, in errors before it; later_unhit: the same of the
    run that was not hit
    region_deg, other_deg: largest change of a joint in the region that was hit, and of any other one,
    against the run that was not hit, in the half second after it
    """

    before_deg: float
    worst_deg: float
    back_s: float
    back_first_s: float
    back_beside_s: float
    later: float
    later_unhit: float
    region_deg: float
    other_deg: float


@cache
def alone(seconds: float, seed: int, noise: float) -> Result:
    """The first seconds of the motion without a throw."""
    return bake(_job(FLAT, BakeSettings(seed=seed, noise=noise), seconds))


def throw(
    target: str,
    time: float,
    settings: BakeSettings,
    seconds: float = SECONDS,
    sides: tuple[int, ...] = FROM_DEG,
) -> Throw:
    unhit, refused = alone(seconds, settings.seed, settings.noise), ""
    for side in sides:
        try:
            scene = Scene((_ball(unhit, target, time, side),))
            return Throw(target, time, side, bake(_job(scene, settings, seconds)), unhit)
        except InputError as problem:
            refused = str(problem)
    raise InputError(refused)


def figures(thrown: Throw) -> Figures | None:
    """None where nothing was hit."""
    hit, run = thrown.hit, thrown.run
    if hit is None:
        return None
    at, second = round(hit.time_s / _dt(run)), round(1.0 / _dt(run))
    error, error_unhit = joint_errors(run), joint_errors(thrown.unhit)
    before = float(error[at - second : at].mean())
    last = max(h["time_s"] for h in run.meta["hits"] if h["time_s"] < hit.time_s + 1.0)
    change = np.degrees(joint_change(thrown)[at : at + second // 2].max(axis=0))
    mine = np.array([region_of(str(name)) == hit.region for name in run.body_name])
    mine[0] = False  # the pelvis hangs on no joint
    later = slice(at + second, at + 2 * second)
    return Figures(
        before_deg=before,
        worst_deg=float(error[at : at + second].max()),
        back_s=_back_s(error, last, before, _dt(run)),
        back_first_s=_back_s(error, hit.time_s, before, _dt(run)),
        back_beside_s=_back_s(error / np.maximum(error_unhit[: len(error)], before), last, 1.0, _dt(run)),
        later=float(error[later].mean()) / before,
        later_unhit=float(error_unhit[later].mean()) / before,
        region_deg=float(change[mine].max()),
        other_deg=float(change[~mine][1:].max()),
    )


def joint_errors(run: Result) -> FloatArray:
    """Over time (T) [deg]."""
    return metrics.joint_error_deg(
        run.joint_quaternion_world, run.reference_joint_quaternion_world, run.joint_parent
    )


def _back_s(error: FloatArray, since_s: float, before: float, dt: float) -> float:
    """From a hit until the averaged error is back, after its worst of the half second; infinity for never."""
    at, window = round(since_s / dt), round(STEADY_S / dt)
    worst = int(error[at : at + round(0.5 / dt)].argmax())
    steady = np.convolve(error[at + worst :], np.full(window, 1.0 / window), "valid")
    good = np.flatnonzero(steady < BACK * before)
    return (worst + int(good[0]) + window) * dt if len(good) else float("inf")


def joint_change(thrown: Throw) -> FloatArray:
    """Angles between the joints with and without the throw (T, J) [rad]."""
    there, here = (
        metrics.local_rotations(run.joint_quaternion_world, run.joint_parent)
        for run in (thrown.unhit, thrown.run)
    )
    return rotations.angle_between(there[: len(here)], here)


def _dt(run: Result) -> float:
    return float(run.time[1] - run.time[0])


def _job(scene: Scene, settings: BakeSettings, seconds: float) -> Job:
    motion = read_clip(clip_of(CLIP)).between(0.0, seconds)
    physical = replace(settings, assist_cap=0.0, find_assist=False)
    return Job(motion, recognise(motion.skeleton), physical, scene)


def _ball(run: Result, target: str, time: float, from_deg: int) -> SceneObject:
    """As high as the target, at a distance from where that is at the launch."""
    sample, names = round(time / _dt(run)), [str(name) for name in run.body_name]
    hips = [run.joint_position[sample, names.index(f"thigh.{side}")] for side in "LR"]
    forward = np.cross(hips[0] - hips[1], Z_UP)
    turn = rotations.from_vector(np.radians(from_deg) * Z_UP)
    way = rotations.rotate(turn, forward / np.linalg.norm(forward))
    place = run.body_com[sample, names.index(target)] + DISTANCE * way
    launch = Launch(float(run.time[0]) + time, BALL_SPEED, target)
    return SceneObject("ball", Role.PROJECTILE, Sphere(BALL_RADIUS), place, mass=BALL_KG, launch=launch)
