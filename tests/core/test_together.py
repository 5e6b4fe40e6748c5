"""Several characters in one simulation: they push each other equally, and else leave each other alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake, bake_together
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.base.errors import InputError
from sim_core.character.from_rig import RigCharacter, character_from_rig
from sim_core.character.posing import pose_from_motion
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scenario.several import make_scenarios
from sim_core.scene.scene import Launch, Push, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Sphere
from sim_core.simulation.overlaps import refuse_overlaps
from sim_core.simulation.protocol import Command, State
from sim_core.simulation.simulation import CharacterStart, Simulation
from sim_core.simulation.trace import Trace
from sim_core.world.character_collision import MAX_CHARACTERS
from sim_core.world.world import World, WorldCharacter, build_worlds
from tests.core.sample_people import MAPPING, person, standing

DT = 0.01
PHYSICAL_TOLERANCE = 0.02
"""Residual, as a share of body weight, that the size of the engine's steps leaves."""


class Loose:
    """Joints that only resist being moved."""

    def __init__(self, world: World) -> None:
        axes = np.ones(len(world.index.actuator))
        zero = 0.0 * axes
        self.loose = Command(zero, zero, zero, zero, zero, 2.0 * axes, np.zeros(6))
        self.felt: list[tuple[int, FloatArray]] = []

    def command(self, state: State) -> Command:
        self.felt += [(impact.source, impact.impulse) for impact in state.impacts]
        return self.loose


@pytest.fixture(scope="module")
def character() -> RigCharacter:
    return character_from_rig(person(standing()), MAPPING)


def two_worlds(character: RigCharacter, scene: Scene | None = None) -> tuple[World, World]:
    members = (WorldCharacter(character.spec, name="Ann"), WorldCharacter(character.spec, name="Bo"))
    first, second = build_worlds(members, 0.001, scene or Scene())
    return first, second


def flung(
    character: RigCharacter, gap: float, height: float, speed: float, ticks: int = 30
) -> tuple[tuple[World, World], tuple[Trace, ...], tuple[Loose, Loose]]:
    """Ann stands or hangs at the origin; Bo, `gap` ahead of her, comes at her."""
    worlds = two_worlds(character)
    stance = pose_from_motion(character.spec, character.binding, person(standing()))[0]
    controllers = Loose(worlds[0]), Loose(worlds[1])
    starts = []
    for controller, x, v in zip(controllers, (0.0, gap), (0.0, -speed), strict=True):
        qpos, qvel = stance.copy(), np.zeros(worlds[0].model.nv)
        qpos[0], qpos[2], qvel[0] = qpos[0] + x, qpos[2] + height, v
        starts.append(CharacterStart(controller, qpos, qvel))
    return worlds, Simulation(worlds, DT, (1, 1)).run(starts, ticks, lambda _: True), controllers


def momentum(world: World, trace: Trace) -> FloatArray:
    """Of the whole body between samples (T - 1, 3)."""
    mass = np.array([segment.mass for segment in world.spec])
    return np.einsum("tbi,b->ti", np.diff(trace.body_com, axis=0) / DT, mass)


def test_they_push_each_other_equally_and_their_momentum_stays(character: RigCharacter) -> None:
    worlds, (ann, bo), _ = flung(character, 0.6, 3.0, 3.0)
    met = [np.flatnonzero(trace.contact_other >= 0) for trace in (ann, bo)]
    assert len(met[0]) > 0
    assert np.array_equal(ann.contact_segment[met[0]], bo.contact_other_segment[met[1]])
    assert np.array_equal(ann.contact_other_segment[met[0]], bo.contact_segment[met[1]])
    forces = ann.contact_force[:, met[0]], bo.contact_force[:, met[1]]
    assert np.linalg.norm(forces[0], axis=-1).max() > 100.0
    assert np.array_equal(forces[0], -forces[1])
    assert ann.contact_point[:, met[0]] == pytest.approx(bo.contact_point[:, met[1]])
    own = [momentum(world, trace)[:, :2] for world, trace in zip(worlds, (ann, bo), strict=True)]
    total = own[0] + own[1]
    assert np.linalg.norm(own[0][-1] - own[0][0]) > 20.0
    # In the air nothing else acts sideways. Velocities from places are good to a step of the joints' turning.
    assert np.abs(total - total[0]).max() < 0.01 * np.linalg.norm(total[0])


def test_recorded_forces_explain_how_each_of_them_moves(character: RigCharacter) -> None:
    worlds, traces, _ = flung(character, 0.5, 0.0, 2.0)
    for world, trace in zip(worlds, traces, strict=True):
        mass = world.spec.mass
        change = np.diff(momentum(world, trace), axis=0) / DT
        left = change + [0.0, 0.0, mass * GRAVITY] - trace.contact_force.sum(axis=1)[1:-1]
        assert np.sqrt((left**2).sum(axis=1).mean()) < PHYSICAL_TOLERANCE * mass * GRAVITY


