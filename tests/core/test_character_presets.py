"""The published models: as tabulated, and able to perform another body's motion."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base import json_files as presets
from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.character.from_rig import character_from_rig, segment_rotations
from sim_core.character.posing import pose_from_motion, segment_poses
from sim_core.character.preset_character import load_character
from sim_core.character.spec import JointKind
from sim_core.character.transfer import is_planar, lowest_sole, neutral_skeleton, transfer_motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.world.world import build_world
from tests.core.sample_people import MAPPING, Performance, mirror_name, moving, person, standing

NAMES = ("dasilva2008_2d", "dasilva2008_3d")

TABLE_2 = {  # link: stiffness, mass, inertia
    "pelvis": (0, 10, 0.176),
    "head": (3000, 3, 0.011),
    "upper_arm": (4000, 2, 0.022),
    "forearm": (3000, 1, 0.009),
    "thigh": (4000, 7, 0.121),
    "shin": (4000, 5, 0.077),
    "foot": (4000, 4, 0.019),
}
TABLE_3 = {
    "pelvis": (0, 12.92),
    "thigh": (4000, 9.0853),
    "shin": (4000, 3.944),
    "foot": (1000, 1),
    "toe": (4000, 0.3),
    "chest": (3000, 17.155),
    "clavicle": (4000, 2.535),
    "upper_arm": (4000, 1.435),
    "forearm": (3000, 0.575),
    "hand": (3000, 0.5),
}


def test_the_2d_model_is_table_2() -> None:
    spec = load_character("dasilva2008_2d")
    for segment in spec:
        stiffness, mass, inertia = TABLE_2[segment.name.split(".")[0]]
        assert (segment.joint.stiffness, segment.mass) == (stiffness, mass)
        assert segment.inertia[1] == pytest.approx(inertia), "about the pin"
    assert {s.name.split(".")[0] for s in spec} == set(TABLE_2)


def test_the_3d_model_is_table_3() -> None:
    spec = load_character("dasilva2008_3d")
    for segment in spec:
        assert (segment.joint.stiffness, segment.mass) == TABLE_3[segment.name.split(".")[0]]
    assert {s.name.split(".")[0] for s in spec} == set(TABLE_3)


def test_degrees_of_freedom() -> None:
    """57 in 3D are velocities; 18 in 2D are coordinates, the root's quaternion counting four."""
    flat, full = (build_world(load_character(name)) for name in NAMES)
    assert (flat.model.nq, flat.model.nv) == (18, 17)
    assert full.model.nv == 57
    kinds = [segment.joint.kind for segment in full.spec]
    assert kinds.count(JointKind.BALL) == 17 and kinds.count(JointKind.FREE) == 1


def test_inertias_of_the_2d_table_are_those_of_rods_of_the_lengths_read() -> None:
    """The reading of figure 7: each inertia is m L^2 / 12 to the last digit printed."""
    spec = load_character("dasilva2008_2d")
    lengths = {
        "pelvis": 0.46,
        "head": 0.21,
        "upper_arm.L": 0.36,
        "thigh.L": 0.455,
        "shin.L": 0.431,
        "foot.L": 0.24,
    }
    for name, length in lengths.items():
        assert spec[name].mass * length**2 / 12.0 == pytest.approx(spec[name].inertia[1], abs=0.0006)
    assert -spec["shin.L"].anchor[2] == lengths["thigh.L"]
    assert -spec["foot.L"].anchor[2] == lengths["shin.L"]


@pytest.mark.parametrize("name", NAMES)
def test_presets_fit_the_engine(name: str) -> None:
    world = build_world(load_character(name))
    assert world.model.body_mass.sum() == pytest.approx(world.spec.mass)
    assert np.array_equal(world.index.qpos, np.arange(world.model.nq))
    assert np.array_equal(world.index.body, np.arange(1, world.model.nbody))
    assert np.all(world.index.torque_limit > 0.0) and np.all(world.index.stiffness > 0.0)
    assert world.index.soles >= 8


