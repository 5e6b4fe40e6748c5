"""Rigs that share only some names with a known family, or whose shape tells nothing."""

from __future__ import annotations

import pytest

from sim_core.base.errors import RecognitionError
from sim_core.recognition import recognise
from tests.core.skeletons import fixture_skeleton, make_skeleton, renamed
from tests.core.test_recognition import FIXTURE_RIGS, by_original_name


@pytest.mark.parametrize(
    ("rig", "changed"),
    [
        ("unreal", {"upperarm_@": "arm_@", "lowerarm_@": "forearm_@", "ball_@": "toe_@", "neck_01": "neck"}),
        ("unreal", {"upperarm_@": "part_@_17", "lowerarm_@": "part_@_18", "spine_01": "stomach"}),
        ("mixamo", {"mixamorig:@ToeBase": "mixamorig:@Toe"}),
    ],
)
def test_parts_that_a_family_calls_otherwise_are_found(rig: str, changed: dict[str, str]) -> None:
    skeleton = fixture_skeleton(rig)
    words = {side: ("Left", "Right")[side == "r"] if rig == "mixamo" else side for side in "lr"}
    new = {old.replace("@", w): name.replace("@", w) for old, name in changed.items() for w in words.values()}
    other = renamed(skeleton, [new.get(name, name) for name in skeleton.names])
    mapping = recognise(other)
    assert mapping.kind == FIXTURE_RIGS[rig][0]
    assert by_original_name(mapping, skeleton, other) == FIXTURE_RIGS[rig][1]
    assert not mapping.notes


def test_names_of_optitrack_are_known() -> None:
    limbs = {"clavicle": "Shoulder", "upperarm": "UArm", "lowerarm": "FArm", "hand": "Hand", "thigh": "Thigh"}
    limbs |= {"calf": "Shin", "foot": "Foot", "ball": "Toe"}
    names = {f"{part}_{side}": side.upper() + name for part, name in limbs.items() for side in "lr"}
    names |= {"pelvis": "Hip", "spine_01": "Ab", "spine_03": "Chest", "neck_01": "Neck", "head": "Head"}
    names["spine_02"] = "Spine2"
    skeleton = fixture_skeleton("unreal")
    other = renamed(skeleton, [names.get(name, name) for name in skeleton.names])
    mapping = recognise(other)
    assert mapping.kind == "OptiTrack names"
    assert by_original_name(mapping, skeleton, other) == FIXTURE_RIGS["unreal"][1]


def test_limbs_that_part_at_their_ends_only_have_no_shape() -> None:
    """As where all bones rest along one line: the rig is refused by what is missing, not by an error."""
    names, parents, heads = ["root", "chest"], [-1, 0], [(0.0, 0.0, 1.0), (0.0, 0.0, 1.4)]
    for side in (-1.0, 1.0):
        for top, at in ((0, 1.0), (1, 1.4)):
            for joint in range(3):
                parents.append(top if joint == 0 else len(names) - 1)
                names.append(f"bone_{len(names)}")
                heads.append((0.0, 0.2 * side * (joint == 2), at - 0.4 * (joint + 1)))
    with pytest.raises(RecognitionError, match="lacks parts"):
        recognise(make_skeleton(names, parents, heads))
