"""The engine's world: a character and what surrounds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from .. import rotations
from ..character.model import CONTACT_SOLREF, GROUND_BIT, CharacterIndex, add_character, index_character
from ..character.spec import CharacterSpec
from ..conventions import GRAVITY, FloatArray
from ..errors import InputError
from ..scene.engine import SceneIndex, add_objects, index_objects
from ..scene.ground import Ground, ObjectState, make_ground
from ..scene.playback import Playback
from ..scene.scene import FLAT, Scene, SceneObject
from .firmness import contact_seconds, fine_step

FLOOR_NAME = "ground"
GROUND_FRICTION = 0.9
RESTING_DEPTH = 0.005
"""Shapes that carry weight sink in by less than this [m]."""


@dataclass(frozen=True, eq=False)
class Engine:
    """What is simulated: a compiled model, and where the character and the scene's objects are in it."""

    model: mujoco.MjModel
    index: CharacterIndex
    objects: SceneIndex


@dataclass(frozen=True, eq=False)
class World:
    """A character, alone and in its scene.

    model, index: the character on the flat floor that its source stands on; here motions are planned
    engine: the character among the objects of the scene; the same model where there are none
    ground_height: of the source's floor [m]; ground: what there is to stand on; playback: of moving objects
    """

    spec: CharacterSpec
    model: mujoco.MjModel
    index: CharacterIndex
    ground_height: float
    engine: Engine
    scene: Scene
    ground: Ground
    playback: Playback

    def part_name(self, geom: int) -> str:
        """What a geom of the engine is called in a sentence."""
        name, objects = self.engine.model.geom(geom).name, self.engine.objects
        if geom in objects.geom:
            return f"'{self.scene.objects[objects.owner[objects.geom == geom][0]].name}'"
        return "the floor" if name == FLOOR_NAME else f"the character's {name.split('/')[0]}"

    @property
    def timestep(self) -> float:
        return float(self.model.opt.timestep)

    def body_of(self, segment: str) -> int:
        """The engine's body of a part of the character."""
        if segment not in self.spec.names:
            raise InputError(
                f"The scene pushes '{segment}', which this character does not have; "
                f"there are {', '.join(self.spec.names)}."
            )
        return int(self.engine.index.body[self.spec.names.index(segment)])

    @property
    def gravity(self) -> FloatArray:
        return np.array(self.model.opt.gravity)


def build_world(
    spec: CharacterSpec,
    ground_height: float = 0.0,
    timestep: float = 0.001,
    scene: Scene = FLAT,
    start_s: float = 0.0,
) -> World:
    """start_s: the time on the axis of the scene's keys at which the simulation starts.

    timestep: the engine's, if nothing flies so fast that it needs a finer one
    """
    firmness = contact_seconds(spec, scene, ground_height)
    timestep = fine_step(scene, firmness, ground_height, timestep)
    alone = _compiled(spec, FLAT, ground_height, timestep, {})
    engine = _compiled(spec, scene, ground_height, timestep, firmness) if scene.objects else alone
    return World(
        spec,
        alone.model,
        alone.index,
        ground_height,
        engine,
        scene,
        make_ground(scene, ground_height),
        Playback(scene, start_s),
    )


def _compiled(
    spec: CharacterSpec, scene: Scene, ground_height: float, timestep: float, firmness: Mapping[str, float]
) -> Engine:
    """firmness: times of the props' contacts [s], by name"""
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
    if any(o.role.is_free for o in scene.objects):
        # Props that lie still cost nothing until something touches them.
        world.option.enableflags = mujoco.mjtEnableBit.mjENBL_SLEEP
    add_character(world, spec)
    if scene.has_floor:
        _add_floor(world, ground_height)
    add_objects(world, scene, firmness)
    model = world.compile()
    return Engine(model, index_character(model, spec), index_objects(model, scene))


def _add_floor(world: mujoco.MjSpec, height: float) -> None:
    ground = world.worldbody.add_geom(name=FLOOR_NAME, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    ground.pos = [0.0, 0.0, height]
    ground.friction = [GROUND_FRICTION, 0.005, 0.0001]
    ground.solref = CONTACT_SOLREF  # the engine takes the mean of both sides
    ground.contype, ground.conaffinity = GROUND_BIT, 0


def clear_of_ground(world: World, qpos: FloatArray) -> FloatArray:
    """The pose raised so far that no shape is deeper in the ground than it would rest.

    A body that starts inside the ground would be thrown out of it.
    """
    engine, data = world.engine, mujoco.MjData(world.engine.model)
    data.qpos[engine.index.qpos] = qpos
    start = starting_objects(world)
    data.qpos[engine.objects.qpos], data.qvel[engine.objects.dof] = start.qpos, start.qvel
    mujoco.mj_forward(engine.model, data)
    props = engine.objects.geoms_of(engine.objects.props)
    depths = [contact.dist for contact in data.contact if not np.isin(contact.geom, props).any()]
    deepest = min(depths, default=0.0)
    raised = qpos.copy()
    raised[2] += max(-deepest - RESTING_DEPTH, 0.0)
    return raised


def starting_objects(world: World) -> ObjectState:
    """The objects at the start of the simulation."""
    played = world.playback.at(np.zeros(1))
    angles = [o.hinge.angle for o in world.scene.objects if o.hinge is not None]
    props = [world.scene.objects[i] for i in world.engine.objects.props]
    poses = [np.concatenate([o.position, o.quaternion]) for o in props]
    rates = [np.concatenate([o.velocity, _starting_spin(o)]) for o in props]
    return ObjectState(
        np.concatenate([played.qpos[0], angles, *poses]),
        np.concatenate([played.qvel[0], np.zeros(len(angles)), *rates]),
    )


def _starting_spin(prop: SceneObject) -> FloatArray:
    """The angular velocity of a prop in its own frame, as the engine has it."""
    if prop.launch is not None:
        return np.zeros(3)
    return rotations.rotate(rotations.conjugate(prop.quaternion), prop.angular_velocity)
