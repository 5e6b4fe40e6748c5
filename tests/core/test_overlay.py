"""Overlays: what is shown at a frame is what the result says of it, and shapes have their measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim_core.character.body_shapes import body_shapes
from sim_core.character.preset_character import load_character
from sim_core.drawing import overlay_shapes as shapes
from sim_core.drawing.overlay_arrows import assist_arrows, contact_arrows
from sim_core.drawing.overlay_series import Ghost, OverlaySeries, bodies_in_world, series_of
from sim_core.result.records import BodyShape, CapsuleShape, CharacterFacts
from sim_core.result.result import Result
from tests.core.sample_files import result_arrays, small_meta, small_result

SHAPE = BodyShape((0.0, 0.0, 0.2), (CapsuleShape((0.0, 0.0, -0.1), (0.0, 0.0, 0.1), 0.05),), ())
SAMPLES = 21


def result(**changes: Any) -> Result:
    """Two bodies for 0.2 s; only what a test names differs from nothing."""
    arrays = result_arrays(SAMPLES)
    arrays |= {
        name: np.zeros_like(arrays[name]) for name in ("assist", "contact_force", "contact_point", "torque")
    }
    arrays |= {
        "body_quaternion_world": np.tile([1.0, 0.0, 0.0, 0.0], (SAMPLES, 2, 1)),
        "contact_body": np.zeros((SAMPLES, 4), dtype=np.int64),
        "meta": small_meta(
            character=CharacterFacts(1.75, 70.0, 2.0, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0),
            ground_height=0.3,
            body_shapes=(SHAPE, SHAPE),
        ),
    }
    return small_result(**(arrays | changes))


def series(of: Result, last: float = 0.2) -> OverlaySeries:
    frame = np.arange(1, 6)
    ghost = Ghost(np.array([-1, 0]), np.zeros((5, 2, 3)), np.array([1]), np.ones((5, 1, 3)))
    return series_of(of, frame, np.linspace(0.0, last, 5), 0.5, ghost)


def test_places_are_in_the_units_of_the_view() -> None:
    """The character was simulated at twice its size, moved by a metre; the view counts half metres."""
    made = result()
    shown = series(made)
    assert shown.frame.tolist() == [1, 2, 3, 4, 5]
    at = np.array([0, 5, 10, 15, 20])
    assert shown.body_position == pytest.approx(made.body_com[at] - [1.0, 0.0, 0.0])
    weights = made.body_mass / made.body_mass.sum()
    assert shown.centre_of_mass == pytest.approx(
        np.einsum("tbi,b->ti", made.body_com[at], weights) - [1.0, 0.0, 0.0]
    )
    assert shown.capsule[0] == pytest.approx([0.0, 0.0, 0.0, -0.1, 0.0, 0.0, 0.1, 0.05])
    assert shown.unit == pytest.approx([2.0])
    assert shown.floor_height == pytest.approx(0.3)


def test_help_between_two_frames_is_not_lost() -> None:
    assist = np.zeros((SAMPLES, 6))
    assist[6, 2] = 40.0
    shown = series(result(assist=assist))
    assert [shown.assist_at(row)[0] for row in range(5)] == [0.0, 40.0, 0.0, 0.0, 0.0]


def test_effort_is_the_busiest_axis_of_a_joint_and_an_axis_without_limit_counts_nothing() -> None:
    torque = np.zeros((SAMPLES, 6))
    torque[10, 1], torque[10, 2], torque[10, 5] = -80.0, 30.0, 500.0
    shown = series(result(torque=torque))
    assert shown.effort[2] == pytest.approx([0.0, 0.8])
    assert shown.effort[[0, 4]] == pytest.approx(np.zeros((2, 2)))


def test_contacts_belong_to_their_frames_and_only_those_from_below_carry() -> None:
    force, point = np.zeros((SAMPLES, 4, 3)), np.zeros((SAMPLES, 4, 3))
    force[10, 0], force[10, 1], force[10, 3] = [0.0, 0.0, 300.0], [300.0, 0.0, 10.0], [0.0, 0.0, 300.0]
    force[15, 2], point[10, 0] = [0.0, 10.0, 100.0], [1.0, 2.0, 0.7]
    shown = series(result(contact_force=force, contact_point=point))
    assert shown.contact_count.tolist() == [0, 0, 3, 1, 0]
    part = shown.contacts_of(2)
    assert shown.contact_carries[part].tolist() == [1, 0, 0], "a wall and another character do not carry"
    assert shown.contact_point[part][0] == pytest.approx([0.0, 2.0, 0.7])
    assert shown.floor_height[2] == pytest.approx(0.7)
    assert shown.contact_force[shown.contacts_of(3)] == pytest.approx(np.array([[0.0, 10.0, 100.0]]))


def test_frames_after_the_end_of_the_simulation_are_left_out() -> None:
    shown = series(result(), last=0.4)
    assert shown.frame.tolist() == [1, 2, 3]
    assert shown.row_of(4) is None and shown.row_of(2) == 1


def test_shapes_lie_about_the_centre_of_mass() -> None:
    spec = load_character("dasilva2008_2d")
    for segment, shape in zip(spec, body_shapes(spec), strict=True):
        assert np.array(shape.joint) + segment.com == pytest.approx(np.zeros(3))
        assert len(shape.capsules) + len(shape.boxes) == len(segment.shapes)


def test_points_of_bodies_turn_with_them() -> None:
    quarter = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
    shown = series(result(body_quaternion_world=np.tile(quarter, (SAMPLES, 2, 1))))
    place = bodies_in_world(shown, 3, np.array([1]), np.array([[1.0, 0.0, 0.0]]))
    assert place - shown.body_position[3, 1] == pytest.approx(np.array([[0.0, 1.0, 0.0]]))


def test_a_capsule_is_as_far_from_its_rod_as_its_radius() -> None:
    start, end = np.array([0.2, 0.1, 0.0]), np.array([0.5, -0.3, 0.8])
    lines = shapes.capsule_lines(start, end, 0.07)
    share = np.clip((lines - start) @ (end - start) / np.sum((end - start) ** 2), 0.0, 1.0)
    distance = np.linalg.norm(lines - start - share[:, None] * (end - start), axis=1)
    assert distance == pytest.approx(0.07)
    assert np.linalg.norm(shapes.capsule_lines(start, start, 0.07) - start, axis=1) == pytest.approx(0.07)


def test_an_arrow_ends_at_its_tip() -> None:
    start, vector = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 2.0], [0.3, 0.4, 0.0]])
    heads = shapes.arrow_heads(start, vector).reshape(2, -1, 3)
    for head, tip, way in zip(heads, start + vector, vector, strict=True):
        along = (head - tip) @ way / np.linalg.norm(way)
        assert along.max() == pytest.approx(0.0, abs=1e-12)
        assert along.min() == pytest.approx(-shapes.HEAD_SHARE * np.linalg.norm(way))
    assert shapes.arrow_heads(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)


def test_forces_on_one_body_are_one_arrow_at_their_middle() -> None:
    """Two contacts of one body, one of another, and one that is too weak to be shown."""
    force, point = np.zeros((SAMPLES, 4, 3)), np.zeros((SAMPLES, 4, 3))
    force[10, :, 2], point[10, :, 0] = [300.0, 100.0, 50.0, 0.5], [1.0, 5.0, 3.0, 2.0]
    force[15, 1], body = [0.0, 20.0, 0.0], np.tile([0, 0, 1, 1], (SAMPLES, 1))
    shown = series(result(contact_force=force, contact_point=point, contact_body=body))
    arrows = contact_arrows(shown)
    assert arrows.first.tolist() == [0, 0, 0, 2, 3, 3]
    lines, heads = arrows.at(2, 0.01)
    # The view moves points by -1 along x; weak contacts count where others on the body are strong.
    assert lines[[0, 2], 0] == pytest.approx([1.0, (50.0 * 2.0 + 0.5 * 1.0) / 50.5])
    assert heads.reshape(2, -1, 3)[..., 2].max(axis=1) == pytest.approx([4.0, 0.505])
    assert [len(part) for part in arrows.at(0, 1.0)] == [0, 0]


def test_help_has_an_arrow_of_any_length_that_is_asked_for() -> None:
    assist = np.zeros((SAMPLES, 6))
    assist[10, 0], assist[15, 4] = -3.0, 7.0
    shown = series(result(assist=assist))
    lines, heads = assist_arrows(shown).at(2, 0.25)
    assert lines[0] == pytest.approx(shown.body_position[2, 0])
    assert heads[:, 0].min() == pytest.approx(shown.body_position[2, 0, 0] - 0.25)
    assert len(assist_arrows(shown).at(3, 0.25)[0]) == 0, "a torque has no direction to show"


def test_balls_boxes_and_fans_have_their_sizes() -> None:
    assert np.linalg.norm(shapes.ball_triangles(0.3), axis=1) == pytest.approx(0.3)
    box = shapes.box_lines(np.zeros(3), np.array([1.0, 2.0, 3.0]))
    assert np.unique(np.abs(box), axis=0) == pytest.approx(np.array([[1.0, 2.0, 3.0]]))
    assert len(box) == 24
    square = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    a, b, c = shapes.fan(square).reshape(-1, 3, 3).transpose(1, 0, 2)
    assert 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() == pytest.approx(1.0)
    assert len(shapes.outline(square)) == 8 and len(shapes.outline(square[:1])) == 0
