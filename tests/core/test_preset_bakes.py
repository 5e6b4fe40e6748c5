"""Every preset of settings that ships can be baked with: a piece of the demo's walk, met by a ball, in draft.

The tables of rigs and markers are tried on rigs and takes: test_recognition.py, test_markers.py.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from itertools import cycle, islice

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.json_files import preset_names
from sim_core.motion.motion import Motion
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.preset_kinds import SETTINGS
from sim_core.scenario.read_presets import named_preset
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Launch, Role, Scene, SceneObject
from sim_core.scene.shapes import Sphere
from tools.demo.body import Body
from tools.demo.motions import make

START_S, END_S = 1.5, 2.0
HIT_S = 0.15
"""When the ball starts, 0.4 m before the arm."""
MOST = max(len(preset_names(group)) for group in SETTINGS)
# Groups share no setting, so that one bake tries one preset of each.
TOGETHER = list(zip(*(islice(cycle(preset_names(group)), MOST) for group in SETTINGS), strict=True))


@cache
def walk() -> Motion:
    """In the middle of a stride."""
    return make("walk", Body()).between(START_S, END_S)


def ball() -> SceneObject:
    arm = walk().position_world[:, walk().skeleton.index["upper_arm.L"]]
    before = arm[-1] + 0.4 * (arm[-1] - arm[0]) / np.linalg.norm(arm[-1] - arm[0])
    launch = Launch(float(walk().time[0]) + HIT_S, 4.0, "upper_arm.L")
    return SceneObject("ball", Role.PROJECTILE, Sphere(0.05), before, mass=2.0, launch=launch)


@cache
def baked(names: tuple[str, ...]) -> Result:
    settings = {key: value for name in names for key, value in named_preset(name).settings.items()}
    own = BakeSettings(quality="draft", assist_cap=0.0, find_assist=False, **settings)
    return bake(Job(walk(), recognise(walk().skeleton), own, Scene((ball(),))))


def broken_arrays(result: Result) -> list[str]:
    """Names of those that hold a number which is none."""
    arrays = {field.name: getattr(result, field.name) for field in fields(result)}
    numbers = {name: a for name, a in arrays.items() if isinstance(a, np.ndarray) and a.dtype.kind == "f"}
    return [name for name, array in numbers.items() if not np.isfinite(array).all()]


@pytest.mark.parametrize("names", TOGETHER, ids=["+".join(names) for names in TOGETHER])
def test_a_walk_goes_on_with_each_preset(names: tuple[str, ...]) -> None:
    result = baked(names)
    assert broken_arrays(result) == []
    assert result.meta.fell_at is None
    assert result.meta.hits, "the ball must meet somebody, or reactions have nothing to do"


def test_softer_reactions_let_the_arm_that_is_hit_give_way_further() -> None:
    strayed = []
    for name in ("firm", "natural", "soft", "ragdoll"):
        result = baked((name,))
        assert result.meta.hits[0].segment == "upper_arm.L"
        hand = result.joint_name == "hand.L"
        apart = result.joint_position[:, hand] - result.source_joint_position[:, hand]
        strayed.append(float(np.linalg.norm(apart, axis=-1).max()))
    assert strayed == sorted(set(strayed))
    assert strayed[-1] > 3.0 * strayed[0], "a limp arm is thrown back"
