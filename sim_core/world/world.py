"""The engine's world: characters and what surrounds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from ..base import rotations
from ..base.conventions import GRAVITY, FloatArray, IntArray
from ..base.errors import InputError
from ..character.spec import CharacterSpec
from ..scene.playback import Playback
from ..scene.scene import FLAT, Scene, SceneObject
from .character_model import CONTACT_SOLREF, GROUND_BIT, CharacterIndex, add_character, index_character
from .contact_stiffness import contact_seconds, fine_step
from .contact_surface import Pair, add_skin
from .ground import Ground, ObjectState, make_ground
from .scene_model import SceneIndex, add_objects, index_objects

FLOOR_NAME = "ground"
GROUND_FRICTION = 0.9
RESTING_DEPTH = 0.005
"""Shapes that carry weight sink in by less than this [m]."""


@dataclass(frozen=True, eq=False)
class Member:
    """Who takes part in a simulation.

    ground_height: of the floor that its source stands on [m]
    passing: pairs of its own parts that pass through each other; None lets all of them pass
    """

    spec: CharacterSpec
    ground_height: float = 0.0
    name: str = "character"
    excluded_pairs: tuple[Pair, ...] | None = None


@dataclass(frozen=True, eq=False)
class Other:
    """Another character of the same simulation, and where it is in the engine's model."""

    name: str
    spec: CharacterSpec
    index: CharacterIndex


@dataclass(frozen=True, eq=False)
class Engine:
    """What is simulated: a compiled model, and where one character and the scene's objects are in it.

    others: the characters that share the model
    """

    model: mujoco.MjModel
    index: CharacterIndex
    objects: SceneIndex
    others: tuple[Other, ...] = ()

    @property
    def other_geoms(self) -> IntArray:
        """Of the other characters."""
        bodies = [body for other in self.others for body in other.index.body]
        return np.flatnonzero(np.isin(self.model.geom_bodyid, bodies))


@dataclass(frozen=True, eq=False)
class World:
    """A character, alone and in its scene.

    called: how the scene names the character, its name last; the first one is meant by no name, too
    model, index: the character on the flat floor that its source stands on; here motions are planned
    engine: the character among the objects of the scene and other characters; the same model where there
    are none
    ground_height: of the source's floor [m]; ground: what there is to stand on; playback: of moving objects
    """

    called: tuple[str, ...]
    spec: CharacterSpec
    model: mujoco.MjModel
    index: CharacterIndex
    ground_height: float
    engine: Engine
    scene: Scene
    ground: Ground
    playback: Playback

    @property
    def name(self) -> str:
        return self.called[-1]

    @property
    def colliders(self) -> tuple[str, ...]:
        """Names of all that can hit the character: the scene's objects, then the other characters."""
        return (*(o.name for o in self.scene.objects), *(other.name for other in self.engine.others))

    def part_name(self, geom: int) -> str:
        """What a geom of the engine is called in a sentence."""
        name, objects = self.engine.model.geom(geom).name, self.engine.objects
        if geom in objects.geom:
            return f"'{self.scene.objects[objects.owner[objects.geom == geom][0]].name}'"
        if name == FLOOR_NAME:
            return "the floor"
        return f"the character's {name.split('/')[0].split(':')[-1]}"

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

    def leg_segments(self, foot: int) -> tuple[int, int, int]:
        """Return thigh, shin and foot of the leg that ends in one of the index's two feet."""
        parents, ankle = self.spec.parents, int(self.index.foot_segments[foot])
        knee = int(parents[ankle])
        return int(parents[knee]), knee, ankle

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
    """The world of a character that is by itself; see build_worlds."""
    return build_worlds((Member(spec, ground_height),), timestep, scene, start_s)[0]


def build_worlds(
    members: Sequence[Member], timestep: float, scene: Scene = FLAT, start_s: float = 0.0
) -> tuple[World, ...]:
    """A world for each character, all with the same engine; the floor is where the first one has it.

    timestep: the engine's, if nothing flies so fast that it needs a finer one
    start_s: the time on the axis of the scene's keys at which the simulation starts
    """
    floor = members[0].ground_height
    firmness = contact_seconds([member.spec for member in members], scene, floor)
    timestep = fine_step(scene, firmness, floor, timestep)
    bare = [replace(member, excluded_pairs=None) for member in members]
    alone = [_compiled((member,), FLAT, member.ground_height, timestep, {})[0] for member in bare]
    engines = alone
    if scene.objects or len(members) > 1 or members[0].excluded_pairs is not None:
        engines = _compiled(members, scene, floor, timestep, firmness)
    ground, playback = make_ground(scene, floor), Playback(scene, start_s)
    _refuse_strangers(scene, members)
    called = [("", members[0].name), *((member.name,) for member in members[1:])]
    return tuple(
        World(
            names,
            member.spec,
            own.model,
            own.index,
            member.ground_height,
            engine,
            replace(scene, pushes=tuple(p for p in scene.pushes if p.character in names)),
            ground,
            playback,
        )
        for member, names, own, engine in zip(members, called, alone, engines, strict=True)
    )


def _refuse_strangers(scene: Scene, members: Sequence[Member]) -> None:
    names = [member.name for member in members]
    strangers = sorted(scene.characters.difference(names))
    if strangers:
        listed = ", ".join(f"'{name}'" for name in names)
        raise InputError(
            f"The scene throws at or pushes '{strangers[0]}', who takes no part in it; there is {listed}."
        )


def _compiled(
    members: Sequence[Member],
    scene: Scene,
    floor: float,
    timestep: float,
    firmness: Mapping[str, float],
) -> list[Engine]:
    """One model, as each of the characters sees it.

    firmness: times of the props' contacts [s], by name
    """
    model = _described(members, scene, floor, timestep, firmness).compile()
    objects = index_objects(model, scene)
    found = [
        Other(member.name, member.spec, index_character(model, member.spec, prefix))
        for member, prefix in zip(members, _prefixes(members), strict=True)
    ]
    return [
        Engine(model, own.index, objects, tuple(other for other in found if other is not own))
        for own in found
    ]


def describe_world(member: Member, timestep: float, scene: Scene = FLAT) -> mujoco.MjSpec:
    """What the engine of a character that is by itself is compiled from."""
    firmness = contact_seconds([member.spec], scene, member.ground_height)
    step = fine_step(scene, firmness, member.ground_height, timestep)
    return _described((member,), scene, member.ground_height, step, firmness)


def _prefixes(members: Sequence[Member]) -> list[str]:
    return ["", *(f"{place}:" for place in range(1, len(members)))]


def _described(
    members: Sequence[Member],
    scene: Scene,
    floor: float,
    timestep: float,
    firmness: Mapping[str, float],
) -> mujoco.MjSpec:
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
    places = range(len(members))
    for place, (member, prefix) in enumerate(zip(members, _prefixes(members), strict=True)):
        add_character(world, member.spec, prefix)
        meets = [other for other in places if other != place or member.excluded_pairs is not None]
        if meets:
            add_skin(world, member.spec, prefix, place, meets, member.excluded_pairs or ())
    if scene.has_floor:
        _add_floor(world, floor)
    add_objects(world, scene, firmness)
    return world


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
    left_out = np.concatenate([props, engine.other_geoms])
    depths = [contact.dist for contact in data.contact if not np.isin(contact.geom, left_out).any()]
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