@pytest.mark.parametrize("name", NAMES)
def test_left_and_right_are_mirror_images(name: str) -> None:
    spec = load_character(name)
    for segment in spec:
        other = spec[mirror_name(segment.name)]
        flip = np.array([1.0, 1.0 if other is segment else -1.0, 1.0])
        assert other.anchor == pytest.approx(segment.anchor * flip)
        assert other.com == pytest.approx(segment.com * flip)
        assert other.inertia == pytest.approx(segment.inertia)
        assert other.contact_points == pytest.approx(segment.contact_points * flip)


@pytest.mark.parametrize("name", NAMES)
def test_the_neutral_skeleton_stands_on_its_soles(name: str) -> None:
    spec = load_character(name)
    skeleton = neutral_skeleton(spec)
    assert skeleton.names == spec.names
    low = lowest_sole(spec, skeleton.rest_position_world[None], skeleton.rest_quaternion_world[None])
    assert low == pytest.approx(0.0, abs=1e-12)


def test_an_unknown_character_is_refused_with_the_known_names() -> None:
    with pytest.raises(InputError, match="'nobody'.*dasilva2008_2d, dasilva2008_3d"):
        load_character("nobody")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: d.pop("height"), "'height' must be a number above zero, it is missing"),
        (lambda d: d["trunk"][0].update(mass=-1), "'pelvis'.*'mass' must be a number above zero, found -1"),
        (lambda d: d["trunk"][0].update(mass="x"), "'mass' must be a number above zero, found 'x'"),
        (
            lambda d: d["trunk"][1].update(joint="glue"),
            "'head'.*'joint' must be one of ball, hinge, found 'glue'",
        ),
        (lambda d: d["trunk"][1].update(parent="tail"), "'parent' must be one of pelvis"),
        (lambda d: d["limbs"][0][0].update(anchor=[1, 2]), "'upper_arm'.*'anchor' must be 3 numbers"),
        (lambda d: d["limbs"][0][1].pop("stiffness"), "'forearm'.*'stiffness'.*missing"),
        (lambda d: d["limbs"][0][1].update(name="wing"), "'name' must be one of pelvis"),
        (lambda d: d["limbs"][1][0]["rod"].update(to=[0, 0, 0]), "'to' must be a point on one axis"),
        (lambda d: d["limbs"][1][2]["box"].update(size=[1, 1, 0]), "'size' must be three lengths above zero"),
        (lambda d: d["limbs"][1][2].pop("box"), "'box' is broken|'box'.*object"),
        (
            lambda d: d["limbs"][1][0].update(range_deg=[5, 5]),
            "'range_deg' must be a lower and an upper angle",
        ),
        (lambda d: d.update(limbs=[{}]), "'limbs' must be a list of lists"),
    ],
)
def test_a_broken_file_is_told_by_its_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[dict[str, Any]], object], sentence: str
) -> None:
    data = dict(presets.read_preset("characters", "dasilva2008_2d"))
    change(data)
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters" / "mine.json").write_text(json.dumps(data), "utf-8")
    monkeypatch.setattr(presets, "PRESETS_FOLDER", tmp_path)
    with pytest.raises(InputError, match=sentence) as caught:
        load_character("mine")
    assert "'mine'" in str(caught.value)


def test_a_3d_performance_keeps_the_directions_of_all_parts() -> None:
    motion = person(moving(), rolls=2)
    source = character_from_rig(motion, MAPPING)
    cast = transfer_motion(load_character("dasilva2008_3d"), motion, MAPPING)
    turns = segment_rotations(source.binding, motion)
    for name in ("pelvis", "chest", "upper_arm.L", "hand.R", "thigh.L", "foot.R"):
        own = cast.motion.quaternion_world[:, cast.spec.names.index(name)]
        assert rotations.angle_between(own, turns[:, source.binding.index(name)]).max() < 1e-6, name
    clavicle = cast.motion.quaternion_world[:, cast.spec.names.index("clavicle.L")]
    bone = motion.quaternion_world[:, motion.skeleton.index["clavicle.L"]]
    rest = motion.skeleton.rest_quaternion_world[motion.skeleton.index["clavicle.L"]]
    assert rotations.angle_between(rotations.multiply(clavicle, rest), bone).max() < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_a_performance_is_a_pose_of_the_character(name: str) -> None:
    """Joint coordinates reproduce the performed motion: nothing is left for the hinges to drop."""
    cast = transfer_motion(load_character(name), person(moving()), MAPPING)
    positions, quaternions = segment_poses(cast.spec, pose_from_motion(cast.spec, cast.binding, cast.motion))
    assert np.abs(positions - cast.motion.position_world).max() < 1e-9
    assert rotations.angle_between(quaternions, cast.motion.quaternion_world).max() < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_a_standing_person_is_performed_standing(name: str) -> None:
    cast = transfer_motion(load_character(name), person(standing()), MAPPING)
    low = lowest_sole(cast.spec, cast.motion.position_world, cast.motion.quaternion_world)
    assert np.abs(low).max() < 1e-3
    assert np.abs(cast.motion.position_world - cast.motion.skeleton.rest_position_world).max() < 2e-3


