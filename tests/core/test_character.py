"""Masses, inertias, strength and size of a character against published shares and scaling laws."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.character import anthropometry as body
from sim_core.character.from_rig import RigCharacter, character_from_rig
from sim_core.character.joint_limits import without_side
from sim_core.character.spec import CharacterSpec, JointKind, Segment
from sim_core.recognition.mapping import REQUIRED_SLOTS, BoneMapping
from sim_core.world.world import WorldCharacter, build_world, build_worlds
from tests.core.sample_people import MAPPING, mirror_name, moving, person, standing


def build(
    scale: float = 1.0,
    mass: float | None = None,
    without: Mapping[str, tuple[str, ...]] | tuple[str, ...] = (),
) -> RigCharacter:
    bones = {slot: names for slot, names in MAPPING.bones.items() if slot not in without}
    return character_from_rig(person(moving(), scale=scale), BoneMapping("test", bones), mass)


def masses(spec: CharacterSpec) -> dict[str, float]:
    return {segment.name: segment.mass for segment in spec}


def test_the_shares_of_the_body_make_one() -> None:
    twice = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
    total = sum((2.0 if name in twice else 1.0) * share for name, share in body.MASS_FRACTION.items())
    assert total == pytest.approx(1.0, abs=1e-12)


def test_mass_is_as_asked_and_shared_out_as_published() -> None:
    spec = build(mass=80.0).spec
    assert spec.mass == pytest.approx(80.0, abs=1e-9)
    assert build_world(spec).model.body_mass.sum() == pytest.approx(80.0, abs=1e-9)
    for name, mass in masses(spec).items():
        assert mass == pytest.approx(80.0 * body.MASS_FRACTION[without_side(name)], rel=1e-12)


def test_mass_by_height_when_none_is_asked() -> None:
    built = build()
    assert built.spec.mass == pytest.approx(body.BODY_MASS_INDEX * built.spec.height**2)


@pytest.mark.parametrize(
    ("without", "heirs"),
    [
        (("hand.L", "hand.R"), {"forearm.L": 0.016 + 0.006}),
        (("forearm.L", "hand.L"), {"upper_arm.L": 0.028 + 0.016 + 0.006, "upper_arm.R": 0.028}),
        (("neck", "head"), {"chest": 0.216 + 0.081}),
        (("spine", "neck", "head"), {"pelvis": 0.497 + 0.081}),
    ],
)
def test_what_a_rig_lacks_stays_with_its_carrier(
    without: tuple[str, ...], heirs: Mapping[str, float]
) -> None:
    spec = build(mass=1.0, without=without).spec
    assert spec.mass == pytest.approx(1.0, abs=1e-12)
    for name, share in heirs.items():
        assert masses(spec)[name] == pytest.approx(share)


def test_legs_alone_are_a_body() -> None:
    bones = {slot: MAPPING.bones[slot] for slot in REQUIRED_SLOTS}
    spec = character_from_rig(person(standing()), BoneMapping("legs", bones), 70.0).spec
    assert spec.mass == pytest.approx(70.0)
    assert set(spec.names) == {"pelvis", *(slot for slot in REQUIRED_SLOTS if slot != "hips")}


@pytest.mark.parametrize("side", "LR")
def test_one_arm_is_enough(side: str) -> None:
    """The chest is as wide as the hips suggest; the arm that is there has its own mass."""
    arm = tuple(f"{part}.{side}" for part in ("clavicle", "upper_arm", "forearm", "hand"))
    spec = build(mass=70.0, without=tuple(slot for slot in arm if slot in MAPPING)).spec
    other = "R" if side == "L" else "L"
    assert f"upper_arm.{other}" in spec.names and f"upper_arm.{side}" not in spec.names
    assert spec.mass == pytest.approx(70.0)


def engine_inertia(geom: str, mass: float) -> FloatArray:
    """What the engine computes for a solid shape, in the order x, y, z."""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body><freejoint/><geom {geom} mass="{mass}"/></body></worldbody></mujoco>'
    )
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[1])
    return np.diag(turn.reshape(3, 3) @ np.diag(model.body_inertia[1]) @ turn.reshape(3, 3).T)


def test_inertias_are_those_of_solid_shapes() -> None:
    rod = engine_inertia('type="cylinder" size="0.06 0.2"', 7.0)
    assert body.rod_inertia(7.0, 0.4, 0.06) == pytest.approx(rod, rel=1e-9)
    box = engine_inertia('type="box" size="0.1 0.15 0.2"', 9.0)
    assert body.box_inertia(9.0, np.array([0.2, 0.3, 0.4])) == pytest.approx(box, rel=1e-9)


def test_a_rod_of_the_radius_found_has_the_density_of_a_body() -> None:
    radius = body.rod_radius(7.0, 0.4)
    assert 7.0 / (np.pi * radius**2 * 0.4) == pytest.approx(body.BODY_DENSITY)


def test_the_engine_has_the_inertias_of_the_description() -> None:
    spec = build().spec
    model = build_world(spec).model
    for segment in spec:
        stored = model.body(segment.name)
        assert stored.inertia == pytest.approx(segment.inertia)
        assert stored.ipos == pytest.approx(segment.com)


def test_scaling_laws() -> None:
    """Twice the height: four times the mass (constant body mass index), eight times the strength."""
    small, big = build().spec, build(scale=2.0).spec
    assert big.height == pytest.approx(2.0 * small.height)
    assert big.mass == pytest.approx(4.0 * small.mass)
    for a, b in zip(small, big, strict=True):
        # An ankle's limit has the measured foot's lever in it, good to 1e-4 (see below).
        assert b.joint.torque_limit == pytest.approx(8.0 * a.joint.torque_limit, rel=1e-4)
        assert b.anchor == pytest.approx(2.0 * a.anchor, abs=1e-9)
        # Speeds are judged by the square root of size, so other frames may count as standing.
        assert b.com == pytest.approx(2.0 * a.com, abs=1e-4)
        assert b.contact_points == pytest.approx(2.0 * a.contact_points, abs=1e-4)
        assert (b.joint.kind, b.joint.high) == (a.joint.kind, pytest.approx(a.joint.high))


def test_a_body_and_its_mirror_image() -> None:
    spec = character_from_rig(person(moving()), MAPPING).spec
    image = character_from_rig(person(moving().mirrored()), MAPPING).spec
    flip = np.array([1.0, -1.0, 1.0])
    for segment in spec:
        other = image[mirror_name(segment.name)]
        assert other.anchor == pytest.approx(segment.anchor * flip, abs=1e-9)
        assert other.com == pytest.approx(segment.com * flip, abs=1e-9)
        assert other.inertia == pytest.approx(segment.inertia)
        assert np.abs(other.joint.centre) == pytest.approx(np.abs(segment.joint.centre), abs=1e-9)
        if len(segment.contact_points):  # left before right within heel and tip, so pairs swap
            swapped = (segment.contact_points * flip)[[1, 0, 3, 2]]
            assert other.contact_points == pytest.approx(swapped, abs=1e-9)


def test_height_of_a_known_body() -> None:
    # Ankle to hip 0.84 m and hip to head joint 0.63 m, over 1 - 0.039 - 0.130 of the height.
    assert build().spec.height == pytest.approx((0.84 + 0.63) / (1.0 - 0.039 - 0.130), rel=1e-9)


def test_knees_and_elbows_are_hinges_and_the_rest_are_balls() -> None:
    for segment in build().spec.segments[1:]:
        hinged = without_side(segment.name) in ("shin", "forearm")
        assert segment.joint.kind is (JointKind.HINGE if hinged else JointKind.BALL), segment.name


def test_segments_are_numbered_like_the_engine_numbers_bodies() -> None:
    """Poses are written straight into the engine's coordinates, so the order must be the same."""
    spec = build().spec
    world = build_world(spec)
    assert np.array_equal(world.index.qpos, np.arange(world.model.nq))
    assert np.array_equal(world.index.dof, np.arange(world.model.nv))
    assert np.array_equal(world.index.body, np.arange(1, world.model.nbody))


