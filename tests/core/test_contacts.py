"""When soles are on the ground: paths whose contact times are known because they were made that way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base.conventions import GRAVITY, BoolArray, FloatArray
from sim_core.reference.contacts import MIN_INTERVAL_S, ContactSchedule, detect_contacts
from tests.core.sample_motions import DT, step_path, times
from tests.core.sample_plans import soles_only

FOOT = np.repeat([0, 1], 4)
CORNERS = np.array([(-0.07, 0.04, 0.0), (-0.07, -0.04, 0.0), (0.19, 0.04, 0.0), (0.19, -0.04, 0.0)])
HEEL, TOES = slice(0, 2), slice(2, 4)
EDGE_SECONDS = 0.06
"""A step of 0.6 m in 0.4 s that starts gently is slow and low for this long [s]."""


def soles(left: FloatArray, right: FloatArray) -> FloatArray:
    """Points (T, 8, 3) of two flat feet on given ways (T, 3)."""
    feet = [way[:, None] + CORNERS + [0.0, y, 0.0] for way, y in ((left, 0.1), (right, -0.1))]
    return np.concatenate(feet, axis=1)


def level_com(samples: int, height: float = 0.95) -> FloatArray:
    return np.tile([0.0, 0.0, height], (samples, 1))


def detect(points: FloatArray, com: FloatArray | None = None, size: float = 1.0) -> ContactSchedule:
    com = level_com(len(points)) if com is None else com
    return soles_only(detect_contacts(points, com, FOOT, DT, size), FOOT)


def at_rest(seconds: float = 1.0) -> FloatArray:
    """Ways (T, 3) of a foot that does not move."""
    return np.zeros((len(times(seconds)), 3))


def refuse_late_edges(found: BoolArray, true: BoolArray, time: FloatArray, pace: float = 1.0) -> None:
    """Both flags (T) agree wherever the true ones have not changed for EDGE_SECONDS, times the pace."""
    edges = time[1:][np.diff(true)] - 0.5 * DT
    near = (np.abs(time[:, None] - edges) < pace * EDGE_SECONDS).any(axis=1)
    assert np.array_equal(found[~near], true[~near])
    assert len(np.flatnonzero(np.diff(found))) == len(edges), "each contact is found once"


def test_a_body_that_stands_touches_with_everything() -> None:
    assert detect(soles(at_rest(), at_rest())).touches.all()


@pytest.mark.parametrize("size", [0.5, 1.0, 2.0])
def test_steps_are_found_when_they_happen(size: float) -> None:
    """Large bodies move slowly: their times grow with the root of their size."""
    pace = np.sqrt(size)
    time = times(2.0 * pace)
    swings = [[(0.3, 0.7), (1.3, 1.7)], [(0.8, 1.2)]]
    ways = [size * step_path(time / pace, mine, 0.6) for mine in swings]
    found = detect(size * soles(*ways), size * level_com(len(time)), size)
    for foot, mine in enumerate(swings):
        stands = ~np.any([(time > pace * start) & (time < pace * end) for start, end in mine], axis=0)
        refuse_late_edges(found.stands[:, foot], stands, time, max(pace, 1.0))


def flight(time: FloatArray, start: float, end: float) -> tuple[FloatArray, BoolArray]:
    """Height (T) of a jump that begins and ends at zero, and whether it is in the air."""
    rise = 0.5 * GRAVITY * (time - start) * (end - time)
    return np.maximum(rise, 0.0), rise > 0.0


def test_nothing_touches_in_flight() -> None:
    time = times(1.5)
    rise, airborne = flight(time, 0.5, 1.0)
    way = np.outer(rise, [0.0, 0.0, 1.0])
    found = detect(soles(way, way), level_com(len(time)) + way)
    for foot in (0, 1):
        refuse_late_edges(found.stands[:, foot], ~airborne, time)


def test_a_short_twitch_does_not_end_a_contact() -> None:
    way = at_rest()
    way[50] = [0.02, 0.0, 0.01]
    assert detect(soles(way, at_rest())).stands.all()


def test_a_swinging_foot_that_brushes_the_ground_does_not_stand() -> None:
    """It is still and low for one sample, in the middle of a swing of 0.5 s."""
    time = times(1.0)
    way = step_path(time, [(0.2, 0.7)], 0.6)
    way[44:47] = way[45] * [1.0, 1.0, 0.0]
    found = detect(soles(way, at_rest())).stands[:, 0]
    assert not found[30:60].any()


def tilted(angle: float, axis: str, samples: int) -> FloatArray:
    """Points (T, 8, 3): the left foot turned about its lowest edge, the right one flat."""
    turned = CORNERS.copy()
    along = 0 if axis == "pitch" else 1
    turned[:, 2] += np.tan(angle) * (CORNERS[:, along].max() - CORNERS[:, along])
    both = np.concatenate([turned + [0.0, 0.1, 0.0], CORNERS - [0.0, 0.1, 0.0]])
    return np.tile(both, (samples, 1, 1))


def test_a_heel_that_is_lifted_leaves_the_toes_standing() -> None:
    """The foot rolls over its toes at 1 rad/s, up to 23 deg, and its points move slowly."""
    time = times(0.8)
    points = np.concatenate([tilted(0.4 * np.clip((t - 0.3) / 0.4, 0.0, 1.0), "pitch", 1) for t in time])
    found = detect(points)
    assert found.stands.all()
    assert found.touches[:25].all()
    assert not found.touches[60:70, HEEL].any() and found.touches[60:70, TOES].all()


def test_a_foot_does_not_stand_on_its_edge() -> None:
    """The inner points are 10 cm above the outer ones; heels and toes still count as pairs."""
    assert detect(tilted(np.arctan2(0.10, 0.08), "roll", 60)).touches.all()


def test_a_foot_that_keeps_still_is_flat() -> None:
    """A capture's sole may be off by some degrees; whoever rests on it uses all of it."""
    assert detect(tilted(0.2, "pitch", 80)).touches.all()


