"""The motion of one body on another: known answers, feet that stay, hands that meet, wishes, bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import IDENTITY_QUATERNION, FloatArray
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import NO_PARENT, Skeleton
from sim_core.recognition import BoneMapping, recognise
from sim_core.retarget.arms import palms
from sim_core.retarget.fingers import fingers
from sim_core.retarget.retarget import Retargeted, retarget
from sim_core.retarget.retarget_figures import retarget_figures
from sim_core.retarget.retarget_options import Feet, Reach, RetargetOptions
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig
from sim_core.retarget.stances import foot_path
from tests.core.sample_claps import clap
from tests.core.sample_motions import times, walk
from tests.core.sample_people import A_POSE, MAPPING, T_POSE, Performance, moving, person, standing
from tests.core.skeletons import fixture_skeleton

STYLE = RetargetOptions(feet=Feet.FREE, hands=False)


def actor_of(motion: Motion) -> RetargetRig:
    return make_retarget_rig(motion.skeleton, MAPPING, motion)


def body(scale: float = 1.0, rolls: int | None = 3) -> RetargetRig:
    """A person with another rest pose and other bone axes."""
    return make_retarget_rig(person(standing(), A_POSE, rolls, scale).skeleton, MAPPING)


def carried(
    performance: Performance, target: RetargetRig, options: RetargetOptions | None = None
) -> Retargeted:
    motion = person(performance, T_POSE)
    return retarget(actor_of(motion), motion, target, options)


def angles_deg(motion: Motion, other: Motion) -> FloatArray:
    return np.degrees(rotations.angle_between(motion.quaternion_world, other.quaternion_world))


def test_rest_poses_and_bone_axes_have_no_say() -> None:
    """The same body with another rest pose and other axes does exactly what the source does."""
    performance = moving()
    result = carried(performance, body(), STYLE)
    wanted = person(performance, A_POSE, 3)
    turned = angles_deg(result.motion, wanted)
    feet = [i for i, name in enumerate(wanted.skeleton.names) if name.startswith(("foot", "toe"))]
    assert np.delete(turned, feet, axis=1).max() < 1e-4
    assert turned[:, feet].max() < 0.1  # how they lie flat is measured
    np.testing.assert_allclose(result.motion.position_world, wanted.position_world, atol=1e-3)


def test_a_body_on_itself_keeps_its_motion() -> None:
    """Exactly in style; feet that truly stand need no correction but where they set down and lift off."""
    motion = person(walk().performance, T_POSE, 5)
    own = actor_of(motion)
    style = retarget(own, motion, own, STYLE).motion
    assert angles_deg(style, motion).max() < 1e-6
    np.testing.assert_allclose(style.position_world, motion.position_world, atol=1e-9)
    held = retarget(own, motion, own).motion
    away = np.abs(held.position_world - motion.position_world).max(axis=(1, 2))
    assert np.median(away) < 5e-3 and away.max() < 0.03
    assert np.median(angles_deg(held, motion).max(axis=1)) < 0.5


@pytest.mark.parametrize("scale", [0.63, 1.0, 1.37])
def test_sizes_scale_the_path_and_keep_all_angles(scale: float) -> None:
    performance = walk().performance
    result = carried(performance, body(scale))
    wanted = person(performance, A_POSE, 3, scale)
    assert result.leg_ratio == pytest.approx(scale, rel=1e-6)
    assert np.median(angles_deg(result.motion, wanted).max(axis=1)) < 0.5
    moved = result.motion.position_world - wanted.position_world
    # The first pose stays where the source has it; all else is the scaled motion.
    assert np.median(np.ptp(moved - moved[:1], axis=1)) < 0.005 * scale


@pytest.mark.parametrize("name", ["mixamo", "unreal", "rigify_human", "vroid"])
def test_feet_stay_where_they_stand_on_other_rigs(name: str) -> None:
    skeleton = fixture_skeleton(name)
    found = retarget_figures(carried(walk().performance, make_retarget_rig(skeleton, recognise(skeleton))))
    assert found["skate_cm_s"] < 1.0 and found["skate_p95_cm_s"] < 5.0
    assert found["penetration_max_cm"] < 0.2 and found["contact_height_cm"] < 0.1
    assert found["upper_deg"] < 2.0 and found["legs_deg"] < 12.0
    assert found["foot_jerk_ratio"] < 1.6


def sliding(performance: Performance, speed: float) -> Motion:
    """A walk over a floor that glides away, as a capture with a poor floor would show it."""
    motion = person(performance, T_POSE)
    drift = np.outer(motion.time, [0.0, speed, 0.0])[:, None]
    return Motion(motion.skeleton, motion.time, motion.position_world + drift, motion.quaternion_world)


def test_skating_of_the_source_is_taken_out() -> None:
    motion = sliding(walk().performance, 0.1)
    source, target = actor_of(motion), body(1.2)
    free = retarget_figures(retarget(source, motion, target, STYLE))
    held = retarget_figures(retarget(source, motion, target))
    assert free["skate_cm_s"] > 8.0  # 10 cm/s on longer legs, less what is not in a stance
    assert held["skate_cm_s"] < 0.5 and held["foot_jerk_ratio"] < 1.6


def test_stance_feet_lie_flat_on_the_ground() -> None:
    motion = person(walk().performance, T_POSE)
    lifted = Motion(
        motion.skeleton, motion.time, motion.position_world + [0.0, 0.0, 0.03], motion.quaternion_world
    )
    source = actor_of(motion)  # which believes in a floor at zero, 3 cm below where the feet now stand
    result = retarget(source, lifted, body(0.8))
    for side in "LR":
        flat = result.rests[side].all(axis=1)
        height = foot_path(result.target, result.motion, side).points_world[flat][..., 2]
        assert flat.any() and np.abs(height).max() < 2e-3


def with_more_spine(motion: Motion, mapping: BoneMapping) -> tuple[Skeleton, BoneMapping]:
    """The person's skeleton with one more bone halfway up the spine."""
    skeleton = motion.skeleton
    spine, chest = skeleton.index["spine"], skeleton.index["chest"]
    names = [*skeleton.names[:chest], "middle", *skeleton.names[chest:]]
    parents = [p + (p >= chest) for p in skeleton.parents]
    parents = [*parents[:chest], spine, *parents[chest:]]
    parents[chest + 1] = chest
    heads = skeleton.rest_position_world
    rows = [*heads[:chest], 0.5 * (heads[spine] + heads[chest]), *heads[chest:]]
    turns = np.insert(skeleton.rest_quaternion_world, chest, skeleton.rest_quaternion_world[spine], axis=0)
    bones = {**mapping.bones, "spine": ("spine", "middle", "chest")}
    return Skeleton(tuple(names), np.array(parents), np.array(rows), turns), replace(mapping, bones=bones)


