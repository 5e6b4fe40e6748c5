"""The surroundings of a character as the user describes them: objects and pushes (docs/scene-file.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray, freeze, frozen
from ..base.errors import InputError
from .shapes import Compound, HeightField, Hull, Plane, Shape, half_thickness


@dataclass(frozen=True, eq=False)
class Push:
    """An external force that acts on a character for a time.

    segment: the part of the body, such as chest, whose centre of mass is pushed
    force (3): in world axes [N]; start_s: on the character's own time axis [s]; duration_s [s]
    character: name of the character; empty for the first one
    """

    segment: str
    force: FloatArray
    start_s: float
    duration_s: float
    character: str = ""

    def __post_init__(self) -> None:
        force = frozen(self.force)
        if force.shape != (3,) or not np.isfinite(force).all():
            raise InputError(f"The force of the push on '{self.segment}' must be three numbers.")
        object.__setattr__(self, "force", force)
        if not np.isfinite(self.start_s) or not 0.0 < self.duration_s < float("inf"):
            raise InputError(
                f"The push on '{self.segment}' starts at {self.start_s:g} s and lasts {self.duration_s:g} s; "
                "it must last longer than zero."
            )

    def acts_at(self, time_s: float) -> bool:
        """Return whether the push acts during the control interval that begins at a time."""
        return -1e-6 <= time_s - self.start_s < self.duration_s - 1e-6


DEFAULT_FRICTION = 0.9
"""Friction coefficient of objects that give none."""
MIN_THICKNESS, MIN_MASS, MIN_DENSITY = 0.002, 1e-6, 1.0
"""Least thickness [m], mass [kg] and density [kg/m^3] of props; the engine cannot simulate less inertia."""
MAX_SPEED = 300.0
"""Largest speed of a throw [m/s]."""


class Role(Enum):
    """How an object moves.

    GROUND: never moves, and replaces the flat floor where it lies below it; OBSTACLE: never moves
    HOLD: never moves, and hands hold on to it: a bar, a rung, a rail
    MOVING: follows its keys, whatever pushes it; HINGE: rotates about an axis under the forces on it
    PROP: moves freely under gravity and contacts; PROJECTILE: a prop that waits until it is thrown
    CARRIED: a prop with keys, which say where the motion has it; hands that are on it there hold it
    """

    GROUND = "ground"
    OBSTACLE = "obstacle"
    HOLD = "hold"
    MOVING = "moving"
    HINGE = "hinge"
    PROP = "prop"
    PROJECTILE = "projectile"
    CARRIED = "carried"

    @property
    def is_free(self) -> bool:
        """Return whether only forces move the object."""
        return self in (Role.PROP, Role.PROJECTILE, Role.CARRIED)

    @property
    def has_keys(self) -> bool:
        """Return whether keys say where the object is."""
        return self in (Role.MOVING, Role.CARRIED)


class Passing(Enum):
    """How a walk passes an object that is in its way.

    AUTO: by the object's size; STOP: it does not, but stands before it, until it has gone if it moves
    IGNORE: as if it were not there, so that the character may run into it
    """

    AUTO = "auto"
    OVER = "over"
    ONTO = "onto"
    AROUND = "around"
    UNDER = "under"
    STOP = "stop"
    IGNORE = "ignore"


@dataclass(frozen=True, eq=False)
class Keys:
    """An object's motion: time (N) on the character's axis [s], position (N, 3) [m], quaternion (N, 4)."""

    time: FloatArray
    position: FloatArray
    quaternion: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "time", "position", "quaternion")
        count = len(self.time) if self.time.ndim == 1 else 0
        if count < 2 or self.position.shape != (count, 3) or self.quaternion.shape != (count, 4):
            raise InputError("Keys must have two or more times, with a position and a quaternion for each.")
        if not all(np.isfinite(a).all() for a in (self.time, self.position, self.quaternion)):
            raise InputError("Keys hold values that are not numbers; remove them.")
        if np.any(np.diff(self.time) <= 0.0):
            raise InputError("The times of keys must rise from one to the next.")
        if np.any(np.linalg.norm(self.quaternion, axis=1) < 1e-6):
            raise InputError("A key's quaternion is zero; give 1, 0, 0, 0 for no rotation.")
        unit = rotations.continuous(rotations.normalise(self.quaternion))
        object.__setattr__(self, "quaternion", frozen(unit))


@dataclass(frozen=True, eq=False)
class Hinge:
    """A hinge joint at the origin of an object's frame.

    axis (3): in the object's frame; low, high: limits relative to the object's pose [rad]
    damping [Nms/rad]; angle: at the start [rad]
    """

    axis: FloatArray
    low: float
    high: float
    damping: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        axis = frozen(self.axis)
        if axis.shape != (3,) or not np.isfinite(axis).all() or np.linalg.norm(axis) < 1e-6:
            raise InputError("A hinge's axis must be three numbers that are not all zero.")
        object.__setattr__(self, "axis", frozen(axis / np.linalg.norm(axis)))
        if not -np.pi <= self.low < self.high <= np.pi or not self.low <= self.angle <= self.high:
            raise InputError(
                f"A hinge turns from {self.low:g} to {self.high:g} rad and starts at {self.angle:g}; "
                "low must be below high and the start between them."
            )
        if not 0.0 <= self.damping < float("inf"):
            raise InputError(f"A hinge's damping is {self.damping:g}; it must be zero or more.")


@dataclass(frozen=True, eq=False)
class Launch:
    """A throw at a time on the character's own axis [s] with a speed [m/s], at a target or in a direction.

    target: a body part or a mapped bone that is to be hit; direction (3): in world axes
    character: name of the character that the target belongs to; empty for the first one
    """

    time: float
    speed: float
    target: str = ""
    direction: FloatArray = field(default_factory=lambda: np.zeros(3))
    character: str = ""

    def __post_init__(self) -> None:
        direction = frozen(self.direction)
        if direction.shape != (3,) or not np.isfinite([*direction, self.time]).all():
            raise InputError("A launch needs a time that is a number, and a direction of three.")
        if not 0.0 < self.speed <= MAX_SPEED:
            raise InputError(
                f"A launch's speed is {self.speed:g} m/s; it must be above 0, up to {MAX_SPEED:g}."
            )
        if bool(self.target) == bool(direction.any()):
            raise InputError("A launch needs a target or a direction that is not zero, and not both.")
        length = float(np.linalg.norm(direction))
        object.__setattr__(self, "direction", frozen(direction / length if length > 0.0 else direction))


@dataclass(frozen=True, eq=False)
class SceneObject:
    """An object of the scene.

    position (3) [m], quaternion (4): pose of the object's frame in the world
    bounce: coefficient of restitution, 0 to 1; margin: distance at which contacts begin [m]
    mass [kg]: of a hinge, a prop or a projectile; the last two may have a density [kg/m^3] instead
    velocity (3) [m/s], of the frame's origin, and angular_velocity (3) [rad/s]: of a prop at the start;
    the angular velocity of a projectile is that at its launch
    keys: of a moving or carried object, whose position is then not used; hinge: of a hinge; launch: of a
    projectile
    passing: how a walk passes it; comes_back: whether a walk around it comes back to its own path
    captured: the motion was captured on it, so that it stands and rests on it already
    """

    name: str
    role: Role
    shape: Shape
    position: FloatArray = field(default_factory=lambda: np.zeros(3))
    quaternion: FloatArray = field(default_factory=lambda: IDENTITY_QUATERNION)
    friction: float = DEFAULT_FRICTION
    bounce: float = 0.0
    margin: float = 0.0
    mass: float = 0.0
    density: float = 0.0
    velocity: FloatArray = field(default_factory=lambda: np.zeros(3))
    angular_velocity: FloatArray = field(default_factory=lambda: np.zeros(3))
    keys: Keys | None = None
    hinge: Hinge | None = None
    launch: Launch | None = None
    passing: Passing = Passing.AUTO
    comes_back: bool = True
    captured: bool = False

    def __post_init__(self) -> None:
        for name, size in (("position", 3), ("quaternion", 4), ("velocity", 3), ("angular_velocity", 3)):
            value = frozen(getattr(self, name))
            if value.shape != (size,) or not np.isfinite(value).all():
                raise InputError(f"The {name} of '{self.name}' must be {size} numbers.")
            object.__setattr__(self, name, value)
        if np.linalg.norm(self.quaternion) < 1e-6:
            raise InputError(f"The quaternion of '{self.name}' is zero; give 1, 0, 0, 0 for no rotation.")
        object.__setattr__(self, "quaternion", frozen(rotations.normalise(self.quaternion)))
        self._refuse_broken_numbers()
        self._refuse_wrong_role()
        if self.role.is_free:
            self._refuse_wrong_prop()

    def _refuse_broken_numbers(self) -> None:
        for name, high in (
            ("friction", 10.0),
            ("bounce", 0.99),
            ("margin", 0.1),
            ("mass", 1e6),
            ("density", 1e5),
        ):
            value = getattr(self, name)
            if not 0.0 <= value <= high:
                raise InputError(f"The {name} of '{self.name}' is {value:g}; it must be 0 to {high:g}.")

    def _refuse_wrong_role(self) -> None:
        if (self.keys is not None) != self.role.has_keys:
            raise InputError(
                f"'{self.name}' is {self.role.value}; give keys to what is moving or carried and to nothing "
                "else."
            )
        if (self.hinge is not None) != (self.role is Role.HINGE):
            raise InputError(
                f"'{self.name}' is {self.role.value}; give a hinge to what is hinged and to nothing else."
            )
        if self.role is Role.HINGE and self.mass <= 0.0:
            raise InputError(f"'{self.name}' turns on a hinge, so it needs a mass above zero.")
        if (self.launch is not None) != (self.role is Role.PROJECTILE):
            raise InputError(
                f"'{self.name}' is {self.role.value}; give a launch to projectiles and to nothing else."
            )
        if self.role is not Role.PROP and self.velocity.any():
            raise InputError(
                f"'{self.name}' is {self.role.value}; a starting velocity belongs to props, so remove it."
            )
        if not self.role.is_free and (self.density > 0.0 or self.angular_velocity.any()):
            raise InputError(
                f"'{self.name}' is {self.role.value}; density and angular velocity belong to props, so "
                "remove them."
            )
        if self.captured and self.role not in (Role.GROUND, Role.OBSTACLE):
            raise InputError(
                f"'{self.name}' is {self.role.value}; only what stands still can be captured, so make it "
                "ground or obstacle."
            )
        if isinstance(self.shape, (Plane, HeightField)) and self.role not in (Role.GROUND, Role.OBSTACLE):
            raise InputError(
                f"'{self.name}' is a {self.shape.kind}, which cannot move; give it a solid shape."
            )

    def _refuse_wrong_prop(self) -> None:
        if (self.mass > 0.0) == (self.density > 0.0):
            raise InputError(
                f"'{self.name}' is a {self.role.value}, so it needs a mass or a density above zero, not both."
            )
        if self.density == 0.0 and self.mass < MIN_MASS or self.mass == 0.0 and self.density < MIN_DENSITY:
            raise InputError(
                f"'{self.name}' is too light to be simulated; "
                f"give it {MIN_MASS:g} kg or {MIN_DENSITY:g} kg/m^3 at least."
            )
        whole = Hull(self.shape.vertices) if isinstance(self.shape, Compound) else self.shape
        thickness = 2.0 * half_thickness(whole)
        if thickness < MIN_THICKNESS:
            raise InputError(
                f"'{self.name}' is {1e3 * thickness:.3f} mm thick; what falls or flies must have "
                f"{1e3 * MIN_THICKNESS:g} mm at least."
            )
        speed = float(np.linalg.norm(self.velocity))
        if speed > MAX_SPEED:
            raise InputError(f"'{self.name}' starts at {speed:g} m/s; it must be {MAX_SPEED:g} at most.")


@dataclass(frozen=True, eq=False)
class Scene:
    """Objects with unique names, and pushes.

    floor: whether there is a flat floor; None leaves it out only where it would cover the ground
    floor_height: of that floor [m]; None is where the soles of the source are found
    """

    objects: tuple[SceneObject, ...] = ()
    pushes: tuple[Push, ...] = ()
    floor: bool | None = None
    floor_height: float | None = None

    def __post_init__(self) -> None:
        names = [o.name for o in self.objects]
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            raise InputError(f"The scene has two objects called '{double}'; give each a name of its own.")

    @property
    def characters(self) -> set[str]:
        """Return the names of the characters at which pushes and throws are directed."""
        thrown_at = {o.launch.character for o in self.objects if o.launch is not None}
        return (thrown_at | {push.character for push in self.pushes}) - {""}

    @property
    def underfoot(self) -> Scene:
        """Return what can be stood on: no free objects, on which no motion can be planned, and no holds."""
        return self._of(o for o in self.objects if not o.role.is_free and o.role is not Role.HOLD)

    @property
    def holds(self) -> Scene:
        """Return what hands hold on to."""
        return self._of(o for o in self.objects if o.role is Role.HOLD)

    @property
    def carried(self) -> tuple[int, ...]:
        """Return the indices of the objects that hands carry."""
        return tuple(i for i, o in enumerate(self.objects) if o.role is Role.CARRIED)

    @property
    def has_grips(self) -> bool:
        """Return whether there is anything that hands hold."""
        return bool(self.holds.objects or self.carried)

    @property
    def captured(self) -> Scene:
        """Return the objects that the motion was captured on and stands on."""
        return self._of(o for o in self.objects if o.captured)

    def _of(self, objects: Iterable[SceneObject]) -> Scene:
        """Return a scene of some of the objects, without pushes."""
        return replace(self, objects=tuple(objects), pushes=())

    def scaled(self, factor: float) -> Scene:
        """Return the scene for a character that is larger by a factor; friction, masses and forces stay."""
        if factor == 1.0:
            return self
        height = None if self.floor_height is None else factor * self.floor_height
        return Scene(tuple(_scaled(o, factor) for o in self.objects), self.pushes, self.floor, height)


FLAT = Scene()


def _scaled(obj: SceneObject, factor: float) -> SceneObject:
    keys = obj.keys
    if keys is not None:
        keys = replace(keys, position=factor * keys.position)
    launch = obj.launch
    if launch is not None:
        launch = replace(launch, speed=factor * launch.speed)
    return replace(
        obj,
        shape=obj.shape.scaled(factor),
        position=factor * obj.position,
        margin=factor * obj.margin,
        density=obj.density / factor**3,
        velocity=factor * obj.velocity,
        launch=launch,
        keys=keys,
    )
