"""The palm: contact points that carry what stands on it, and wrists no stronger than people's."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim_core.base.conventions import GRAVITY
from sim_core.character.from_rig import character_from_rig
from sim_core.character.spec import CharacterSpec, Joint, JointKind, Segment, SegmentShape
from sim_core.world.world import World, build_world
from tests.core.sample_people import MAPPING, person, standing

STRONGEST_WRIST = 18.7
"""Flexion of the strongest of ten men [Nm]: Delp, Grierson, Buchanan 1996."""


@pytest.fixture(scope="module")
def spec() -> CharacterSpec:
    return character_from_rig(person(standing()), MAPPING).spec


def test_a_palm_has_four_points_about_its_middle(spec: CharacterSpec) -> None:
    world = build_world(spec)
    for side in "LR":
        own = world.index.support_body == world.model.body(f"hand.{side}").id
        points = world.index.support_point[own]
        assert len(points) == 4
        size = np.ptp(points, axis=0) + 2.0 * world.index.support_radius[own].max()
        # Breadth and length of a hand at this height: 5.1 and 10.8 % of it; it is a plate, not a rod.
        assert size[[0, 2]] == pytest.approx(np.array([0.051, 0.108]) * spec.height, rel=1e-6)
        assert size[1] < 0.4 * size[0]
        assert points[:, :2].mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-12)


def test_hands_are_alike(spec: CharacterSpec) -> None:
    world = build_world(spec)
    hands = [world.index.support_body == world.model.body(f"hand.{side}").id for side in "LR"]
    points = [world.index.support_point[own] for own in hands]
    assert points[0] == pytest.approx(points[1], abs=1e-12)


def loaded(shapes: tuple[SegmentShape, ...], mass: float, across: float) -> World:
    """A hand that lies on the ground with a mass 30 cm above its middle, moved towards its edge [m]."""
    middle = -0.5 * 0.108 * 1.75
    load = Segment(
        "pelvis", None, Joint(JointKind.FREE), np.zeros(3), mass, np.array([across, -0.3, middle]),
        np.full(3, 0.05 * mass), shapes,
    )  # fmt: skip
    return build_world(CharacterSpec("hand", (load,), 1.75))


def lean_after(world: World, seconds: float) -> float:
    """Angle by which a palm that starts flat leans after a time [rad]."""
    model, data = world.model, mujoco.MjData(world.model)
    # The palm faces the ground, so that its -Y, towards the load, is up.
    mujoco.mju_axisAngle2Quat(data.qpos[3:7], np.array([1.0, 0.0, 0.0]), -np.pi / 2)
    data.qpos[2] = world.index.support_radius.max()
    mujoco.mj_forward(model, data)
    up = data.xmat[1].reshape(3, 3)[:, 1].copy()
    assert up[2] == pytest.approx(-1.0)
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return float(np.arccos(np.clip(data.xmat[1].reshape(3, 3)[:, 1] @ up, -1.0, 1.0)))


@pytest.mark.parametrize("across", [0.0, 0.01, -0.02])
def test_a_palm_carries_half_a_body_that_is_not_above_its_middle(spec: CharacterSpec, across: float) -> None:
    """Half of the weight, 30 cm up: it stays while it is between the rays, 3 cm from the middle."""
    palm = loaded(spec["hand.L"].shapes, 0.5 * spec.mass, across)
    assert lean_after(palm, 1.0) < np.radians(2.0)


def test_beyond_its_edge_it_tips_over(spec: CharacterSpec) -> None:
    palm = loaded(spec["hand.L"].shapes, 0.5 * spec.mass, 0.05)
    assert lean_after(palm, 1.0) > np.radians(30.0)


def test_wrists_are_about_as_strong_as_the_strongest_measured(spec: CharacterSpec) -> None:
    """Given for 70 kg at 1.75 m, and by mass and height for others."""
    scale = spec.mass * spec.height / (70.0 * 1.75)
    limit = spec["hand.L"].joint.torque_limit / scale
    assert STRONGEST_WRIST <= limit < 1.2 * STRONGEST_WRIST
    # On its fingertips a flat hand could not carry a quarter of the body.
    assert limit * scale < 0.25 * spec.mass * GRAVITY * 0.108 * spec.height
