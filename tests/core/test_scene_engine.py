"""Objects in the engine: platforms carry, boards turn, balls bounce."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.scene.playback import Playback
from sim_core.scene.scene import Hinge, Keys, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Plane
from sim_core.world.character_model import CONTACT_SOLREF, GROUND_BIT
from sim_core.world.scene_model import add_objects, index_objects, prescribe_motion

STEP = 0.001


class Stage:
    """A free box of 0.2 m and 5 kg over a scene."""

    def __init__(self, scene: Scene, place: FloatArray) -> None:
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        spec.option.timestep, spec.option.gravity = STEP, [0.0, 0.0, -GRAVITY]
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 5.0
        body = spec.worldbody.add_body(name="box", pos=place)
        body.add_freejoint()
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1], mass=5.0)
        geom.contype, geom.conaffinity, geom.solref = 0, GROUND_BIT, CONTACT_SOLREF
        add_objects(spec, scene)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.index, self.playback = index_objects(self.model, scene), Playback(scene)

    def run(self, seconds: float) -> tuple[FloatArray, FloatArray]:
        """Places (T, 3) of the box, and joint coordinates (T, .) of the objects."""
        played = self.playback.at(np.arange(round(seconds / STEP)) * STEP)
        self.data.qvel[:3] = played.qvel[0, :3] if len(self.index.moving) else 0.0
        boxes, objects = [], []
        for step in range(len(played.qpos)):
            prescribe_motion(self.data, self.index, played, step)
            mujoco.mj_step(self.model, self.data)
            boxes.append(self.data.qpos[:3].copy())
            objects.append(self.data.qpos[self.index.qpos].copy())
        return np.array(boxes), np.array(objects)


def platform(position: FloatArray, turn: FloatArray, time: FloatArray) -> Scene:
    keys = Keys(time, position, rotations.from_vector(turn))
    return Scene((SceneObject("platform", Role.MOVING, Box(np.array([1, 1, 0.1])), keys=keys),))


def test_a_platform_goes_where_its_keys_say_whatever_stands_on_it() -> None:
    time = np.linspace(0.0, 1.0, 25)
    way = np.stack([0.1 * np.sin(np.pi * time), 0.2 * time, 0.0 * time], axis=1)
    stage = Stage(platform(way, np.outer(time, [0.1, 0.2, 0.3]), time), np.array([0.0, 0.0, 0.2]))
    _, objects = stage.run(1.0)
    wanted = stage.playback.at(np.arange(1, 1001) * STEP)
    assert objects == pytest.approx(wanted.qpos, abs=1e-5)


def test_playback_velocities_are_the_rates_of_its_poses() -> None:
    time = np.linspace(0.0, 1.0, 9)
    rng = np.random.default_rng(1)
    played_by = Playback(platform(rng.normal(size=(9, 3)), rng.normal(size=(9, 3)), time))
    model = Stage(platform(rng.normal(size=(9, 3)), rng.normal(size=(9, 3)), time), np.zeros(3)).model
    h = 1e-5
    a, middle, b = (played_by.at(np.array([0.37 + shift])) for shift in (-h, 0.0, h))
    # The box's own joint comes first, so its rate is left at zero.
    rate, start, end = np.zeros(model.nv), model.qpos0.copy(), model.qpos0.copy()
    start[7:], end[7:] = a.qpos[0], b.qpos[0]
    mujoco.mj_differentiatePos(model, rate, 2.0 * h, start, end)
    assert rate[6:] == pytest.approx(middle.qvel[0], abs=1e-6)
    assert (b.qvel - a.qvel)[0] / (2.0 * h) == pytest.approx(middle.qacc[0], abs=1e-5)


def test_a_platform_holds_still_outside_its_keys() -> None:
    time = np.array([1.0, 2.0])
    played = Playback(platform(np.array([[0, 0, 0], [1.0, 0, 0]]), np.zeros((2, 3)), time)).at(
        np.array([0.0, 1.5, 3.0])
    )
    assert played.qpos[:, 0] == pytest.approx([0.0, 0.5, 1.0])
    assert played.qvel[:, 0] == pytest.approx([0.0, 1.0, 0.0])


@pytest.mark.parametrize("amplitude", [0.05, 0.1])
def test_a_box_is_carried_by_a_platform(amplitude: float) -> None:
    """It needs at most 1 m/s^2, a tenth of what friction can give; it may creep by a percent of the way."""
    time = np.linspace(0.0, 4.0, 97)
    way = np.outer(amplitude * np.sin(np.pi * time), [1.0, 0.0, 0.0])
    stage = Stage(platform(way, np.zeros((97, 3)), time), np.array([0.3, 0.0, 0.2]))
    box, objects = stage.run(4.0)
    slip = box - objects[:, :3] - [0.3, 0.0, 0.2]
    assert np.abs(slip).max() < 0.01 * amplitude


def test_a_box_rides_a_lift_and_a_turntable() -> None:
    time = np.linspace(0.0, 4.0, 97)
    lift = Stage(
        platform(np.outer(0.1 * np.sin(np.pi * time), [0, 0, 1]), np.zeros((97, 3)), time),
        np.array([0.0, 0.0, 0.2]),
    )
    box, objects = lift.run(4.0)
    assert np.abs(box[:, 2] - objects[:, 2] - 0.2).max() < 5e-4
    table = Stage(platform(np.zeros((97, 3)), np.outer(time, [0, 0, 0.5]), time), np.array([0.3, 0.0, 0.2]))
    box, _ = table.run(4.0)
    assert box[-1, :2] == pytest.approx(0.3 * np.array([np.cos(2.0), np.sin(2.0)]), abs=3e-3)


def test_an_icy_slope_lets_go_and_a_rough_one_holds() -> None:
    """Friction is the object's: below the slope's tangent the box slides by g (sin - mu cos)."""
    angle = np.radians(20.0)
    turn = rotations.from_vector(np.array([0.0, angle, 0.0]))
    up = rotations.rotate(turn, np.array([0.0, 0.0, 0.1]))
    ways = {}
    for friction in (0.1, 0.8):
        slope = SceneObject("slope", Role.GROUND, Plane(), np.zeros(3), turn, friction)
        stage = Stage(Scene((slope,)), up)
        stage.data.qpos[3:7] = turn
        box, _ = stage.run(1.0)
        ways[friction] = float(np.linalg.norm(box[-1] - up))
    assert ways[0.8] < 2e-3
    assert ways[0.1] == pytest.approx(0.5 * GRAVITY * (np.sin(angle) - 0.1 * np.cos(angle)), rel=0.02)


def test_a_bouncing_floor_gives_back_its_share_of_the_speed() -> None:
    heights = {}
    for bounce in (0.0, 0.7):
        floor = SceneObject("floor", Role.GROUND, Plane(), bounce=bounce)
        box, _ = Stage(Scene((floor,)), np.array([0.0, 0.0, 0.6])).run(0.8)
        heights[bounce] = box[box[:, 2].argmin() :, 2].max() - 0.1
    assert heights[0.0] < 0.01
    assert heights[0.7] == pytest.approx(0.5 * 0.7**2, rel=0.15)


def test_a_board_tips_under_a_weight_and_stops_at_its_limit() -> None:
    hinge = Hinge(np.array([0, 1, 0]), -0.1, 0.1, 20.0, -0.1)
    board = SceneObject(
        "board", Role.HINGE, Box(np.array([1.0, 0.3, 0.02])), np.array([0, 0, 0.3]), mass=10.0, hinge=hinge
    )
    stage = Stage(Scene((board,)), np.array([0.5, 0.0, 0.3 + 0.02 + 0.1 + 0.05]))
    stage.data.qpos[stage.index.qpos] = -0.1
    _, angle = stage.run(1.5)
    assert angle[0, 0] == pytest.approx(-0.1, abs=2e-3)
    assert angle[-1, 0] == pytest.approx(0.1, abs=5e-3)