def test_more_spine_bones_share_the_bend() -> None:
    """A bow of the chest by 60 degrees over two bones is one of three times 20 over three."""
    time = times(0.5)
    bow = np.tile([0.0, np.radians(30.0), 0.0], (len(time), 1))
    motion = person(Performance(time, {"spine": bow, "chest": bow}, np.zeros((len(time), 3))), T_POSE)
    skeleton, mapping = with_more_spine(motion, MAPPING)
    result = retarget(actor_of(motion), motion, make_retarget_rig(skeleton, mapping), STYLE).motion
    index = result.skeleton.index
    chain = [index[name] for name in ("hips", "spine", "middle", "chest")]
    between = rotations.angle_between(
        result.quaternion_world[:, chain[:-1]], result.quaternion_world[:, chain[1:]]
    )
    np.testing.assert_allclose(np.degrees(between), 20.0, atol=0.1)


def test_parts_that_hang_on_mechanisms_move_with_the_body() -> None:
    """As on a generated Rigify rig: thighs, feet and clavicles are no children of the mapped trunk."""
    target = body(0.8)
    skeleton = target.skeleton
    slots = [slot for slot in MAPPING if slot.startswith(("thigh", "foot", "spine"))]
    cut = [skeleton.index[MAPPING.first(slot)] for slot in slots]
    parents = np.array([NO_PARENT, *(skeleton.parents + 1)])
    parents[[bone + 1 for bone in cut]] = 0
    loose = Skeleton(
        ("mechanism", *skeleton.names),
        parents,
        np.array([[0.0, 0.0, 0.0], *skeleton.rest_position_world]),
        np.array([IDENTITY_QUATERNION, *skeleton.rest_quaternion_world]),
    )
    whole = carried(walk(1.0).performance, target).motion
    apart = carried(walk(1.0).performance, make_retarget_rig(loose, MAPPING)).motion
    np.testing.assert_allclose(apart.position_world[:, 1:], whole.position_world, atol=1e-9)
    np.testing.assert_allclose(apart.quaternion_world[:, 1:], whole.quaternion_world, atol=1e-9)


def wide(skeleton: Skeleton, by: float) -> Skeleton:
    """The person with shoulders (and arms with them) further out to the sides [m]."""
    heads = np.array(skeleton.rest_position_world)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        arm = skeleton.index[f"upper_arm.{side}"]
        heads[[arm, *skeleton.descendants(arm)], 1] += sign * by
    return replace(skeleton, rest_position_world=heads)


@pytest.mark.parametrize(("scale", "by"), [(1.0, 0.08), (0.63, -0.03), (1.37, 0.1)])
def test_hands_that_meet_in_the_source_meet(scale: float, by: float) -> None:
    target = make_retarget_rig(wide(body(scale).skeleton, by), MAPPING)
    result = carried(clap(), target)
    own = [palms(result.source, result.repaired, side) for side in "LR"]
    meet = int(np.argmin(np.linalg.norm(own[0] - own[1], axis=1)))
    assert np.linalg.norm(own[0][meet] - own[1][meet]) < 0.02
    apart, style = (
        np.linalg.norm(palms(target, m, "L") - palms(target, m, "R"), axis=1)[meet]
        for m in (result.motion, carried(clap(), target, STYLE).motion)
    )
    assert style > 0.04 and apart < 0.02


