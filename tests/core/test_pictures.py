"""Strips of moments: where things are drawn, in which order, and that the text is whole XML."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from sim_core.pictures.of_result import HELP_COLOUR, result_strip
from sim_core.pictures.strip import PIXELS_PER_M, Body, Strip, strip_svg
from sim_core.pictures.view import View, three_quarter_view
from sim_core.result import Result
from tests.core.sample_files import small_result

SVG = "{http://www.w3.org/2000/svg}"
FRONT = View(np.array([0.0, 1.0, 0.0]))


def two_capsules() -> Strip:
    """One upright of 1 m, and one beside it and behind, at two moments that are 5 m apart."""
    ends = np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[-1.0, 0.25, 0.0], [-1.0, 0.25, 0.5]]])
    moved = np.stack([ends, ends + [0.0, 5.0, 0.0]])
    body = Body(moved, np.array([0.05, 0.1]), (100, 150, 200))
    return Strip((body,), np.array([0, 1]), ("start <0>", "end"), moved[:, 0, 0], 0.0, 0.5, (), (False, True))


def numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?[\d.]+", path)]


def capsules(svg: str) -> list[tuple[list[float], str]]:
    groups = ElementTree.fromstring(svg).iter(f"{SVG}g")
    return [(numbers(path.get("d", "")), path.get("stroke", "")) for group in groups for path in group]


def test_capsules_stand_where_they_are_and_the_far_one_comes_first() -> None:
    drawn = capsules(strip_svg(two_capsules(), FRONT))
    far, near = drawn[0][0], drawn[1][0]
    assert near[0] == near[2] == pytest.approx(0.5 * PIXELS_PER_M)
    assert near[1] - near[3] == pytest.approx(PIXELS_PER_M)
    assert far[0] - near[0] == pytest.approx(0.25 * PIXELS_PER_M)
    assert far[1] == near[1]
    assert drawn[1][1] == "#6496c8" and drawn[0][1] != drawn[1][1]


def test_moments_are_side_by_side_however_far_the_body_went() -> None:
    first, second = (capsules(strip_svg(two_capsules(), FRONT))[k][0] for k in (1, 3))
    assert second[0] - first[0] == pytest.approx(PIXELS_PER_M)


def test_labels_are_escaped_and_alarms_are_red() -> None:
    texts = list(ElementTree.fromstring(strip_svg(two_capsules(), FRONT)).iter(f"{SVG}text"))
    assert [text.text for text in texts] == ["start <0>", "end"]
    assert texts[0].get("fill") != texts[1].get("fill") == "#b3261e"


@pytest.mark.parametrize("turn", [0.0, 1.0, -2.5])
def test_the_view_turns_with_the_body_and_sees_its_front(turn: float) -> None:
    forward = np.array([np.cos(turn), np.sin(turn), 0.0])
    left = np.array([-np.sin(turn), np.cos(turn), 0.3])
    view = three_quarter_view(left)
    assert np.linalg.norm(view.right) == pytest.approx(1.0)
    assert view.right[2] == 0.0
    assert view.toward @ forward > 0.5
    assert view.right @ forward > 0.5


def drawable(assist: float) -> Result:
    meta = small_result().meta | {"character": {"height": 1.8}, "ground_height": 0.0, "fell_at": 0.03}
    return replace(small_result(), assist=np.full((5, 6), assist), meta=meta)


def test_help_is_drawn_where_there_is_any() -> None:
    assert HELP_COLOUR in result_strip(drawable(50.0))
    assert HELP_COLOUR not in result_strip(drawable(0.0))


def test_a_result_shows_source_and_body_and_marks_the_fall() -> None:
    root = ElementTree.fromstring(result_strip(drawable(0.0), moments=5))
    assert len(list(root.iter(f"{SVG}g"))) == 2 * 5
    reds = [text.get("fill") == "#b3261e" for text in root.iter(f"{SVG}text")]
    assert reds == [False, False, False, True, True]
