"""Supports that a motion was captured on: found where weight is missing, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.setup import set_up
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.base.intervals import smooth_step
from sim_core.motion.motion import CONTROL_DT, Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.reference.prepare import put_on_ground
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scenario.several import make_scenarios
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.scene_file import scene_from_dict, scene_to_dict
from sim_core.scene.shapes import Box
from sim_core.supports.body_motion import PartKind, observe
from sim_core.supports.find import FoundSupports, find_supports, on_supports
from sim_core.supports.missing_weight import missing_weight
from sim_core.supports.rectangles import Margins, fitted_rectangle
from sim_core.supports.support import SupportKind
from sim_core.supports.wording import offer_sentence
from tests.core.sample_people import MAPPING, Performance, person

THIGH = 0.42
RATE = 50.0
FLAT_CLIPS = ("02_01", "09_01", "02_03", "13_11", "16_17", "88_06", "104_28", "49_18", "05_10", "02_04")
"""Walks, runs, jumps, kicks and dances on a flat floor, some on one leg, on tiptoe or in the air for long."""


def timeline(seconds: float) -> FloatArray:
    return np.arange(round(seconds * RATE) + 1) / RATE


def sitting(bend: float = np.pi / 2, slide: float = 0.0) -> Performance:
    """Stands for a second, sits down behind its feet and stays there, sliding ahead by so much meanwhile."""
    time = timeline(4.0)
    angle = bend * smooth_step((time - 1.0) / 0.8)
    turn = np.outer(angle, [0.0, 1.0, 0.0])
    turns = {f"{part}.{s}": sign * turn for s in "LR" for part, sign in (("thigh", -1.0), ("shin", 1.0))}
    back, down = THIGH * np.sin(angle), THIGH * (1.0 - np.cos(angle))
    ahead = slide * np.clip((time - 1.8) / 2.0, 0.0, 1.0)
    return Performance(time, turns, np.stack([ahead - back, 0.0 * time, -down], axis=1))


def hopping(rise: float, ahead: float) -> Performance:
    """Stands, is moved onto something as a whole, and stands there."""
    time = timeline(3.0)
    share = smooth_step((time - 1.0) / 0.5)
    return Performance(time, {}, np.stack([ahead * share, 0.0 * time, rise * share], axis=1))


def one_leg() -> Performance:
    """Stands on the right leg, the left foot held still 20 cm above the floor."""
    time = timeline(3.0)
    turn = np.outer(1.0 * smooth_step((time - 0.5) / 0.8), [0.0, 1.0, 0.0])
    turns = {"thigh.L": -turn, "shin.L": turn}
    return Performance(time, turns, np.zeros((len(time), 3)))


def found_in(motion: Motion) -> FoundSupports:
    return find_supports(Job(motion, MAPPING, BakeSettings()))


def pelvis_bottom(motion: Motion) -> float:
    """Height of the pelvis' lowest matter at the end, above the floor [m]."""
    scenario = make_scenarios([Job(motion, MAPPING, BakeSettings())])[0]
    body = observe(scenario, scenario.ground_height)
    hips = next(part for part in body.parts if part.kind is PartKind.SEAT)
    return float(body.points[-20, hips.points[:-2], 2].min()) - scenario.ground_height


@pytest.mark.parametrize("scale", [0.8, 1.0, 1.25])
def test_a_seat_is_where_the_hips_rest(scale: float) -> None:
    motion = person(sitting(), scale=scale)
    found = found_in(motion)
    assert [own.kind for own in found.supports] == [SupportKind.SEAT]
    seat = found.supports[0]
    assert seat.height == pytest.approx(pelvis_bottom(motion), abs=0.01)
    start, end = seat.spans[0]
    assert 1.0 < start < 2.2 and end > 3.8
    hips = scale * np.array([-THIGH, 0.0])  # the middle between the hip joints
    assert np.linalg.norm(seat.scene_object.position[:2] - hips) < 0.2 * scale
    assert offer_sentence(seat).endswith("cm above the floor: add a seat (--find-supports)?")


@pytest.mark.parametrize("scale", [0.8, 1.25])
def test_a_seat_carries_pelvis_and_thighs_and_reaches_under_the_centre_of_mass(scale: float) -> None:
    """Level thighs rest on an area; a line under the pelvis would be behind the centre of mass."""
    motion = person(sitting(), scale=scale)
    scenario, seat = make_scenarios([Job(motion, MAPPING, BakeSettings())])[0], found_in(motion).supports[0]
    body = observe(scenario, scenario.ground_height)
    resting = body.points[-20, body.limbs[:2]].reshape(-1, 3)
    assert resting[:, 2] == pytest.approx(np.full(4, scenario.ground_height + seat.height), abs=0.015 * scale)
    box = seat.scene_object
    assert isinstance(box.shape, Box)
    assert body.com[-20, 0] < box.position[0] + box.shape.half_size[0] - 0.02 * scale


