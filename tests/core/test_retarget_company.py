"""Several characters and props: what hands touch in the source, they touch on other sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.retarget.arms import palms
from sim_core.retarget.body_surface import moving_parts
from sim_core.retarget.hands import Hands
from sim_core.retarget.props import Prop, ShapeSurface, props_of, scene_with_props
from sim_core.retarget.relations import Actor, find_relations
from sim_core.retarget.retarget import Retargeted, Take, retarget, retarget_together
from sim_core.retarget.retarget_figures import retarget_figures
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig
from sim_core.scene.scene import Keys, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Capsule, Cylinder, Hull, Plane, Sphere
from tests.core.sample_company import COMPANIES, Company, box, handshake, punch, table
from tests.core.sample_people import A_POSE, MAPPING, person, standing

SMALL, LARGE = 0.63, 1.37


def body(scale: float) -> RetargetRig:
    """The made-up person at another size."""
    return make_retarget_rig(person(standing(), A_POSE, 3, scale).skeleton, MAPPING)


def together(company: Company, *scales: float) -> tuple[list[Retargeted], tuple[Prop, ...]]:
    takes = [
        Take(rig, motion, body(scale))
        for (rig, motion), scale in zip(company.people, scales, strict=True)
    ]
    return retarget_together(takes, props=company.props)


def palm(outcome: Retargeted, side: str) -> FloatArray:
    return palms(outcome.target, outcome.motion, side)


@pytest.mark.parametrize("scales", [(SMALL, SMALL), (LARGE, LARGE), (SMALL, 1.0), (LARGE, 1.0)])
def test_hands_that_are_shaken_meet_on_other_sizes_and_feet_stand_still(scales: tuple[float, float]) -> None:
    company = handshake()
    (one, other), _ = together(company, *scales)
    apart = np.linalg.norm(palm(one, "R") - palm(other, "R"), axis=1)[company.held]
    source = np.linalg.norm(
        palms(*company.people[0], "R") - palms(*company.people[1], "R"), axis=1
    )[company.held]
    assert np.abs(apart - np.mean(scales) * source).max() < 0.02
    for outcome in (one, other):
        assert retarget_figures(outcome)["skate_cm_s"] < 1.0


def test_alone_the_same_hands_would_not_meet() -> None:
    company = handshake()
    one, other = (
        retarget_together([Take(rig, motion, body(SMALL))])[0][0] for rig, motion in company.people
    )
    assert np.linalg.norm(palm(one, "R") - palm(other, "R"), axis=1)[company.held].min() > 0.2


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("box in two hands", SMALL),
        ("box in two hands", 1.05),
        ("box in two hands", LARGE),
        ("hand on a rail", SMALL),
        ("hand on a rail", 1.05),
        ("hand on a rail", LARGE),
    ],
)
def test_palms_stay_on_props(name: str, scale: float) -> None:
    company = COMPANIES[name]()
    (outcome,), (prop,) = together(company, scale)
    source = company.props[0].part()
    for side in "LR" if name.startswith("box") else "L":
        part = prop.part()
        gap = part.surface.gap(part.local(palm(outcome, side)))
        before = source.surface.gap(source.local(palms(*company.people[0], side)))
        assert np.abs(gap - scale * before)[company.held].max() < 0.02
        assert gap.min() > -0.01


def test_a_held_box_goes_with_the_hands_and_lies_where_it_lay_without_them() -> None:
    company = box()
    _, (prop,) = together(company, SMALL)
    lifted, before = prop.position[:, 2], company.props[0].position[:, 2]
    # Its bottom is at 0.8 m, and the legs are as long as the scale says.
    assert lifted[0] == pytest.approx(0.15 + SMALL * 0.8, abs=0.01)
    np.testing.assert_allclose(lifted[:15], lifted[0], atol=1e-3)
    assert lifted.max() - lifted[0] == pytest.approx(SMALL * (before.max() - before[0]), abs=0.06)
    np.testing.assert_array_equal(prop.quaternion, company.props[0].quaternion)


@pytest.mark.parametrize("scale", [SMALL, LARGE])
def test_a_table_stays_and_hands_reach_it(scale: float) -> None:
    company = table()
    (outcome,), (prop,) = together(company, scale)
    np.testing.assert_array_equal(prop.position, company.props[0].position)
    part = prop.part()
    for side in "LR":
        gap = part.surface.gap(part.local(palm(outcome, side)))
        assert np.abs(gap[company.held] - 0.02 * scale).max() < 0.02 and gap.min() > -0.01


def lean(outcome: Retargeted) -> FloatArray:
    """Angle of the line from hips to chest from the vertical (T) [deg]."""
    position, index = outcome.motion.position_world, outcome.motion.skeleton.index
    up = position[:, index["neck"]] - position[:, index["hips"]]
    return np.degrees(np.arccos(up[:, 2] / np.linalg.norm(up, axis=1)))


def test_trunks_bend_for_what_is_out_of_reach_and_for_nothing_else() -> None:
    company = table()
    (tall,), _ = together(company, LARGE)
    (same,), _ = together(company, 1.05)
    assert lean(tall)[company.held].min() > 20.0, "a table at 0.9 m is low for somebody of 2.4 m"
    assert lean(tall)[0] < 0.5 * lean(tall).max(), "hands arrive half a second later"
    assert np.abs(np.diff(lean(tall))).max() < 6.0, "the trunk does not jump, at 60 frames a second"
    assert lean(same).max() < 1.0


def test_a_tall_boxer_reaches_a_small_one_and_a_small_one_does_not_bow() -> None:
    (tall, _), _ = together(punch(), LARGE, SMALL)
    assert lean(tall).max() > 20.0
    assert not tall.unreached
    (small, other), _ = together(punch(), SMALL, 1.0)
    assert lean(small).max() < 1.0, "a chest above its head is not nearer to somebody who bows"
    (missed,) = small.unreached
    assert missed.note in small.notes and "chest of character 2" in missed.note
    part = moving_parts(other.target.character, other.target.surfaces, other.motion)["chest"]
    gap = part.surface.gap(part.local(palm(small, "R")))[punch().held]
    assert missed.away == pytest.approx(np.abs(gap - 0.02 * SMALL).max(), abs=0.005)
    assert 0.02 < missed.least < missed.away
    assert not other.unreached


@pytest.mark.parametrize(("name", "scales"), [("punch", (SMALL, 1.0)), ("hands on a table", (LARGE,))])
def test_hands_come_to_rest_where_nothing_is_within_reach(name: str, scales: tuple[float, ...]) -> None:
    """A fist 20 cm below a chest, and hands above a low table: solved once more they stay where they are."""
    company = COMPANIES[name]()
    styles = [retarget(*person, body(scale)) for person, scale in zip(company.people, scales, strict=True)]
    actors = [
        Actor(*person, style.target, style.motion)
        for person, style in zip(company.people, styles, strict=True)
    ]
    hands = Hands(find_relations(actors, company.props), actors, company.props)
    found = hands.solve()
    assert max(np.linalg.norm(miss.away, axis=1).max() for miss in hands.misses(found)) > 0.1
    assert np.abs(hands.solve(found) - found).max() < 0.02


def test_motions_with_other_frames_are_refused() -> None:
    company = handshake()
    (rig, motion), (other, second) = company.people
    takes = [Take(rig, motion, body(1.0)), Take(other, second.between(0.0, 1.0), body(1.0))]
    with pytest.raises(InputError, match="same frames"):
        retarget_together(takes)


@pytest.mark.parametrize(
    ("shape", "inside", "outside", "gap"),
    [
        (Box(np.array([0.1, 0.2, 0.3])), [0.05, 0.0, 0.0], [0.4, 0.6, 0.3], 0.5),
        (Sphere(0.2), [0.1, 0.0, 0.0], [0.0, 0.5, 0.0], 0.3),
        (Capsule(0.1, 0.5), [0.0, 0.0, 0.55], [0.3, 0.0, 0.9], 0.4),
        (Cylinder(0.1, 0.5), [0.0, 0.05, 0.0], [0.4, 0.0, 0.9], 0.5),
        (Hull(np.concatenate([np.zeros((1, 3)), np.eye(3)])), [0.1, 0.1, 0.1], [0.2, 0.2, -0.5], 0.5),
    ],
)
def test_distances_to_shapes_are_known(
    shape: Box | Sphere | Capsule | Cylinder | Hull, inside: list[float], outside: list[float], gap: float
) -> None:
    surface = ShapeSurface(shape)
    assert surface.gap(np.array([inside]))[0] < 0.0
    assert surface.gap(np.array([outside]))[0] == pytest.approx(gap)
    away = surface.outwards(np.array([outside]))[0]
    further = np.array([outside]) + 0.1 * away
    assert surface.gap(further)[0] == pytest.approx(gap + 0.1, abs=1e-6)


def test_props_are_objects_of_the_scene_and_get_their_keys_back() -> None:
    time = np.linspace(0.0, 1.0, 11)
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    keys = Keys(np.array([0.0, 1.0]), np.array([[0.0, 0, 1], [1.0, 0, 1]]), upright)
    shape = Box(np.full(3, 0.1))
    scene = Scene(
        (
            SceneObject("crate", Role.MOVING, shape, keys=keys),
            SceneObject("desk", Role.OBSTACLE, shape, np.array([2.0, 0.0, 0.5])),
            SceneObject("hill", Role.GROUND, Plane()),
        )
    )
    crate, desk = props_of(scene, ("crate", "desk"), time)
    assert crate.is_held and not desk.is_held
    np.testing.assert_allclose(crate.position[:, 0], time)
    moved = replace(crate, position=crate.position + [0.0, 1.0, 0.0])
    found = scene_with_props(scene, (moved, desk), time).objects
    assert found[0].keys is not None and found[1] is scene.objects[1]
    np.testing.assert_allclose(found[0].keys.position[:, 1], 1.0)
    with pytest.raises(InputError, match="no object 'chair'"):
        props_of(scene, ("chair",), time)
    with pytest.raises(InputError, match="plane"):
        props_of(scene, ("hill",), time)