def test_bodies_of_the_engine_are_found_among_the_segments() -> None:
    spec = build().spec
    first, second = build_worlds((WorldCharacter(spec, name="one"), WorldCharacter(spec, name="two")), 0.001)
    count = len(spec.segments)
    own, other = first.engine.index, second.engine.index
    assert np.array_equal(own.segment_of(own.body), np.arange(count))
    assert np.array_equal(own.segment_of(np.append(other.body, 0)), np.full(count + 1, -1))
    assert np.array_equal(other.segment_of(other.body[[3, 1]]), [3, 1])
    assert {spec.names[k] for k in own.foot_segments} == {"foot.L", "foot.R"}
    for foot, segment in enumerate(own.foot_segments):
        side = spec.names[segment][-1]
        leg = [spec.names[k] for k in first.leg_segments(foot)]
        assert leg == [f"thigh.{side}", f"shin.{side}", f"foot.{side}"]


def test_degrees_of_freedom_are_found_by_the_segment_they_move() -> None:
    spec = build().spec
    world = build_world(spec)
    for segment in range(len(spec.segments)):
        expected = np.flatnonzero(world.model.dof_bodyid == world.index.body[segment])
        assert np.array_equal(world.index.dofs_of(segment), expected), spec.names[segment]


def test_a_part_without_mass_is_refused() -> None:
    segment = build().spec.segments[0]
    broken = Segment(
        segment.name, None, segment.joint, segment.anchor, 0.0, segment.com, segment.inertia, segment.shapes
    )
    with pytest.raises(InputError, match="'pelvis' has no mass"):
        CharacterSpec("broken", (broken,), 1.7)


def test_a_part_before_its_parent_is_refused() -> None:
    spec = build().spec
    with pytest.raises(InputError, match="listed before its parent 'pelvis'"):
        CharacterSpec("broken", spec.segments[1:], 1.7)
