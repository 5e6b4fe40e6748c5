"""A bake compiles a body twice at most: once to plan with, once among all that surrounds it."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import FLAT, Role, Scene, SceneObject
from sim_core.scene.shapes import Box
from tests.core.sample_people import MAPPING, Performance, person, standing

STONE = SceneObject("stone", Role.PROP, Box(np.full(3, 0.1)), np.array([3.0, 0.0, 0.1]), mass=1.0)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Degrees of freedom of every model that was compiled."""
    sizes: list[int] = []
    plain = mujoco.MjSpec.compile

    def counted(spec: mujoco.MjSpec) -> mujoco.MjModel:
        model = plain(spec)
        sizes.append(model.nv)
        return model

    monkeypatch.setattr(mujoco.MjSpec, "compile", counted)
    yield sizes


@pytest.mark.parametrize("scene", [FLAT, Scene((STONE,))], ids=["floor", "prop"])
def test_a_body_is_compiled_twice_at_most(compiled: list[int], scene: Scene) -> None:
    result = bake(Job(person(standing(0.3)), MAPPING, BakeSettings(quality="draft"), scene))
    assert len(result.time) > 1
    bodies = [size for size in compiled if size > 6]  # a prop alone has six degrees of freedom
    assert len(bodies) == 2


def test_a_fall_and_the_search_for_help_compile_nothing_more(compiled: list[int]) -> None:
    stand = standing(1.2)
    rise = stand.hips_offset + np.outer(2.0 * stand.time**2, [0.0, 0.0, 1.0])
    floating = person(Performance(stand.time, stand.turns, rise))
    result = bake(Job(floating, MAPPING, BakeSettings(quality="draft", assist_cap=0.0)))
    assert result.meta.fell_at is not None
    assert len([size for size in compiled if size > 6]) == 2
