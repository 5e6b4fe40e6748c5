"""Every kind of rig maps to the right bones, and what is no two-legged body is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim_core.base import json_files as presets
from sim_core.base.errors import InputError, RecognitionError
from sim_core.motion.glb_skeleton import read_glb_skeleton
from sim_core.motion.skeleton import Skeleton
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import BoneMapping, check_mapping, mapping_from_json, mapping_to_json, recognise
from sim_core.recognition.bone_names import parse_name
from sim_core.recognition.mapping import SLOTS
from tests.core.skeletons import fixture_skeleton, moved, renamed, without

SIDE_ORDER = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")


def expected(
    left_word: str, right_word: str, trunk: dict[str, str], limbs: str
) -> dict[str, tuple[str, ...]]:
    """Slots from space-separated names; '@' is the side, ',' joins merged bones, '-' is absent."""
    slots = {slot: tuple(names.split(",")) for slot, names in trunk.items()}
    for side, word in (("L", left_word), ("R", right_word)):
        for slot, names in zip(SIDE_ORDER, limbs.split(), strict=True):
            if names != "-":
                slots[f"{slot}.{side}"] = tuple(names.replace("@", word).split(","))
    return slots


RIGIFY = expected(
    "L",
    "R",
    {
        "hips": "spine",
        "spine": "spine.001,spine.002,spine.003",
        "neck": "spine.004,spine.005",
        "head": "spine.006",
    },
    "shoulder.@ upper_arm.@ forearm.@ hand.@ thigh.@ shin.@ foot.@ toe.@",
)
# Deform bones of the limbs spread a turn about their length over two bones; the ORG bones have all of it.
GENERATED = {
    slot: tuple(f"{'ORG' if '.' in slot else 'DEF'}-{name}" for name in names)
    for slot, names in RIGIFY.items()
}

FIXTURE_RIGS = {
    "rigify_human": ("Rigify metarig", RIGIFY),
    "rigify_basic": ("Rigify metarig", RIGIFY),
    "rigify_generated": ("Rigify generated rig", GENERATED),
    "mixamo": (
        "Mixamo",
        {
            slot: tuple(f"mixamorig:{name}" for name in names)
            for slot, names in expected(
                "Left",
                "Right",
                {"hips": "Hips", "spine": "Spine,Spine1,Spine2", "neck": "Neck", "head": "Head"},
                "@Shoulder @Arm @ForeArm @Hand @UpLeg @Leg @Foot @ToeBase",
            ).items()
        },
    ),
    "unreal": (
        "Unreal mannequin",
        expected(
            "l",
            "r",
            {"hips": "pelvis", "spine": "spine_01,spine_02,spine_03", "neck": "neck_01", "head": "head"},
            "clavicle_@ upperarm_@ lowerarm_@ hand_@ thigh_@ calf_@ foot_@ ball_@",
        ),
    ),
    "vroid": (
        "VRM (VRoid names)",
        {
            slot: tuple(f"J_Bip_{name}" for name in names)
            for slot, names in expected(
                "L",
                "R",
                {
                    "hips": "C_Hips",
                    "spine": "C_Spine,C_Chest,C_UpperChest",
                    "neck": "C_Neck",
                    "head": "C_Head",
                },
                "@_Shoulder @_UpperArm @_LowerArm @_Hand @_UpperLeg @_LowerLeg @_Foot @_ToeBase",
            ).items()
        },
    ),
}

CESIUM_MAN = expected(
    "L",
    "R",
    {
        "hips": "Skeleton_torso_joint_1",
        "spine": "Skeleton_torso_joint_2,torso_joint_3",
        "neck": "Skeleton_neck_joint_1",
        "head": "Skeleton_neck_joint_2",
    },
    "- - - - leg_joint_@_1 leg_joint_@_2 leg_joint_@_3 leg_joint_@_5",
) | {
    "upper_arm.L": ("Skeleton_arm_joint_L__4_",),
    "forearm.L": ("Skeleton_arm_joint_L__3_",),
    "hand.L": ("Skeleton_arm_joint_L__2_",),
    "upper_arm.R": ("Skeleton_arm_joint_R",),
    "forearm.R": ("Skeleton_arm_joint_R__2_",),
    "hand.R": ("Skeleton_arm_joint_R__3_",),
}
CHARACTERS = {
    "CesiumMan": CESIUM_MAN,
    "RiggedFigure": expected(
        "L",
        "R",
        {
            "hips": "torso_joint_1",
            "spine": "torso_joint_2,torso_joint_3",
            "neck": "neck_joint_1",
            "head": "neck_joint_2",
        },
        "- arm_joint_@_1 arm_joint_@_2 arm_joint_@_3 leg_joint_@_1 leg_joint_@_2 leg_joint_@_3 leg_joint_@_5",
    ),
    "KayKit_Knight": expected(
        "l",
        "r",
        {"hips": "hips", "spine": "spine,chest", "head": "head"},
        "- upperarm.@ lowerarm.@ wrist.@,hand.@ upperleg.@ lowerleg.@ foot.@ toes.@",
    ),
    "RobotExpressive": expected(
        "L",
        "R",
        {"hips": "Body,Hips", "spine": "Abdomen,Torso", "neck": "Neck", "head": "Head"},
        "Shoulder.@ UpperArm.@ LowerArm.@ Palm2.@,Palm1.@,Palm3.@ UpperLeg.@ LowerLeg.@ Foot.@ -",
    ),
}
CAPTURES = {
    "cmu/02_01": (
        "CMU motion capture",
        expected(
            "Left",
            "Right",
            {"hips": "Hips", "spine": "LowerBack,Spine,Spine1", "neck": "Neck,Neck1", "head": "Head"},
            "@Shoulder @Arm @ForeArm @Hand @UpLeg @Leg @Foot @ToeBase",
        ),
    ),
    "makehuman/zombieWalk1": (
        "MakeHuman BVH",
        expected(
            "L",
            "R",
            {"hips": "Root,Hips", "spine": "Spine1,Spine2,Spine3", "neck": "Neck", "head": "Head"},
            "Clavicle_@ UpArm_@ LoArm_@ Hand_@ UpLeg_@ LoLeg_@ Foot_@ Toe_@",
        ),
    ),
    "misc/pirouette": (
        "Poser names",
        expected(
            "l",
            "r",
            {"hips": "hip", "spine": "abdomen,chest", "neck": "neck", "head": "head"},
            "@Collar @Shldr @ForeArm @Hand @Thigh @Shin @Foot -",
        ),
    ),
}
TILTED = Rotation.from_euler("XYZ", [70.0, -35.0, 140.0], degrees=True).as_matrix()


def nameless(skeleton: Skeleton) -> Skeleton:
    return renamed(skeleton, [f"bone_{i}" for i in range(len(skeleton.names))])


def by_original_name(
    mapping: BoneMapping, original: Skeleton, other: Skeleton | None = None
) -> dict[str, tuple[str, ...]]:
    """The mapping of a nameless skeleton, or of another one, in the names it had before."""
    names = (other or nameless(original)).names
    old = dict(zip(names, original.names, strict=True))
    return {slot: tuple(old[name] for name in bones) for slot, bones in mapping.bones.items()}


@pytest.mark.parametrize("rig", FIXTURE_RIGS)
def test_known_families_map_to_the_right_bones(rig: str) -> None:
    kind, bones = FIXTURE_RIGS[rig]
    mapping = recognise(fixture_skeleton(rig))
    assert mapping.kind == kind
    assert dict(mapping.bones) == bones


@pytest.mark.parametrize("name", CHARACTERS)
def test_gltf_characters_map_to_the_right_bones(name: str, shared_data: Path) -> None:
    mapping = recognise(read_glb_skeleton(shared_data / "characters" / f"{name}.glb"))
    assert dict(mapping.bones) == CHARACTERS[name]


@pytest.mark.parametrize("name", CAPTURES)
def test_captures_map_to_the_right_bones(name: str, shared_data: Path) -> None:
    kind, bones = CAPTURES[name]
    mapping = recognise(read_bvh(shared_data / "bvh" / f"{name}.bvh").motion.skeleton)
    assert mapping.kind == kind
    assert dict(mapping.bones) == bones


@pytest.mark.parametrize("prefix", ["mixamorig:", "mixamorig7:", "mixamorig", "mixamorig_", "MIXAMORIG:"])
def test_mixamo_prefixes_do_not_matter(prefix: str) -> None:
    skeleton = fixture_skeleton("mixamo")
    other = renamed(skeleton, [name.replace("mixamorig:", prefix) for name in skeleton.names])
    assert recognise(other).kind == "Mixamo"
    assert recognise(other).first("shin.L") == f"{prefix}LeftLeg"


@pytest.mark.parametrize("rig", ["rigify_basic", "vroid", "unreal"])
def test_shape_alone_finds_limbs_and_sides(rig: str) -> None:
    skeleton = fixture_skeleton(rig)
    # Controls without names look like limbs; real rigs name them.
    body = without(skeleton, "ik_")
    mapping = recognise(nameless(body))
    assert by_original_name(mapping, body) == FIXTURE_RIGS[rig][1]
    assert any("guessed" in note for note in mapping.notes)


@pytest.mark.parametrize("matrix", [TILTED, 0.01 * np.eye(3), 100.0 * TILTED])
def test_turned_and_scaled_rigs_map_alike(matrix: np.ndarray) -> None:
    skeleton = fixture_skeleton("rigify_basic")
    changed = nameless(moved(skeleton, matrix))
    assert by_original_name(recognise(changed), skeleton) == RIGIFY


def test_a_mirrored_body_without_names_swaps_its_sides() -> None:
    skeleton = fixture_skeleton("rigify_basic")
    mirrored = nameless(moved(skeleton, np.diag([-1.0, 1.0, 1.0])))
    mapping = by_original_name(recognise(mirrored), skeleton)
    assert mapping["thigh.L"] == ("thigh.R",)
    assert mapping["hand.R"] == ("hand.L",)


def test_named_sides_win_over_geometry() -> None:
    skeleton = fixture_skeleton("rigify_basic")
    assert dict(recognise(moved(skeleton, np.diag([-1.0, 1.0, 1.0]))).bones) == RIGIFY


def test_a_body_without_arms_maps_and_says_so() -> None:
    mapping = recognise(without(fixture_skeleton("unreal"), "clavicle"))
    assert mapping.first("foot.L") == "foot_l"
    assert "upper_arm.L" not in mapping
    assert any("left upper arm" in note for note in mapping.notes)


def test_missing_legs_are_named_with_what_was_found() -> None:
    with pytest.raises(RecognitionError, match="left thigh") as caught:
        recognise(without(fixture_skeleton("unreal"), "thigh"))
    message = str(caught.value)
    assert "head ('head')" in message
    assert "by hand" in message


def test_an_animal_on_four_legs_is_refused(shared_data: Path) -> None:
    fox = read_glb_skeleton(shared_data / "characters" / "Fox.glb")
    for skeleton in (fox, nameless(fox), moved(fox, TILTED)):
        with pytest.raises(RecognitionError, match="four-legged"):
            recognise(skeleton)


def test_a_rig_without_size_is_refused() -> None:
    skeleton = fixture_skeleton("mixamo")
    with pytest.raises(RecognitionError, match="no length"):
        recognise(moved(skeleton, np.zeros((3, 3))))
    with pytest.raises(RecognitionError):
        recognise(nameless(moved(skeleton, np.zeros((3, 3)))))


def test_a_rig_of_unrelated_bones_is_refused() -> None:
    skeleton = fixture_skeleton("rigify_basic")
    flat = renamed(without(skeleton, ".L", ".R"), [f"cable_{i}" for i in range(7)])
    with pytest.raises(RecognitionError, match="found: nothing"):
        recognise(flat)


@pytest.mark.parametrize(
    ("name", "side", "part"),
    [
        ("mixamorig:LeftUpLeg", "L", "upleg"),
        ("thigh_l", "L", "thigh"),
        ("UpperLeg.R", "R", "upperleg"),
        ("lThigh", "L", "thigh"),
        ("b_RightForeArm_07", "R", "forearm"),
        ("leftupleg", "L", "upleg"),
        ("J_Bip_C_Hips", None, "hips"),
        ("Skeleton_arm_joint_L__4_", "L", "arm"),
    ],
)
def test_names_are_taken_apart(name: str, side: str | None, part: str) -> None:
    assert (parse_name(name).side, parse_name(name).part) == (side, part)


@pytest.mark.parametrize(
    "name",
    [
        "upperarm_twist_01_l",
        "IK-foot.l",
        "kneeIK.l",
        "PoleTarget.L",
        "LeftHandIndex1",
        "Eye_L",
        "HeadTop_End",
    ],
)
def test_helper_names_are_no_limbs(name: str) -> None:
    assert parse_name(name).is_helper


def test_every_shipped_table_names_known_slots() -> None:
    tables = [presets.read_preset("rigs", name) for name in presets.preset_names("rigs")]
    known = {slot.split(".")[0] for slot in SLOTS}
    assert len(tables) >= 10
    assert all(set(table["bones"]) <= known for table in tables)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"thigh.L": ("no_such_bone",)}, "'no_such_bone'"),
        ({"shin.L": None}, "shin.L"),
        ({"tail": ("head",)}, "'tail'"),
        ({"shin.L": ("calf_r",), "shin.R": ("calf_l",)}, "is not below"),
        ({"foot.L": ("ball_l",), "toe.L": ("foot_l",)}, "swap"),
        ({"head": ("neck_01",)}, "both"),
        ({"head": ()}, "without a bone"),
    ],
)
def test_a_wrong_hand_made_table_is_explained(change: dict[str, tuple[str, ...] | None], words: str) -> None:
    skeleton = fixture_skeleton("unreal")
    bones = {**recognise(skeleton).bones, **change}
    table = BoneMapping("by hand", {slot: names for slot, names in bones.items() if names is not None})
    with pytest.raises(RecognitionError, match=words):
        check_mapping(table, skeleton)


def test_a_table_survives_json() -> None:
    mapping = recognise(fixture_skeleton("rigify_generated"))
    assert mapping_from_json(mapping_to_json(mapping)) == mapping


@pytest.mark.parametrize("text", ["", "[1]", '{"bones": {"hips": "Hips"}}', '{"bones": {"hips": [1]}}', "{"])
def test_a_broken_stored_table_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="table of bones"):
        mapping_from_json(text)


def test_presets_explain_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="available are: .*mixamo"):
        presets.read_preset("rigs", "nothing")
    (tmp_path / "rigs").mkdir()
    (tmp_path / "rigs" / "cut.json").write_text('{"kind":\n', encoding="utf-8")
    (tmp_path / "rigs" / "list.json").write_text(json.dumps([1]), encoding="utf-8")
    monkeypatch.setattr(presets, "PRESETS_FOLDER", tmp_path)
    with pytest.raises(InputError, match="cut.json' is not valid JSON .*line 2"):
        presets.read_preset("rigs", "cut")
    with pytest.raises(InputError, match="JSON object"):
        presets.read_preset("rigs", "list")
