"""The action graph: what clips do, which go over into which, how commands choose, and walks along curves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.actions.action import Action
from sim_core.actions.along import walk_along
from sim_core.actions.bend import bend
from sim_core.actions.curve import Curve, read_curve
from sim_core.actions.graph import MIRRORED, ActionGraph, make_graph
from sim_core.actions.graph_file import ActionEntry, ActionList, load_actions, save_actions
from sim_core.actions.mirror import mirrored
from sim_core.actions.route import Route, route_chain
from sim_core.actions.steering import FASTER, FORWARD, STOP, Steering
from sim_core.base.conventions import GRAVITY
from sim_core.base.errors import InputError
from sim_core.motion.motion import CONTROL_DT, Motion
from sim_core.sequence.clip import Clip
from sim_core.sequence.join import moved_on_ground
from tests.core.sample_motions import ANKLES, legs, still, times, walk
from tests.core.sample_people import MAPPING, NAMES, person

SLOW, FAST = person(walk(3.0, length=0.6).performance), person(walk(3.0, length=0.9).performance)
HIPS = NAMES.index("hips")
FEET = [NAMES.index(f"foot.{side}") for side in "LR"]


@pytest.fixture(scope="module")
def graph() -> ActionGraph:
    return make_graph([("slow", SLOW), ("fast", FAST)], MAPPING)


def hand(side: str, motion: Motion) -> np.ndarray:
    return motion.position_world[:, NAMES.index(f"hand.{side}")]


def test_a_mirror_image_swaps_sides_and_its_own_image_is_the_motion() -> None:
    """The rig is symmetric about y = 0, so the left hand is where the right one was, with the other y."""
    motion = moved_on_ground(SLOW, 0.3, (1.0, 2.0))
    image = mirrored(motion, MAPPING)
    np.testing.assert_allclose(hand("L", image), hand("R", motion) * [1.0, -1.0, 1.0], atol=1e-9)
    again = mirrored(image, MAPPING)
    np.testing.assert_allclose(again.position_world, motion.position_world, atol=1e-9)


def test_speed_and_turning_are_measured(graph: ActionGraph) -> None:
    """A foot goes 0.6 m every 1.2 s; bent by 20 deg/s in addition."""
    slow, body = graph.actions[0], graph.body
    middle = slice(80, 200)
    assert slow.speed[middle].mean() == pytest.approx(0.6 / 1.2, rel=0.1)
    assert slow.doing == ("walk",)
    turned = bend(slow.clip.motion, body, HIPS, np.full(len(slow), np.radians(20.0)))
    left = Action("left", Clip.of(turned, body), body, HIPS)
    assert left.turning[middle].mean() == pytest.approx(20.0, abs=2.0)


def test_the_capture_point_is_ahead_of_a_body_by_its_speed() -> None:
    """By the speed over the rate of its pendulum, whose height is that of the centre of mass."""
    standing, time = person(still(1.0).performance), times(1.0)
    body = make_graph([("stand", standing)], MAPPING, ("stand",)).body
    gone = np.outer(time, [0.8, -0.3, 0.0])[:, None]
    moving = Motion(standing.skeleton, time, standing.position_world + gone, standing.quaternion_world)
    there, ahead = (Action("", Clip.of(own, body), body, HIPS).capture for own in (standing, moving))
    away = ahead - there - (gone[:, 0, 0] + 1j * gone[:, 0, 1])
    np.testing.assert_allclose(np.angle(away), np.arctan2(-0.3, 0.8), atol=1e-6)
    height = GRAVITY * (np.abs(away) / np.hypot(0.8, 0.3)) ** 2
    assert 0.85 < height.min() <= height.max() < 1.1


def test_from_feet_that_stand_wider_apart_the_capture_point_is_elsewhere() -> None:
    """By as much as each of them is further out; both stand still, so nothing else differs."""
    time, further = times(1.5), np.array([[0.0, 0.08, 0.0], [0.0, -0.08, 0.0]])
    hips = np.tile([0.03, 0.0, -0.05], (len(time), 1))
    narrow, wide = (
        person(legs(time, hips, np.tile(feet, (len(time), 1, 1)))) for feet in (ANKLES, ANKLES + further)
    )
    graph = make_graph([("narrow", narrow), ("wide", wide)], MAPPING, ("narrow", "wide"))
    for link in graph.links:
        expected = 0.08 if link.source != link.target else 0.0
        assert link.capture_jump == pytest.approx(expected, abs=0.005)


def test_of_two_like_links_the_one_without_a_jump_of_the_capture_point_is_taken(graph: ActionGraph) -> None:
    exits = list(graph.exits_from(0, 40))
    best = Steering(graph).policy(FASTER).best_of(0, 40, exits)
    links = list(graph.links)
    links[best] = replace(links[best], capture_jump=0.25)
    changed = ActionGraph(graph.actions, tuple(links), graph.body, graph.mapping)
    assert Steering(changed).policy(FASTER).best_of(0, 40, exits) != best


def test_a_bent_walk_keeps_its_feet_where_they_stand(graph: ActionGraph) -> None:
    clip, body = graph.actions[0].clip, graph.body
    turned = bend(clip.motion, body, HIPS, np.full(len(clip.motion.time), np.radians(20.0)))
    stands = np.asarray(clip.touches.all(axis=2))
    for side, foot in enumerate(FEET):
        both = stands[1:, side] & stands[:-1, side]
        slide = np.linalg.norm(np.diff(turned.position_world[:, foot], axis=0), axis=1)[both]
        before = np.linalg.norm(np.diff(clip.motion.position_world[:, foot], axis=0), axis=1)[both]
        assert slide.max() < before.max() + 1e-3 * CONTROL_DT  # a millimetre a second


def test_a_walk_goes_on_for_ever_by_links_to_itself(graph: ActionGraph) -> None:
    """Eight links in a row: the hips go on at the walk's own speed, without a jump."""
    policy = Steering(graph).policy(FORWARD)
    action, sample, earliest, links = 0, 60, 60, list[int]()
    for _ in range(8):
        links.append(policy.best_of(action, sample, list(graph.exits_from(action, earliest))))
        link = graph.links[links[-1]]
        action, sample, earliest = link.target, link.transition.enter, link.blend_end + 15
    chain = route_chain(graph, Route(0, 60, tuple(links), sample + 30))
    step = np.linalg.norm(np.diff(chain.motion.position_world[:, HIPS, :2], axis=0), axis=1)
    fastest = max(own.speed.max() for own in graph.actions)
    assert step.max() < 2.5 * fastest * CONTROL_DT
    assert len(chain.part) == len(chain.sample) == len(chain.motion.time)
    assert chain.motion.duration > 4.0