def test_a_seat_is_found_where_the_clip_ends_soon_after_sitting_down() -> None:
    """The rest of a quarter of a second went on beyond the clip; in the middle of one it would be none."""
    motion = person(sitting()).between(0.0, 2.05)
    assert [own.kind for own in found_in(motion).supports] == [SupportKind.SEAT]


def test_a_mirrored_motion_has_mirrored_supports() -> None:
    pose = sitting()
    turned = replace(pose, hips_offset=pose.hips_offset + [0.0, 0.7, 0.0])
    one, other = found_in(person(turned)).supports[0], found_in(person(turned.mirrored())).supports[0]
    assert other.scene_object.position == pytest.approx(one.scene_object.position * [1, -1, 1], abs=1e-6)
    assert other.height == pytest.approx(one.height, abs=1e-6)


@pytest.mark.parametrize(("rise", "ahead"), [(0.12, 0.5), (0.2, 0.4), (0.45, 0.6)])
def test_a_step_is_where_soles_rest_above_the_floor(rise: float, ahead: float) -> None:
    found = found_in(person(hopping(rise, ahead)))
    assert [own.kind for own in found.supports] == [SupportKind.STEP]
    step = found.supports[0]
    assert step.height == pytest.approx(rise, abs=0.005)
    scenario = make_scenarios([Job(person(hopping(rise, ahead)), MAPPING, BakeSettings())])[0]
    soles = observe(scenario, 0.0).points[-10, :8, :2]
    # Every sole is on it, and no edge is further than 10 cm from them.
    area = step.scene_object.shape
    assert isinstance(area, Box)
    low, high = (step.scene_object.position + sign * area.half_size for sign in (-1.0, 1.0))
    assert np.all(soles > low[:2] - 1e-6) and np.all(soles < high[:2] + 1e-6)
    assert np.all(soles.min(axis=0) - low[:2] < 0.1) and np.all(high[:2] - soles.max(axis=0) < 0.1)


def test_a_step_down_lowers_the_floor() -> None:
    time = timeline(6.0)
    down = -0.2 * smooth_step((time - 4.0) / 0.5)
    motion = person(Performance(time, {}, np.stack([-2.0 * down, 0.0 * time, down], axis=1)))
    found = found_in(motion)
    assert found.floor.height == pytest.approx(-0.2, abs=0.005)
    assert found.scene.floor_height == pytest.approx(-0.2, abs=0.005)
    assert [round(own.height, 2) for own in found.supports] == [0.2]
    assert any("20 cm below" in note for note in found.notes)


@pytest.mark.parametrize("performance", [one_leg(), sitting(bend=0.15)], ids=["one leg", "knees bent"])
def test_nothing_is_invented_where_the_floor_carries(performance: Performance) -> None:
    found = found_in(person(performance))
    assert found.supports == () and found.scene.objects == ()


def test_a_support_that_would_have_to_move_is_refused() -> None:
    found = found_in(person(sitting(slide=0.3)))
    assert found.supports == () and found.scene.objects == ()
    assert any("would have to move" in note for note in found.notes)


def test_hips_on_the_floor_need_no_seat() -> None:
    time = timeline(4.0)
    turns = {f"thigh.{s}": np.tile([0.0, -np.pi / 2, 0.0], (len(time), 1)) for s in "LR"}
    motion = person(Performance(time, turns, np.tile([0.0, 0.0, -0.79], (len(time), 1))))
    assert found_in(motion).supports == ()


def test_the_weight_that_is_missing_is_that_of_the_body() -> None:
    scenario = make_scenarios([Job(person(hopping(0.0, 0.0)), MAPPING, BakeSettings())])[0]
    body = observe(scenario, 0.0)
    samples = np.array([50, 75])
    soles, nothing = body.on_floor[samples], np.zeros_like(body.on_floor[samples])
    assert missing_weight(body, samples, nothing) == pytest.approx(1.0, abs=0.01)
    assert missing_weight(body, samples, soles) == pytest.approx(0.0, abs=0.01)


def test_edges_keep_their_distance_from_what_passes() -> None:
    outline = np.array([[0.0, 0.0], [0.2, 0.1]])
    margins = Margins(ahead=0.1, behind=0.1, aside=0.08, around=0.01)
    free = fitted_rectangle(outline, np.array([1.0, 0.0]), margins, np.zeros((0, 2)))
    assert free.low == pytest.approx([-0.1, -0.08]) and free.high == pytest.approx([0.3, 0.18])
    tight = fitted_rectangle(outline, np.array([1.0, 0.0]), margins, np.array([[0.25, 0.05]]))
    assert 0.2 <= tight.high[0] <= 0.24 and tight.low == pytest.approx(free.low)
    turned = fitted_rectangle(outline @ [[0, 1], [-1, 0]], np.array([0.0, 1.0]), margins, np.zeros((0, 2)))
    assert turned.size == pytest.approx(free.size)


