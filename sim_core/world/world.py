"""The compiled world of a simulation, as each of its characters sees it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from ..base.conventions import GRAVITY, FloatArray, IntArray
from ..base.errors import InputError
from ..character.spec import CharacterSpec
from ..scene.playback import Playback
from ..scene.scene import FLAT, Scene
from .character_collision import SegmentPair, add_collision_geoms
from .character_model import (
    CONTACT_SOLREF,
    GROUND_BIT,
    SPIN_AND_ROLL,
    CharacterIndex,
    add_character,
    index_character,
)
from .contact_stiffness import contact_time_constants, refine_timestep
from .grips import NO_GRIPS, Grips, add_grips, grip_points, index_grips
from .ground import Ground, has_floor, make_ground
from .scene_model import SceneIndex, add_objects, index_objects
from .soft_model import NO_SOFT, PREFIX, SoftIndex, WorldSoft, add_soft_links, exclude_contacts, index_soft

FLOOR_NAME = "ground"
GROUND_FRICTION = 0.9
DEFAULT_TIMESTEP = 0.001
"""Time step of the engine where nothing asks for another [s]."""


@dataclass(frozen=True, eq=False)
class CompiledBody:
    """A character alone on a flat floor at height zero, compiled once for everything that plans with it."""

    model: mujoco.MjModel
    index: CharacterIndex


@dataclass(frozen=True, eq=False)
class WorldCharacter:
    """A character to be put into a world.

    ground_height: height of the floor that its source motion stands on [m]
    excluded_pairs: pairs of its own segments that do not collide; None for no self-collision at all
    body: its own compiled model; None compiles it
    soft: its soft parts; None without any
    """

    spec: CharacterSpec
    ground_height: float = 0.0
    name: str = "character"
    excluded_pairs: tuple[SegmentPair, ...] | None = None
    body: CompiledBody | None = None
    soft: WorldSoft | None = None

    @property
    def simulated(self) -> CharacterSpec:
        """Return the body as the engine has it: without the mass of its soft parts."""
        return self.spec if self.soft is None else self.soft.body.core


@dataclass(frozen=True, eq=False)
class OtherCharacter:
    """Another character of the same simulation, and its addresses in the engine's model."""

    name: str
    spec: CharacterSpec
    index: CharacterIndex
    soft: SoftIndex = NO_SOFT


@dataclass(frozen=True, eq=False)
class EngineModel:
    """The compiled model that is simulated, with the addresses of one character and of the scene's objects.

    others: the other characters in the model; grips: the character's hands that hold on to something
    soft: the character's soft parts
    mjspec: the description that the model was compiled from; None where it is a character's own model
    """

    model: mujoco.MjModel
    index: CharacterIndex
    objects: SceneIndex
    others: tuple[OtherCharacter, ...] = ()
    grips: Grips = NO_GRIPS
    mjspec: mujoco.MjSpec | None = None
    soft: SoftIndex = NO_SOFT

    @property
    def other_geoms(self) -> IntArray:
        """Return the geom ids of the other characters."""
        bodies = [body for other in self.others for body in (*other.index.body, *other.soft.body)]
        return np.flatnonzero(np.isin(self.model.geom_bodyid, bodies))


@dataclass(frozen=True, eq=False)
class World:
    """A character's view of the simulated world.

    scene_names: the names by which the scene refers to the character, its own name last; the scene also
    refers to the first character by an empty name
    model, index: the character alone on the flat floor of its source motion, where motions are planned
    engine: the character among the objects of the scene and other characters; the same model where there
    are none
    ground_height: height of the source's floor [m]; ground: surfaces to stand on
    source_ground: surfaces that the source motion stands on already: its floor, and what it was captured on
    playback: prescribed motions of the moving objects; soft: the character's soft parts
    """

    scene_names: tuple[str, ...]
    spec: CharacterSpec
    model: mujoco.MjModel
    index: CharacterIndex
    ground_height: float
    engine: EngineModel
    scene: Scene
    ground: Ground
    source_ground: Ground
    playback: Playback
    soft: WorldSoft | None = None

    @property
    def name(self) -> str:
        """Return the character's own name."""
        return self.scene_names[-1]

    @property
    def colliders(self) -> tuple[str, ...]:
        """Return the names of all that can hit the character: the objects, then the other characters."""
        return (*(o.name for o in self.scene.objects), *(other.name for other in self.engine.others))

    def describe_geom(self, geom: int) -> str:
        """Return words for a geom of the engine's model, for use in a message."""
        name, objects = self.engine.model.geom(geom).name, self.engine.objects
        if geom in objects.geom:
            return f"'{self.scene.objects[objects.owner[objects.geom == geom][0]].name}'"
        if name == FLOOR_NAME:
            return "the floor"
        own = name.split(":")[-1].removeprefix(PREFIX)
        return f"the character's {own.split('/')[0]}"

    @property
    def timestep(self) -> float:
        """Return the time step of the simulation [s]."""
        return float(self.model.opt.timestep)

    def body_of(self, segment: str) -> int:
        """Return the body id of a segment in the engine's model."""
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
        """Return the gravitational acceleration (3) [m/s^2]."""
        return np.array(self.model.opt.gravity)


