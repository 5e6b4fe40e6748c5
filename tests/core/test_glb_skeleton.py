"""GLB files from anywhere: each is read in bounded time, or refused with its place."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.motion.glb_skeleton import MOST_JOINTS, MOST_NODES, read_glb_skeleton
from sim_core.recognition.mapping import BoneMapping
from sim_core.retarget.retarget_rig import make_retarget_rig, read_target
from tests.core.sample_people import MAPPING, person, standing
from tests.core.skeletons import fixture_skeleton


def glb(path: Path, content: object) -> Path:
    text = content.encode() if isinstance(content, str) else json.dumps(content).encode()
    path.write_bytes(b"glTF" + struct.pack("<III4s", 2, 20 + len(text), len(text), b"JSON") + text)
    return path


def chain(count: int) -> dict[str, Any]:
    nodes = [{"name": f"b{i}", "translation": [0, 0.01, 0], "children": [i + 1]} for i in range(count - 1)]
    return {"nodes": [*nodes, {"name": "end"}], "skins": [{"joints": list(range(count))}]}


def test_a_deep_chain_is_read(tmp_path: Path) -> None:
    skeleton = read_glb_skeleton(glb(tmp_path / "a.glb", chain(MOST_JOINTS)))
    assert skeleton.parents.tolist() == list(range(-1, MOST_JOINTS - 1))
    assert skeleton.rest_position_world[-1] == pytest.approx([0.0, 0.0, 0.01 * (MOST_JOINTS - 1)])


def test_rotation_scale_and_matrix_agree(tmp_path: Path) -> None:
    turn = {"rotation": [0.0, 0.0, 2.0**-0.5, 2.0**-0.5], "scale": [2, 2, 2], "translation": [1, 0, 0]}
    matrix = {"matrix": [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1]}
    for first in (turn, matrix):
        nodes = [{"name": "a", "children": [1], **first}, {"translation": [1, 0, 0]}]
        skeleton = read_glb_skeleton(glb(tmp_path / "a.glb", {"nodes": nodes, "skins": [{"joints": [0, 1]}]}))
        assert skeleton.names == ("a", "joint 1")
        assert np.allclose(skeleton.rest_position_world, [[1, 0, 0], [1, 0, 2]], atol=1e-12)


@pytest.mark.parametrize(
    ("nodes", "joints", "word"),
    [
        ([{"children": [1]}, {"children": [0]}], [0], "below itself"),
        ([{"children": [0]}], [0], "below itself"),
        ([{"children": [1, 1]}, {}], [0], "two parents"),
        ([{"children": [2]}, {"children": [2]}, {}], [0], "two parents"),
        ([{"children": [7]}], [0], "child 7"),
        ([{"children": [-1]}], [0], "child -1"),
        ([{"children": ["x"]}], [0], "'children' of node 0"),
        ([{"children": 3}], [0], "'children' of node 0"),
        ([{"name": {"a": 1}}], [0], "'name' of node 0"),
        ([[1]], [0], "Node 0"),
        ([{}] * (MOST_NODES + 1), [0], "export the character alone"),
        ([{"rotation": [0, 0, 0, 0]}], [0], "rotation of node 0"),
        ([{"rotation": [1, 2]}], [0], "'rotation' of node 0"),
        ([{"translation": [1e300, 0, 0]}], [0], "m away"),
        ([{"translation": [None, 0, 0]}], [0], "m away"),
        (
            [{"scale": [1e300, 1, 1], "children": [1]}, {"scale": [1e300, 1, 1], "translation": [1, 1, 1]}],
            [1],
            "away",
        ),
        ([{"matrix": [1, 2, 3]}], [0], "has 3 numbers"),
        ([{}], [5], "Joint 5"),
        ([{}], [], "0 joints"),
        ([{}], "x", "'joints' of the skin"),
        ([{"name": "a"}, {"name": "a"}], [0, 1], "same name"),
        ({"a": 1}, [0], "'nodes' are no list"),
    ],
)
def test_broken_trees_are_refused_with_their_place(
    tmp_path: Path, nodes: Any, joints: Any, word: str
) -> None:
    began = time.monotonic()
    with pytest.raises(InputError, match=word):
        read_glb_skeleton(glb(tmp_path / "a.glb", {"nodes": nodes, "skins": [{"joints": joints}]}))
    assert time.monotonic() - began < 1.0


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        '{"skins": [1], "nodes": ' + "9" * 400 + "}",
        '{"skins": 1}',
        '{"skins": [0], "nodes": [{}]}',
    ],
)
def test_broken_descriptions_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"a\.glb"):
        read_glb_skeleton(glb(tmp_path / "a.glb", text))


def test_too_many_joints_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{MOST_JOINTS + 1} joints"):
        read_glb_skeleton(glb(tmp_path / "a.glb", chain(MOST_JOINTS + 1)))


def test_a_forearm_without_an_upper_arm_is_refused() -> None:
    motion = person(standing())
    bones = {slot: MAPPING.bones[slot] for slot in MAPPING if slot != "upper_arm.L"}
    with pytest.raises(InputError, match="left forearm, but no bone is the left upper arm above it"):
        make_retarget_rig(motion.skeleton, BoneMapping("by hand", bones))


@pytest.mark.parametrize("compression", ["KHR_draco_mesh_compression", "EXT_meshopt_compression"])
def test_a_character_with_a_compressed_mesh_is_read_without_it(tmp_path: Path, compression: str) -> None:
    skeleton = fixture_skeleton("mixamo")
    nodes: list[dict[str, Any]] = [{"name": name} for name in skeleton.names]
    for bone, (node, parent) in enumerate(zip(nodes, skeleton.parents.tolist(), strict=True)):
        head = skeleton.rest_position_world[bone]
        x, y, z = head - (skeleton.rest_position_world[parent] if parent >= 0 else 0.0)
        node["translation"] = [x, z, -y]
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(bone)
    content = {
        "nodes": [*nodes, {"mesh": 0, "skin": 0}],
        "scenes": [{"nodes": [0, len(nodes)]}],
        "skins": [{"joints": list(range(len(nodes)))}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 0, "WEIGHTS_0": 0}}]}],
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3}],
        "extensionsRequired": [compression],
    }
    target = read_target(glb(tmp_path / "a.glb", content))
    assert target.mesh is None
    assert any(compression in note for note in target.mapping.notes)
