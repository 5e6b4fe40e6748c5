"""Reads the skeleton of a GLB file: the joints of its first skin at rest, converted to Z up."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from ..base.errors import InputError
from ..base.files import read_bytes
from .skeleton import NO_PARENT, Skeleton

Nodes = list[dict[str, Any]]
MAGIC = b"glTF"


def read_glb_skeleton(path: Path) -> Skeleton:
    """Read the bones with their heads [m]; rest rotations are not needed and left out."""
    content = _content(path)
    try:
        return _skeleton(content)
    except (KeyError, IndexError, TypeError, ValueError) as problem:
        raise InputError(
            f"'{path.name}' has no skin that can be read; export the character again."
        ) from problem


def _content(path: Path) -> dict[str, Any]:
    data = read_bytes(path)
    if data[:4] != MAGIC:
        raise InputError(f"'{path.name}' is not a GLB file; export the character as glTF binary.")
    try:
        length = struct.unpack_from("<I", data, 12)[0]
        content: dict[str, Any] = json.loads(data[20 : 20 + length])
    except (struct.error, ValueError) as problem:
        raise InputError(f"'{path.name}' is cut off or damaged; export the character again.") from problem
    if not content.get("skins"):
        raise InputError(f"'{path.name}' has no skin, so it has no bones; export it with its armature.")
    return content


def _skeleton(content: dict[str, Any]) -> Skeleton:
    nodes: Nodes = content["nodes"]
    parent_of = {child: i for i, node in enumerate(nodes) for child in node.get("children", [])}
    joints = set(content["skins"][0]["joints"])
    order: list[int] = []
    waiting = [node for node in reversed(range(len(nodes))) if node not in parent_of]
    while waiting:
        node = waiting.pop()
        order += [node] if node in joints else []
        waiting += reversed(nodes[node].get("children", []))
    heads = np.array([_world_matrix(node, nodes, parent_of)[:3, 3] for node in order])
    return Skeleton(
        tuple(nodes[node]["name"] for node in order),
        np.array([_nearest_joint(parent_of.get(node), parent_of, order) for node in order]),
        np.stack([heads[:, 0], -heads[:, 2], heads[:, 1]], axis=1),
        np.tile(IDENTITY_QUATERNION, (len(order), 1)),
    )


def _nearest_joint(node: int | None, parent_of: dict[int, int], order: list[int]) -> int:
    while node is not None and node not in order:
        node = parent_of.get(node)
    return NO_PARENT if node is None else order.index(node)


def _world_matrix(node: int, nodes: Nodes, parent_of: dict[int, int]) -> FloatArray:
    entry = nodes[node]
    if "matrix" in entry:
        local = np.array(entry["matrix"], dtype=float).reshape(4, 4).T
    else:
        x, y, z, w = entry.get("rotation", [0.0, 0.0, 0.0, 1.0])
        local = np.eye(4)
        local[:3, :3] = rotations.to_matrix(np.array([w, x, y, z])) * entry.get("scale", [1.0, 1.0, 1.0])
        local[:3, 3] = entry.get("translation", [0.0, 0.0, 0.0])
    return _world_matrix(parent_of[node], nodes, parent_of) @ local if node in parent_of else local
