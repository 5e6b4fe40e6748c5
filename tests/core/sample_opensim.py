"""A model and a motion of OpenSim with joints of many kinds, and where its bodies then are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from sim_core.base.conventions import FloatArray
from tests.core.sample_sources import FRAMES, Truth, strolling, swinging

RATE_HZ = 100.0
X, Y, Z = np.eye(3)
KNEE_CURVE = (0.004, 0.01, -0.02)
"""How far the knee moves as it bends: a parabola, which a spline through its points is, too."""


@dataclass(frozen=True, eq=False)
class _Joint:
    """One joint: its place and turn on the parent and on the child, and the axes about which it turns."""

    body: str
    parent: str
    kind: str
    place: Sequence[float]
    axes: tuple[FloatArray, ...] = ()
    turn: Sequence[float] = (0.0, 0.0, 0.0)
    child_place: Sequence[float] = (0.0, 0.0, 0.0)
    child_turn: Sequence[float] = (0.0, 0.0, 0.0)

    @property
    def coordinates(self) -> list[str]:
        own = [f"{self.body}_q{k}" for k in range(len(self.axes))]
        return own + ([f"pelvis_{t}" for t in ("tx", "ty", "tz")] if self.parent == "ground" else [])


def _joints() -> list[_Joint]:
    joints = [
        _Joint("pelvis", "ground", "CustomJoint", (0.0, 0.0, 0.0), (Z, X, Y)),
        _Joint("torso", "pelvis", "BallJoint", (-0.1, 0.08, 0.0), (X, Y, Z)),
        _Joint("head", "torso", "WeldJoint", (0.0, 0.55, 0.0)),
    ]
    for side, s in (("r", 1.0), ("l", -1.0)):
        slant = np.array([s * 0.1, 0.2, 1.0])
        joints += [
            _Joint(f"femur_{side}", "pelvis", "CustomJoint", (-0.07, -0.07, s * 0.08), (Z, s * X, s * Y)),
            _Joint(f"tibia_{side}", f"femur_{side}", "CustomJoint", (0.0, -0.41, 0.0), (slant,)),
            _Joint(
                f"talus_{side}",
                f"tibia_{side}",
                "PinJoint",
                (0.0, -0.41, 0.0),
                (Z,),
                (0.1, s * 0.2, 0.0),
                (0.01, 0.02, 0.0),
                (0.1, s * 0.2, 0.0),
            ),
            _Joint(f"toes_{side}", f"talus_{side}", "WeldJoint", (0.13, -0.05, 0.0)),
            _Joint(f"humerus_{side}", "torso", "GimbalJoint", (0.0, 0.4, s * 0.18), (X, Y, Z)),
            _Joint(f"ulna_{side}", f"humerus_{side}", "PinJoint", (0.01, -0.28, 0.0), (Z,)),
            _Joint(f"hand_{side}", f"ulna_{side}", "UniversalJoint", (0.0, -0.25, 0.01), (X, Y)),
        ]
    return joints


def opensim(folder: Path, version: int = 4, degrees: bool = True, stem: str = "walk") -> Truth:
    """Write walk.osim and walk.mot; return where joints are, and how bodies are turned."""
    joints = _joints()
    angles, place = swinging(len(joints), seed=7), strolling(0.95, up=1)
    angles[:, 0] *= 0.3
    values = {name: angles[:, n, k] for n, j in enumerate(joints) for k, name in enumerate(j.coordinates[:3])}
    values |= {f"pelvis_{t}": place[:, k] for k, t in enumerate(("tx", "ty", "tz"))}
    used = [name for joint in joints for name in joint.coordinates]
    factor = 180.0 / np.pi if degrees else 1.0
    columns = [values[name] * (1.0 if "_t" in name[-3:] else factor) for name in used]
    rows = np.stack([1.5 + np.arange(FRAMES) / RATE_HZ, *columns], axis=1)
    lines = ["Coordinates", "version=1", f"nRows={FRAMES}", f"nColumns={len(used) + 1}"]
    lines += [f"inDegrees={'yes' if degrees else 'no'}", "Units are S.I. units", "endheader"]
    lines += ["\t".join(["time", *used]), *("\t".join(f"{value:.10g}" for value in row) for row in rows)]
    (folder / f"{stem}.mot").write_text("\n".join([*lines, ""]))
    (folder / f"{stem}.osim").write_text(_model(joints, version))
    return _truth(joints, values)


def _truth(joints: list[_Joint], values: dict[str, FloatArray]) -> Truth:
    """Frames as homogeneous matrices, one after another."""
    body = {"ground": np.tile(np.eye(4), (FRAMES, 1, 1))}
    heads, turns = [], []
    for joint in joints:
        moved = np.tile(np.eye(4), (FRAMES, 1, 1))
        names = joint.coordinates
        if joint.parent == "ground":
            moved[:, :3, 3] = np.stack([values[name] for name in names[-3:]], axis=1)
        if joint.body.startswith("tibia"):
            moved[:, :3, 3] = np.polyval(KNEE_CURVE, values[names[0]])[:, None] * X
        for axis, name in zip(joint.axes, names, strict=False):
            unit = axis / np.linalg.norm(axis)
            moved[:, :3, :3] = (
                moved[:, :3, :3] @ Rotation.from_rotvec(values[name][:, None] * unit).as_matrix()
            )
        on_parent, on_child = _frame(joint.place, joint.turn), _frame(joint.child_place, joint.child_turn)
        at_joint = body[joint.parent] @ on_parent @ moved
        body[joint.body] = at_joint @ np.linalg.inv(on_child)
        heads.append(at_joint[:, :3, 3])
        turns.append(body[joint.body][:, :3, :3])
    return Truth(tuple(joint.body for joint in joints), np.stack(heads, axis=1), np.stack(turns, axis=1))


def _frame(place: Sequence[float], turn: Sequence[float]) -> FloatArray:
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = Rotation.from_euler("XYZ", turn).as_matrix(), place
    return frame


def _model(joints: list[_Joint], version: int) -> str:
    write = _joint_4 if version == 4 else _joint_3
    mass = 70.0 / len(joints)
    inside: Callable[[_Joint], str] = (
        (lambda j: "") if version == 4 else (lambda j: f"<Joint>{write(j)}</Joint>")
    )
    bodies = "".join(f'<Body name="{j.body}"><mass>{mass!r}</mass>{inside(j)}</Body>' for j in joints)
    if version == 3:
        bodies = '<Body name="ground"><mass>0</mass><Joint /></Body>' + bodies
    sets = f"<BodySet><objects>{bodies}</objects></BodySet>"
    if version == 4:
        sets += f"<JointSet><objects>{''.join(map(write, joints))}</objects></JointSet>"
    model = f'<Model name="m">{sets}</Model>'
    return f'<?xml version="1.0"?>\n<OpenSimDocument Version="{version}0000">{model}</OpenSimDocument>'


def _numbers(values: Sequence[float] | FloatArray) -> str:
    return " ".join(f"{value:.12g}" for value in values)


def _coordinates(joint: _Joint) -> str:
    return "".join(
        f'<Coordinate name="{name}"><default_value>0</default_value><range>-2 2</range></Coordinate>'
        for name in joint.coordinates
    )


def _joint_4(joint: _Joint) -> str:
    frames = "".join(
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{path}</socket_parent>'
        f"<translation>{_numbers(place)}</translation><orientation>{_numbers(turn)}</orientation>"
        "</PhysicalOffsetFrame>"
        for name, path, place, turn in (
            (
                "above",
                "/ground" if joint.parent == "ground" else f"/bodyset/{joint.parent}",
                joint.place,
                joint.turn,
            ),
            ("below", f"/bodyset/{joint.body}", joint.child_place, joint.child_turn),
        )
    )
    return (
        f'<{joint.kind} name="{joint.body}_joint"><socket_parent_frame>above</socket_parent_frame>'
        f"<socket_child_frame>below</socket_child_frame><coordinates>{_coordinates(joint)}</coordinates>"
        f"<frames>{frames}</frames>{_spatial(joint)}</{joint.kind}>"
    )


def _joint_3(joint: _Joint) -> str:
    return (
        f'<{joint.kind} name="{joint.body}_joint"><parent_body>{joint.parent}</parent_body>'
        f"<location_in_parent>{_numbers(joint.place)}</location_in_parent>"
        f"<orientation_in_parent>{_numbers(joint.turn)}</orientation_in_parent>"
        f"<location>{_numbers(joint.child_place)}</location>"
        f"<orientation>{_numbers(joint.child_turn)}</orientation>"
        f"<CoordinateSet><objects>{_coordinates(joint)}</objects></CoordinateSet>{_spatial(joint)}</{joint.kind}>"
    )


def _spatial(joint: _Joint) -> str:
    """The axes of a CustomJoint: three to turn about, three to move along."""
    if joint.kind != "CustomJoint":
        return ""
    linear = "<LinearFunction name='function'><coefficients>1 0</coefficients></LinearFunction>"
    still = "<function><Constant><value>0</value></Constant></function>"
    names = joint.coordinates
    rows = [(names[k], axis, linear) for k, axis in enumerate(joint.axes)]
    rows += [("", axis, still) for axis in (X, Y, Z)[len(rows) :]]
    moves = [("", axis, still) for axis in (X, Y, Z)]
    if joint.parent == "ground":
        moves = [(name, axis, linear) for name, axis in zip(names[-3:], (X, Y, Z), strict=True)]
    if joint.body.startswith("tibia"):
        moves[0] = (names[0], X, _spline())
    return (
        "<SpatialTransform>"
        + "".join(
            f"<TransformAxis><coordinates>{name}</coordinates><axis>{_numbers(axis)}</axis>{function}</TransformAxis>"
            for name, axis, function in (*rows, *moves)
        )
        + "</SpatialTransform>"
    )


def _spline() -> str:
    """The knee's curve as SIMM writes it, at half its size and then doubled."""
    x = np.linspace(-2.0, 2.0, 6)
    y = 0.5 * np.polyval(KNEE_CURVE, x)
    return (
        "<MultiplierFunction name='function'><function><SimmSpline>"
        f"<x>{_numbers(x)}</x><y>{_numbers(y)}</y></SimmSpline></function><scale>2</scale></MultiplierFunction>"
    )
