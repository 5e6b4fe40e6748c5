"""The state in which a simulation starts: of the objects, and of a body that must not start in the ground."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..scene.playback import keyed_states
from ..scene.scene import SceneObject
from .ground import ObjectState
from .world import World

RESTING_DEPTH = 0.005
"""Depth below which a shape that bears weight is not considered to be inside the ground [m]."""


def raise_out_of_ground(world: World, qpos: FloatArray) -> FloatArray:
    """Return the pose, raised so far that no shape is deeper in the ground than RESTING_DEPTH.

    The contact forces would throw out a body that starts inside the ground.
    """
    engine, data = world.engine, mujoco.MjData(world.engine.model)
    data.qpos[engine.index.qpos] = qpos
    start = initial_object_state(world)
    data.qpos[engine.objects.qpos], data.qvel[engine.objects.dof] = start.qpos, start.qvel
    mujoco.mj_fwdKinematics(engine.model, data)
    mujoco.mj_collision(engine.model, data)
    props = engine.objects.geoms_of(engine.objects.props)
    left_out = np.concatenate([props, engine.other_geoms, engine.soft.geom])
    counts = ~np.isin(data.contact.geom, left_out).any(axis=1)
    deepest = data.contact.dist[counts].min(initial=0.0)
    raised = qpos.copy()
    raised[2] += max(-deepest - RESTING_DEPTH, 0.0)
    return raised


def initial_object_state(world: World) -> ObjectState:
    """Return the state of the objects at the start of the simulation."""
    played = world.playback.at(np.zeros(1))
    angles = [o.hinge.angle for o in world.scene.objects if o.hinge is not None]
    props = [world.scene.objects[i] for i in world.engine.objects.props]
    states = [_prop_state(o, world.playback.start_s) for o in props]
    return ObjectState(
        np.concatenate([played.qpos[0], angles, *(own.qpos for own in states)]),
        np.concatenate([played.qvel[0], np.zeros(len(angles)), *(own.qvel for own in states)]),
    )


def _prop_state(prop: SceneObject, start_s: float) -> ObjectState:
    """Return the state of a free object; what is carried starts where its keys have it."""
    if prop.keys is not None:
        keyed = keyed_states(prop.keys, np.array([start_s]))
        return ObjectState(keyed.qpos[0], keyed.qvel[0])
    return ObjectState(
        np.concatenate([prop.position, prop.quaternion]),
        np.concatenate([prop.velocity, _initial_angular_velocity(prop)]),
    )


def _initial_angular_velocity(prop: SceneObject) -> FloatArray:
    """Return the angular velocity of a prop (3) in its own frame, as the engine expects it [rad/s]."""
    if prop.launch is not None:
        return np.zeros(3)
    return rotations.rotate(rotations.conjugate(prop.quaternion), prop.angular_velocity)
