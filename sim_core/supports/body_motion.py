"""A body over time as supports are looked for: where its matter is, how fast, and the force that it needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..base.conventions import GRAVITY, BoolArray, FloatArray, IntArray
from ..character.posing import pose_from_motion
from ..dynamics.centroidal import measure_bodies, measure_centroidal
from ..motion.motion import CONTROL_DT, low_pass, on_control_grid
from ..recognition.mapping import SIDES
from ..reference.body_contacts import lowest_points
from ..reference.contacts import POINT_SPEED, REFERENCE_LEG_LENGTH
from ..reference.prepare import plan_contacts
from ..reference.reference import reference_from_poses
from ..scenario.scenario import Scenario
from ..world.world import World, WorldCharacter, build_worlds

CUTOFF_HZ = 5.0
"""Cut-off of the motion: what rests is slow, and noise would look like missing force [Hz]."""
MOMENT_ARM = 0.25
"""Distance at which a missing moment counts as much as the force that would make it [m]."""

THIGHS = 2
"""Number of thighs, whose ends at the hips are the last points of the part that sits."""
ALONG_LIMB = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Where thighs and shins are looked at, as shares of their length."""

ROUND_LIMB = (0.0, 0.25 * np.pi, 0.5 * np.pi)
"""Angles from the lowest points of thighs and shins round to their backs [rad]."""


class PartKind(Enum):
    """Parts of a body that can rest on something, in the order in which they are asked."""

    SOLE = "sole"
    SEAT = "seat"
    HAND = "hand"
    GRIP = "grip"  # a hand that hangs from what it rests at


@dataclass(frozen=True, eq=False)
class Part:
    """A part that can rest: points (N) are indices of the character's support points.

    elbow: that of the elbow above a hand
    """

    kind: PartKind
    name: str
    points: IntArray
    elbow: int = -1


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """T samples of a body.

    points (T, K, 3): lowest points of its support points [m]; speed (T, K): of the matter there [m/s]
    com (T, 3): centre of mass [m]
    needed (T, 6): outside force and moment about the centre of mass that the motion needs, over weight and
        over weight times MOMENT_ARM
    on_floor (T, K): points that rest on a flat floor, by the contact schedule
    parts: what can rest; floor: height of the floor [m]; size: leg length over REFERENCE_LEG_LENGTH
    limbs (4, 2): support points at both ends of thighs and shins; limb_radius (4): about them [m]
    thigh_slope (T): how far the thighs point down, the flatter one of both [rad]
    ahead (T, 2): where the thighs point, horizontally
    """

    points: FloatArray
    speed: FloatArray
    com: FloatArray
    needed: FloatArray
    on_floor: BoolArray
    parts: tuple[Part, ...]
    floor: float
    size: float
    limbs: IntArray
    limb_radius: FloatArray
    thigh_slope: FloatArray
    ahead: FloatArray
    dt: float = CONTROL_DT


def observe(scenario: Scenario, floor: float) -> BodyMotion:
    """Return a scenario's motion as supports are looked for, over a floor at a height [m]."""
    world = _alone(scenario, floor)
    motion = on_control_grid(low_pass(scenario.repaired, CUTOFF_HZ))
    qpos = pose_from_motion(scenario.spec, scenario.binding, motion)
    size = scenario.leg_length / REFERENCE_LEG_LENGTH
    everything = np.arange(len(world.index.support_body))
    points, speed = lowest_points(world, measure_bodies(world, qpos), CONTROL_DT, everything)
    schedule = plan_contacts(world, qpos, CONTROL_DT, size, POINT_SPEED)
    on_floor = np.zeros(speed.shape, dtype=bool)
    on_floor[:, schedule.support] = schedule.touches
    com, needed = _needed_wrench(world, qpos, size)
    limbs = _limbs(world)
    radius = world.index.support_radius[limbs[:, 0]]
    return BodyMotion(
        *(points, speed, com, needed, on_floor, _parts(world), floor, size),
        *(limbs, radius, *_thighs(points, limbs)),
    )