def test_who_keeps_still_on_a_heel_has_the_toes_down_but_not_who_stands_on_tiptoe() -> None:
    """11 cm between heel and toes, either end up, as a capture with a turned ankle and a dancer have it."""
    on_toes = tilted(np.arctan2(0.11, 0.26), "pitch", 80)
    assert not detect(on_toes).touches[:, HEEL].any()
    on_heels = on_toes.copy()
    on_heels[:, [0, 1, 2, 3], 2] = on_toes[:, [2, 3, 0, 1], 2]
    assert detect(on_heels).touches.all()


def sliding(height: float, com_acceleration: float) -> ContactSchedule:
    """Both feet move on at 2 m/s, as in a capture with a wrong speed, at a height over the ground [m]."""
    time = times(0.5)
    way = np.stack([2.0 * time, 0.0 * time, np.full(len(time), height)], axis=1)
    com = level_com(len(time))
    com[:, 2] += 0.5 * com_acceleration * time**2
    return detect(soles(way, way), com)


def test_a_body_that_does_not_fall_is_carried_by_something() -> None:
    assert sliding(0.0, 0.0).stands.any(axis=1).all()


def test_a_body_that_falls_freely_is_carried_by_nothing() -> None:
    assert not sliding(0.0, -GRAVITY).touches.any()


def test_feet_far_above_the_ground_carry_nothing() -> None:
    assert not sliding(0.3, 0.0).touches.any()


