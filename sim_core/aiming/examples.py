"""Interpolation between examples of a strike (Zordan, Hodgins 2002, section 4; Wiley, Hahn 1997).

Examples of one action are aligned with one stance, time-scaled so that start, contact and end agree, and
interpolated with weights for which their contact points average to the target. For targets between the
examples, inverse kinematics then only has to remove the error of interpolating rotations; for targets
outside, it has less left to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import nnls

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..character.posing import pose_from_motion
from ..motion.motion import Motion
from ..scene.aims import Aim
from ..sequence.clip import Body, Clip
from ..sequence.foot_locks import Blend, BlendedFoot, keep_feet
from ..sequence.join import blended, moved_on_ground
from .strike import strike_times
from .striker import find_striker

SUM_WEIGHT = 1e3
"""How exactly the weights add up to one, relative to a miss of one metre."""
SPREAD = 1e-2
"""Small penalty on large weights [m]: of several averages that reach a target, the most even one is taken."""
LEAST = 1e-3
"""Examples with a smaller weight are left out."""

UNLIKE = 0.25
"""Examples whose bodies differ by more at the contact are refused (root mean square over points) [m]."""


@dataclass(frozen=True, eq=False)
class Example:
    """A motion with a strike: the sample of its contact, and the striker's position (3) [m] there."""

    name: str
    clip: Clip
    strike: int
    position: FloatArray


def find_example(name: str, clip: Clip, body: Body, aim: Aim, strike_s: float | None) -> Example:
    """Return a clip as an example of a strike.

    strike_s: contact time since the clip's start; None takes its fastest strike
    """
    spec, binding, motion = body.character.spec, body.character.binding, clip.motion
    striker, qpos = find_striker(aim, spec, binding, motion), pose_from_motion(spec, binding, motion)
    path, dt = striker.path(spec, qpos), 1.0 / motion.rate_hz
    if strike_s is None:
        times = strike_times(path, striker.shoulder(spec, qpos), dt)
        if not len(times):
            raise InputError(f"'{aim.bone}' does not strike in '{name}'; say when it should.")
        speed = np.linalg.norm(np.gradient(path, dt, axis=0), axis=1)
        strike_s = float(max(times, key=lambda t: speed[round(t / dt)]))
    strike = round(strike_s / dt)
    if not 0 < strike < len(path) - 1:
        raise InputError(
            f"'{name}' strikes at {strike_s:g} s, but lasts {motion.duration:.2f} s; choose a strike "
            "within it."
        )
    return Example(name, clip, strike, path[strike])


def aligned(examples: Sequence[Example], body: Body) -> list[Example]:
    """Return all examples on the stance of the first one, with their contacts at the same sample."""
    before = round(float(np.mean([e.strike for e in examples])))
    after = round(float(np.mean([len(e.clip.motion.time) - 1 - e.strike for e in examples])))
    stance = body.soles(examples[0].clip.motion)[0].reshape(-1, 3)
    result = []
    for example in examples:
        motion = _timed(example, before, after)
        yaw, shift = _onto(body.soles(motion)[0].reshape(-1, 3), stance)
        position = rotations.rotate(rotations.about_vertical(yaw), example.position) + [*shift, 0.0]
        result.append(
            Example(example.name, Clip.of(moved_on_ground(motion, yaw, shift), body), before, position)
        )
    _refuse_unlike(result, body)
    return result


def _refuse_unlike(examples: Sequence[Example], body: Body) -> None:
    first, strike = examples[0], examples[0].strike
    for other in examples[1:]:
        apart = other.clip.cloud(body)[strike] - first.clip.cloud(body)[strike]
        distance = float(np.sqrt((apart**2).sum(axis=1).mean()))
        if distance > UNLIKE:
            raise InputError(
                f"'{other.name}' strikes in another stance than '{first.name}' (the bodies are "
                f"{100.0 * distance:.0f} cm apart); interpolate between examples that are alike."
            )


def weights_for(contacts: FloatArray, target: FloatArray) -> FloatArray:
    """Return weights (E) with which contacts (E, 3) average as near as possible to a target (3).

    their sum is one
    """
    count = len(contacts)
    rows = np.vstack([contacts.T, SUM_WEIGHT * np.ones(count), SPREAD * np.eye(count)])
    weights, _ = nnls(rows, np.concatenate([target, [SUM_WEIGHT], np.zeros(count)]))
    weights[weights < LEAST] = 0.0
    if not weights.any():  # far behind all contacts, where none of them helps
        weights[np.linalg.norm(contacts - target, axis=1).argmin()] = 1.0
    return np.asarray(weights / weights.sum())


def interpolated(examples: Sequence[Example], weights: FloatArray, body: Body) -> Clip:
    """Return one motion interpolated between aligned examples, starting with the largest weight."""
    order = [int(i) for i in np.argsort(-weights) if weights[i] > 0.0]
    mixed, total = examples[order[0]].clip, float(weights[order[0]])
    for i in order[1:]:
        total += float(weights[i])
        mixed = _mixed(mixed, examples[i].clip, float(weights[i]) / total, body)
    return mixed


def _mixed(a: Clip, b: Clip, share: float, body: Body) -> Clip:
    """Blend two motions of the same length; feet that stand in both are kept between their positions."""
    samples = np.arange(len(a.motion.time))
    shares = np.full(len(samples), share)
    position, quaternion = blended(a.motion, b.motion, samples, samples, shares)
    mixed = Clip(Motion(a.motion.skeleton, a.motion.time, position, quaternion), a.touches)
    feet = [
        tuple(
            BlendedFoot.of(clip.motion, clip.touches, body, side, samples) for side in range(len(body.legs))
        )
        for clip in (a, b)
    ]
    return keep_feet(mixed, body, Blend(samples, shares, *feet))


def _timed(example: Example, before: int, after: int) -> Motion:
    """Return the motion time-scaled to have given numbers of samples before and after its contact."""
    motion = example.clip.motion
    knots, own = [0, before, before + after], [0, example.strike, len(motion.time) - 1]
    samples = np.arange(before + after + 1)
    clock = PchipInterpolator(knots, own)(samples) / motion.rate_hz
    seen = motion.at(motion.time[0] + clock)
    time = samples / motion.rate_hz
    return Motion(motion.skeleton, time, seen.position_world, seen.quaternion_world)


def _onto(points: FloatArray, others: FloatArray) -> tuple[float, tuple[float, float]]:
    """Return the turn about the vertical [rad] and the shift [m] that bring points (P, 3) onto others."""
    flat, wanted = (p[:, 0] + 1j * p[:, 1] for p in (points, others))
    yaw = float(np.angle(((wanted - wanted.mean()) * (flat - flat.mean()).conj()).sum()))
    shift = wanted.mean() - np.exp(1j * yaw) * flat.mean()
    return yaw, (float(shift.real), float(shift.imag))
