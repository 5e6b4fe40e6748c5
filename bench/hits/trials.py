"""Throws at a boxer, and its reaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import Z_UP, FloatArray
from sim_core.base.errors import InputError
from sim_core.control.hit_reaction import region_of
from sim_core.recognition import recognise
from sim_core.result import metrics
from sim_core.result.records import Hit
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
"""Distance from which a ball is thrown [m]."""
FROM_DEG = (0, 30, -30, 60, -60, 90, -90, 135, -135, 180)
"""Directions from which a ball may come [deg], 0 is the front; the first without an obstacle is used."""
BACK, STEADY_S = 1.5, 0.1
"""Error that counts as back, over the error before the hit; and the time over which it is averaged [s]."""


@dataclass(frozen=True, eq=False)
class Throw:
    """A ball that is thrown at a body part.

    time [s]: of the throw; from_deg: direction from which it comes
    run, unhit: the simulation of the first seconds with the throw and without, from the same start
    """

    target: str
    time: float
    from_deg: int
    run: Result
    unhit: Result

    @property
    def hit(self) -> Hit | None:
        """Return the first hit, or None."""
        hits = self.run.meta.hits
        return hits[0] if hits else None


@dataclass(frozen=True)
class Figures:
    """Joint errors after a hit, where not said otherwise in the run that was hit.

    before_deg, worst_deg: in the second before and after the hit
    back_s, back_first_s: from the last hit of the first second, or from the first hit, until the error is
    back
    back_beside_s: as back_s, against the run without a hit where that has a larger error than before
    later, later_unhit: mean error in the second second after the hit over that before it; without a hit
    region_deg, other_deg: largest change of a joint in the region of the hit, and of any other, against
    the run without a hit, in the half second after it
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
    """Return the first seconds of the motion without a throw."""
    return bake(_job(FLAT, BakeSettings(seed=seed, noise=noise), seconds))


def throw(
    target: str,
    time: float,
    settings: BakeSettings,
    seconds: float = SECONDS,
    sides: tuple[int, ...] = FROM_DEG,
) -> Throw:
    """Throw a ball from the first direction from which it meets the target first."""
    unhit, refused = alone(seconds, settings.seed, settings.noise), ""
    for side in sides:
        try:
            scene = Scene((_ball(unhit, target, time, side),))
            return Throw(target, time, side, bake(_job(scene, settings, seconds)), unhit)
        except InputError as problem:
            refused = str(problem)
    raise InputError(refused)


def figures(thrown: Throw) -> Figures | None:
    """Return the figures of a throw, or None where nothing was hit."""
    hit, run = thrown.hit, thrown.run
    if hit is None:
        return None
    at, second = round(hit.time_s / _dt(run)), round(1.0 / _dt(run))
    error, error_unhit = joint_errors(run), joint_errors(thrown.unhit)
    before = float(error[at - second : at].mean())
    last = max(h.time_s for h in run.meta.hits if h.time_s < hit.time_s + 1.0)
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
    """Return the mean joint error over time (T) [deg]."""
    return metrics.joint_error_deg(
        run.joint_quaternion_world, run.reference_joint_quaternion_world, run.joint_parent
    )


def _back_s(error: FloatArray, since_s: float, before: float, dt: float) -> float:
    """Return the time from a hit until the averaged error is back [s], or infinity.

    It counts after the largest error of the first half second.
    """
    at, window = round(since_s / dt), round(STEADY_S / dt)
    worst = int(error[at : at + round(0.5 / dt)].argmax())
    steady = np.convolve(error[at + worst :], np.full(window, 1.0 / window), "valid")
    good = np.flatnonzero(steady < BACK * before)
    return (worst + int(good[0]) + window) * dt if len(good) else float("inf")


def joint_change(thrown: Throw) -> FloatArray:
    """Return the angles between the joints with and without the throw (T, J) [rad]."""
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
    """Return a ball at the height of the target, at a distance from it at the time of the launch."""
    sample, names = round(time / _dt(run)), [str(name) for name in run.body_name]
    hips = [run.joint_position[sample, names.index(f"thigh.{side}")] for side in "LR"]
    forward = np.cross(hips[0] - hips[1], Z_UP)
    turn = rotations.from_vector(np.radians(from_deg) * Z_UP)
    direction = rotations.rotate(turn, forward / np.linalg.norm(forward))
    position = run.body_com[sample, names.index(target)] + DISTANCE * direction
    launch = Launch(float(run.time[0]) + time, BALL_SPEED, target)
    return SceneObject("ball", Role.PROJECTILE, Sphere(BALL_RADIUS), position, mass=BALL_KG, launch=launch)
