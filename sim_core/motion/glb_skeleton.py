"""Reads the skeleton of a GLB file: the joints of its first skin at rest, converted to Z up.

`glb_mesh` reads the surface of the same file.

The file may come from anywhere: nodes are checked and walked through without recursion, each one once.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from ..base.errors import InputError
from ..base.files import read_bytes
from ..base.json_codec import from_object
from ..base.json_files import parse_json_object
from .skeleton import NO_PARENT, Skeleton

MAGIC, JSON_CHUNK = b"glTF", b"JSON"
HEADER, CHUNK_HEADER = 12, 8
"""Lengths of the header of a file and of a chunk [bytes] (glTF 2.0, 4.4)."""
MOST_JOINTS, MOST_NODES = 2000, 50_000
FARTHEST_M = 1e6
"""Joints that are further from the origin than this are damaged."""


@dataclass(frozen=True)
class _Node:
    """What a node of the file states; it has a matrix, or rotation (x, y, z, w), scale and translation."""

    name: str = ""
    mesh: int | None = None
    skin: int | None = None
    children: tuple[int, ...] = ()
    matrix: tuple[float, ...] | None = None
    rotation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class _Skin:
    joints: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class GlbFile:
    """The nodes of a file.

    content: its description; data: its bytes; nodes
    parent_of: node -> the node above it; world: node -> its pose (4, 4), Y up
    bone_of: node that is a joint of the first skin -> its bone
    """

    content: dict[str, Any]
    data: bytes
    nodes: Sequence[_Node]
    parent_of: dict[int, int]
    world: dict[int, FloatArray]
    bone_of: dict[int, int]
    skeleton: Skeleton

    def nearest_bone(self, node: int) -> int:
        """Return the bone that is a node or the first one above it, or NO_PARENT."""
        return self.bone_of.get(node, _nearest_joint(node, self.parent_of, self.bone_of))


def read_glb_skeleton(path: Path) -> Skeleton:
    """Read the bones with their heads [m]; rest rotations are not needed and left out."""
    return read_glb(path).skeleton


def read_glb(path: Path) -> GlbFile:
    """Read the nodes and the skeleton of a file."""
    data = read_bytes(path)
    content = _content(path, data)
    where = f"'{path.name}'"
    listed = _list(content, "nodes", where)
    if len(listed) > MOST_NODES:
        raise InputError(
            f"{where} has {len(listed)} nodes, and at most {MOST_NODES} are read; export the character alone."
        )
    nodes = [from_object(_Node, value, f"Node {number} of {where}") for number, value in enumerate(listed)]
    skin = from_object(_Skin, _list(content, "skins", where)[0], f"The skin of {where}")
    parent_of = _parents(nodes, where)
    world = _world_matrices(nodes, parent_of, where)
    _refuse_lost(skin.joints, world, where)
    chosen = set(skin.joints)
    bone_of = {node: bone for bone, node in enumerate(node for node in world if node in chosen)}
    skeleton = _skeleton(nodes, parent_of, world, bone_of, where)
    return GlbFile(content, data, nodes, parent_of, world, bone_of, skeleton)


def z_up(points: FloatArray) -> FloatArray:
    """Return points (..., 3) of a file, whose Y is up, with Z up."""
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def _content(path: Path, data: bytes) -> dict[str, Any]:
    start = HEADER + CHUNK_HEADER
    if data[:4] != MAGIC:
        raise InputError(f"'{path.name}' is not a GLB file; export the character as glTF binary.")
    try:
        length, kind = struct.unpack_from("<I4s", data, HEADER)
        text = data[start : start + length].decode("utf-8")
    except (struct.error, UnicodeDecodeError) as problem:
        raise InputError(f"'{path.name}' is cut off or damaged; export the character again.") from problem
    if kind != JSON_CHUNK or len(data) < start + length:
        raise InputError(f"'{path.name}' is cut off or damaged; export the character again.")
    content = parse_json_object(text, f"The description in '{path.name}'")
    if not content.get("skins"):
        raise InputError(f"'{path.name}' has no skin, so it has no bones; export it with its armature.")
    return content


def _list(content: dict[str, Any], name: str, where: str) -> list[Any]:
    found = content.get(name)
    if not isinstance(found, list) or not found:
        raise InputError(f"{where} has no skin that can be read: its '{name}' are no list; export it again.")
    return found


def _refuse_lost(joints: Sequence[int], world: dict[int, FloatArray], where: str) -> None:
    count = len(set(joints))
    if not 1 <= count <= MOST_JOINTS:
        raise InputError(
            f"The skin of {where} has {count} joints; 1 to {MOST_JOINTS} are read. Export it again."
        )
    lost = next((joint for joint in joints if joint not in world), None)
    if lost is not None:
        raise InputError(
            f"Joint {lost} of {where} does not exist or is below itself; export the character again."
        )


def _skeleton(
    nodes: Sequence[_Node],
    parent_of: dict[int, int],
    world: dict[int, FloatArray],
    bone_of: dict[int, int],
    where: str,
) -> Skeleton:
    order = list(bone_of)
    heads = np.array([world[node][:3, 3] for node in order])
    far = np.flatnonzero(~(np.abs(heads).max(axis=1) < FARTHEST_M))
    if len(far):
        raise InputError(
            f"Joint {order[far[0]]} of {where} is more than {FARTHEST_M:g} m away; export it again."
        )
    return Skeleton(
        tuple(nodes[node].name or f"joint {node}" for node in order),
        np.array([_nearest_joint(node, parent_of, bone_of) for node in order]),
        z_up(heads),
        np.tile(IDENTITY_QUATERNION, (len(order), 1)),
    )


def _parents(nodes: Sequence[_Node], where: str) -> dict[int, int]:
    parent_of: dict[int, int] = {}
    for parent, node in enumerate(nodes):
        for child in node.children:
            if not 0 <= child < len(nodes):
                raise InputError(
                    f"Node {parent} of {where} has the child {child}, but there are {len(nodes)} nodes; "
                    "export the character again."
                )
            if child in parent_of:
                raise InputError(f"Node {child} of {where} has two parents; export the character again.")
            parent_of[child] = parent
    return parent_of


def _world_matrices(nodes: Sequence[_Node], parent_of: dict[int, int], where: str) -> dict[int, FloatArray]:
    """Return the poses of all nodes below a root, parents first; with one parent each, none comes twice."""
    world: dict[int, FloatArray] = {}
    waiting = [node for node in reversed(range(len(nodes))) if node not in parent_of]
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused as too far away
        while waiting:
            node = waiting.pop()
            local = _local_matrix(nodes[node], node, where)
            world[node] = world[parent_of[node]] @ local if node in parent_of else local
            waiting += reversed(nodes[node].children)
    return world


def _nearest_joint(node: int, parent_of: dict[int, int], number: dict[int, int]) -> int:
    """Return the number of the first joint above a node."""
    above = parent_of.get(node)
    while above is not None and above not in number:
        above = parent_of.get(above)
    return NO_PARENT if above is None else number[above]


def _local_matrix(node: _Node, number: int, where: str) -> FloatArray:
    if node.matrix is not None:
        if len(node.matrix) != 16:
            raise InputError(
                f"The matrix of node {number} of {where} has {len(node.matrix)} numbers; it needs 16."
            )
        return np.array(node.matrix).reshape(4, 4).T
    x, y, z, w = node.rotation
    turn = np.array([w, x, y, z])
    if not 1e-6 < np.linalg.norm(turn) < 1e6:
        raise InputError(f"The rotation of node {number} of {where} is zero or broken; export it again.")
    local = np.eye(4)
    local[:3, :3] = rotations.to_matrix(rotations.normalise(turn)) * node.scale
    local[:3, 3] = node.translation
    return local