def _arm(raised: FloatArray, bent: FloatArray) -> Performance:
    """Stands with the left upper arm raised sideways and its forearm bent inwards (T) [rad]."""
    zero = np.zeros_like(raised)
    turns = {
        "upper_arm.L": np.stack([raised, zero, zero], axis=1),
        "forearm.L": np.stack([bent, zero, zero], axis=1),
    }
    return Performance(np.arange(len(raised)) / 50.0, turns, np.zeros((len(raised), 3)))


def test_a_hand_on_the_head_stays_on_it() -> None:
    """The palm keeps its distance from the head's surface on a body with much longer arms."""
    raised, bent = (
        grid.ravel() for grid in np.meshgrid(np.linspace(1.8, 2.8, 40), np.linspace(1.6, 2.6, 40))
    )
    tried = person(_arm(raised, bent))
    top = tried.position_world[:, tried.skeleton.index["head"]] + [0.0, 0.0, 0.1]
    away = np.linalg.norm(palms(actor_of(tried), tried, "L") - top, axis=1)
    best = int(np.argmin(np.abs(away - 0.1)))
    time = times(0.5)
    performance = _arm(np.full(len(time), raised[best]), np.full(len(time), bent[best]))
    motion = person(performance)
    source = actor_of(motion)
    head = motion.position_world[:, motion.skeleton.index["head"]]
    near = float(np.linalg.norm(palms(source, motion, "L") - head, axis=1).min())
    skeleton = body().skeleton
    heads = np.array(skeleton.rest_position_world)
    arm = [skeleton.index[f"{part}.L"] for part in ("upper_arm", "forearm", "hand")]
    heads[arm[1:]] = heads[arm[0]] + 1.3 * (heads[arm[1:]] - heads[arm[0]])
    target = make_retarget_rig(replace(skeleton, rest_position_world=heads), MAPPING)
    own, style = (
        retarget(source, motion, target, options).motion
        for options in (RetargetOptions(), RetargetOptions(hands=False))
    )
    far = [
        np.linalg.norm(palms(target, m, "L") - m.position_world[:, m.skeleton.index["head"]], axis=1)
        for m in (own, style)
    ]
    assert np.abs(far[0] - near).max() < 0.01 and np.abs(far[1] - near).max() > 0.015


def test_a_hand_and_a_foot_reach_wished_places() -> None:
    place, floor = np.array([0.35, 0.25, 1.2]), np.array([0.12, 0.15, 0.1])
    reaches = (Reach("hand.L", place, 0.7, 0.9), Reach("foot.L", floor, 0.7, 0.9))
    performance = Performance(times(1.4), {}, np.zeros((len(times(1.4)), 3)))
    result = carried(performance, body(), RetargetOptions(reaches=reaches))
    inside = (result.motion.time >= 0.7) & (result.motion.time <= 0.9)
    path = foot_path(result.target, result.motion, "L")
    sole = path.points_world[inside][..., 2].mean()
    assert np.linalg.norm(palms(result.target, result.motion, "L")[inside] - place, axis=1).max() < 0.01
    assert sole == pytest.approx(0.1, abs=0.005)
    before = carried(performance, body()).motion
    np.testing.assert_allclose(result.motion.position_world[0], before.position_world[0], atol=1e-3)


def test_timing_and_path_are_the_animators() -> None:
    performance = walk().performance
    scaled = carried(performance, body(1.44), RetargetOptions(scale_time=True))
    assert scaled.motion.duration == pytest.approx(1.2 * performance.time[-1])
    kept = carried(performance, body(0.9), RetargetOptions(keep_path=True))
    source = kept.repaired.position_world[:, kept.source.bone("hips"), 0]
    own = kept.motion.position_world[:, kept.target.bone("hips"), 0]
    assert np.ptp(own) == pytest.approx(np.ptp(source), rel=0.02)


def test_fingers_of_both_rigs_are_found_by_name() -> None:
    skeleton = fixture_skeleton("mixamo")
    found = fingers(make_retarget_rig(skeleton, recognise(skeleton)), "L")
    assert set(found) == {"thumb", "index", "middle"}
    assert all(len(bones) >= 2 for bones in found.values())


def test_bad_input_is_told_with_the_names_of_bones() -> None:
    skeleton = body().skeleton
    heads = np.array(skeleton.rest_position_world)
    heads[skeleton.index["shin.L"]] = heads[skeleton.index["thigh.L"]]
    with pytest.raises(InputError, match="left thigh has no length: 'thigh.L' and 'shin.L'"):
        make_retarget_rig(replace(skeleton, rest_position_world=heads), MAPPING)
    place = np.zeros(3)
    for reach, words in (
        (Reach("tail", place, 0.0, 1.0), "'tail' cannot reach"),
        (Reach("hand.L", np.full(3, np.nan), 0.0, 1.0), "three numbers"),
        (Reach("hand.L", place, 1.0, 0.5), "before it begins"),
    ):
        with pytest.raises(InputError, match=words):
            carried(walk().performance, body(), RetargetOptions(reaches=(reach,)))
