"""Pictures of moments: where things are drawn, in which order, and that the text is whole XML."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from sim_core.drawing.camera import Camera, Picture, three_quarter_view
from sim_core.drawing.svg import ASSIST, RESULT, SOURCE, svg_of
from sim_core.result.result import Result
from tests.core.sample_files import result_arrays, small_meta

JOINTS = np.array([[0.0, 0.0, 1.0], [0.0, 0.1, 0.9], [0.0, -0.1, 0.9], [0.0, 0.1, 0.1]])
ENDS = JOINTS + np.array([[0.0, 0.0, 0.1], [0.0, 0.0, -0.2], [0.0, 0.0, -0.2], [0.1, 0.0, 0.0]])


def facing_x(samples: int = 2, **changes: Any) -> Result:
    """Pelvis, two thighs and a foot of a body that faces along X; 750 N hold its foot."""
    still = {
        f"{prefix}joint_{kind}": np.tile(value, (samples, 1, 1))
        for prefix in ("", "reference_", "source_")
        for kind, value in (("position", JOINTS), ("quaternion_world", [[1.0, 0.0, 0.0, 0.0]] * 4))
    }
    body = {
        "body_name": ["pelvis", "thigh.L", "thigh.R", "foot.L"],
        "body_mass": [10.0, 7.0, 7.0, 1.0],
        "body_com": np.tile(0.5 * (JOINTS + ENDS), (samples, 1, 1)),
        "body_quaternion_world": np.tile([1.0, 0.0, 0.0, 0.0], (samples, 4, 1)),
        "engine_body": [1, 2, 3, 4],
        "joint_name": ["hips", "left", "right", "foot"],
        "joint_parent": [-1, 0, 0, 1],
    }
    forces = {
        "simulated": np.ones(samples),
        "assist": np.zeros((samples, 6)),
        "contact_force": np.tile([0.0, 0.0, 750.0], (samples, 1, 1)),
        "contact_point": np.tile([0.1, 0.1, 0.0], (samples, 1, 1)),
        "contact_body": np.full((samples, 1), 3),
        "contact_other": [""],
        "contact_other_body": [""],
    }
    meta = small_meta()
    meta = replace(meta, body_shapes=(meta.body_shapes[0],) * len(JOINTS))
    return Result(**(result_arrays(samples) | still | body | forces | {"meta": meta} | changes))


def group_names(picture: Picture) -> list[str | None]:
    return [group.get("class") for group in ElementTree.fromstring(svg_of(picture)).iter("g")]


def test_pictures_show_the_body_from_its_side() -> None:
    """A body that faces along X: looked at from one side, turned a little towards its front."""
    picture = Camera(facing_x()).picture(0.01)
    foot = max(picture.result, key=lambda stroke: abs(stroke.x2 - stroke.x1))
    # 0.1 m forwards, seen 35 degrees from the side; down is up.
    assert (foot.x2 - foot.x1, foot.y2) == (
        pytest.approx(0.1 * np.cos(np.radians(35.0))),
        pytest.approx(-0.1),
    )
    assert [stroke.dark for stroke in picture.result].count(True) == 2, "the right thigh and the way to it"
    (arrow,) = picture.forces
    assert (arrow.x1 - arrow.x2, arrow.y1 - arrow.y2) == (pytest.approx(0.0), pytest.approx(0.5))
    assert picture.left < foot.x1 < picture.left + picture.width and picture.top < -1.0
    assert len(picture.source) == len(picture.result)


def test_far_parts_come_first() -> None:
    """The eye is at the body's right, so its right side hides its left one."""
    drawn = Camera(facing_x()).picture(0.0).result
    assert [stroke.dark for stroke in drawn[-2:]] == [True, True]


def test_a_leap_and_a_hole_stay_in_all_pictures() -> None:
    moved = np.tile(JOINTS, (3, 1, 1)) + np.array([0.0, 3.0, -2.0])[:, None, None] * [0.0, 0.0, 1.0]
    com = moved + 0.5 * (ENDS - JOINTS)
    pictures = Camera(facing_x(3, joint_position=moved, body_com=com)).strip(3)
    heights = [y for picture in pictures for stroke in picture.result for y in (stroke.y1, stroke.y2)]
    assert {(picture.top, picture.height) for picture in pictures} == {(pictures[0].top, pictures[0].height)}
    assert pictures[0].top < min(heights) and pictures[0].top + pictures[0].height > max(heights)


def test_pictures_go_with_the_body() -> None:
    moved = np.tile(JOINTS, (2, 1, 1))
    moved[1] += [5.0, 0.0, 0.0]
    com = moved + 0.5 * (ENDS - JOINTS)
    first, last = Camera(facing_x(joint_position=moved, body_com=com)).strip(2)
    assert last.left - first.left == pytest.approx(5.0 * np.cos(np.radians(35.0)))
    assert last.result[0].x1 - last.left == pytest.approx(first.result[0].x1 - first.left)


@pytest.mark.parametrize("turn", [0.0, 1.0, -2.5])
def test_the_view_turns_with_the_body_and_sees_its_front(turn: float) -> None:
    forward = np.array([np.cos(turn), np.sin(turn), 0.0])
    left = np.array([-np.sin(turn), np.cos(turn), 0.3])
    view = three_quarter_view(left)
    assert np.linalg.norm(view.right) == pytest.approx(1.0)
    assert view.right[2] == 0.0
    assert view.toward @ forward > 0.5
    assert view.right @ forward > 0.5


def test_assist_is_drawn_where_there_is_any() -> None:
    assist = np.array([[0.0] * 6, [50.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    without, assisted = Camera(facing_x(assist=assist)).strip(2)
    assert without.assist == () and ASSIST.plain not in svg_of(without)
    (arrow,) = assisted.assist
    assert arrow.x2 - arrow.x1 == pytest.approx(50.0 / 200.0 * np.cos(np.radians(35.0)))
    assert ASSIST.plain in svg_of(assisted)


def test_moments_after_a_fall_are_marked() -> None:
    meta = small_meta(fell_at=0.03)
    assert [p.fallen for p in Camera(facing_x(5, meta=meta)).strip(5)] == [False, False, False, True, True]


def test_the_source_alone_is_drawn_whole() -> None:
    """Only behind a result it is pale."""
    both, alone = (Camera(facing_x(simulated=np.full(2, share))).picture(0.0) for share in (1.0, 0.0))
    assert group_names(both) == ["source", "result", "force"]
    assert group_names(alone)[0] == "source" and "result" not in group_names(alone)
    opacity = [ElementTree.fromstring(svg_of(picture)).find("g") for picture in (both, alone)]
    assert [float(group.get("opacity", "")) for group in opacity if group is not None] == [0.45, 1.0]
    assert SOURCE.plain in svg_of(alone) and RESULT.plain not in svg_of(alone)
