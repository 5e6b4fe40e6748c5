"""Writes a motion as a BVH file: centimetres, Y up, Z forward."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from . import rotations
from .conventions import Z_UP_FROM_Y_UP, FloatArray
from .errors import InputError
from .files import AnyPath, write_text_atomically
from .motion import Motion
from .skeleton import NO_PARENT, Skeleton

UNIT_M = 0.01
TIP = 0.1
"""Length of the last bone of a chain, which only its head is known of [m]."""


def write_bvh(motion: Motion, path: AnyPath) -> None:
    """Save a motion whose bones keep their lengths; only the root moves in the file."""
    skeleton = motion.skeleton
    if np.count_nonzero(skeleton.parents == NO_PARENT) != 1:
        raise InputError("A BVH file holds one root bone; this skeleton has several.")
    order = _depth_first(skeleton)
    turned = rotations.multiply(motion.quaternion_world, rotations.conjugate(skeleton.rest_quaternion_world))
    lines = ["HIERARCHY", *_hierarchy(skeleton, 0, 0), "MOTION", f"Frames: {len(motion.time)}"]
    lines.append(f"Frame Time: {1.0 / motion.rate_hz:.8f}")
    columns = [_in_file(motion.position_world[:, 0])]
    for bone in order:
        parent = int(skeleton.parents[bone])
        local = turned[:, bone]
        if parent != NO_PARENT:
            local = rotations.relative(turned[:, parent], local)
        columns.append(_channels(local))
    values = np.concatenate(columns, axis=1)
    lines += [" ".join(f"{value:.6f}" for value in row) for row in values]
    write_text_atomically(path, "\n".join(lines) + "\n")


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


def _hierarchy(skeleton: Skeleton, bone: int, depth: int) -> list[str]:
    """The block of a bone and all below it."""
    indent, parent = "  " * depth, int(skeleton.parents[bone])
    heads = skeleton.rest_position_world
    offset = heads[bone] - (heads[parent] if parent != NO_PARENT else 0.0)
    moves = "Xposition Yposition Zposition " if parent == NO_PARENT else ""
    lines = [
        f"{indent}{'ROOT' if parent == NO_PARENT else 'JOINT'} {skeleton.names[bone]}",
        f"{indent}{{",
        f"{indent}  OFFSET {_numbers(offset)}",
        f"{indent}  CHANNELS {6 if moves else 3} {moves}Zrotation Xrotation Yrotation",
    ]
    for child in skeleton.children[bone]:
        lines += _hierarchy(skeleton, child, depth + 1)
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
