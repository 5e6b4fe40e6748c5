"""The engine's world: a character on its ground."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..character.model import CONTACT_SOLREF, GROUND_BIT, CharacterIndex, add_character, index_character
from ..character.spec import CharacterSpec
from ..conventions import GRAVITY, FloatArray

GROUND_FRICTION = 0.9


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
    ground = world.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    ground.pos = [0.0, 0.0, ground_height]
    ground.friction = [GROUND_FRICTION, 0.005, 0.0001]
    ground.solref = CONTACT_SOLREF  # the engine takes the mean of both sides
    ground.contype, ground.conaffinity = GROUND_BIT, 0
    add_character(world, spec)
    model = world.compile()
    return World(spec, model, index_character(model, spec), ground_height)