def test_a_motion_stays_where_it_was_captured() -> None:
    motion = person(hopping(0.2, 0.4))
    job = Job(motion, MAPPING, BakeSettings(self_collision=False))
    setup = set_up([on_supports(job, find_supports(job))[0]])[0]
    leg_length = setup.scenario.leg_length
    grounded = put_on_ground(setup.world, setup.source_qpos, CONTROL_DT, leg_length, rolls=False)
    assert np.array_equal(grounded.projected.qpos, setup.source_qpos)
    base, touches = grounded.projected.contact_ground.base, grounded.schedule.touches
    soles = grounded.schedule.foot >= 0
    assert touches[-20:, soles].all() and touches[:40, soles].all()
    floor = setup.scenario.ground_height
    assert base[-20:, soles, 2] == pytest.approx(floor + 0.2, abs=0.005)
    assert base[:40, soles, 2] == pytest.approx(floor, abs=1e-9)


def test_supports_join_a_scene_under_names_of_their_own() -> None:
    job = Job(person(sitting()), MAPPING, BakeSettings())
    taken = SceneObject("seat 1", Role.OBSTACLE, Box(np.ones(3)), np.array([5.0, 0.0, 0.0]))
    moved, notes = on_supports(replace(job, scene=Scene((taken,))), find_supports(job))
    joined = moved.scene
    assert notes == () and moved.motion is job.motion
    assert [own.name for own in joined.objects] == ["seat 1", "seat 1 (2)"]
    again = scene_from_dict(scene_to_dict(joined), "the test")
    assert [own.captured for own in again.objects] == [False, True]


@pytest.mark.parametrize(("aside", "higher"), [(0.0, 0.0), (0.05, 0.03), (0.05, -0.03), (0.0, 0.05)])
def test_an_object_of_the_scene_is_used_and_met(aside: float, higher: float) -> None:
    job = Job(person(sitting()), MAPPING, BakeSettings())
    found = find_supports(job)
    (seat,) = found.scene.objects
    half = np.asarray(found.supports[0].size) / 2.0
    chair = SceneObject(
        "chair",
        Role.OBSTACLE,
        Box(np.array([*(0.7 * half + 0.005), 0.2])),
        seat.position + [0.0, aside, higher + 0.5 * 0.05 * 0.86 - 0.2],
    )
    used, notes = on_supports(replace(job, scene=Scene((chair,))), found)
    assert [(own.name, own.captured) for own in used.scene.objects] == [("chair", True)]
    moved = used.motion.position_world[0] - job.motion.position_world[0]
    assert moved[:, 1] == pytest.approx(aside, abs=0.0125) and moved[:, 2] == pytest.approx(0.0)
    assert len(notes) == 1 and (f"moved by {100 * aside:.0f} cm" in notes[0]) == (aside > 0.0)
    assert (f"{100 * abs(higher):.0f} cm {'higher' if higher > 0 else 'lower'}" in notes[0]) == (
        higher != 0.0
    )


def test_an_object_elsewhere_is_not_used() -> None:
    job = Job(person(sitting()), MAPPING, BakeSettings())
    found = find_supports(job)
    far = replace(found.scene.objects[0], name="far", position=np.array([2.0, 0.0, 0.4]), captured=False)
    used, notes = on_supports(replace(job, scene=Scene((far,))), found)
    assert [own.captured for own in used.scene.objects] == [False, True] and notes == ()


def test_only_what_stands_still_can_be_captured() -> None:
    with pytest.raises(InputError, match="only what stands still can be captured"):
        SceneObject("ball", Role.PROP, Box(np.ones(3)), mass=1.0, captured=True)
    with pytest.raises(InputError, match="floor_height"):
        scene_from_dict(scene_to_dict(Scene()) | {"floor_height": "low"}, "the test")
    lowered = replace(Scene(), floor_height=-0.5)
    assert lowered.scaled(2.0).floor_height == pytest.approx(-1.0)
    assert scene_from_dict(scene_to_dict(lowered), "it").floor_height == pytest.approx(-0.5)


@pytest.mark.parametrize("clip", FLAT_CLIPS)
def test_no_support_is_invented_on_flat_captures(shared_data: Path, clip: str) -> None:
    motion = read_bvh(shared_data / "bvh" / "cmu" / f"{clip}.bvh").motion
    found = find_supports(Job(motion, recognise(motion.skeleton), BakeSettings()))
    assert found.supports == ()


@pytest.mark.parametrize(
    ("clip", "kind", "heights"),
    [("83_34", SupportKind.STEP, (0.18, 0.33, 0.50)), ("75_17", SupportKind.SEAT, (0.243,))],
)
def test_supports_of_captures(
    shared_data: Path, clip: str, kind: SupportKind, heights: tuple[float, ...]
) -> None:
    motion = read_bvh(shared_data / "bvh" / "cmu" / f"{clip}.bvh").motion
    found = find_supports(Job(motion, recognise(motion.skeleton), BakeSettings()))
    assert {own.kind for own in found.supports} == {kind}
    assert [own.height for own in found.supports] == pytest.approx(heights, abs=0.03)
