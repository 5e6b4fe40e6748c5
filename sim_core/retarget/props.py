"""Objects that hands of the source touch: held ones go along with the hands of the target, others stay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial import ConvexHull

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..base.errors import InputError
from ..scene.playback import keyed_states
from ..scene.scene import Keys, Scene, SceneObject
from ..scene.shapes import Box, Capsule, Compound, Cylinder, Hull, Shape, Sphere, half_thickness, shape_extent
from .body_surface import MovingPart, Surface

SLOPE_STEP = 1e-4
"""Distances are compared over this length to find in which direction they grow [m]."""
AT_REST = 0.02
"""A prop that is slower rests [m/s]."""


def shape_distance(shape: Shape, local: FloatArray) -> FloatArray:
    """Return distances (N) of points (N, 3) in the object's frame to its surface, negative inside [m]."""
    match shape:
        case Box():
            beyond = np.abs(local) - shape.half_size
        case Cylinder():
            across = np.hypot(local[:, 0], local[:, 1])
            beyond = np.stack([across - shape.radius, np.abs(local[:, 2]) - shape.half_length], axis=1)
        case Sphere():
            return np.asarray(np.linalg.norm(local, axis=1) - shape.radius)
        case Capsule():
            along = np.clip(local[:, 2], -shape.half_length, shape.half_length)
            return np.asarray(
                np.linalg.norm(local - along[:, None] * [0.0, 0.0, 1.0], axis=1) - shape.radius
            )
        case Hull():
            faces = ConvexHull(shape.vertices).equations
            return np.asarray((local @ faces[:, :3].T + faces[:, 3]).max(axis=1))
        case Compound():
            return np.asarray(np.min([shape_distance(part, local) for part in shape.parts], axis=0))
        case _:
            raise InputError(f"Hands cannot hold a {shape.kind}; give the object a solid shape.")
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    return np.asarray(outside + np.minimum(beyond.max(axis=1), 0.0))


@dataclass(frozen=True, eq=False)
class ShapeSurface:
    """The surface of an object, which is as large for the target as for the source."""

    shape: Shape

    @property
    def is_measured(self) -> bool:
        """Whether the surface is known, and not a guess."""
        return True

    @cached_property
    def depth(self) -> float:
        """How deep a point can be inside [m]."""
        return half_thickness(self.shape)

    @cached_property
    def ball(self) -> tuple[FloatArray, float]:
        """Middle (3) and radius of a ball [m]: the gap of a point outside is at least its distance to it."""
        half = np.array([shape_extent(self.shape, np.array([one, -one])) for one in np.eye(3)])
        middle, radius = 0.5 * (half[:, 0] - half[:, 1]), 0.5 * float(np.linalg.norm(half.sum(axis=1)))
        return middle, radius

    def gap(self, local: FloatArray) -> FloatArray:
        """Return the gaps (N) of points (N, 3) in the object's frame to its surface [m]."""
        return shape_distance(self.shape, local)

    def outwards(self, local: FloatArray) -> FloatArray:
        """Return unit vectors (N, 3) in which the gap grows fastest, in the object's frame."""
        steps = SLOPE_STEP * np.eye(3)
        slope = np.stack([self.gap(local + step) - self.gap(local - step) for step in steps], axis=1)
        return slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-12)

    def side_of(self, other: Surface, local: FloatArray) -> FloatArray:
        """Return the directions (N, 3) in which points (N, 3) are outside of the source's surface."""
        return other.outwards(local)

    def counterpart(self, other: Surface, local: FloatArray, gap: float) -> FloatArray:
        """Return the position (3) that means the same as one on the source's surface: the same one."""
        return local


@dataclass(frozen=True, eq=False)
class Prop:
    """An object that hands touch.

    position (T, 3) [m], quaternion (T, 4): in the frames of the motion; is_held: whether it goes with hands
    """

    name: str
    surface: ShapeSurface
    position: FloatArray
    quaternion: FloatArray
    is_held: bool

    def part(self, moved: FloatArray | None = None) -> MovingPart:
        """Return its surface over time, displaced by (T, 3) [m]."""
        origin = self.position if moved is None else self.position + moved
        return MovingPart(self.surface, self.quaternion, origin)

    def moved(self, displacement: FloatArray) -> Prop:
        """Return the prop on a path that is displaced by (T, 3) [m]."""
        return replace(self, position=self.position + displacement)

    @property
    def below(self) -> FloatArray:
        """How far it reaches below its origin (T) [m]."""
        down = rotations.rotate(rotations.conjugate(self.quaternion), -Z_UP)
        return shape_extent(self.surface.shape, down)

    def rests(self, rate_hz: float) -> BoolArray:
        """Return when it does not move (T)."""
        velocity = np.gradient(self.position, 1.0 / rate_hz, axis=0)
        return np.asarray(np.linalg.norm(velocity, axis=1) < AT_REST)


def props_of(scene: Scene, names: tuple[str, ...], time: FloatArray) -> tuple[Prop, ...]:
    """Return the named objects of a scene at times (T): those with keys are held, all others stay."""
    known = {one.name: one for one in scene.objects}
    found = []
    for name in names:
        if name not in known:
            listed = ", ".join(f"'{one}'" for one in known) or "no objects"
            raise InputError(f"The scene has no object '{name}' for hands; it has {listed}.")
        found.append(_prop(known[name], time))
    return tuple(found)


def _prop(thing: SceneObject, time: FloatArray) -> Prop:
    shape_distance(thing.shape, np.zeros((1, 3)))
    if thing.keys is None:
        position, quaternion = (
            np.tile(pose, (len(time), 1)) for pose in (thing.position, thing.quaternion)
        )
    else:
        pose = keyed_states(thing.keys, time).qpos
        position, quaternion = pose[:, :3], pose[:, 3:]
    return Prop(thing.name, ShapeSurface(thing.shape), position, quaternion, thing.role.has_keys)


def scene_with_props(scene: Scene, props: tuple[Prop, ...], time: FloatArray) -> Scene:
    """Return the scene with the paths of held props (T) as their keys."""
    held = {prop.name: prop for prop in props if prop.is_held}
    objects = tuple(
        replace(one, keys=Keys(time, held[one.name].position, held[one.name].quaternion))
        if one.name in held
        else one
        for one in scene.objects
    )
    return replace(scene, objects=objects)
