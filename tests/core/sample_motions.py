"""Motions on two feet whose contacts are known because they were made that way.

Flat feet follow given paths; the legs between hips and ankles follow from two sides of a triangle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.ndimage import gaussian_filter1d

from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, BoolArray, FloatArray
from sim_core.character.anthropometry import leg_length
from sim_core.character.from_rig import character_from_rig
from sim_core.character.posing import pose_from_motion
from sim_core.control.make_tracker import TrackerOptions, make_tracker
from sim_core.reference.contacts import ContactSchedule, flat_contact_ground
from sim_core.reference.dynamic_filter import DynamicFilter, FilterSettings
from sim_core.reference.prepare import Prepared
from sim_core.reference.reference import reference_from_poses
from sim_core.simulation.trace import Trace
from sim_core.world.world import World, build_world
from tests.core.sample_people import ANKLE, HEADS, MAPPING, NAMES, Performance, person, standing
from tests.core.sample_plans import soles_only
from tests.core.sample_simulation import SingleSimulation

DT = 0.01
HIPS = np.stack([HEADS[NAMES.index(f"thigh.{side}")] for side in "LR"])
ANKLES = np.stack([HEADS[NAMES.index(f"foot.{side}")] for side in "LR"])
BONE = 0.42
"""Length of thigh and shin [m]."""


@dataclass(frozen=True, eq=False)
class Steps:
    """A performance, and which foot stands at which of its samples (T, 2), left first."""

    performance: Performance
    stands: BoolArray


@dataclass(frozen=True, eq=False)
class Scene:
    """A character in its world with joint coordinates (T, nq) at DT, and the true contacts."""

    world: World
    leg_length: float
    qpos: FloatArray
    schedule: ContactSchedule


def scene(steps: Steps) -> Scene:
    """On a body that is the same on both sides."""
    built = character_from_rig(person(standing()), MAPPING)
    world = build_world(built.spec)
    qpos = pose_from_motion(built.spec, built.binding, person(steps.performance))
    index = world.index
    bodies, foot = index.support_body[: index.soles], index.foot_of_support[: index.soles]
    names = [world.spec.names[segment] for segment in index.segment_of(bodies)]
    side = np.array(["LR".index(name[-1]) for name in names])
    return Scene(world, leg_length(built.binding), qpos, soles_only(steps.stands[:, side], foot))


def dynamic_filter(made: Scene) -> DynamicFilter:
    """The filter of the scene's motion on a flat floor."""
    ground = flat_contact_ground(len(made.qpos), len(made.schedule.foot), made.world.ground_height)
    return DynamicFilter(made.world, made.schedule, DT, made.leg_length, FilterSettings(), ground)


def prepared(made: Scene) -> Prepared:
    """The scene's motion after the filter, with the contacts that it truly has."""
    made_filter = dynamic_filter(made)
    contact_ground, result = made_filter.contact_ground, made_filter.run(made.qpos)
    reference = reference_from_poses(made.world.model, result.qpos, DT)
    return Prepared(reference, made.schedule, contact_ground, result.support_force, None)


def simulate(made: Scene, ready: Prepared, assist_cap: float = 0.0, qvel: FloatArray | float = 0.0) -> Trace:
    """Tracks the whole reference; qvel: added to its starting velocities."""
    tracker = make_tracker(made.world, ready, made.leg_length, TrackerOptions(assist_cap=assist_cap))
    reference = ready.reference
    return SingleSimulation(made.world, DT).run(
        tracker, reference.qpos[0], reference.qvel[0] + qvel, len(reference) - 1
    )


def times(seconds: float) -> FloatArray:
    return np.arange(round(seconds / DT) + 1) * DT


def legs(time: FloatArray, hips_offset: FloatArray, ankles: FloatArray) -> Performance:
    """Upright hips and flat feet; hips_offset (T, 3) from the neutral place, ankles (T, 2, 3) [m]."""
    turns = {}
    for i, side in enumerate("LR"):
        way = ankles[:, i] - (HIPS[i] + hips_offset)
        roll = np.arctan2(way[:, 1], -way[:, 2])
        reach = np.linalg.norm(way, axis=1)
        half = np.arccos(np.clip(reach / (2.0 * BONE), -1.0, 1.0))
        pitch = np.arctan2(way[:, 0], np.hypot(way[:, 1], way[:, 2]))
        thigh = rotations.multiply(_about(roll, 0), _about(-pitch - half, 1))
        shin = rotations.multiply(thigh, _about(2.0 * half, 1))
        turns[f"thigh.{side}"] = rotations.to_vector(thigh)
        turns[f"shin.{side}"] = np.outer(2.0 * half, [0.0, 1.0, 0.0])
        turns[f"foot.{side}"] = rotations.to_vector(rotations.conjugate(shin))
    return Performance(time, turns, hips_offset)


def _about(angle: FloatArray, axis: int) -> FloatArray:
    return rotations.from_vector(np.outer(angle, np.eye(3)[axis]))


