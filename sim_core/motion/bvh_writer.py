"""Writes a motion as a BVH file: centimetres, Y up, Z forward."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..base import rotations
from ..base.conventions import Z_UP_FROM_Y_UP, FloatArray
from ..base.errors import InputError
from ..base.files import AnyPath, write_text_atomically
from .motion import Motion
from .skeleton import NO_PARENT, Skeleton, local_from_world

UNIT_M = 0.01
REST_TOLERANCE = 1e-4
"""Distance from its rest position below which a bone does not move on its parent [m]."""
TIP = 0.1
"""Length of the last bone of a chain, of which only the head is known [m]."""


def write_bvh(motion: Motion, path: AnyPath) -> None:
    """Save a motion; roots and bones that move on their parents get position channels."""
    skeleton = motion.skeleton
    if np.count_nonzero(skeleton.parents == NO_PARENT) != 1:
        raise InputError("A BVH file holds one root bone; this skeleton has several.")
    order = _depth_first(skeleton)
    rotated = rotations.multiply(motion.quaternion_world, rotations.conjugate(skeleton.rest_quaternion_world))
    offset, local = local_from_world(motion.position_world, rotated, skeleton.parents)
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


def _moving(skeleton: Skeleton, offset: FloatArray) -> set[int]:
    """Return the roots, and the bones that move on their parents."""
    heads, parents = skeleton.rest_position_world, np.asarray(skeleton.parents)
    rest = np.where((parents == NO_PARENT)[:, None], np.inf, heads - heads[parents])
    away = np.linalg.norm(offset - rest, axis=2).max(axis=0)
    return set(np.flatnonzero(away > REST_TOLERANCE).tolist())


def _in_file(vectors: FloatArray) -> FloatArray:
    """Return world vectors (..., 3) [m] in the file's axes and units."""
    return np.asarray(vectors @ Z_UP_FROM_Y_UP / UNIT_M)


def _channels(local: FloatArray) -> FloatArray:
    """Return the angles (T, 3) of rotations (T, 4) about the file's Z, X and Y axes [deg]."""
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
    """Return the lines of a bone and all bones below it."""
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
