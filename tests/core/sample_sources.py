"""Motion files of other programs, written from known motions, with where every joint then is.

Poses are worked out here with matrices, apart from the readers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from sim_core.base.conventions import FloatArray, IntArray
from sim_core.motion.smpl_body import smpl_skeleton

FRAMES = 40


@dataclass(frozen=True, eq=False)
class Truth:
    """Where the joints of a file are, in its axes and units: position (T, N, 3), rotation (T, N, 3, 3)."""

    names: tuple[str, ...]
    position: FloatArray
    rotation: FloatArray


def swinging(joints: int, seed: int, most_deg: float = 25.0) -> FloatArray:
    """Smooth angles (T, joints, 3) that start anywhere [rad]."""
    rng = np.random.default_rng(seed)
    phase, pace = rng.uniform(0.0, 2.0 * np.pi, (2, joints, 3))
    time = np.arange(FRAMES)[:, None, None] / FRAMES
    return np.radians(most_deg) * np.sin(phase + pace * time)


def strolling(height: float, up: int) -> FloatArray:
    """The path of a root (T, 3) that rises and falls along an axis."""
    time = np.arange(FRAMES) / FRAMES
    path = np.stack([0.3 * time, 0.1 * np.sin(5.0 * time), 0.2 * time], axis=1)
    path[:, up] = height * (1.0 + 0.02 * np.sin(9.0 * time))
    return path


def chain(
    names: Sequence[str], parents: Sequence[int], offset: FloatArray, turn: FloatArray, place: FloatArray
) -> Truth:
    """Poses of joints at offsets (N, 3) on their parents, turned by (T, N, 3, 3); the root at (T, 3)."""
    position, rotation = np.zeros(turn.shape[:3]), np.array(turn)
    position[:, 0] = place
    for joint, parent in enumerate(parents):
        if parent >= 0:
            rotation[:, joint] = rotation[:, parent] @ turn[:, joint]
            position[:, joint] = position[:, parent] + rotation[:, parent] @ offset[joint]
    return Truth(tuple(names), position, rotation)


def matrices(vectors: FloatArray) -> FloatArray:
    """Matrices (..., 3, 3) of rotation vectors (..., 3)."""
    return Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(*vectors.shape, 3)


def write_npz(path: Path, arrays: Mapping[str, Any]) -> Path:
    named: dict[str, Any] = dict(arrays)
    np.savez(path, **named)
    return path


def amass(joints: int = 52, height: float = 1.7) -> tuple[dict[str, Any], Truth]:
    """The arrays of an AMASS file, Z up, and the truth on a body of average proportions."""
    skeleton = smpl_skeleton(joints, height)
    vectors = swinging(joints, seed=1)
    stand = Rotation.from_euler("x", 90.0, degrees=True)
    vectors[:, 0] = (Rotation.from_rotvec(0.3 * vectors[:, 0]) * stand).as_rotvec()
    place = strolling(0.9, up=2)
    heads, parents = skeleton.rest_position_world, skeleton.parents
    truth = chain(skeleton.names, parents.tolist(), heads - heads[parents], matrices(vectors), place)
    # The rest pose that the readers mean stands with Z up, so their rotations start there.
    truth = Truth(truth.names, truth.position, truth.rotation @ stand.as_matrix().T)
    arrays = {
        "poses": vectors.reshape(FRAMES, -1),
        "trans": place,
        "betas": np.zeros(16),
        "gender": np.array("neutral"),
        "mocap_framerate": np.array(100.0),
    }
    return arrays, truth


LEG = (("femur", (0.1, -0.02, 0.0)), ("tibia", (0.02, -0.42, 0.0)), ("foot", (0.01, -0.41, -0.02)))
ARM = (("humerus", (0.18, 0.0, -0.01)), ("radius", (0.28, 0.01, 0.0)), ("wrist", (0.25, 0.0, 0.02)))
END = {"foot": (0.0, -0.05, 0.13), "toes": (0.0, 0.0, 0.06), "wrist": (0.08, 0.0, 0.01)}


def acclaim_bones() -> list[tuple[str, str | None, FloatArray]]:
    """Bones with their parents and their ends from their begins [m], Y up, Z forward."""
    bones: list[tuple[str, str | None, FloatArray]] = [("root", None, np.zeros(3))]
    for name, parent, tip in (
        ("lowerback", "root", (0.0, 0.15, -0.02)),
        ("thorax", "lowerback", (0.0, 0.3, 0.01)),
        ("neck", "thorax", (0.0, 0.1, 0.01)),
        ("head", "neck", (0.0, 0.15, 0.02)),
    ):
        bones.append((name, parent, np.array(tip)))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        mirror = np.array([sign, 1.0, 1.0])
        limbs = (("hipjoint", "root", LEG, "toes"), ("clavicle", "thorax", ARM, None))
        for first, carrier, rows, last in limbs:
            names = [first, *(name for name, _ in rows), *([last] if last else [])]
            ends = [np.array(end) for _, end in rows]
            ends += [np.array(END[name]) for name in names[len(ends) :]]
            above = carrier
            for name, end in zip(names, ends, strict=True):
                bones.append((side + name, above, end * mirror))
                above = side + name
    return bones


def acclaim(folder: Path, stem: str = "07_01", unit: float = 100.0, angle: str = "deg") -> Truth:
    """Write 07.asf and 07_01.amc with bones that turn about axes of their own; return the truth."""
    rng = np.random.default_rng(5)
    bones = acclaim_bones()
    names = [name for name, _, _ in bones]
    parents = [-1 if parent is None else names.index(parent) for _, parent, _ in bones]
    factor = 180.0 / np.pi if angle == "deg" else 1.0
    offset = unit * np.array([[0.0] * 3 if p < 0 or p == 0 else bones[p][2] for p in parents])
    angles, place = swinging(len(bones), seed=2), unit * strolling(0.9, up=1)
    angles[:, 0] *= 0.3
    turn = np.empty((FRAMES, len(bones), 3, 3))
    asf = [":version 1.10", ":name made", ":units", " mass 1.0", " length 1.0", f" angle {angle}"]
    asf += [":documentation", " words that say nothing", ":root", " order TX TY TZ RZ RX RY", " axis XYZ"]
    asf += [" position 0 0 0", " orientation 0 0 0", ":bonedata"]
    amc: list[list[str]] = [[] for _ in range(FRAMES)]
    for n, (name, _, end) in enumerate(bones):
        order = ("rz", "rx", "ry") if n == 0 else (("rx",) if name[1:] == "tibia" else ("ry", "rz", "rx"))
        axes = np.zeros(3) if n == 0 else rng.uniform(-1.0, 1.0, 3)
        own = Rotation.from_euler("xyz", axes).as_matrix()
        fixed = Rotation.from_euler("".join(o[1] for o in order), angles[:, n, : len(order)]).as_matrix()
        turn[:, n] = own @ fixed @ own.T
        for t in range(FRAMES):
            moved = place[t] if n == 0 else []
            values = (*moved, *(factor * angles[t, n, : len(order)]))
            amc[t].append(" ".join([name, *(f"{value:.9g}" for value in values)]))
        if n:
            length = float(np.linalg.norm(end))
            numbers = " ".join(f"{value:.12g}" for value in end / length)
            asf += [
                " begin",
                f"  id {n}",
                f"  name {name}",
                f"  direction {numbers}",
                f"  length {unit * length:.12g}",
            ]
            asf += [
                f"  axis {' '.join(f'{factor * value:.12g}' for value in axes)} XYZ",
                f"  dof {' '.join(order)}",
            ]
            asf += [f"  limits {'(-180.0 180.0) ' * len(order)}", " end"]
    asf += [":hierarchy", " begin"]
    asf += [
        " ".join([" ", name, *(names[k] for k, above in enumerate(parents) if above == n)])
        for n, name in enumerate(names)
        if n in parents
    ]
    (folder / f"{stem.split('_')[0]}.asf").write_text("\n".join([*asf, " end", ""]))
    rows = [line for t in range(FRAMES) for line in (str(t + 1), *amc[t])]
    units = ":DEGREES" if angle == "deg" else ":RADIANS"
    (folder / f"{stem}.amc").write_text("\n".join(["# made", ":FULLY-SPECIFIED", units, *rows, ""]))
    return chain(names, parents, offset, turn, place)


def file_order(truth: Truth, names: Sequence[str]) -> Truth:
    """The truth with its joints in another order."""
    column: IntArray = np.array([truth.names.index(name) for name in names])
    return Truth(tuple(names), truth.position[:, column], truth.rotation[:, column])