@pytest.mark.parametrize("name", NAMES)
def test_a_crouching_person_is_performed_on_the_ground(name: str) -> None:
    """With other proportions of thigh and shin, scaled hips alone leave the 2D model's soles 8 mm off."""
    stand = standing()
    bends = {"thigh": -1.0, "shin": 1.3, "foot": -0.3}  # the foot stays flat
    turns = {f"{part}.{side}": np.array([0.0, bend, 0.0]) for part, bend in bends.items() for side in "LR"}
    drop = 0.42 * (1.0 - np.cos(1.0)) + 0.42 * (1.0 - np.cos(0.3))
    crouch = Performance(stand.time, turns, stand.hips_offset - [0.0, 0.0, drop])
    cast = transfer_motion(load_character(name), person(crouch), MAPPING)
    low = lowest_sole(cast.spec, cast.motion.position_world, cast.motion.quaternion_world)
    assert np.abs(low).max() < 1e-3


def test_the_2d_model_stays_in_its_plane() -> None:
    cast = transfer_motion(load_character("dasilva2008_2d"), person(moving()), MAPPING)
    assert is_planar(cast.spec) and not is_planar(load_character("dasilva2008_3d"))
    normals = rotations.rotate(cast.motion.quaternion_world, np.array([0.0, 1.0, 0.0]))
    assert np.abs(normals - normals[0, 0]).max() < 1e-9
    assert np.ptp(cast.motion.position_world @ normals[0, 0]) < 1e-9
    assert abs(normals[0, 0, 2]) < 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_a_real_walk_on_a_preset(shared_data: Path, name: str) -> None:
    motion = read_bvh(shared_data / "bvh/cmu/02_01.bvh").motion
    job = Job(motion, recognise(motion.skeleton), BakeSettings(character=name))
    scenario = make_scenario(job)
    low = lowest_sole(scenario.spec, scenario.motion.position_world, scenario.motion.quaternion_world)
    # The walk's own soles go from -5 to +3 cm; other thigh to shin proportions add little.
    assert np.abs(low).max() < 0.06
    walked, own = (m.position_world[-1, 0] - m.position_world[0, 0] for m in (motion, scenario.motion))
    ratio = np.linalg.norm(own[:2]) / np.linalg.norm(walked[:2])
    source_legs = character_from_rig(motion, job.mapping).spec
    hip = -source_legs["shin.L"].anchor[2] - source_legs["foot.L"].anchor[2]
    hip -= source_legs["foot.L"].contact_points[0, 2]
    assert ratio == pytest.approx(scenario.motion.skeleton.rest_position_world[0, 2] / hip, rel=0.02)


@pytest.mark.parametrize("option", [{"height": 2.0}, {"mass": 90.0}])
def test_a_preset_has_its_own_size(option: dict[str, Any]) -> None:
    job = Job(person(standing()), MAPPING, BakeSettings(character=NAMES[0], **option))
    with pytest.raises(InputError, match="has its own height and mass"):
        make_scenario(job)


@pytest.mark.parametrize("name", NAMES)
def test_presets_can_be_baked(name: str) -> None:
    result = bake(Job(person(standing(0.1)), MAPPING, BakeSettings(character=name)))
    spec = load_character(name)
    assert result.bone_name.tolist() == list(spec.names)
    assert result.body_mass.sum() == pytest.approx(spec.mass)
