"""Reads the bodies, joints and coordinates of an OpenSim model (.osim, versions 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from ...base import rotations
from ...base.conventions import FloatArray
from ...base.errors import SHOWN, InputError
from .functions import Function, constant, identity, read_function
from .xml_tree import numbers_of, parse_xml, text_of

GROUND = "ground"
MAX_BODIES = 1000
X, Y, Z = np.eye(3)
FREE_AXES: dict[str, tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]] = {
    "WeldJoint": ((), ()),
    "PinJoint": ((Z,), ()),
    "SliderJoint": ((), (X,)),
    "UniversalJoint": ((X, Y), ()),
    "BallJoint": ((X, Y, Z), ()),
    "GimbalJoint": ((X, Y, Z), ()),
    "PlanarJoint": ((Z,), (X, Y)),
    "FreeJoint": ((X, Y, Z), (X, Y, Z)),
}
"""Axes about which joints turn, one after another, and along which they move, in the order of coordinates."""


@dataclass(frozen=True)
class Coordinate:
    """A joint's degree of freedom [rad or m]; is_angle: it turns; range: least and largest value."""

    name: str
    default: float
    range: tuple[float, float]
    is_angle: bool


@dataclass(frozen=True, eq=False)
class JointAxis:
    """A turn about an axis (3), or a move along it, by a function of a coordinate; None is constant."""

    axis: FloatArray
    coordinate: str | None
    function: Function


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame on a body: the place of its origin (3) [m] and its rotation (4)."""

    place: FloatArray
    turn: FloatArray


@dataclass(frozen=True, eq=False)
class Joint:
    """How a body moves on its parent."""

    name: str
    parent: str
    child: str
    on_parent: Frame
    on_child: Frame
    turns: tuple[JointAxis, ...]
    moves: tuple[JointAxis, ...]


@dataclass(frozen=True, eq=False)
class Coupling:
    """A coordinate that follows another one."""

    dependent: str
    independent: str
    function: Function


@dataclass(frozen=True, eq=False)
class OsimModel:
    """Joints, those of parents first; coordinates by name; mass of all bodies [kg]."""

    joints: tuple[Joint, ...]
    coordinates: dict[str, Coordinate]
    couplings: tuple[Coupling, ...]
    mass_kg: float


def read_osim(path: Path) -> OsimModel:
    """Read a model."""
    root = parse_xml(path)
    model = root if root.tag == "Model" else root.find("Model")
    if model is None:
        found = root.tag[:SHOWN]
        raise InputError(f"'{path.name}' has no <Model>, but <{found}>; choose a model of OpenSim.")
    joints, coordinates = [], dict[str, Coordinate]()
    for element, body in _joint_elements(model):
        where = f"Joint '{element.get('name', '')}' of '{path.name}'"
        joint, own = _joint(element, body, where)
        joints.append(joint)
        coordinates |= {coordinate.name: coordinate for coordinate in own}
    if not joints:
        raise InputError(f"'{path.name}' has no joints, so nothing can move; choose a whole model.")
    masses = [float(numbers_of(b, "mass", f"Body '{b.get('name')}'", 1)[0]) for b in _bodies(model)]
    return OsimModel(_parents_first(joints, path), coordinates, tuple(_couplings(model, path)), sum(masses))


def _bodies(model: Element) -> list[Element]:
    return [body for body in model.findall("BodySet/objects/Body") if body.find("mass") is not None]


def _joint_elements(model: Element) -> Iterator[tuple[Element, str | None]]:
    """Yield all joints; those of version 3 with the body that they carry, in which they stand."""
    for element in model.findall("JointSet/objects/*"):
        yield element, None
    for body in model.findall("BodySet/objects/Body"):
        for element in body.findall("Joint/*"):
            yield element, body.get("name", "")


def _joint(element: Element, body: str | None, where: str) -> tuple[Joint, list[Coordinate]]:
    if text_of(element, "reverse") == "true":
        raise InputError(f"{where} is reversed, which Heft does not read; turn it round in the model.")
    if body is None:
        frames = {str(f.get("name")): f for f in element.findall("frames/PhysicalOffsetFrame")}
        parent, on_parent = _socket(element, "parent_frame", frames, where)
        child, on_child = _socket(element, "child_frame", frames, where)
        listed = element.findall("coordinates/Coordinate")
    else:
        parent, child = text_of(element, "parent_body"), body
        on_parent = _frame(element, "location_in_parent", "orientation_in_parent", where)
        on_child = _frame(element, "location", "orientation", where)
        listed = element.findall("CoordinateSet/objects/Coordinate")
    names = [str(coordinate.get("name")) for coordinate in listed]
    turns, moves = _axes(element, names, where)
    turning = {axis.coordinate for axis in turns}
    own = [_coordinate(c, str(c.get("name")) in turning, where) for c in listed]
    return Joint(element.get("name", ""), parent, child, on_parent, on_child, turns, moves), own


def _socket(element: Element, socket: str, frames: dict[str, Element], where: str) -> tuple[str, Frame]:
    """Return the body that a socket leads to, and the frame on it."""
    name = text_of(element, f"socket_{socket}").rpartition("/")[2]
    if not name:
        raise InputError(f"{where} has no <socket_{socket}>; save the model with OpenSim 4 and try again.")
    if name not in frames:
        return name, Frame(np.zeros(3), rotations.from_vector(np.zeros(3)))
    body = text_of(frames[name], "socket_parent").rpartition("/")[2]
    return body, _frame(frames[name], "translation", "orientation", where)


def _frame(element: Element, place: str, turn: str, where: str) -> Frame:
    """Return a frame of a place and of angles about its X, Y and Z axes, one after another."""
    found = [
        np.zeros(3) if element.find(name) is None else numbers_of(element, name, where, 3)
        for name in (place, turn)
    ]
    return Frame(found[0], rotations.from_euler("XYZ", found[1]))


def _coordinate(element: Element, is_angle: bool, where: str) -> Coordinate:
    name = str(element.get("name"))
    owner = f"Coordinate '{name}' of {where}"
    default = numbers_of(element, "default_value", owner, 1)[0] if _has(element, "default_value") else 0.0
    span = numbers_of(element, "range", owner, 2) if _has(element, "range") else np.array([-np.inf, np.inf])
    return Coordinate(name, float(default), (float(span[0]), float(span[1])), is_angle)


def _has(element: Element, name: str) -> bool:
    return element.find(name) is not None


def _axes(
    element: Element, names: list[str], where: str
) -> tuple[tuple[JointAxis, ...], tuple[JointAxis, ...]]:
    """Return what a joint turns about and what it moves along."""
    if element.tag == "CustomJoint":
        axes = element.findall("SpatialTransform/TransformAxis")
        if len(axes) != 6:
            raise InputError(
                f"{where} has {len(axes)} axes; give it three to turn and three to move, or repair the model."
            )
        read = [_transform_axis(axis, names, where) for axis in axes]
        return tuple(read[:3]), tuple(read[3:])
    if element.tag not in FREE_AXES:
        known = ", ".join(("CustomJoint", *FREE_AXES))
        raise InputError(f"{where} is a {element.tag[:SHOWN]}, which Heft does not know; it knows {known}.")
    turns, moves = FREE_AXES[element.tag]
    if len(names) != len(turns) + len(moves):
        raise InputError(
            f"{where} has {len(names)} coordinates; a {element.tag} has {len(turns) + len(moves)}."
        )
    read = [JointAxis(axis, name, identity) for axis, name in zip((*turns, *moves), names, strict=True)]
    return tuple(read[: len(turns)]), tuple(read[len(turns) :])


def _transform_axis(element: Element, names: list[str], where: str) -> JointAxis:
    axis = numbers_of(element, "axis", where, 3)
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise InputError(f"{where} has an axis without a direction; repair the model.")
    used = text_of(element, "coordinates").split()
    unknown = next((name for name in used if name not in names), None)
    if unknown is not None or len(used) > 1:
        raise InputError(f"{where} moves by '{' '.join(used)[:SHOWN]}'; give it one of its own coordinates.")
    wrapper = element.find("function")
    own = list(wrapper) if wrapper is not None else [e for e in element if e.get("name") == "function"]
    if own:
        function = read_function(own[0], where)
    else:
        function = identity if used else lambda value: constant(0.0, value)
    return JointAxis(axis / size, used[0] if used else None, function)


def _couplings(model: Element, path: Path) -> Iterator[Coupling]:
    for element in model.findall("ConstraintSet/objects/CoordinateCouplerConstraint"):
        where = f"Constraint '{element.get('name')}' of '{path.name}'"
        function = element.find("coupled_coordinates_function")
        independent = text_of(element, "independent_coordinate_names").split()
        if function is not None and len(function) == 1 and len(independent) == 1:
            dependent = text_of(element, "dependent_coordinate_name")
            yield Coupling(dependent, independent[0], read_function(function[0], where))


def _parents_first(joints: list[Joint], path: Path) -> tuple[Joint, ...]:
    if len(joints) > MAX_BODIES:
        raise InputError(f"'{path.name}' has {len(joints)} joints; at most {MAX_BODIES} are read.")
    by_child = {joint.child: joint for joint in joints}
    if len(by_child) != len(joints):
        raise InputError(
            f"A body of '{path.name}' hangs on two joints; a body with closed loops is not read."
        )
    placed, ordered, waiting = {GROUND}, list[Joint](), list(joints)
    while waiting:
        ready = [joint for joint in waiting if joint.parent in placed]
        if not ready:
            name, parent = waiting[0].name, waiting[0].parent
            raise InputError(
                f"Joint '{name}' of '{path.name}' hangs on '{parent}', which hangs on nothing; repair "
                "the model."
            )
        ordered += ready
        placed |= {joint.child for joint in ready}
        waiting = [joint for joint in waiting if joint.child not in placed]
    return tuple(ordered)
