"""Scenes survive the trip through a file, and what is wrong with one is said in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.base.json_files import to_json
from sim_core.scene.scene import Hinge, Keys, Launch, Push, Role, Scene, SceneObject
from sim_core.scene.scene_file import load_scene, scene_from_dict, scene_to_dict
from sim_core.scene.shapes import Box, Capsule, Cylinder, HeightField, Hull, Plane, Shape, Sphere

TURN = np.array([0.8, 0.0, 0.6, 0.0])
KEYS = Keys(
    np.array([0.0, 0.5]), np.array([[0, 0, 0], [1, 0, 0]]), np.array([[1, 0, 0, 0], [0.8, 0, 0.6, 0]])
)
HINGE = Hinge(np.array([0.0, 2.0, 0.0]), -0.1, 0.2, 30.0, 0.1)
ALL = Scene(
    (
        SceneObject("slope", Role.GROUND, Plane(), np.array([0, 0, 1.0]), TURN, 0.4, 0.1),
        SceneObject("stone", Role.OBSTACLE, Sphere(0.2)),
        SceneObject("log", Role.OBSTACLE, Capsule(0.2, 0.5)),
        SceneObject("stump", Role.OBSTACLE, Cylinder(0.2, 0.3)),
        SceneObject(
            "field", Role.GROUND, HeightField(np.array([2, 1]), np.array([[0, 0.1, 0.2], [0.3, 0.2, 0.1]]))
        ),
        SceneObject("rock", Role.OBSTACLE, Hull(np.vstack([np.zeros(3), np.eye(3)]))),
        SceneObject("platform", Role.MOVING, Box(np.array([1, 1, 0.1])), keys=KEYS),
        SceneObject("board", Role.HINGE, Box(np.array([1.5, 0.3, 0.02])), mass=20.0, hinge=HINGE),
        SceneObject(
            "brick", Role.PROP, Box(np.array([0.1, 0.1, 0.2])), density=800.0, velocity=np.array([1, 2, 3])
        ),
        SceneObject("ball", Role.PROJECTILE, Sphere(0.1), mass=5.0, launch=Launch(1.5, 8.0, "head")),
        SceneObject(
            "dart",
            Role.PROJECTILE,
            Sphere(0.1),
            mass=0.1,
            launch=Launch(0.0, 20.0, direction=np.array([0, 3, 4])),
        ),
    ),
    (Push("chest", np.array([200.0, 0.0, 0.0]), 1.0, 0.1),),
)


def numbers(shape: Shape) -> list[Any]:
    return [np.asarray(value).tolist() for value in vars(shape).values()]


def test_a_scene_comes_back_the_same(tmp_path: Path) -> None:
    (tmp_path / "scene.json").write_text(to_json(scene_to_dict(ALL)), "utf-8")
    back = load_scene(tmp_path / "scene.json")
    assert json.dumps(scene_to_dict(back), default=np.ndarray.tolist) == json.dumps(
        scene_to_dict(ALL), default=np.ndarray.tolist
    )
    for old, new in zip(ALL.objects, back.objects, strict=True):
        assert (new.name, new.role, type(new.shape)) == (old.name, old.role, type(old.shape))
        assert numbers(new.shape) == numbers(old.shape)
    assert [(p.segment, p.start_s, p.duration_s) for p in back.pushes] == [("chest", 1.0, 0.1)]
    assert back.pushes[0].force == pytest.approx([200.0, 0.0, 0.0])


def test_axes_and_quaternions_are_made_unit() -> None:
    assert HINGE.axis == pytest.approx([0.0, 1.0, 0.0])
    assert SceneObject("a", Role.GROUND, Plane(), quaternion=np.array([2, 0, 0, 0])).quaternion[0] == 1.0


@pytest.mark.parametrize("floor", [None, True, False])
def test_the_choice_of_a_floor_is_kept(floor: bool | None) -> None:
    assert scene_from_dict(scene_to_dict(Scene(floor=floor)), "the test").floor is floor
    with pytest.raises(InputError, match="must be true, false or left out"):
        scene_from_dict(scene_to_dict(Scene()) | {"floor": "yes"}, "the test")


def test_a_scaled_scene_is_larger_all_over() -> None:
    twice = ALL.scaled(2.0)
    for old, new in zip(ALL.objects, twice.objects, strict=True):
        assert new.position == pytest.approx(2.0 * old.position)
        for a, b in zip(numbers(old.shape), numbers(new.shape), strict=True):
            assert np.array(b) == pytest.approx(2.0 * np.array(a))
    platform = twice.objects[6].keys
    assert platform is not None and platform.position[1] == pytest.approx([2.0, 0.0, 0.0])
    brick = twice.objects[8]
    assert brick.velocity == pytest.approx([2.0, 4.0, 6.0])
    assert twice.objects[9].launch is not None and twice.objects[9].launch.speed == 16.0
    assert brick.density == pytest.approx(100.0), "eight times the room, the same mass"


def plain() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(scene_to_dict(ALL), default=np.ndarray.tolist))
    return data


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(format="other"), "but has 'other' and 1; choose another file"),
        (lambda d: d.update(schema=9), "but has 'heft-scene' and 9; choose another file"),
        (lambda d: d.update(objects=3), "list"),
        (lambda d: d.update(pushes=3), "list"),
        (lambda d: d.update(pushs=d.pop("pushes")), "has the entry 'pushs', which is unknown; use format,"),
        (lambda d: d.update(floor_height=1e9), "10000 m is the most"),
        (lambda d: d["pushes"][0].pop("force"), "Push 1"),
        (lambda d: d["pushes"][0].update(force=[1, 2]), "three numbers"),
        (lambda d: d["pushes"][0].update(duration_s=0), "longer than zero"),
        (lambda d: d["objects"][0].pop("name"), "Object 1"),
        (lambda d: d["objects"][1].update(name="slope"), "two objects called 'slope'"),
        (lambda d: d["objects"][0].update(role="floor"), "one of ground, obstacle, hold, moving"),
        (lambda d: d["objects"][0].update(colour=1), "'colour'"),
        (lambda d: d["objects"][0].update(friction=-1), "friction"),
        (lambda d: d["objects"][0].update(bounce=1.5), "bounce"),
        (lambda d: d["objects"][0].update(margin=1), "margin"),
        (lambda d: d["objects"][0].update(position=[1, 2]), "position"),
        (lambda d: d["objects"][0].update(quaternion=[0, 0, 0, 0]), "quaternion"),
        (lambda d: d["objects"][0].update(mass="heavy"), "must be a number, but is"),
        (lambda d: d["objects"][1].update(shape={"kind": "torus"}), "'torus'"),
        (lambda d: d["objects"][1]["shape"].pop("radius"), "lacks the entry 'radius'"),
        (lambda d: d["objects"][1]["shape"].update(radius=0), "above zero"),
        (lambda d: d["objects"][1]["shape"].update(radius=1e9), "units"),
        (lambda d: d["objects"][4]["shape"].update(heights=[[1, 2]]), "two rows"),
        (lambda d: d["objects"][5]["shape"].update(vertices=np.eye(3).tolist()), "four vertices"),
        (lambda d: d["objects"][5]["shape"].update(vertices=[[x, x * x, 0] for x in range(6)]), "one plane"),
        (lambda d: d["objects"][6].pop("keys"), "give keys to what is moving"),
        (lambda d: d["objects"][0].update(keys=d["objects"][6]["keys"]), "give keys to what is moving"),
        (lambda d: d["objects"][6]["keys"].update(time=[1, 0]), "rise"),
        (lambda d: d["objects"][6]["keys"].update(position=[[0, 0, 0]]), "position and a quaternion"),
        (lambda d: d["objects"][6].update(shape={"kind": "plane"}), "cannot move"),
        (lambda d: d["objects"][7].pop("hinge"), "give a hinge to what is hinged"),
        (lambda d: d["objects"][7].update(mass=0), "mass above zero"),
        (lambda d: d["objects"][7]["hinge"].update(axis=[0, 0, 0]), "axis"),
        (lambda d: d["objects"][7]["hinge"].update(low=0.3), "low must be below high"),
        (lambda d: d["objects"][7]["hinge"].update(damping=-1), "damping"),
        (lambda d: d["objects"][8].update(density=0), "a mass or a density"),
        (lambda d: d["objects"][8].update(mass=1), "not both"),
        (lambda d: d["objects"][8].update(velocity=[1, 2]), "velocity"),
        (lambda d: d["objects"][8].update(shape={"kind": "plane"}), "cannot move"),
        (lambda d: d["objects"][9].pop("launch"), "give a launch to projectiles"),
        (lambda d: d["objects"][8].update(launch=d["objects"][9]["launch"]), "give a launch to projectiles"),
        (lambda d: d["objects"][9].update(velocity=[1, 0, 0]), "a starting velocity"),
        (lambda d: d["objects"][9]["launch"].update(speed=0), "speed"),
        (lambda d: d["objects"][9]["launch"].update(direction=[1, 0, 0]), "not both"),
        (lambda d: d["objects"][9]["launch"].pop("target"), "a target or a direction"),
        (lambda d: d["objects"][7].update(angular_velocity=[1, 0, 0]), "belong to props"),
    ],
)
def test_damage_is_named(change: Callable[[Any], object], words: str) -> None:
    data = plain()
    change(data)
    with pytest.raises(InputError) as caught:
        scene_from_dict(data, "'scene.json'")
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_files_that_are_no_scenes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        load_scene(tmp_path / "absent.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InputError, match="not valid JSON"):
        load_scene(tmp_path / "broken.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        load_scene(tmp_path / "binary.json")
