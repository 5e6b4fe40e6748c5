"""Sentences of the core as Blender shows them."""

from __future__ import annotations

import pytest

from sim_core.bake.loop import refusal_of
from sim_core.bake.notes import failure_notes, search_notes
from sim_core.base.wording import for_blender
from sim_core.result.records import Failure, SearchRecord


def frame_at(time_s: float) -> int:
    """At 50 frames a second, from frame 1 on."""
    return 1 + round(50.0 * time_s)


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("There is no ground at 0.00 s.", "There is no ground at frame 1."),
        ("From 0.20 to 1.00 s it was searched.", "From frame 11 to 51 it was searched."),
        ("A search from 0.20 s on ended.", "A search from frame 11 on ended."),
        ("It touches the wall for 0.52 s.", "It touches the wall for 26 frames."),
        ("The search took 9 s.", "The search took 9 s."),
        ("Up to 15 N (--assist 15) help.", "Up to 15 N help."),
    ],
)
def test_moments_become_frames_and_options_go(sentence: str, shown: str) -> None:
    assert for_blender(sentence, frame_at) == shown


def test_no_sentence_on_a_fall_or_a_loop_speaks_of_the_command_line() -> None:
    failure = Failure(1.5, (), 200.0, (50.0, 200.0))
    search = SearchRecord(
        start_s=0.5, end_s=1.2, simulated_s=30.0, wall_seconds=9.0, gave_up="no way was found"
    )
    for sentence in (*failure_notes(failure), *search_notes(search), refusal_of(1.0, None, 1.0)):
        shown = for_blender(sentence, frame_at)
        assert "--" not in shown
        assert "1.50 s" not in shown and "1.20 s" not in shown
