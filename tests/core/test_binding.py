"""Which bones a segment takes, how its axes lie, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.errors import RecognitionError
from sim_core.character.binding import bind
from sim_core.character.from_rig import character_from_rig
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton
from sim_core.recognition.mapping import BoneMapping
from tests.core.sample_people import A_POSE, HEADS, MAPPING, NAMES, PARENTS, T_POSE, Turns, person, standing


def mapping(**bones: tuple[str, ...]) -> BoneMapping:
    return BoneMapping("test", {**MAPPING.bones, **bones})


def with_rest(skeleton: Skeleton, bone: str, position: np.ndarray) -> Skeleton:
    moved = skeleton.rest_position_world.copy()
    moved[skeleton.index[bone]] = position
    return replace(skeleton, rest_position_world=moved)


def test_segments_and_their_bones() -> None:
    binding = bind(person(standing()).skeleton, MAPPING)
    by_name = {segment.name: segment for segment in binding.segments}
    assert by_name["abdomen"].bones == ("spine",)
    assert by_name["chest"].bones == ("chest", "clavicle.L", "clavicle.R")
    assert by_name["head"].bones == ("neck", "head")
    assert (by_name["head"].joint, by_name["head"].driver) == ("neck", "head")
    assert by_name["foot.L"].bones == ("foot.L", "toe.L")
    mapped = [binding.skeleton.names[bone] for bone in binding.bone]
    assert sorted(mapped) == sorted(NAMES)


def test_one_spine_bone_is_a_chest_without_an_abdomen() -> None:
    binding = bind(person(standing()).skeleton, mapping(spine=("chest",)))
    assert "abdomen" not in binding.names
    assert binding.segments[binding.index("chest")].parent == "pelvis"


def test_only_the_hips_are_detached_in_a_plain_rig() -> None:
    binding = bind(person(standing()).skeleton, MAPPING)
    assert [binding.skeleton.names[b] for b in binding.bone[binding.detached]] == ["hips"]


def test_a_foot_on_a_control_bone_is_detached() -> None:
    skeleton = person(standing()).skeleton
    order = [NAMES.index("foot.L"), NAMES.index("toe.L")]
    parents = PARENTS.copy()
    parents[order[0]] = -1
    binding = bind(replace(skeleton, parents=parents), MAPPING)
    detached = {binding.skeleton.names[b] for b in binding.bone[binding.detached]}
    assert detached == {"hips", "foot.L"}


@pytest.mark.parametrize("rest", [T_POSE, A_POSE, {}], ids=["T", "A", "arms down"])
def test_axes_lie_along_the_limbs(rest: Turns) -> None:
    binding = bind(person(standing(), rest=rest).skeleton, MAPPING)
    for upper, lower in (("upper_arm.L", "forearm.L"), ("thigh.R", "shin.R"), ("shin.L", "foot.L")):
        towards_trunk = binding.rest_position(upper) - binding.rest_position(lower)
        axes = binding.rest_quaternion_world[binding.index(upper)]
        up = rotations.rotate(axes, np.array([0.0, 0.0, 1.0]))
        assert up == pytest.approx(towards_trunk / np.linalg.norm(towards_trunk), abs=1e-9)
        assert rotations.rotate(axes, np.array([1.0, 0.0, 0.0])) == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)


def test_a_turned_armature_turns_all_axes_with_it() -> None:
    skeleton = person(standing(), rolls=1).skeleton
    turn = rotations.from_vector(np.array([0.4, -1.1, 2.0]))
    turned = replace(
        skeleton,
        rest_position_world=rotations.rotate(turn, skeleton.rest_position_world) + [3.0, 1.0, -2.0],
        rest_quaternion_world=rotations.multiply(turn, skeleton.rest_quaternion_world),
    )
    expected = rotations.multiply(turn, bind(skeleton, MAPPING).rest_quaternion_world)
    assert rotations.angle_between(bind(turned, MAPPING).rest_quaternion_world, expected).max() < 1e-7
    bone_to_segment = bind(skeleton, MAPPING).bone_to_segment
    assert rotations.angle_between(bind(turned, MAPPING).bone_to_segment, bone_to_segment).max() < 1e-7


@pytest.mark.parametrize(("upper", "lower"), [("thigh.L", "shin.L"), ("forearm.R", "hand.R")])
def test_a_limb_without_length_is_refused(upper: str, lower: str) -> None:
    motion = person(standing())
    at = motion.skeleton.rest_position_world[motion.skeleton.index[upper]]
    with pytest.raises(RecognitionError, match=f"'{upper}' has no length.*mapping table"):
        bind(with_rest(motion.skeleton, lower, at), MAPPING)


def test_hips_in_one_place_are_refused() -> None:
    skeleton = person(standing()).skeleton
    middle = HEADS[NAMES.index("hips")]
    for side in "LR":
        skeleton = with_rest(skeleton, f"thigh.{side}", middle)
    with pytest.raises(RecognitionError, match="no left, right or up"):
        bind(skeleton, MAPPING)


def test_long_tails_and_leaf_bones_have_no_say() -> None:
    """Bones below the hand, wherever they lie, change nothing."""
    motion = person(standing())
    skeleton = Skeleton(
        (*NAMES, "hand_tip.L"),
        np.append(PARENTS, NAMES.index("hand.L")),
        np.vstack([motion.skeleton.rest_position_world, [0.0, 40.0, 0.0]]),
        np.vstack([motion.skeleton.rest_quaternion_world, [1.0, 0.0, 0.0, 0.0]]),
    )
    positions = np.concatenate([motion.position_world, np.full((len(motion.time), 1, 3), 40.0)], axis=1)
    turns = np.concatenate([motion.quaternion_world, motion.quaternion_world[:, :1]], axis=1)
    longer = Motion(skeleton, motion.time, positions, turns)
    assert character_from_rig(longer, MAPPING).spec.height == character_from_rig(motion, MAPPING).spec.height