def test_what_the_other_does_is_felt_as_an_impact(character: RigCharacter) -> None:
    worlds, (ann, _), (feels, _) = flung(character, 0.6, 3.0, 3.0)
    assert worlds[0].colliders == ("Bo",)
    assert {source for source, _ in feels.felt} == {0}
    impulse = np.sum([impulse for _, impulse in feels.felt], axis=0)
    mine = momentum(worlds[0], ann)[-1] - momentum(worlds[0], ann)[0]
    assert impulse[:2] == pytest.approx(mine[:2], abs=0.03 * np.linalg.norm(mine[:2]))
    assert impulse[0] < -20.0


def test_apart_each_moves_as_if_it_were_alone(character: RigCharacter) -> None:
    jobs = [Job(person(standing(0.3)).moved(np.array([x, 0.0, 0.0])), MAPPING, QUIET) for x in (0.0, 3.0)]
    together = bake_together(jobs)
    # Packed once for all: else the time grows with the square of the number of characters.
    assert together[0].meta.mjcf is together[1].meta.mjcf is not None
    assert together[0].meta.mjb is together[1].meta.mjb is not None
    for job, result in zip(jobs, together, strict=True):
        alone = bake(job)
        # The engine's solver stops at 1e-8 of all forces; a stand does not make small differences large.
        assert result.joint_position == pytest.approx(alone.joint_position, abs=1e-5)
        assert not np.any(result.contact_other != "")


QUIET = BakeSettings(assist_cap=0.0, find_assist=False, quality="draft")


def in_files(results: tuple[Result, ...]) -> tuple[FloatArray, FloatArray]:
    """Forces of the contacts between two characters (T, M, 3), matched by the names of their bodies."""
    first, second = results
    assert {*first.contact_other.tolist()} == {"", second.meta.name}
    assert {*second.contact_other.tolist()} == {"", first.meta.name}
    pairs = [
        {
            (str(result.body_name[bodies.max()]), str(result.contact_other_body[slot])): slot
            for slot in np.flatnonzero(result.contact_other != "")
            for bodies in [result.contact_body[:, slot]]
            if bodies.max() >= 0
        }
        for result in results
    ]
    assert {(b, a) for a, b in pairs[0]} == set(pairs[1])
    order = list(pairs[0])
    mine = [pairs[0][pair] for pair in order]
    theirs = [pairs[1][b, a] for a, b in order]
    return first.contact_force[:, mine], second.contact_force[:, theirs]


def test_the_stumble_of_two_captured_people(shared_data: Path) -> None:
    """One stumbles into the other; both stay up without help."""
    jobs = []
    for clip in ("22_12", "23_12"):
        motion = read_bvh(shared_data / "bvh" / "cmu" / f"{clip}.bvh").motion
        settings = BakeSettings(assist_cap=0.0, find_assist=False)
        jobs.append(Job(motion, recognise(motion.skeleton), settings, name=clip))
    results = bake_together(jobs)
    mine, theirs = in_files(results)
    assert np.array_equal(mine, -theirs)
    assert np.linalg.norm(mine.sum(axis=1), axis=-1).max() > 50.0
    for result in results:
        assert result.meta.fell_at is None
        assert result.meta.measured.joint_error_deg < 2.0
        assert result.meta.measured.residual_share < PHYSICAL_TOLERANCE
        assert any("prepared as if it were alone" in note for note in result.meta.notes)
    assert {hit.by for hit in results[1].meta.hits} == {"22_12"}


def test_there_is_a_limit_to_company(character: RigCharacter) -> None:
    members = [WorldCharacter(character.spec, name=str(place)) for place in range(MAX_CHARACTERS + 1)]
    with pytest.raises(InputError, match=f"more than {MAX_CHARACTERS} characters"):
        build_worlds(members, 0.001)


def test_three_stand_and_do_not_mind_each_other(character: RigCharacter) -> None:
    jobs = [
        Job(person(standing(0.2)).moved(np.array([x, 0.0, 0.0])), MAPPING, QUIET) for x in (0.0, 2.0, 4.0)
    ]
    results = bake_together(jobs)
    assert [result.meta.name for result in results] == ["character", "character 2", "character 3"]
    assert results[1].meta.others == ("character", "character 3")
    for result in results:
        assert result.meta.fell_at is None
        assert result.meta.measured.residual_share < PHYSICAL_TOLERANCE


