"""What is told and refused about supports: tilted floors, contradictions, and offers after a fall."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sim_core.bake.notes import cause_sentence, failure_notes
from sim_core.bake.setup import set_up
from sim_core.bake.support_offers import explains_fall, support_offers
from sim_core.base.conventions import FloatArray
from sim_core.base.intervals import smooth_step
from sim_core.result.records import Cause, Failure
from sim_core.result.support_records import SupportOffer
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box
from sim_core.supports.body_motion import Part, PartKind
from sim_core.supports.clusters import Cluster
from sim_core.supports.contradictions import contradiction
from sim_core.supports.find import find_supports
from sim_core.supports.floor import Floor, lowest_level, measure_floor, on_level_floor
from sim_core.supports.resting import Rest
from sim_core.supports.wording import floor_sentences
from tests.core.sample_people import MAPPING, Performance, person
from tests.core.test_supports import hopping

AHEAD = np.array([1.0, 0.0])
SOLE = np.array([[-0.1, -0.04], [-0.1, 0.04], [0.1, -0.04], [0.1, 0.04]])


def resting(
    level: float, at: tuple[float, float] = (0.0, 0.0), kind: PartKind = PartKind.SOLE, start: int = 0
) -> Rest:
    part = Part(kind, kind.value, np.arange(4))
    return Rest(part, start, start + 40, np.arange(4), level, SOLE + at, AHEAD)


def body(moves: float = 0.0) -> Any:
    """What a rest is judged by: a body whose points move ahead by so much in 40 samples."""
    points: FloatArray = np.zeros((40, 4, 3))
    points[..., 0] = np.linspace(0.0, moves, 40)[:, None]
    return SimpleNamespace(floor=0.0, size=1.0, dt=0.01, points=points)


@pytest.mark.parametrize("degrees", [0.0, 1.0, 1.5])
def test_a_tilted_capture_volume_is_told(degrees: float) -> None:
    slope = np.tan(np.radians(degrees))
    rng = np.random.default_rng(1)
    places = [(x, 0.1 * (-1) ** i) for i, x in enumerate(np.linspace(-1.2, 1.2, 10))]
    rests = [resting(slope * x + rng.normal(scale=0.002), (x, y)) for x, y in places]
    floor = measure_floor(body(), rests)
    assert np.degrees(floor.tilt) == pytest.approx(degrees, abs=0.2)
    assert bool(floor_sentences(floor, 0.0)) == (degrees > 0.0)


@pytest.mark.parametrize(
    ("rise", "is_floor"),
    [(0.0, True), (0.1, True), (0.4, False)],
)
def test_soles_on_a_floor_that_is_tilted_are_on_no_step(rise: float, is_floor: bool) -> None:
    """A tilt of half a degree lifts the far end of a long walk by as much as a low step; two steps do not."""
    ways = np.linspace(0.0, 8.0, 17)
    rests = [resting(rise * x / 8.0, (x, 0.1 * (-1) ** k)) for k, x in enumerate(ways)]
    levels = [rest.level for rest in on_level_floor(body(), rests)]
    assert (np.abs(levels).max() < 0.01) == is_floor
    steps = [resting(0.08 * (x > 4.2), (x, 0.1 * (-1) ** k)) for k, x in enumerate(ways)]
    assert [rest.level for rest in on_level_floor(body(), steps)] == [rest.level for rest in steps]


@pytest.mark.parametrize("drift", [0.0, 0.06, -0.1])
def test_feet_that_rise_or_sink_over_the_take_are_told(drift: float) -> None:
    """There and back: what depends on the time alone is no slope."""
    rng = np.random.default_rng(2)
    ways = np.concatenate([np.linspace(-1.2, 1.2, 8), np.linspace(1.2, -1.2, 8)])
    rests = [
        resting(drift * k / 15.0 + rng.normal(scale=0.002), (x, 0.1 * (-1) ** k), start=50 * k)
        for k, x in enumerate(ways)
    ]
    floor = measure_floor(body(), rests)
    assert floor.drift == pytest.approx(drift, abs=0.01) and floor.tilt == 0.0
    told = " ".join(floor_sentences(floor, 0.0))
    assert ("drifts" in told) == (drift != 0.0) and ("sink by 10 cm" in told) == (drift < 0.0)


def test_one_step_up_is_no_drift() -> None:
    ways = np.concatenate([np.linspace(-1.2, 1.2, 8), np.linspace(1.2, -1.2, 8)])
    rests = [resting(0.2 * (k >= 8), (x, 0.1 * (-1) ** k), start=50 * k) for k, x in enumerate(ways)]
    assert measure_floor(body(), rests).drift == 0.0


def test_a_floor_that_is_not_at_zero_is_told() -> None:
    (note,) = floor_sentences(Floor(0.04), 0.04)
    assert note == "Most soles rest at a height of 4.0 cm, so the floor is there and not at zero."
    assert floor_sentences(Floor(0.0), 0.0) == ()


def test_a_single_deep_stance_does_not_lower_the_floor() -> None:
    short = resting(-0.3)
    assert lowest_level(body(), [resting(0.0), short]) == pytest.approx(-0.3)
    brief = Rest(short.part, 0, 20, short.points, short.level, short.outline, AHEAD)
    assert lowest_level(body(), [resting(0.0), brief]) == 0.0


def test_contradictions_are_named() -> None:
    step = Cluster(PartKind.SOLE, [], [resting(0.3)])
    assert contradiction(body(), step, [step]) is None
    assert "would have to move" in (contradiction(body(moves=0.4), step, [step]) or "")
    seat = Cluster(PartKind.SEAT, [], [resting(0.05, kind=PartKind.SEAT)])
    assert "inside the floor" in (contradiction(body(), seat, [seat]) or "")
    above = Cluster(PartKind.SOLE, [], [resting(0.38)])
    assert "inside another support" in (contradiction(body(), step, [step, above]) or "")
    beside = Cluster(PartKind.SOLE, [], [resting(0.38, (0.5, 0.0))])
    assert contradiction(body(), step, [step, beside]) is None


def test_stances_at_two_heights_over_one_place_are_refused_as_a_whole() -> None:
    """Feet that are lifted by 8 cm where they stand would need two steps in one place: nothing is added."""
    time = np.arange(251) / 50.0
    ahead, twice = (smooth_step((time - start) / s) for start, s in ((1.0, 0.5), (3.0, 0.12)))
    rise = 0.2 * ahead + 0.08 * twice
    motion = person(Performance(time, {}, np.stack([0.5 * ahead, 0.0 * time, rise], axis=1)))
    found = find_supports(Job(motion, MAPPING, BakeSettings()))
    assert found.supports == () and found.scene.objects == ()
    (note,) = found.notes
    assert note.startswith("No support is added: what rests at 20 cm would be inside another support")


def test_a_fall_on_nothing_offers_what_is_missing() -> None:
    job = Job(person(hopping(0.3, 0.5)), MAPPING, BakeSettings())
    setup = set_up([job])[0]
    fallen: Any = SimpleNamespace(fell_s=1.4)
    offers = support_offers(setup, fallen)
    assert [own.kind for own in offers] == ["step"] and explains_fall(offers, fallen.fell_s)
    assert offers[0].height_m == pytest.approx(0.3, abs=0.01)
    up: Any = SimpleNamespace(fell_s=None)
    assert support_offers(setup, up) == ()
    stage = SceneObject("stage", Role.GROUND, Box(np.ones(3)), np.array([9.0, 0.0, -1.0]))
    placed = set_up([Job(job.motion, MAPPING, job.settings, Scene((stage,)))])[0]
    assert support_offers(placed, fallen) == ()
    failure = Failure(1.4, (Cause("slip", 1.0, "the left foot slipped by 12 cm", {}),), None, (), offers)
    assert cause_sentence(failure) == offers[0].text
    assert failure_notes(failure)[0] == offers[0].text and "slipped" in failure_notes(failure)[1]


def test_a_fall_is_explained_only_by_what_is_missed_before_it_and_out_of_reach() -> None:
    """A search may make up for all else: a later step, one that feet reach below, a doubtful one."""
    step = SupportOffer("step", height_m=0.2, start_s=1.0, seconds=0.8, confidence=0.95, text="")
    assert explains_fall((step,), fell_s=1.4)
    assert explains_fall((step,), fell_s=0.9)
    assert not explains_fall((step,), fell_s=0.6)
    assert not explains_fall((step,), fell_s=None)
    for doubtful in (
        replace(step, height_m=0.08),
        replace(step, seconds=0.3),
        replace(step, confidence=0.8),
    ):
        assert not explains_fall((doubtful,), fell_s=1.4)
        assert explains_fall((doubtful, step), fell_s=1.4)
