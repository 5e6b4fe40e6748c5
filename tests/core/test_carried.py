"""Objects that hands carry: they are lifted by the hands alone, and the body is ready for their weight."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.bake.replay_script import LARGEST_M, replay
from sim_core.bake.setup import set_up
from sim_core.base.conventions import GRAVITY, Z_UP, FloatArray
from sim_core.base.errors import InputError
from sim_core.base.intervals import smooth_step
from sim_core.cli.main import main
from sim_core.motion.motion import Motion
from sim_core.reference.carrying import plan_carrying
from sim_core.result.result import Result, save_result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Keys, Role, Scene, SceneObject
from sim_core.scene.scene_file import scene_from_dict, scene_to_dict
from sim_core.scene.shapes import Box
from tests.core.sample_company import lifter
from tests.core.sample_people import MAPPING

RATE, SIZE, MASS = 60.0, 0.15, 8.0
END, LIFT, RISE = 1.3, 0.7, 0.4
"""The motion ends; the crate begins to rise, and rises for a time [s]."""


@cache
def lifting() -> tuple[Motion, FloatArray]:
    """Somebody who takes a crate of 30 cm from a shelf and lifts it by 10 cm; where it is (T, 3) [m]."""
    time = np.arange(round(2.0 * RATE) + 1) / RATE
    at = np.array([0.38, 0.0, 0.95]) + 0.1 * smooth_step((time - LIFT) / RISE)[:, None] * Z_UP
    return lifter(at, SIZE)[1].between(0.0, END), at[: round(END * RATE) + 1]


def crate(role: Role = Role.CARRIED, mass: float = MASS) -> SceneObject:
    motion, at = lifting()
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (len(at), 1))
    return SceneObject("crate", role, Box(np.full(3, SIZE)), mass=mass, keys=Keys(motion.time, at, upright))


def shelf() -> SceneObject:
    return SceneObject("shelf", Role.OBSTACLE, Box(np.array([0.2, 0.3, 0.01])), np.array([0.45, 0.0, 0.79]))


def job(*objects: SceneObject) -> Job:
    return Job(lifting()[0], MAPPING, BakeSettings(quality="draft"), Scene(objects))


@cache
def lifted() -> Result:
    return bake(job(crate(), shelf()))


def test_hands_lift_the_crate_and_carry_its_weight() -> None:
    result = lifted()
    assert result.meta.fell_at is None and not result.assist.any()
    height = result.prop_position[:, list(result.prop_name).index("crate"), 2]
    assert height[:60].max() < 0.955, "it lies on the shelf until hands lift it"
    assert height[-1] > 1.0, "the keys have it 10 cm higher"
    hands = [own for own in result.meta.grips if own.segment.startswith("hand.")]
    assert len(hands) == 2 and all(own.lost_s is None for own in hands)
    weight = MASS * GRAVITY
    carried = np.sum([_grip_force(result, side) for side in "LR"], axis=0)[-15:-1].mean()
    assert carried == pytest.approx(weight, rel=0.35), "at the end it is in the hands, almost at rest"


def _grip_force(result: Result, side: str) -> FloatArray:
    """Force of the load on a hand (T) [N], downwards."""
    hand = result.body_name.tolist().index(f"hand.{side}")
    return -np.asarray((result.contact_force * (result.contact_body == hand)[..., None]).sum(axis=1)[:, 2])


def test_the_ground_carries_body_and_crate() -> None:
    """Forces of soles and hands explain the motion of the body, within a hundredth of its weight."""
    assert lifted().meta.measured.residual_share < 0.01


def test_mujoco_alone_computes_it_again(tmp_path: Path) -> None:
    save_result(lifted(), tmp_path / "crate.npz")
    assert main(["export", "--replay", str(tmp_path / "crate.npz")]) == 0
    folder = tmp_path / "crate_replay"
    assert replay(folder, dict(np.load(folder / "replay.npz"))).max() < LARGEST_M


def test_a_plain_prop_stays_on_its_shelf() -> None:
    plain = replace(crate(), role=Role.PROP, keys=None, position=lifting()[1][0])
    result = bake(job(plain, shelf()))
    assert result.meta.grips == ()
    assert np.abs(result.prop_position[:, 0, 2] - 0.95).max() < 0.03, "hands at its sides only push"


def test_the_load_is_planned_from_the_lift_on_and_shared_by_both_hands() -> None:
    (setup,) = set_up((job(crate(), shelf()),))
    dt = float(setup.source.time[1] - setup.source.time[0])
    carrying = plan_carrying(setup.world, setup.source_qpos, dt, 1.0)
    assert carrying is not None and carrying.holds.shape[1] == 2
    assert not carrying.holds[: round(0.3 / dt)].any() and carrying.holds[-1].all()
    held = carrying.holds.all(axis=1) & (np.arange(len(carrying.holds)) * dt < LIFT - 0.03)
    assert held.any() and not carrying.force[held].any(), "until it is lifted, the shelf carries it"
    np.testing.assert_allclose(carrying.force[-1].sum(axis=0), [0.0, 0.0, -MASS * GRAVITY], atol=4.0)
    np.testing.assert_allclose(carrying.force[:, 0], carrying.force[:, 1])


def test_what_is_carried_has_keys_and_a_mass() -> None:
    scene = Scene((crate(),))
    again = scene_from_dict(scene_to_dict(scene), "a test").objects[0]
    assert again.role is Role.CARRIED and again.keys is not None and again.mass == MASS
    with pytest.raises(InputError, match="mass or a density"):
        crate(mass=0.0)
    with pytest.raises(InputError, match="give keys to what is moving or carried"):
        replace(crate(), keys=None)