def glide(phase: FloatArray) -> FloatArray:
    """From 0 to 1 with no speed and no acceleration at both ends."""
    s = np.clip(phase, 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def step_path(
    time: FloatArray, swings: Iterable[tuple[float, float]], length: float, lift: float = 0.08
) -> FloatArray:
    """Way of a foot (T, 3) that swings during each (start, end), `length` forwards [m]."""
    path = np.zeros((len(time), 3))
    for start, end in swings:
        way = glide((time - start) / (end - start))
        path[:, 0] += length * way
        path[:, 2] += lift * 64.0 * (way * (1.0 - way)) ** 3
    return path


def walk(seconds: float = 1.8, length: float = 0.4) -> Steps:
    """Steps of 0.6 s with 0.2 s on both feet, on flat feet, the hips swaying towards the one that stands."""
    time = times(seconds)
    starts = np.arange(0.2, seconds, 0.6)
    swings = [[(s, s + 0.4) for s in starts[i::2]] for i in (0, 1)]
    ways = [step_path(time, mine, length) for mine in swings]
    hips = np.stack(
        [
            gaussian_filter1d(0.5 * (ways[0][:, 0] + ways[1][:, 0]), 0.2 / DT, mode="nearest"),
            0.05 * np.sin(2.0 * np.pi * (time - 0.7) / 1.2),
            np.full(len(time), -0.05),
        ],
        axis=1,
    )
    stands = np.stack([~_within(time, mine) for mine in swings], axis=1)
    return Steps(legs(time, hips, ANKLES + np.stack(ways, axis=1)), stands)


def _within(time: FloatArray, true_intervals: Iterable[tuple[float, float]]) -> BoolArray:
    inside = np.zeros(len(time), dtype=bool)
    for start, end in true_intervals:
        inside |= (time > start + 1e-6) & (time < end - 1e-6)
    return inside


def jump(gravity_share: float = 1.0) -> Steps:
    """Crouches, leaves the ground at 0.5 s, lands 0.4 s later; falls with a share of gravity."""
    time = times(1.3)
    take_off, flight = 0.5, 0.4
    speed = 0.5 * gravity_share * GRAVITY * flight
    knots = np.array([0.0, 0.3, take_off, take_off + flight, 1.1, 1.5, 2.0])
    heights = np.array([-0.03, -0.16, -0.02, -0.02, -0.16, -0.03, -0.03])
    slopes = np.array([0.0, 0.0, speed, -speed, 0.0, 0.0, 0.0])
    rise = CubicHermiteSpline(knots, heights, slopes)(time)
    airborne = _within(time, [(take_off, take_off + flight)])
    elapsed = time - take_off
    arc = speed * elapsed - 0.5 * gravity_share * GRAVITY * elapsed**2
    rise = np.where(airborne, heights[2] + arc, rise)
    hips = np.outer(rise, [0.0, 0.0, 1.0]) + [0.03, 0.0, 0.0]
    ankles = np.tile(ANKLES, (len(time), 1, 1))
    ankles[..., 2] = ANKLE + np.where(airborne, arc, 0.0)[:, None]
    return Steps(legs(time, hips, ankles), ~np.repeat(airborne[:, None], 2, axis=1))


def drop_jump(height: float = 0.4, depth: float = 0.2) -> Steps:
    """Stands on a box, falls from it, lands, lowers the hips by `depth` and gets up again, on flat feet.

    It starts and ends at rest, so that the ground gives it the momentum g t per mass.
    """
    edge = 0.4
    fall = float(np.sqrt(2.0 * height / GRAVITY))
    landing, speed = edge + fall, GRAVITY * fall
    time = times(landing + 1.5)
    dip = 3.0 * depth / speed  # a cubic that starts at this speed and ends at rest has this depth then
    drop = 0.5 * GRAVITY * np.clip(time - edge, 0.0, fall) ** 2
    knots = np.array([landing, landing + dip, landing + dip + 0.8, landing + 3.0])
    bent = CubicHermiteSpline(knots, [0.0, -depth, 0.0, 0.0], [-speed, 0.0, 0.0, 0.0])
    rise = height - drop + np.where(time > landing, bent(np.maximum(time, landing)), 0.0) - 0.03
    ankles = np.tile(ANKLES, (len(time), 1, 1))
    ankles[..., 2] = ANKLE + (height - drop)[:, None]
    hips = np.outer(rise, [0.0, 0.0, 1.0]) + [0.03, 0.0, 0.0]
    return Steps(legs(time, hips, ankles), ~np.repeat(_within(time, [(edge, landing)])[:, None], 2, axis=1))


def still(seconds: float = 0.5, knees: float = 0.03) -> Steps:
    """Stands with the hips lowered by `knees` [m], a little forward so that the weight is over the soles."""
    time = times(seconds)
    hips = np.tile([0.03, 0.0, -knees], (len(time), 1))
    return Steps(legs(time, hips, np.tile(ANKLES, (len(time), 1, 1))), np.ones((len(time), 2), dtype=bool))


def punch(contact_s: float = 0.8, seconds: float = 1.6, rise: float = 0.0) -> Performance:
    """Stands, and stretches the right arm forwards; the hand is fastest at about the contact.

    rise: how much higher the arm goes [rad]
    """
    stance = still(seconds).performance
    out, back = glide((stance.time - contact_s + 0.2) / 0.4), glide((stance.time - contact_s - 0.2) / 0.4)
    share, forwards = out - back, np.array([0.0, -1.0, 0.0])
    turns = {
        "upper_arm.R": np.outer(0.2 + (1.1 + rise) * share, forwards),
        "forearm.R": np.outer(2.0 - 1.6 * share, forwards),
        "upper_arm.L": np.outer(np.full(len(share), 0.2), forwards),
        "forearm.L": np.outer(np.full(len(share), 1.8), forwards),
    }
    return Performance(stance.time, {**stance.turns, **turns}, stance.hips_offset)