def build_world(
    spec: CharacterSpec,
    ground_height: float = 0.0,
    timestep: float = DEFAULT_TIMESTEP,
    scene: Scene = FLAT,
    start_s: float = 0.0,
) -> World:
    """Build the world of a single character; see build_worlds."""
    return build_worlds((WorldCharacter(spec, ground_height),), timestep, scene, start_s)[0]


def build_worlds(
    characters: Sequence[WorldCharacter], timestep: float, scene: Scene = FLAT, start_s: float = 0.0
) -> tuple[World, ...]:
    """Build a world for each character, all with the same engine model and the first one's floor.

    timestep: time step of the engine [s], made shorter where an object flies fast
    start_s: time at which the simulation starts, on the time axis of the scene's keys [s]
    """
    floor = characters[0].ground_height
    time_constants = contact_time_constants([character.spec for character in characters], scene, floor)
    timestep = refine_timestep(scene, time_constants, floor, timestep)
    alone = [_alone(character, timestep) for character in characters]
    engines = alone
    first = characters[0]
    if scene.objects or len(characters) > 1 or first.excluded_pairs is not None or first.soft is not None:
        engines = _compile(characters, scene, floor, timestep, time_constants)
    ground, playback = make_ground(scene, floor), Playback(scene, start_s)
    _refuse_unknown_characters(scene, characters)
    if scene.has_grips:
        alone = [
            replace(own, index=own.index.with_grips(*grip_points(character.spec)))
            for own, character in zip(alone, characters, strict=True)
        ]
    scene_names = [("", characters[0].name), *((character.name,) for character in characters[1:])]
    return tuple(
        World(
            names,
            character.spec,
            own.model,
            own.index,
            character.ground_height,
            engine,
            replace(scene, pushes=tuple(p for p in scene.pushes if p.character in names)),
            ground,
            make_ground(scene.captured, character.ground_height),
            playback,
            character.soft,
        )
        for character, names, own, engine in zip(characters, scene_names, alone, engines, strict=True)
    )


def compile_body(spec: CharacterSpec) -> CompiledBody:
    """Compile a character alone on a flat floor."""
    model = _make_mjspec((WorldCharacter(spec),), FLAT, 0.0, DEFAULT_TIMESTEP, {}).compile()
    return CompiledBody(model, index_character(model, spec))


def _alone(character: WorldCharacter, timestep: float) -> EngineModel:
    """Return a character's own model on its own floor."""
    body = character.body or compile_body(character.spec)
    model = copy.copy(body.model)
    model.opt.timestep = timestep
    model.geom(FLOOR_NAME).pos[2] = character.ground_height
    return EngineModel(model, body.index, index_objects(model, FLAT))


def with_timestep(worlds: Sequence[World], timestep: float) -> tuple[World, ...]:
    """Return copies of one engine's worlds with another time step [s], made shorter as by build_worlds."""
    first = worlds[0]
    time_constants = contact_time_constants([own.spec for own in worlds], first.scene, first.ground_height)
    step = refine_timestep(first.scene, time_constants, first.ground_height, timestep)
    engine_model = _copy_with_timestep(first.engine.model, step)
    return tuple(
        replace(
            own,
            model=_copy_with_timestep(own.model, step),
            engine=replace(own.engine, model=engine_model),
        )
        for own in worlds
    )


def _copy_with_timestep(model: mujoco.MjModel, timestep: float) -> mujoco.MjModel:
    copied = copy.copy(model)
    copied.opt.timestep = timestep
    return copied


def _refuse_unknown_characters(scene: Scene, characters: Sequence[WorldCharacter]) -> None:
    names = [character.name for character in characters]
    unknown = sorted(scene.characters.difference(names))
    if unknown:
        listed = ", ".join(f"'{name}'" for name in names)
        raise InputError(
            f"The scene throws at or pushes '{unknown[0]}', which is not simulated; there is {listed}."
        )


