"""Planned loads: when hands hold what they carry, and what it weighs on them.

A box that is lifted pulls on the palms with its weight and with what it takes to accelerate it. Both are
known before the simulation, from the keys of the box, so the motion is prepared and followed with them.
"""

from __future__ import annotations

import mujoco
import numpy as np
from scipy.ndimage import gaussian_filter1d

from ..base import rotations
from ..base.conventions import GRAVITY, Z_UP, BoolArray, FloatArray
from ..base.intervals import smooth_step, true_intervals
from ..dynamics.centroidal import measure_centroidal, support_points_over_time
from ..scene.playback import keyed_states
from ..world.world import World
from .contacts import Carrying
from .holds import REACH, SPEED, lasting

LIES_M = 0.01
"""Until an object has moved so far from where nobody held it, what it lies on carries it [m]."""
LOAD_S = 0.1
"""Time in which a load comes and goes [s]."""
SMOOTH_S = 0.03
"""Standard deviation of the Gaussian that smooths accelerations of keys, which may tremble [s]."""


def plan_carrying(world: World, qpos: FloatArray, dt: float, size: float) -> Carrying | None:
    """Return what the hands of a motion (T, nq) carry; size: leg length over REFERENCE_LEG_LENGTH."""
    carried = world.scene.carried
    if not carried or world.index.grips == 0:
        return None
    time = dt * np.arange(len(qpos)) + world.playback.start_s
    palms = support_points_over_time(world, qpos, world.index.palms)
    holds, force = [], np.zeros(palms.shape)
    for number, index in enumerate(carried):
        keys = world.scene.objects[index].keys
        assert keys is not None
        pose = keyed_states(keys, time).qpos
        own = _held(world, qpos, pose, palms, number, dt, size)
        holds.append(own)
        force += _load(_mass(world, index), pose[:, :3], own, dt)
    return Carrying(np.concatenate(holds, axis=1), force)


def load_wrench(world: World, qpos: FloatArray, carrying: Carrying) -> FloatArray:
    """Return force and moment about the centre of mass (T, 6) of what the palms of poses (T, nq) carry."""
    frames = measure_centroidal(world, qpos, world.index.palms)
    moment = np.cross(frames.points - frames.com[:, None], carrying.force).sum(axis=1)
    return np.concatenate([carrying.force.sum(axis=1), moment], axis=1)


def _held(
    world: World, qpos: FloatArray, pose: FloatArray, palms: FloatArray, number: int, dt: float, size: float
) -> BoolArray:
    """Return when hands (T, H) are near an object with poses (T, 7), and slow relative to it."""
    engine, hands = world.engine, world.index.grips
    grips, data = engine.grips, mujoco.MjData(engine.model)
    pairs = slice(hands * (number + 1), hands * (number + 2))
    joint = engine.model.body_jntadr[grips.body[pairs.start]]
    first = int(engine.model.jnt_qposadr[joint])
    near = np.zeros((len(qpos), hands), dtype=bool)
    for t, own in enumerate(qpos):
        data.qpos[engine.index.qpos], data.qpos[first : first + 7] = own, pose[t]
        mujoco.mj_kinematics(engine.model, data)
        near[t] = grips.distance(engine.model, data, 2.0 * REACH * size, pairs) < REACH * size
    local = rotations.rotate(rotations.conjugate(pose[:, None, 3:]), palms - pose[:, None, :3])
    speed = np.linalg.norm(np.gradient(local, dt, axis=0), axis=-1)
    return lasting(near & (speed < SPEED * np.sqrt(size)), dt)


def _mass(world: World, index: int) -> float:
    return float(world.engine.model.body_mass[world.engine.objects.body[index]])


def _load(mass: float, position: FloatArray, holds: BoolArray, dt: float) -> FloatArray:
    """Return the force of an object on the palms that hold it (T, H, 3) [N], in equal shares."""
    velocity = np.gradient(position, dt, axis=0)
    acceleration = gaussian_filter1d(np.gradient(velocity, dt, axis=0), SMOOTH_S / dt, axis=0)
    weight = -mass * (acceleration + GRAVITY * Z_UP)
    shares = holds / np.maximum(holds.sum(axis=1, keepdims=True), 1)
    lifted = _lifted(position, np.asarray(holds.any(axis=1)), dt)
    return np.asarray((lifted[:, None] * shares)[..., None] * weight[:, None])


def _lifted(position: FloatArray, is_held: BoolArray, dt: float) -> FloatArray:
    """Return the share of an object (T) that hands carry, and not what it lies on.

    Before hands take it and after they let go it lies somewhere; it still does until it has moved.
    """
    share = np.zeros(len(position))
    for first, past in true_intervals(is_held):
        carried: BoolArray = np.ones(past - first, dtype=bool)
        for begins, row in ((first > 0, first), (past < len(position), past - 1)):
            if begins:
                carried &= np.linalg.norm(position[first:past] - position[row], axis=1) > LIES_M
        rows = np.flatnonzero(carried)
        if len(rows):
            begin, end = first + int(rows[0]), first + int(rows[-1])
            at = np.arange(len(position))
            rises = smooth_step((at - begin) * dt / LOAD_S + 1.0) if begin > 0 else 1.0
            falls = smooth_step((end - at) * dt / LOAD_S + 1.0) if end < len(position) - 1 else 1.0
            share = np.maximum(share, rises * falls * is_held)
    return share