def test_an_embrace_is_refused_with_names(character: RigCharacter) -> None:
    worlds = two_worlds(character)
    stance = pose_from_motion(character.spec, character.binding, person(standing()))[0]
    beside = stance.copy()
    beside[0] += 0.05
    with pytest.raises(InputError, match=r"of 'Ann' starts .* cm inside the .* of 'Bo'"):
        refuse_overlaps(worlds, [stance, beside])
    beside[0] += 2.0
    refuse_overlaps(worlds, [stance, beside])


def test_a_prop_in_the_second_character_is_refused(character: RigCharacter) -> None:
    box = SceneObject("box", Role.PROP, Box(np.full(3, 0.1)), np.array([3.0, 0.0, 1.2]), mass=1.0)
    worlds = two_worlds(character, Scene((box,)))
    stance = pose_from_motion(character.spec, character.binding, person(standing()))[0]
    beside = stance.copy()
    beside[0] += 3.0
    with pytest.raises(InputError, match="'box' starts"):
        refuse_overlaps(worlds, [stance, beside])


def test_pushes_are_meant_for_the_first_or_for_who_is_named(character: RigCharacter) -> None:
    pushes = [Push("chest", np.full(3, force), 0.0, 1.0, whose) for force, whose in ((1.0, ""), (2.0, "Bo"))]
    worlds = two_worlds(character, Scene(pushes=tuple(pushes)))
    assert [[push.force[0] for push in world.scene.pushes] for world in worlds] == [[1.0], [2.0]]
    with pytest.raises(InputError, match="'Cy', which is not simulated; there is 'Ann', 'Bo'"):
        two_worlds(character, Scene(pushes=(Push("chest", np.ones(3), 0.0, 1.0, "Cy"),)))


def test_a_throw_meets_the_character_that_it_names() -> None:
    """Of two that stand side by side, the second is hit, and only that one."""
    jobs = [
        Job(person(standing(0.5)).moved(np.array([0.0, y, 0.0])), MAPPING, QUIET, name=name)
        for name, y in (("Ann", 0.0), ("Bo", 2.0))
    ]
    launch = Launch(0.02, 6.0, "chest", character="Bo")
    place = np.array([1.5, 1.0, 1.3])
    ball = SceneObject("ball", Role.PROJECTILE, Sphere(0.1), place, mass=3.0, launch=launch)
    ann, bo = bake_together([replace(jobs[0], scene=Scene((ball,))), jobs[1]])
    assert not ann.meta.hits
    assert {hit.by for hit in bo.meta.hits} == {"ball"}
    assert np.array_equal(ann.prop_position, bo.prop_position)


def cast(*motions: Motion, heights: tuple[float | None, ...] = (None, None)) -> list[Job]:
    return [
        Job(motion, MAPPING, replace(QUIET, height=height))
        for motion, height in zip(motions, heights, strict=True)
    ]


def test_motions_are_cut_to_the_time_that_they_share() -> None:
    long, late = person(standing(1.0)), person(standing(1.0))
    late = Motion(late.skeleton, late.time + 0.305, late.position_world, late.quaternion_world)
    first, second = make_scenarios(cast(long, late))
    assert first.motion.time[0] == pytest.approx(second.motion.time[0]) == 0.305
    assert second.motion.time[-1] <= 1.0 + 1e-9
    assert first.name == "character" and second.name == "character 2"
    with pytest.raises(InputError, match="no time in common"):
        make_scenarios(
            cast(long, Motion(late.skeleton, late.time + 5.0, late.position_world, late.quaternion_world))
        )


def test_all_stand_on_one_floor_and_come_back_to_their_own() -> None:
    low = person(standing(0.3)).moved(np.array([0.0, 0.0, 1.0]))
    high = low.moved(np.array([2.0, 0.0, 0.03]))
    results = bake_together(
        [replace(job, settings=replace(QUIET, simulate=False)) for job in cast(low, high)]
    )
    heights = [result.joint_position[:, 0, 2].mean() for result in results]
    assert heights[0] == pytest.approx(heights[1])
    rise = results[1].bone_position - results[0].bone_position
    assert rise == pytest.approx(np.broadcast_to([2.0, 0.0, 0.03], rise.shape))
    with pytest.raises(InputError, match="stands 0.50 m above the floor of 'character'"):
        make_scenarios(cast(low, low.moved(np.array([2.0, 0.0, 0.5]))))


def test_a_body_of_another_height_keeps_its_place() -> None:
    near = person(standing(0.3))
    far = near.moved(np.array([2.0, 1.0, 0.0]))
    first, second = make_scenarios(cast(near, far, heights=(None, 1.2)))
    assert second.spec.height == pytest.approx(1.2, rel=0.02) and second.scale < 0.8
    places = [take.motion.position_world[0, take.binding.joint[0], :2] for take in (first, second)]
    assert places[1] - places[0] == pytest.approx([2.0, 1.0])
