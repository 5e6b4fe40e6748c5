"""The engine's world: a character on its ground."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..character.model import CONTACT_SOLREF, GROUND_BIT, CharacterIndex, add_character, index_character
from ..character.spec import CharacterSpec
from ..conventions import GRAVITY, FloatArray

GROUND_FRICTION = 0.9
RESTING_DEPTH = 0.005
"""Shapes that carry weight sink in by less than this [m]."""


@dataclass(frozen=True, eq=False)
class World:
    """A compiled model and where the character is in it.

    ground_height: of the flat ground [m]
    """

    spec: CharacterSpec
    model: mujoco.MjModel
    index: CharacterIndex
    ground_height: float

    @property
    def timestep(self) -> float:
        return float(self.model.opt.timestep)

    @property
    def gravity(self) -> FloatArray:
        return np.array(self.model.opt.gravity)


def build_world(spec: CharacterSpec, ground_height: float = 0.0, timestep: float = 0.001) -> World:
    world = mujoco.MjSpec()
    world.compiler.degree = False
    world.option.timestep = timestep
    world.option.gravity = [0.0, 0.0, -GRAVITY]
    world.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # With elliptic cones a contact's force is read straight from the constraint solver.
    world.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    world.option.impratio = 5.0
    # Few of a tree's joints move one of its points: the same results in two thirds of the time.
    world.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    # A state that blew up must be seen, not silently put back to its start.
    world.option.disableflags = mujoco.mjtDisableBit.mjDSBL_AUTORESET
    ground = world.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    ground.pos = [0.0, 0.0, ground_height]
    ground.friction = [GROUND_FRICTION, 0.005, 0.0001]
    ground.solref = CONTACT_SOLREF  # the engine takes the mean of both sides
    ground.contype, ground.conaffinity = GROUND_BIT, 0
    add_character(world, spec)
    model = world.compile()
    return World(spec, model, index_character(model, spec), ground_height)


def clear_of_ground(world: World, qpos: FloatArray) -> FloatArray:
    """The pose raised so far that no shape is deeper in the ground than it would rest.

    A body that starts inside the ground would be thrown out of it.
    """
    data = mujoco.MjData(world.model)
    data.qpos[world.index.qpos] = qpos
    mujoco.mj_forward(world.model, data)
    deepest = min((contact.dist for contact in data.contact), default=0.0)
    raised = qpos.copy()
    raised[2] += max(-deepest - RESTING_DEPTH, 0.0)
    return raised
