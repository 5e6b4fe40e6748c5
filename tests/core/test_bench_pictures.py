"""The manual's pictures: poses are chosen where something happens, none covers another, forces are drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageColor

from bench.pictures.__main__ import main
from bench.pictures.canvas import OBJECT
from bench.pictures.film import FRAMES_PER_S, REST_S, Shot, frames_of, write_film
from bench.pictures.strip import GAP_M, pose_times, side_by_side, strip_of
from bench.pictures.tasks import LIVE_PUSH, PUSHED_S, THROWN_S, played_live
from sim_core.drawing.svg import FORCE, RESULT
from sim_core.result.result import Result, save_result
from sim_core.scene.scene import Role, SceneObject
from sim_core.scene.shapes import Box, Sphere
from tests.core.test_pictures import facing_x


def test_a_steady_motion_is_shown_in_even_steps() -> None:
    time = 2.0 + np.linspace(0.0, 1.0, 101)
    along = np.stack([time, 0.0 * time, 0.0 * time], axis=1)[:, None]
    assert pose_times(time, along, 5) == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])


def test_more_poses_show_where_more_happens() -> None:
    """Nothing moves for the first half: 35 % of the steps go by time, the rest by the way."""
    time = np.linspace(0.0, 1.0, 101)
    along = np.maximum(time - 0.5, 0.0)[:, None, None] * [1.0, 0.0, 0.0]
    times = pose_times(time, along, 9)
    assert (times[0], times[-1]) == (0.0, 1.0) and (np.diff(times) > 0.0).all()
    assert sum(at > 0.5 for at in times) == 7


def test_a_body_that_lies_gets_more_room() -> None:
    extents = [(-0.3, 0.3), (4.0, 5.8), (1.0, 1.5)]
    moved, width = side_by_side(extents)
    ends = [(low + right, high + right) for (low, high), right in zip(extents, moved, strict=True)]
    assert [ends[1][0] - ends[0][1], ends[2][0] - ends[1][1]] == pytest.approx([GAP_M, GAP_M])
    assert ends[0][0] == pytest.approx(GAP_M) and width - ends[2][1] == pytest.approx(GAP_M)


def colours(image: Image.Image) -> set[tuple[int, ...]]:
    found = image.convert("RGB").getcolors(100_000)
    assert found is not None
    return {colour for _, colour in found if isinstance(colour, tuple)}


def moving(samples: int = 60) -> Result:
    result = facing_x(samples)
    way = np.linspace(0.0, 1.0, samples)[:, None, None] * [1.0, 0.0, 0.0]
    return replace(result, time=0.01 * np.arange(samples), joint_position=result.joint_position + way)


def test_strips_show_the_body_and_what_carries_it() -> None:
    strip = strip_of(moving(), 4)
    assert {ImageColor.getrgb(RESULT.plain), ImageColor.getrgb(FORCE.plain)} <= colours(strip)
    none = strip_of(replace(moving(), contact_force=np.zeros((60, 1, 3))), 4)
    assert ImageColor.getrgb(FORCE.plain) not in colours(none)


def test_a_film_shows_each_motion_and_rests_at_its_end(tmp_path: Path) -> None:
    result = moving()
    frames = frames_of(Shot("a step", (result,)))
    assert len(frames) == 12 + round(REST_S * FRAMES_PER_S)
    write_film([Shot("one", (result,)), Shot("two", (result, result))], tmp_path / "film.gif")
    with Image.open(tmp_path / "film.gif") as film:
        assert film.size == frames[0].size and film.info["duration"] == 1000 / FRAMES_PER_S


def test_a_shot_shows_the_things_around_a_body() -> None:
    ball = SceneObject("ball", Role.OBSTACLE, Sphere(0.1), np.array([0.0, 0.0, 0.5]))
    box = SceneObject("box", Role.OBSTACLE, Box(np.array([0.2, 0.1, 0.1])), np.array([0.6, 0.0, 0.1]))
    plain = ImageColor.getrgb(OBJECT.plain)
    assert plain in colours(frames_of(Shot("both", (moving(),), (ball, box)))[0])
    assert plain not in colours(frames_of(Shot("none", (moving(),)))[0])


def test_given_results_are_drawn_without_a_bake(tmp_path: Path) -> None:
    save_result(moving(), tmp_path / "88_07.npz")
    assert main(["--results", str(tmp_path), "--clips", "88_07@60", "--out", str(tmp_path / "out")]) == 0
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"strip_88_07.png"}
    with pytest.raises(SystemExit, match="does not exist"):
        main(["--results", str(tmp_path), "--clips", "88_01@60", "--out", str(tmp_path / "out")])


def test_the_film_of_live_play_shows_a_push_and_a_hit_and_no_help() -> None:
    result = played_live()
    live = result.meta.live
    assert live is not None and live.most_push_n == pytest.approx(LIVE_PUSH.force[0])
    # The ball hits the chest, and falls down along the body; touches on its way are weaker.
    first, *later = result.meta.hits
    assert first.segment == "chest"
    assert all(hit.by == first.by and hit.impulse_ns < first.impulse_ns for hit in later)
    assert PUSHED_S < THROWN_S < result.meta.hits[0].time_s
    assert result.meta.fell_at is None and not result.assist.any()