def test_faster_leads_to_the_faster_walk(graph: ActionGraph) -> None:
    """From any exit of the slow walk the values of `faster` prefer a link into a fast one."""
    policy = Steering(graph).policy(FASTER)
    best = graph.links[policy.best_of(0, 40, list(graph.exits_from(0, 40)))]
    assert graph.actions[best.target].name.removesuffix(MIRRORED) == "fast"


def test_a_named_action_is_where_its_command_leads(graph: ActionGraph) -> None:
    """At most by one detour: two easy links may be better than one hard one."""
    steering, action, sample, earliest, names = Steering(graph), 0, 40, 40, list[str]()
    for _ in range(2):
        exits = list(graph.exits_from(action, earliest))
        best = graph.links[steering.policy("fast").best_of(action, sample, exits)]
        action, sample, earliest = best.target, best.transition.enter, best.blend_end + 15
        names.append(graph.actions[action].name)
    assert "fast" in names
    with pytest.raises(InputError, match="no action 'run'"):
        steering.policy("run")


def test_stop_is_satisfied_where_the_body_stands() -> None:
    standing = person(still(2.0).performance)
    graph = make_graph([("stand", standing), ("walk", SLOW)], MAPPING, unmirrored=("stand", "walk"))
    steering = Steering(graph)
    assert steering.satisfied(STOP, 0, 100)
    assert not steering.satisfied(STOP, 1, 150)
    assert graph.start[0] == 0


def test_links_that_are_switched_off_are_not_there(graph: ActionGraph) -> None:
    less = make_graph([("slow", SLOW), ("fast", FAST)], MAPPING, ("slow", "fast"), [("slow", "fast")])
    names = {(less.actions[own.source].name, less.actions[own.target].name) for own in less.links}
    assert ("slow", "fast") not in names and ("fast", "slow") in names
    assert len(less.actions) == 2 and len(graph.actions) == 4


def test_a_link_that_is_off_is_off_for_mirrored_copies() -> None:
    less = make_graph([("slow", SLOW), ("fast", FAST)], MAPPING, (), [("slow", "fast")])
    names = {(less.actions[own.source].name, less.actions[own.target].name) for own in less.links}
    plain = {(a.removesuffix(MIRRORED), b.removesuffix(MIRRORED)) for a, b in names}
    assert ("slow", "fast") not in plain and ("fast", "slow") in plain
    assert any(a.endswith(MIRRORED) for a, _ in names)


def test_a_walk_follows_a_bent_curve(graph: ActionGraph) -> None:
    """A quarter of a circle of 3 m: 10 to 14 deg/s at these speeds, within what can be bent."""
    angle = np.linspace(0.0, 0.5 * np.pi, 50)
    curve = Curve.through(np.stack([3.0 * np.sin(angle), 3.0 - 3.0 * np.cos(angle)], axis=1))
    walked = walk_along(graph, curve)
    assert walked.off.max() < 0.3
    end = walked.motion.position_world[-1, HIPS, :2]
    assert np.linalg.norm(end - curve.points[-1]) < 1.0
    assert "from the curve" in walked.note


def test_curves_are_read_and_refused(tmp_path: Path) -> None:
    path = tmp_path / "curve.json"
    data = {"format": "heft-curve", "schema": 1, "points": [[0, 0, 1], [3, 0, 1], [3, 4, 1]]}
    path.write_text(json.dumps(data))
    curve = read_curve(path)
    assert curve.length == pytest.approx(7.0, abs=0.05)
    assert curve.distances(np.array([1.0, 0.5])) == pytest.approx(0.5, abs=0.01)
    for points, told in (([[0, 0]], "long"), ([[0, "a"], [1, 2]], "numbers"), ([[0, 0], [0.1, 0]], "0.10 m")):
        path.write_text(json.dumps({**data, "points": points}))
        with pytest.raises(InputError, match=told):
            read_curve(path)


def test_a_list_of_actions_is_kept(tmp_path: Path) -> None:
    listed = ActionList(
        (ActionEntry("a.bvh", "a", (0.5, 2.0), doing="walk"), ActionEntry("b.bvh", "b", on=False)),
        (("a", "b"),),
    )
    path = tmp_path / "actions.json"
    save_actions(listed, path)
    assert load_actions(path) == listed
    with pytest.raises(InputError, match="own name"):
        ActionList((ActionEntry("a.bvh", "a"), ActionEntry("b.bvh", "a")))
    with pytest.raises(InputError, match="switch one on"):
        ActionList((ActionEntry("a.bvh", "a", on=False),))
