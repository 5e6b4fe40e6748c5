"""A live run through the action graph: it stays up, takes commands in time, and repeats itself."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.actions.graph import make_graph
from sim_core.bake.attempt import Attempt
from sim_core.bake.make_reference import make_reference
from sim_core.bake.monitor import Monitor
from sim_core.base.errors import InputError
from sim_core.base.progress import ignore_progress
from sim_core.live.commands import CommandLog, LoggedCommand, NextAction, Steer
from sim_core.live.segment import with_motion
from sim_core.live.take import replay
from sim_core.recognition import recognise
from sim_core.scenario.settings import BakeSettings
from sim_core.steering.stage import Steered
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, person
from tools.demo.body import Body
from tools.demo.motions import make

SLOW, FAST = person(walk(2.4, length=0.4).performance), person(walk(2.4, length=0.6).performance)
LOG = CommandLog(220, (LoggedCommand(30, Steer("faster")), LoggedCommand(130, NextAction("slow"))))


@pytest.fixture(scope="module")
def steered() -> Steered:
    graph = make_graph([("slow", SLOW), ("fast", FAST)], MAPPING, ("slow", "fast"))
    return Steered(graph, BakeSettings(quality="draft", assist_cap=0.0))


def test_a_steered_run_stays_up_and_repeats_itself(steered: Steered) -> None:
    first = replay(steered.stage, LOG, Monitor(ignore_progress))
    waits = [own.taken_s - own.given_s for own in steered.commands if own.taken_s is not None]
    assert len(steered.commands) == 2 and waits
    assert max(waits) <= 1.2
    assert first.meta.fell_at is None
    assert first.assist.max() == 0.0
    second = replay(steered.stage, LOG, Monitor(ignore_progress))
    np.testing.assert_array_equal(first.joint_position, second.joint_position)


def test_a_link_begins_as_its_source_goes_without_it(steered: Steered) -> None:
    """The body is not off at once by the change that a link makes, which begins where it takes over.

    Both are prepared with a second around them, which leaves less than a millimetre in a tenth of a second.
    """
    assert steered.stage.directs is not None
    steered.stage.directs()
    assert steered.director is not None
    segments, graph = steered.director.segments, steered.graph
    number = max(graph.exits[0], key=lambda n: (segments.take_at[n] > 100) * graph.links[n].capture_jump)
    alone = with_motion(segments.setup, graph.actions[0].clip.motion)
    source = make_reference(alone, Attempt(alone.methods[0])).reference
    segment, taken = segments.segment(number), segments.take_at[number]
    before, own = slice(segment.first - 10, segment.first), slice(taken - 10, taken)
    velocity = segment.prepared.reference.qvel[before, :2]
    np.testing.assert_allclose(velocity, source.qvel[own, :2], atol=0.01)


def test_an_unknown_action_is_refused(steered: Steered) -> None:
    log = CommandLog(20, (LoggedCommand(5, NextAction("swim")),))
    with pytest.raises(InputError, match="no action 'swim'"):
        replay(steered.stage, log, Monitor(ignore_progress))


def test_a_draft_that_takes_over_at_an_odd_interval_finds_its_next_link() -> None:
    """Drafts are controlled at every second interval: until then the segment before is still followed."""
    body = Body()
    named = [(name, make(name, body)) for name in ("standing", "walk")]
    graph = make_graph(named, recognise(named[0][1].skeleton))
    steered = Steered(graph, BakeSettings(quality="draft", assist_cap=0.0))
    log = CommandLog(640, (LoggedCommand(50, Steer("forward")), LoggedCommand(500, Steer("stop"))))
    try:
        result = replay(steered.stage, log, Monitor(ignore_progress))
    finally:
        steered.stage.library.close()
    assert result.meta.fell_at is None
    gone = np.linalg.norm(np.diff(result.joint_position[[50, 450], 0, :2], axis=0))
    assert gone > 1.0, "it walks"
