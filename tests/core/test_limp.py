"""A body gives up when the report would call it fallen."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import Y_LEFT, FloatArray
from sim_core.control.until_fall import UntilFall
from sim_core.reference.reference import reference_from_poses
from sim_core.result.metrics import FALL_SECONDS, FALL_TILT
from sim_core.simulation.protocol import Command, State
from tests.core.sample_motions import DT, Scene, scene, still

SAMPLES = 40


class Holding:
    """Asks for one newton metre everywhere."""

    def __init__(self, axes: int) -> None:
        none = np.zeros(axes)
        self.asked = Command(np.ones(axes), none, none, none, none, none, np.zeros(6))

    def command(self, state: State) -> Command:
        return self.asked


@pytest.fixture(scope="module")
def made() -> Scene:
    return scene(still(0.5))


def limp_after(made: Scene, bent: FloatArray) -> float | None:
    """How long a pose (nq) is held up [s]; None as long as it is tried."""
    world, reference = made.world, reference_from_poses(made.world.model, made.qpos, DT)
    holding = Holding(len(world.index.torque_limit))
    controller = UntilFall(holding, world, reference, made.leg_length)
    for sample in range(SAMPLES):
        state = State(sample * DT, bent, np.zeros(world.model.nv))
        if controller.command(state) is not holding.asked:
            return sample * DT
    return None


def bent_at(made: Scene, segment: str, angle: float) -> FloatArray:
    """The starting pose with a segment turned forwards against the one below it [rad]."""
    pose, model = made.qpos[0].copy(), made.world.model
    body = int(made.world.index.body[made.world.spec.names.index(segment)])
    place = int(model.jnt_qposadr[model.body_jntadr[body]]) + (3 if segment == "pelvis" else 0)
    turn = rotations.from_vector(angle * Y_LEFT)
    pose[place : place + 4] = rotations.multiply(pose[place : place + 4], turn)
    return pose


@pytest.mark.parametrize("segment", ["pelvis", "abdomen", "chest"])
def test_a_trunk_that_lies_is_given_up_wherever_it_bends(made: Scene, segment: str) -> None:
    """As `metrics.fall_time` has it, which looks at the chest."""
    assert limp_after(made, bent_at(made, segment, 1.05 * FALL_TILT)) == pytest.approx(FALL_SECONDS, abs=DT)
    assert limp_after(made, bent_at(made, segment, 0.95 * FALL_TILT)) is None


def test_hips_that_sink_are_given_up(made: Scene) -> None:
    low = made.qpos[0].copy()
    low[2] -= 0.36 * made.leg_length
    assert limp_after(made, low) == pytest.approx(FALL_SECONDS, abs=DT)


def test_a_fall_is_seen_while_another_controller_gives_the_commands(made: Scene) -> None:
    world, reference = made.world, reference_from_poses(made.world.model, made.qpos, DT)
    lying = bent_at(made, "pelvis", 1.05 * FALL_TILT)
    controller = UntilFall(Holding(len(world.index.torque_limit)), world, reference, made.leg_length)
    last_upright = 10
    for sample in range(SAMPLES):
        pose = made.qpos[0] if sample <= last_upright else lying
        controller.observe(State(sample * DT, pose, np.zeros(world.model.nv)))
        assert controller.fallen == ((sample - last_upright) * DT >= FALL_SECONDS - 1e-9)
    assert controller.upright_at == pytest.approx(last_upright * DT)
