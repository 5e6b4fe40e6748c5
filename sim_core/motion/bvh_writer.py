"""Writes a motion as a BVH file: centimetres, Y up, Z forward."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..base import rotations
from ..base.conventions import Z_UP_FROM_Y_UP, FloatArray
from ..base.errors import InputError
from ..base.files import AnyPath, write_text_atomically
from .motion import Motion
from .skeleton import NO_PARENT, Skeleton

UNIT_M = 0.01
STAYS = 1e-4
"""A bone nearer than this to its place at rest is there [m]."""
TIP = 0.1
"""Length of the last bone of a chain, which only its head is known of [m]."""


def write_bvh(motion: Motion, path: AnyPath) -> None:
    """Save a motion; the root moves in the file, and so do bones that leave their place on their parent."""
    skeleton = motion.skeleton
    if np.count_nonzero(skeleton.parents == NO_PARENT) != 1:
        raise InputError("A BVH file holds one root bone; this skeleton has several.")
    order = _depth_first(skeleton)
    turned = rotations.multiply(motion.quaternion_world, rotations.conjugate(skeleton.rest_quaternion_world))
    local, offset = _local(motion, turned)
    moving = _moving(skeleton, offset)
    lines = ["HIERARCHY", *_hierarchy(skeleton, 0, 0, moving), "MOTION", f"Frames: {len(motion.time)}"]
    lines.append(f"Frame Time: {1.0 / motion.rate_hz:.8f}")
    columns = []
    for bone in order:
        columns += [_in_file(offset[:, bone])] if bone in moving else []
        columns.append(_channels(local[:, bone]))
    values = np.concatenate(columns, axis=1)
    lines += [" ".join(f"{value:.6f}" for value in row) for row in values]
    write_text_atomically(path, "\n".join(lines) + "\n")


def _local(motion: Motion, turned: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Turns (T, N, 4) and places (T, N, 3) of bones against their parents; turned (T, N, 4): from rest."""
    parents = np.asarray(motion.skeleton.parents)
    local, offset = turned.copy(), np.array(motion.position_world)
    child = np.flatnonzero(parents != NO_PARENT)
    above = turned[:, parents[child]]
    local[:, child] = rotations.relative(above, turned[:, child])
    apart = motion.position_world[:, child] - motion.position_world[:, parents[child]]
    offset[:, child] = rotations.rotate(rotations.conjugate(above), apart)
    return local, offset


def _moving(skeleton: Skeleton, offset: FloatArray) -> set[int]:
    """Roots, and bones that are not always where they rest on their parents."""
    heads, parents = skeleton.rest_position_world, np.asarray(skeleton.parents)
    rest = np.where((parents == NO_PARENT)[:, None], np.inf, heads - heads[parents])
    away = np.linalg.norm(offset - rest, axis=2).max(axis=0)
    return set(np.flatnonzero(away > STAYS).tolist())


def _in_file(vectors: FloatArray) -> FloatArray:
    """World vectors (..., 3) [m] in the file's axes and units."""
    return np.asarray(vectors @ Z_UP_FROM_Y_UP / UNIT_M)


def _channels(local: FloatArray) -> FloatArray:
    """Angles (T, 3) of rotations (T, 4) about the file's Z, X and Y axes [deg]."""
    matrix = Z_UP_FROM_Y_UP.T @ rotations.to_matrix(local) @ Z_UP_FROM_Y_UP
    return np.asarray(np.degrees(np.unwrap(Rotation.from_matrix(matrix).as_euler("ZXY"), axis=0)))


def _depth_first(skeleton: Skeleton) -> list[int]:
    order, waiting = [], [0]
    while waiting:
        bone = waiting.pop()
        order.append(bone)
        waiting += reversed(skeleton.children[bone])
    return order


def _hierarchy(skeleton: Skeleton, bone: int, depth: int, moving: set[int]) -> list[str]:
    """The block of a bone and all below it."""
    indent, parent = "  " * depth, int(skeleton.parents[bone])
    heads = skeleton.rest_position_world
    offset = heads[bone] - (heads[parent] if parent != NO_PARENT else 0.0)
    moves = "Xposition Yposition Zposition " if bone in moving else ""
    lines = [
        f"{indent}{'ROOT' if parent == NO_PARENT else 'JOINT'} {skeleton.names[bone]}",
        f"{indent}{{",
        f"{indent}  OFFSET {_numbers(offset)}",
        f"{indent}  CHANNELS {6 if moves else 3} {moves}Zrotation Xrotation Yrotation",
    ]
    for child in skeleton.children[bone]:
        lines += _hierarchy(skeleton, child, depth + 1, moving)
    if not skeleton.children[bone]:
        length = max(float(np.linalg.norm(offset)), 1e-9)
        tip = offset * (TIP / length)
        lines += [
            f"{indent}  End Site",
            f"{indent}  {{",
            f"{indent}    OFFSET {_numbers(tip)}",
            f"{indent}  }}",
        ]
    return [*lines, f"{indent}}}"]


def _numbers(offset: FloatArray) -> str:
    return " ".join(f"{value:.6f}" for value in _in_file(offset))