@pytest.mark.parametrize("faster, carries", [(0.5, True), (2.0, False)])
def test_a_foot_that_swings_past_another_carries_nothing(faster: float, carries: bool) -> None:
    """Both are too fast to stand; what carries the body is the slower one, unless they are about as slow."""
    time = times(0.5)
    left, right = (np.outer(speed * time, [1.0, 0.0, 0.0]) for speed in (0.6, 0.6 + faster))
    stands = detect(soles(left, right)).stands
    assert stands[:, 0].all()
    assert (stands[:, 1] == carries).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_contacts_of_any_motion_come_in_pairs_and_last(seed: int) -> None:
    points, com = random_feet(seed)
    found = detect(points, com).touches
    assert np.array_equal(found[:, ::2], found[:, 1::2])
    shortest = round(MIN_INTERVAL_S / DT)
    for flags in found.T:
        edges = np.flatnonzero(np.diff(flags.astype(int)))
        assert np.all(np.diff(edges) >= shortest), "contacts and gaps are either long or not there"


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), where=st.tuples(st.floats(-5, 5), st.floats(-5, 5)))
def test_where_the_ground_is_and_which_foot_is_which_does_not_matter(
    seed: int, where: tuple[float, float]
) -> None:
    points, com = random_feet(seed)
    found = detect(points, com)
    away = np.array([*where, 0.0])
    assert np.array_equal(detect(points + away, com + away).touches, found.touches)
    swapped = detect(points[:, [4, 5, 6, 7, 0, 1, 2, 3]], com)
    assert np.array_equal(swapped.stands, found.stands[:, ::-1])


def random_feet(seed: int) -> tuple[FloatArray, FloatArray]:
    """Feet that wander, lift and rest at random; points (T, 8, 3) and centre of mass (T, 3)."""
    rng, time = np.random.default_rng(seed), times(1.5)

    def wave(size: float) -> FloatArray:
        return size * np.sin(2.0 * np.pi * (rng.uniform(0.5, 4.0) * time + rng.uniform()))

    ways = [np.stack([wave(0.1), wave(0.05), np.maximum(wave(0.1), 0.0)], axis=1) for _ in range(2)]
    com = level_com(len(time)) + np.stack([wave(0.1), wave(0.1), wave(0.05)], axis=1)
    return soles(*ways), com


@pytest.mark.parametrize(
    ("com_height", "tilt_deg", "touching"), [(0.9, 60.0, 4), (0.2, 60.0, 2), (0.2, 20.0, 4)]
)
def test_a_foot_of_a_body_that_lies_may_lie_on_its_side(
    com_height: float, tilt_deg: float, touching: int
) -> None:
    """A foot 10 cm wide at rest, on one edge: who stands is meant to stand flat, who lies is not."""
    across, lift = 0.1 * np.cos(np.radians(tilt_deg)), 0.1 * np.sin(np.radians(tilt_deg))
    one = np.array([[x, y, z] for x in (0.0, 0.2) for y, z in ((0.0, 0.0), (across, lift))])
    points = np.tile(np.concatenate([one, one + [0.0, 0.5, 1.0]]), (40, 1, 1))
    com = np.tile([0.1, 0.0, com_height], (40, 1))
    touches = detect_contacts(points, com, np.repeat([0, 1], 4), 0.01, 1.0)
    assert touches[:, :4].sum(axis=1).tolist() == [touching] * 40
    assert not touches[:, 4:].any()


@pytest.mark.parametrize("rising", [True, False])
def test_a_heel_leaves_when_it_rises_and_toes_land_when_they_are_down(rising: bool) -> None:
    """One end turns up at 0.1 m/s, slower than any limit of speed, or comes down so: the other one stands.

    From 0.5 s to 0.8 s the end is within 3 cm. It may count as on the ground for the first or last 1.5 cm.
    """
    time = times(1.4)
    lift = 0.1 * np.maximum(time - 0.5, 0.0)
    left = soles(at_rest(1.4), at_rest(1.4))
    moving = HEEL if rising else TOES
    left[:, moving, 2] += (lift if rising else lift[::-1])[:, None]
    touches = detect(left).touches
    end = np.asarray(touches[:, moving].all(axis=1))
    away = time > 0.5 + 0.15 + 2 * DT if rising else time < 0.9 - 0.15 - 2 * DT
    resting = time < 0.5 if rising else time > 0.9
    assert end[resting].all() and not touches[away][:, moving].any()
    assert touches[:, TOES if rising else HEEL].all()
