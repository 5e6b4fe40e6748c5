"""Planned grips: when hands hold on to what the scene has to hold on to, and where."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
from scipy.ndimage import binary_closing, binary_opening

from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..base.intervals import true_intervals
from ..dynamics.centroidal import support_points_over_time
from ..world.world import World
from .contacts import ContactGround, ContactSchedule

REACH = 0.03
"""Distance from a hand to a bar below which it holds on, while it is slow [m]."""
SPEED = 0.3
"""Speed of a palm below which it may hold on [m/s]."""
LEAST_S, GAP_S = 0.2, 0.1
"""Shortest grip, and shortest time without one between two [s]."""


def plan_holds(world: World, qpos: FloatArray, dt: float, size: float) -> BoolArray:
    """Return when the grips of a character hold (T, H); size: leg length over REFERENCE_LEG_LENGTH."""
    grips, model = world.engine.grips, world.engine.model
    near = np.zeros((len(qpos), world.index.grips), dtype=bool)
    if not world.scene.holds.objects:
        return near
    data = mujoco.MjData(model)
    for t, pose in enumerate(qpos):
        data.qpos[world.engine.index.qpos] = pose
        mujoco.mj_kinematics(model, data)
        near[t] = grips.distance(model, data, 2.0 * REACH * size, grips.bars) < REACH * size
    palms = support_points_over_time(world, qpos, world.index.palms)
    speed = np.linalg.norm(np.gradient(palms, dt, axis=0), axis=-1)
    return lasting(near & (speed < SPEED * np.sqrt(size)), dt)


def lasting(flags: BoolArray, dt: float) -> BoolArray:
    """Return flags (T, H) without short gaps, and then without short intervals."""
    gap, least = (np.ones((max(round(seconds / dt), 1), 1)) for seconds in (GAP_S, LEAST_S))
    closed = binary_closing(np.pad(flags, ((len(gap),) * 2, (0, 0)), mode="edge"), gap)[len(gap) : -len(gap)]
    return np.asarray(binary_opening(closed, least))


def held_in_place(
    world: World, qpos: FloatArray, schedule: ContactSchedule, ground: ContactGround
) -> ContactGround:
    """Return the ground with each grip at the mean position of its palm while it holds."""
    held = np.flatnonzero(world.index.holds(schedule.support))
    if len(held) == 0:
        return ground
    base, normal = ground.base.copy(), ground.normal.copy()
    palms = support_points_over_time(world, qpos, schedule.support[held])
    for k, own in zip(held, palms.swapaxes(0, 1), strict=True):
        base[:, k], normal[:, k] = own, Z_UP
        for start, end in true_intervals(schedule.touches[:, k]):
            base[start:end, k] = own[start:end].mean(axis=0)
    return replace(ground, base=base, normal=normal)
