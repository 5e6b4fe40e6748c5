"""Skeletons for tests: small fixtures of names and heads, and skins of glTF files."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from sim_core import rotations
from sim_core.conventions import FloatArray
from sim_core.skeleton import NO_PARENT, Skeleton

FIXTURES = Path(__file__).parent / "data"


def fixture_skeleton(name: str) -> Skeleton:
    """A skeleton from tests/core/data: rows of name, parent index, head x, y, z [m]."""
    rows = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
    return make_skeleton([row[0] for row in rows], [row[1] for row in rows], [row[2:] for row in rows])


def make_skeleton(names: list[str], parents: list[int], heads: Any) -> Skeleton:
    quaternions = np.tile([1.0, 0.0, 0.0, 0.0], (len(names), 1))
    return Skeleton(tuple(names), np.array(parents), np.array(heads, dtype=float), quaternions)


def renamed(skeleton: Skeleton, names: list[str]) -> Skeleton:
    return make_skeleton(names, list(skeleton.parents), skeleton.rest_position_world)


def moved(skeleton: Skeleton, matrix: FloatArray) -> Skeleton:
    """The same bones with heads turned, scaled or mirrored by a matrix (3, 3)."""
    return make_skeleton(
        list(skeleton.names), list(skeleton.parents), skeleton.rest_position_world @ matrix.T
    )


def without(skeleton: Skeleton, *words: str) -> Skeleton:
    """The skeleton less the bones whose names hold one of the words, and all below them."""
    gone: set[int] = set()
    for i, name in enumerate(skeleton.names):
        if any(word in name for word in words) or skeleton.parents[i] in gone:
            gone.add(i)
    keep = [i for i in range(len(skeleton.names)) if i not in gone]
    parents = [keep.index(p) if (p := int(skeleton.parents[i])) != NO_PARENT else NO_PARENT for i in keep]
    return make_skeleton([skeleton.names[i] for i in keep], parents, skeleton.rest_position_world[keep])


def glb_skeleton(path: Path) -> Skeleton:
    """The first skin of a GLB file at its nodes' rest, turned to Z up."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    nodes = (content := json.loads(data[20 : 20 + length]))["nodes"]
    parent_of = {child: i for i, node in enumerate(nodes) for child in node.get("children", [])}
    joints = set(content["skins"][0]["joints"])
    order: list[int] = []

    def visit(node: int) -> None:
        if node in joints:
            order.append(node)
        for child in nodes[node].get("children", []):
            visit(child)

    for node in range(len(nodes)):
        if node not in parent_of:
            visit(node)
    parents = [_nearest_joint(parent_of.get(node), parent_of, order) for node in order]
    heads = [_world_matrix(node, nodes, parent_of)[:3, 3] for node in order]
    y_up = np.array(heads)
    z_up = np.stack([y_up[:, 0], -y_up[:, 2], y_up[:, 1]], axis=1)
    return make_skeleton([nodes[node]["name"] for node in order], parents, z_up)


def _nearest_joint(node: int | None, parent_of: dict[int, int], order: list[int]) -> int:
    while node is not None and node not in order:
        node = parent_of.get(node)
    return NO_PARENT if node is None else order.index(node)


def _world_matrix(node: int, nodes: list[dict[str, Any]], parent_of: dict[int, int]) -> FloatArray:
    entry = nodes[node]
    if "matrix" in entry:
        local = np.array(entry["matrix"], dtype=float).reshape(4, 4).T
    else:
        x, y, z, w = entry.get("rotation", [0.0, 0.0, 0.0, 1.0])
        local = np.eye(4)
        local[:3, :3] = rotations.to_matrix(np.array([w, x, y, z])) * entry.get("scale", [1.0, 1.0, 1.0])
        local[:3, 3] = entry.get("translation", [0.0, 0.0, 0.0])
    return _world_matrix(parent_of[node], nodes, parent_of) @ local if node in parent_of else local
