"""Planned contacts of other parts than the feet: hands, knees, the trunk, the head."""

from __future__ import annotations

import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals
from ..dynamics.centroidal import BodyFrames
from ..world.ground import heights_below
from ..world.world import World
from .contacts import POINT_LIFT, SUPPORT_SHARE, needed_support, without_short_intervals

CAPTURED_HEADROOM = 0.1
"""How far above a point its own ground may be: less than a seat is above the feet under it [m]."""
REST_HEIGHT = 0.04
"""Height below which a part may rest on the ground [m]."""
CAPTURED_REST_HEIGHT = 0.02
"""The same height over an object that the motion was captured on: it was found by what rests on it [m]."""
BESIDE = 0.03
"""A limb that is this much deeper in such an object than the trunk is beside it, as hands are that hold on to
the edge of a seat, and legs that hang from it [m]."""
TRUNK = ("pelvis", "abdomen", "chest")
MAT_HEIGHT = 0.15
"""Height below which the lowest parts support a body that needs support while no foot stands [m]."""
HOVER_HEIGHT = 0.25
"""The same height, while a body without any contact falls too slowly for a flight [m]."""
FLIGHT_SUPPORT = 0.4
"""Mean support that a body needs while nothing touches, over its weight, above which it does not fly."""
REST_SPEED, REST_SPEED_SHARE = 0.5, 0.35
"""Speed of a part's lowest point, below which it rests [m/s], or a share of the body's speed, if more."""
WINDOW = 512
"""Number of samples whose points are followed at once."""


def detect_body_contacts(
    world: World,
    points: FloatArray,
    speed: FloatArray,
    dt: float,
    com: FloatArray,
    size: float,
    stands: BoolArray,
) -> tuple[BoolArray, IntArray]:
    """Return when support points touch (T, N), and their indices (N).

    Only points that touch or are below the ground at some time are listed.

    points (T, K, 3), speed (T, K): lowest points of the supports on which a body may rest
    com (T, 3): centre of mass [m]; size: leg length over REFERENCE_LEG_LENGTH; stands (T): a foot stands
    """
    soles = world.index.soles
    others = world.index.resting[soles:]
    surface = source_heights(world, points)
    heights = (points[..., 2] - surface) / size
    height, speed, sole_height = heights[:, soles:], speed[:, soles:], heights[:, :soles].min(axis=1)
    com_speed = np.linalg.norm(np.gradient(com, dt, axis=0), axis=-1)
    limit = np.maximum(REST_SPEED * np.sqrt(size), REST_SPEED_SHARE * com_speed)[:, None]
    rest_height = np.where(_is_raised(world, surface[:, soles:]), CAPTURED_REST_HEIGHT, REST_HEIGHT)
    rests = (height < rest_height) & (_lift(height, world.index.support_body[others]) < POINT_LIFT)
    rests &= speed < limit
    lowest, need = height.min(axis=1, keepdims=True), needed_support(com, dt)
    on_mat = (need > SUPPORT_SHARE) & (lowest[:, 0] < MAT_HEIGHT)
    hovers = _does_not_fly(~stands & ~rests.any(axis=1), need) & (lowest[:, 0] < HOVER_HEIGHT)
    unsupported = ~stands & (on_mat | hovers & (lowest[:, 0] < sole_height))
    landed = unsupported[:, None] & (height < lowest + POINT_LIFT) & ~_above_own_sole(world, heights)
    landed &= ~beside_objects(world, heights, surface)[:, soles:]
    rests &= ~beside_objects(world, heights, surface)[:, soles:]
    touches = without_short_intervals(rests | landed, dt)
    involved = touches.any(axis=0) | (height < 0.0).any(axis=0)
    return touches[:, involved], others[involved]


def source_heights(world: World, points: FloatArray) -> FloatArray:
    """Return the height of what the source stands on (T, K) under points (T, K, 3) [m]."""
    return heights_below(world.source_ground, points, CAPTURED_HEADROOM)


def _is_raised(world: World, surface: FloatArray) -> BoolArray:
    """Return where a surface (T, K) is that of an object which the motion was captured on, not the floor."""
    return surface > world.ground_height + REST_HEIGHT


def beside_objects(world: World, heights: FloatArray, surface: FloatArray) -> BoolArray:
    """Return which points (T, K) of limbs are so deep in an object that they are beside it, not on it.

    heights (T, K): of all support points over what is below them, over size; surface (T, K): its height [m]
    """
    index, names = world.index, np.array(world.spec.names)
    trunk = np.isin(names[index.segment_of(index.support_body[index.resting])], TRUNK)
    sunk = np.minimum(heights[:, trunk].min(axis=1, keepdims=True), 0.0)
    return np.asarray(_is_raised(world, surface) & ~trunk & (heights < sunk - BESIDE))


def _does_not_fly(free: BoolArray, need: FloatArray) -> BoolArray:
    """Return when nothing touches (T) although the body falls too slowly for a flight.

    Captured hands hover above the ground that they stand on, by the errors of markers and of stiff shoulders.
    """
    result = np.zeros_like(free)
    for start, end in true_intervals(free):
        result[start:end] = need[start:end].mean() > FLIGHT_SUPPORT
    return result


def _above_own_sole(world: World, heights: FloatArray) -> BoolArray:
    """Return which points of shins and thighs (T, N) are above the sole of their leg.

    A leg lands on its sole. Its shin can carry the body only where the sole is not below it.

    heights (T, soles + N): of all support points, soles first
    """
    index = world.index
    soles, segment = index.soles, index.segment_of(index.support_body[index.resting[index.soles :]])
    above: BoolArray = np.zeros(heights[:, soles:].shape, dtype=bool)
    for foot in (0, 1):
        sole = heights[:, :soles][:, index.foot_of_support[:soles] == foot].min(axis=1, keepdims=True)
        own = np.isin(segment, world.leg_segments(foot))
        above[:, own] = heights[:, soles:][:, own] > sole + POINT_LIFT
    return above


def _lift(height: FloatArray, body: IntArray) -> FloatArray:
    """Return how far each point (T, N) is above the lowest point of its body."""
    lowest = np.stack([height[:, body == b].min(axis=1) for b in body], axis=1)
    return height - lowest


def lowest_points(
    world: World, frames: BodyFrames, dt: float, supports: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return positions (T, N, 3) [m] and material speeds (T, N) [m/s] of the supports' lowest points."""
    index, count = world.index, len(frames.com)
    bodies, samples = index.support_body[supports], np.arange(count)
    origin, rotation = frames.origin, frames.rotation.reshape(count, -1, 3, 3)
    points, speed = np.zeros((count, len(bodies), 3)), np.zeros((count, len(bodies)))
    for start in range(0, count, WINDOW):  # matrices of all points in all samples would fill the memory
        own = samples[start : start + WINDOW]
        before, after = np.maximum(own - 1, 0), np.minimum(own + 1, count - 1)
        turned, placed = rotation[own][:, bodies], origin[own][:, bodies]
        points[own] = placed + (turned @ index.support_point[supports, :, None])[..., 0]
        points[own, :, 2] -= index.support_radius[supports]
        # The contact point of a rolling part moves over it: follow the material point from sample to sample.
        fixed = turned.swapaxes(-1, -2) @ (points[own] - placed)[..., None]
        shift, turn = origin[after] - origin[before], rotation[after] - rotation[before]
        displacement = shift[:, bodies] + (turn[:, bodies] @ fixed)[..., 0]
        speed[own] = np.linalg.norm(displacement, axis=-1) / ((after - before) * dt)[:, None]
    return points, speed