def _alone(scenario: Scenario, floor: float) -> World:
    """Return the character alone on a flat floor."""
    character = WorldCharacter(scenario.spec, floor, scenario.name, body=scenario.body)
    return build_worlds((character,), CONTROL_DT)[0]


def _needed_wrench(world: World, qpos: FloatArray, size: float) -> tuple[FloatArray, FloatArray]:
    """Return the centre of mass (T, 3) and what must act on it (T, 6); see BodyMotion."""
    frames = measure_centroidal(world, qpos, np.zeros(0, dtype=np.int64))
    acceleration = np.gradient(np.gradient(frames.com, CONTROL_DT, axis=0), CONTROL_DT, axis=0)
    velocity = reference_from_poses(world.model, qpos, CONTROL_DT).qvel
    momentum = (frames.momentum_matrix @ velocity[..., None])[..., 0]
    force = (acceleration + [0.0, 0.0, GRAVITY]) / GRAVITY
    moment = np.gradient(momentum, CONTROL_DT, axis=0) / (world.spec.mass * GRAVITY * MOMENT_ARM * size)
    return frames.com, np.hstack([force, moment])


def _parts(world: World) -> tuple[Part, ...]:
    index, names = world.index, world.spec.names
    owner = np.array([names[s] for s in index.segment_of(index.support_body)])
    foot, others = index.foot_of_support, np.arange(len(owner)) >= index.soles
    parts = [Part(PartKind.SOLE, f"foot {f}", np.flatnonzero(foot == f)) for f in (0, 1)]
    thighs = [np.flatnonzero(owner == f"thigh.{side}")[:1] for side in SIDES]
    pelvis = np.flatnonzero((owner == "pelvis") & others)
    parts.append(Part(PartKind.SEAT, "hips", np.concatenate([pelvis, *thighs])))
    for side in SIDES:
        own, forearm = (np.flatnonzero((owner == f"{name}.{side}") & others) for name in ("hand", "forearm"))
        if len(own) and len(forearm):
            parts.append(Part(PartKind.HAND, f"hand.{side}", own, int(forearm[0])))
    return tuple(parts)


def matter(body: BodyMotion) -> FloatArray:
    """Return points (T, M, 3) of the matter that must not pass through supports: legs and feet.

    Hands give way, and hips sink into a seat, so they are left out. Along a limb of one radius the lowest
    points, and those on its back, are on lines between those of its ends.
    """
    first, last = body.points[:, body.limbs[:, 0]], body.points[:, body.limbs[:, 1]]
    along = [
        first + share * (last - first) + offset
        for share in ALONG_LIMB
        for offset in (_round_the_back(body, angle) for angle in ROUND_LIMB)
    ]
    own = [body.points[:, part.points] for part in body.parts if part.kind is PartKind.SOLE]
    return np.concatenate([*own, *along], axis=1)


def _round_the_back(body: BodyMotion, angle: float) -> FloatArray:
    """Return the offset (T, 4, 3) from the lowest points of limbs to points an angle [rad] round them."""
    behind = np.pad(-np.sin(angle) * body.ahead, ((0, 0), (0, 1)))
    behind[:, 2] = 1.0 - np.cos(angle)
    return np.asarray(behind[:, None] * body.limb_radius[:, None])


def _limbs(world: World) -> IntArray:
    """Return the support points at both ends of thighs and shins (4, 2), thighs first."""
    index, names = world.index, world.spec.names
    segment = index.segment_of(index.support_body)
    limbs = [names.index(f"{part}.{side}") for part in ("thigh", "shin") for side in SIDES]
    return np.array([np.flatnonzero(segment == limb)[[0, -1]] for limb in limbs])


def _thighs(points: FloatArray, limbs: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return how far the flatter thigh points down (T) [rad], and where the thighs point (T, 2)."""
    along = points[:, limbs[:THIGHS, 1]] - points[:, limbs[:THIGHS, 0]]
    slope = np.arctan2(-along[..., 2], np.linalg.norm(along[..., :2], axis=-1)).min(axis=1)
    ahead = along.sum(axis=1)[:, :2]
    return slope, ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