def _compile(
    characters: Sequence[WorldCharacter],
    scene: Scene,
    floor: float,
    timestep: float,
    time_constants: Mapping[str, float],
) -> list[EngineModel]:
    """Compile one model and return it as each of the characters sees it.

    time_constants: contact time constants of free objects [s], by name
    """
    mjspec = _make_mjspec(characters, scene, floor, timestep, time_constants)
    model = mjspec.compile()
    objects = index_objects(model, scene)
    found = [
        _index(model, character, prefix)
        for character, prefix in zip(characters, _prefixes(characters), strict=True)
    ]
    return [
        EngineModel(
            *(model, own.index, objects, tuple(other for other in found if other is not own)),
            index_grips(model, own.spec, prefix, scene, objects) if scene.has_grips else NO_GRIPS,
            mjspec,
            own.soft,
        )
        for own, prefix in zip(found, _prefixes(characters), strict=True)
    ]


def _index(model: mujoco.MjModel, character: WorldCharacter, prefix: str) -> OtherCharacter:
    """Find a character and its soft parts in the model."""
    index = index_character(model, character.spec, prefix)
    if character.soft is None:
        return OtherCharacter(character.name, character.spec, index)
    body = character.soft.body
    sensed = np.array([link.segment for link in body.links if link.collides], dtype=np.int64)
    soft = index_soft(model, body, prefix)
    return OtherCharacter(character.name, character.spec, index.with_soft_sensors(sensed), soft)


def make_world_mjspec(character: WorldCharacter, timestep: float, scene: Scene = FLAT) -> mujoco.MjSpec:
    """Return the model description from which the engine model of a single character is compiled."""
    time_constants = contact_time_constants([character.spec], scene, character.ground_height)
    step = refine_timestep(scene, time_constants, character.ground_height, timestep)
    return _make_mjspec((character,), scene, character.ground_height, step, time_constants)


def _prefixes(characters: Sequence[WorldCharacter]) -> list[str]:
    """Return the prefix of the names of each character's parts in the model."""
    return ["", *(f"{index}:" for index in range(1, len(characters)))]


def _make_mjspec(
    characters: Sequence[WorldCharacter],
    scene: Scene,
    floor: float,
    timestep: float,
    time_constants: Mapping[str, float],
) -> mujoco.MjSpec:
    world = mujoco.MjSpec()
    world.modelname = characters[0].spec.name
    world.compiler.degree = False
    world.option.timestep = timestep
    world.option.gravity = [0.0, 0.0, -GRAVITY]
    world.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # With elliptic cones a contact's force can be read directly from the constraint solver.
    world.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    world.option.impratio = 5.0
    # Few joints move any one point, so sparse Jacobians give the same results in two thirds of the time.
    world.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    # A diverged state must be noticed, not silently reset.
    world.option.disableflags = mujoco.mjtDisableBit.mjDSBL_AUTORESET
    if any(o.role.is_free for o in scene.objects):
        # Objects that lie still cost nothing until something touches them.
        world.option.enableflags = mujoco.mjtEnableBit.mjENBL_SLEEP
    indices = range(len(characters))
    for index, (character, prefix) in enumerate(zip(characters, _prefixes(characters), strict=True)):
        add_character(world, character.simulated, prefix)
        touches = [other for other in indices if other != index or character.excluded_pairs is not None]
        if character.soft is not None:
            add_soft_links(world, character.soft.body, prefix, index)
            exclude_contacts(world, prefix, character.soft.excluded_pairs)
        if touches or character.soft is not None:
            add_collision_geoms(world, character.spec, prefix, index, touches, character.excluded_pairs or ())
    if has_floor(scene, floor):
        _add_floor(world, floor)
    add_objects(world, scene, time_constants)
    if scene.has_grips:
        for character, prefix in zip(characters, _prefixes(characters), strict=True):
            add_grips(world, character.spec, prefix, scene)
    return world


def _add_floor(world: mujoco.MjSpec, height: float) -> None:
    ground = world.worldbody.add_geom(name=FLOOR_NAME, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    ground.pos = [0.0, 0.0, height]
    ground.friction = [GROUND_FRICTION, *SPIN_AND_ROLL]
    ground.solref = CONTACT_SOLREF  # the engine averages the values of both geoms
    ground.contype, ground.conaffinity = GROUND_BIT, 0
