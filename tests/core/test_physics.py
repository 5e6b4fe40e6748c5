"""The engine does physics: cases whose answers are known without it."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.base.errors import InputError
from sim_core.character.from_rig import RigCharacter, character_from_rig
from sim_core.character.posing import pose_from_motion
from sim_core.character.spec import CharacterSpec, Joint, JointKind, Segment, SegmentCapsule
from sim_core.control.tracking.prediction import Predictor
from sim_core.dynamics.centroidal import measure_centroidal
from sim_core.dynamics.kinematics import Kinematics, inverse_dynamics
from sim_core.result.metrics import residual_share
from sim_core.scene.scene import Push, Scene
from sim_core.simulation.protocol import Command, State, idle_command
from sim_core.simulation.trace import Trace
from sim_core.world.character_model import ARMATURE
from sim_core.world.world import World, build_world
from tests.core.finite_differences import central_differences
from tests.core.sample_people import MAPPING, moving, person, standing
from tests.core.sample_simulation import SingleSimulation

DT = 0.01

NO_SUPPORTS = np.zeros(0, dtype=np.int64)


@pytest.fixture(scope="module")
def character() -> RigCharacter:
    return character_from_rig(person(moving()), MAPPING)


@pytest.fixture(scope="module")
def stance(character: RigCharacter) -> FloatArray:
    """Joint coordinates of the neutral stance."""
    return pose_from_motion(character.spec, character.binding, person(standing()))[0]


@pytest.fixture
def world(character: RigCharacter) -> World:
    return build_world(character.spec)


class FixedCommand:
    """A controller that plays a fixed command, or fresh random torques at each tick."""

    def __init__(self, world: World, **changes: FloatArray) -> None:
        idle = idle_command(len(world.index.actuator))
        self.steady = replace(idle, **changes)  # type: ignore[arg-type]

    def command(self, state: State) -> Command:
        return self.steady


class RandomTorques(FixedCommand):
    def __init__(self, world: World, size: float) -> None:
        super().__init__(world)
        self.rng, self.size = np.random.default_rng(1), size

    def command(self, state: State) -> Command:
        torque = self.size * self.rng.standard_normal(len(self.steady.torque))
        return replace(self.steady, torque=torque)


class Holder(FixedCommand):
    """Stiff springs to one pose."""

    def __init__(self, world: World, qpos: FloatArray, kp: float, kd: float) -> None:
        axes = np.ones(len(world.index.actuator))
        super().__init__(world, kp=kp * axes, kd=kd * axes)
        self.world, self.qpos = world, qpos

    def command(self, state: State) -> Command:
        offset = np.zeros(self.world.model.nv)
        mujoco.mj_differentiatePos(self.world.model, offset, 1.0, state.qpos, self.qpos)
        return replace(self.steady, target_offset=offset[self.world.index.actuated_dof])


def play(
    world: World, controller: FixedCommand, qpos: FloatArray, seconds: float, qvel: FloatArray | float = 0.0
) -> Trace:
    start = np.zeros(world.model.nv) + qvel
    return SingleSimulation(world, DT).run(controller, qpos, start, round(seconds / DT))


def com(world: World, trace: Trace) -> FloatArray:
    return np.einsum("tbi,b->ti", trace.body_com, [s.mass for s in world.spec]) / world.spec.mass


def lifted(qpos: FloatArray, by: float) -> FloatArray:
    return qpos + by * (np.arange(len(qpos)) == 2)


def test_free_fall(world: World, stance: FloatArray) -> None:
    trace = play(world, FixedCommand(world), lifted(stance, 1.0), 0.3)
    steps = trace.time / world.timestep
    # Velocity first, then position: after n steps of h the fall is g h^2 n (n + 1) / 2.
    fallen = GRAVITY * world.timestep**2 * steps * (steps + 1.0) / 2.0
    centre = com(world, trace)
    assert np.abs(centre[0, 2] - centre[:, 2] - fallen).max() < 1e-9
    # The step makes that g h t / 2 more than g t^2 / 2.
    excess = np.abs(fallen - GRAVITY * trace.time**2 / 2.0).max()
    assert excess == pytest.approx(GRAVITY * world.timestep * 0.3 / 2.0)
    assert np.abs(centre[:, :2] - centre[0, :2]).max() < 1e-9
    assert not trace.contact_force.any()


def test_pendulum_period() -> None:
    length, mass, radius = 0.5, 2.0, 0.03
    inertia = mass * length**2 / 12.0
    rod = Segment(
        name="rod",
        parent=None,
        joint=Joint(JointKind.HINGE, low=-3.0, high=3.0, torque_limit=1.0),
        anchor=np.array([0.0, 0.0, 2.0]),
        mass=mass,
        com=np.array([0.0, 0.0, -length / 2]),
        inertia=np.full(3, inertia),
        shapes=(SegmentCapsule(np.zeros(3), np.array([0.0, 0.0, -length]), radius),),
    )
    world = build_world(CharacterSpec("pendulum", (rod,), 1.0))
    amplitude = 0.1
    angle = play(world, FixedCommand(world), np.array([amplitude]), 8.0).qpos[:, 0]
    falling = np.flatnonzero((angle[:-1] > 0.0) & (angle[1:] <= 0.0))
    crossing = DT * (falling + angle[falling] / (angle[falling] - angle[falling + 1]))
    about_pivot = inertia + mass * (length / 2) ** 2 + ARMATURE
    small = 2.0 * np.pi * np.sqrt(about_pivot / (mass * GRAVITY * length / 2))
    # The next term of the series is 11/3072 amplitude^4, 4e-7; the step's own error (omega h)^2 / 24 is 1e-6.
    expected = small * (1.0 + amplitude**2 / 16.0)
    assert np.diff(crossing).mean() == pytest.approx(expected, rel=1e-5)


def momentum_drift(character: RigCharacter, stance: FloatArray, timestep: float) -> FloatArray:
    """Change of linear [Ns] and angular [Nms] momentum (T, 6) under random joint torques in space."""
    world = build_world(character.spec, timestep=timestep)
    world.model.opt.gravity[:] = 0.0
    start = 0.5 * np.random.default_rng(2).standard_normal(world.model.nv)
    trace = play(world, RandomTorques(world, 10.0), lifted(stance, 5.0), 0.5, start)
    data = mujoco.MjData(world.model)
    momenta = []
    for qpos, qvel in zip(trace.qpos, trace.qvel, strict=True):
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_fwdPosition(world.model, data)
        mujoco.mj_fwdVelocity(world.model, data)
        mujoco.mj_subtreeVel(world.model, data)
        momenta.append(np.concatenate([world.spec.mass * data.subtree_linvel[1], data.subtree_angmom[1]]))
    return np.array(momenta) - momenta[0]


def test_momentum_stays_without_outside_forces(character: RigCharacter, stance: FloatArray) -> None:
    coarse = momentum_drift(character, stance, 0.001)
    fine = momentum_drift(character, stance, 0.0005)
    # Only the integrator's error of first order in the step is left, so that twice the fine drift less
    # the coarse one, the drift at step zero, is of second order: some hundredths of the coarse drift here.
    assert np.abs(2.0 * fine - coarse).max() < 0.1 * np.abs(coarse).max()
    # One hand alone, 0.4 kg at some 10 m/s, carries more than what is lost.
    assert np.abs(coarse).max() < 1.0


def test_a_push_gives_its_momentum_and_is_no_help(character: RigCharacter, stance: FloatArray) -> None:
    force = np.array([200.0, -50.0, 0.0])
    world = build_world(character.spec, scene=Scene(pushes=(Push("chest", force, 2.1, 0.1),)), start_s=2.0)
    trace = play(world, FixedCommand(world), lifted(stance, 5.0), 0.4)
    centre = com(world, trace)
    speed = np.diff(centre, axis=0) / DT
    assert speed[:10, :2] == pytest.approx(0.0, abs=1e-9)
    # The engine adds force times step to the momentum, whatever limbs and integrator do.
    assert world.spec.mass * speed[-5:, :2].mean(axis=0) == pytest.approx(0.1 * force[:2], rel=1e-3)
    assert trace.push.sum(axis=0) * DT == pytest.approx(0.1 * force)
    assert not trace.assist.any()
    mass, none = np.array([s.mass for s in world.spec]), np.zeros((len(centre), 1, 3))
    assert residual_share(trace.body_com, mass, none, trace.push, DT) < 1e-3


def test_a_push_on_a_part_that_is_not_there_is_refused(character: RigCharacter) -> None:
    world = build_world(character.spec, scene=Scene(pushes=(Push("tail", np.ones(3), 0.0, 1.0),)))
    with pytest.raises(InputError, match="'tail'.*pelvis"):
        SingleSimulation(world, DT)


def test_a_standing_body_rests_on_the_ground_with_its_weight(world: World, stance: FloatArray) -> None:
    trace = play(world, Holder(world, stance, kp=4000.0, kd=150.0), stance, 2.0)
    force = trace.contact_force[-50:].sum(axis=1).mean(axis=0)
    weight = world.spec.mass * GRAVITY
    assert force[2] == pytest.approx(weight, rel=0.01)
    assert np.abs(force[:2]).max() < 0.01 * weight
    kinematics = Kinematics(world)
    kinematics.set(trace.qpos[-1], trace.qvel[-1])
    heights = kinematics.support_points(np.arange(world.index.soles))[:, 2]
    # Soft contacts give way by (1 - d) a / (d k), d = 0.9 to 0.95, 1/k = (0.95 * 15 ms)^2. Without the
    # ground the feet would be pressed down by the whole body: a = g body / feet.
    foot_mass = 2.0 * world.spec["foot.L"].mass
    sag = (0.1 / 0.9) * (0.95 * 0.015) ** 2 * GRAVITY * world.spec.mass / foot_mass
    assert -sag < heights.min() < 0.0
    assert heights.max() < 0.003


def test_torques_of_inverse_dynamics_make_the_motion(world: World, stance: FloatArray) -> None:
    rng = np.random.default_rng(3)
    model, data = world.model, mujoco.MjData(world.model)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT)
    qpos = stance.copy()
    mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv), 0.3)
    qvel, qacc = rng.normal(size=model.nv), 10.0 * rng.normal(size=model.nv)
    data.qpos[:], data.qvel[:] = qpos, qvel
    data.qfrc_applied[:] = inverse_dynamics(Kinematics(world), qpos, qvel, qacc)
    mujoco.mj_forward(model, data)
    # Solving with the mass matrix loses its condition number, about 1e4, of sixteen digits.
    assert np.abs(data.qacc - qacc).max() < 1e-9


def test_recorded_forces_balance_the_motion_through_a_landing(world: World, stance: FloatArray) -> None:
    trace = play(world, Holder(world, stance, kp=300.0, kd=30.0), lifted(stance, 0.05), 0.6)
    centre = com(world, trace)
    acceleration = (centre[2:] - 2.0 * centre[1:-1] + centre[:-2]) / DT**2
    needed = world.spec.mass * (acceleration + [0.0, 0.0, GRAVITY])
    left = needed - trace.contact_force.sum(axis=1)[1:-1] - trace.assist[1:-1, :3]
    assert trace.contact_force.sum(axis=1)[:, 2].max() > 2.0 * world.spec.mass * GRAVITY
    # What is left is the second-order part of turning joints within a step: m r w^2 * (w h) with the few
    # centimetres by which the centre of mass moves in the body, far below a tenth of a newton.
    assert np.abs(left).max() < 0.1


def test_the_assist_is_an_outside_force(world: World, stance: FloatArray) -> None:
    pull = np.array([30.0, 0.0, world.spec.mass * GRAVITY, 0.0, 0.0, 0.0])
    trace = play(world, FixedCommand(world, assist=pull), lifted(stance, 1.0), 0.2)
    centre = com(world, trace)
    travelled = 30.0 / world.spec.mass * trace.time[-1] ** 2 / 2.0
    # The pull turns the body a little; first order in the step, like free fall.
    assert centre[-1, 0] - centre[0, 0] == pytest.approx(travelled, rel=0.02)
    assert abs(centre[-1, 2] - centre[0, 2]) < 1e-3
    assert trace.assist == pytest.approx(np.broadcast_to(pull, trace.assist.shape))


def test_a_command_is_what_the_joints_get(world: World, stance: FloatArray) -> None:
    """In the first step after a command: torque + kp offset + kd (target velocity - velocity)."""
    rng = np.random.default_rng(4)
    axes = len(world.index.actuator)
    command = FixedCommand(
        world,
        torque=rng.normal(size=axes),
        target_offset=0.01 * rng.normal(size=axes),
        target_velocity=rng.normal(size=axes),
        kp=np.full(axes, 20.0),
        kd=np.full(axes, 0.5),
    ).steady
    simulator = SingleSimulation(world, world.timestep)  # one step per command
    seen: list[FloatArray] = []

    class Twice:
        def command(self, state: State) -> Command:
            velocity = state.qvel[world.index.actuated_dof]
            seen.append(
                command.torque + 20.0 * command.target_offset + 0.5 * (command.target_velocity - velocity)
            )
            return command

    got: list[FloatArray] = []

    def note(_: int) -> bool:
        got.append(simulator.data.actuator_force[world.index.actuator].copy())
        return True

    start = 0.3 * rng.normal(size=world.model.nv)
    simulator.run(Twice(), lifted(stance, 1.0), start, 5, note)
    assert np.abs(np.array(seen) - got).max() < 1e-9


def test_torque_limits_hold(world: World, stance: FloatArray) -> None:
    axes = len(world.index.actuator)
    trace = play(world, FixedCommand(world, torque=np.full(axes, 1e4)), lifted(stance, 1.0), 0.05)
    limit = world.index.torque_limit
    assert np.all(np.abs(trace.torque) <= limit * (1.0 + 1e-12))
    assert np.all(trace.torque[1] == pytest.approx(limit))


def test_a_joint_stops_at_its_limit(world: World, stance: FloatArray) -> None:
    world.model.opt.gravity[:] = 0.0
    knee = world.spec.names.index("shin.L")
    assert world.spec.segments[knee].joint.kind is JointKind.HINGE
    address = world.model.jnt_qposadr[world.index.joint[knee]]
    axis = world.model.jnt_dofadr[world.index.joint[knee]]
    torque = -30.0 * (world.index.actuated_dof == axis)
    trace = play(world, FixedCommand(world, torque=torque), lifted(stance, 1.0), 0.5)
    low = world.spec.segments[knee].joint.low
    past = low - trace.qpos[:, address]
    assert past.max() > -np.radians(1.0), "the knee never came to its limit"
    # The limit is a critically damped spring with a time constant of 20 ms: hit at speed v it gives by
    # v * 20 ms / e, and a little more because it is soft at first.
    assert past.max() < 0.02 * np.abs(trace.qvel[:, axis]).max()
    assert 0.0 < past[-1] < np.radians(1.0)


def test_support_jacobians_against_differences(world: World, stance: FloatArray) -> None:
    """Of the matter that touches: what is lowest on a rounded part is held to its body meanwhile."""
    kinematics, index = Kinematics(world), world.index
    supports = np.arange(len(index.support_body))
    qpos = stance.copy()
    mujoco.mj_integratePos(world.model, qpos, np.random.default_rng(5).normal(size=world.model.nv), 0.3)

    def points(change: FloatArray) -> FloatArray:
        moved = qpos.copy()
        mujoco.mj_integratePos(world.model, moved, change, 1.0)
        kinematics.set(moved, np.zeros(world.model.nv))
        turn = kinematics.data.xmat[bodies].reshape(-1, 3, 3)
        return np.asarray(kinematics.data.xpos[bodies] + (turn @ matter[..., None])[..., 0])

    kinematics.set(qpos, np.zeros(world.model.nv))
    bodies = index.support_body[supports]
    back = kinematics.data.xmat[bodies].reshape(-1, 3, 3).swapaxes(1, 2)
    matter = (back @ kinematics.support_arms(supports)[..., None])[..., 0]
    differences = central_differences(points, np.zeros(world.model.nv))
    kinematics.set(qpos, np.zeros(world.model.nv))
    # Step squared times lengths of a metre: 1e-10; rounding 1e-16 / 1e-5.
    assert np.abs(kinematics.support_jacobians(supports) - differences).max() < 1e-8


def test_a_command_that_is_held_is_one_of_a_longer_interval(world: World, stance: FloatArray) -> None:
    """Springs go on along their targets; only samples lie closer."""
    axes, start = np.ones(len(world.index.actuator)), np.zeros(world.model.nv)
    watch = FixedCommand(
        world, kp=20.0 * axes, kd=2.0 * axes, target_velocity=axes, target_acceleration=-5.0 * axes
    )
    ticks = 9  # the last command ends before its time
    fine = SingleSimulation(world, DT, hold=2).run(watch, stance, start, ticks)
    coarse = SingleSimulation(world, 2.0 * DT).run(watch, stance, start, ticks // 2)
    assert len(fine.time) == ticks + 1
    assert np.array_equal(fine.qpos[::2], coarse.qpos)


def test_two_runs_are_equal(world: World, stance: FloatArray) -> None:
    first, second = (play(world, RandomTorques(world, 5.0), stance, 0.2) for _ in range(2))
    assert np.array_equal(first.qpos, second.qpos)
    assert np.array_equal(first.contact_force, second.contact_force)


def test_predicted_accelerations_against_differences(world: World, stance: FloatArray) -> None:
    """Rows and drifts of the linear dynamics are the rates of velocities along any motion."""
    rng, model, predictor = np.random.default_rng(6), world.model, Predictor(world)
    qpos = stance.copy()
    mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv), 0.3)
    qvel, qacc = rng.normal(size=model.nv), rng.normal(size=model.nv)
    supports = np.arange(len(world.index.support_body))

    def velocities(elapsed: FloatArray) -> FloatArray:
        moved = qpos.copy()
        mujoco.mj_integratePos(model, moved, qvel, float(elapsed[0]))
        seen = predictor.predict(State(0.0, moved, qvel + elapsed[0] * qacc), supports)
        parts = (seen.com_velocity, seen.momentum, seen.foot_velocity, seen.point_velocity)
        return np.concatenate([part.ravel() for part in parts])

    at = predictor.predict(State(0.0, qpos, qvel), supports)
    rates = at.rows @ qacc + at.drift
    differences = central_differences(velocities, np.zeros(1))[:, 0]
    # Step squared times third derivatives of some hundreds (momentum in Nms): 1e-8; rounding 1e-13 / 1e-5.
    assert np.abs(rates.ravel() - differences).max() < 1e-6


def test_jacobians_of_whole_motions_against_differences(world: World, stance: FloatArray) -> None:
    """The centre of mass's Jacobian by differences; momentum by the engine's own sum over bodies."""
    rng, model = np.random.default_rng(7), world.model
    qpos, qvel = stance.copy(), rng.normal(size=world.model.nv)
    mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv), 0.3)
    frames = measure_centroidal(world, qpos[None], NO_SUPPORTS)

    def centre(change: FloatArray) -> FloatArray:
        moved = qpos.copy()
        mujoco.mj_integratePos(model, moved, change, 1.0)
        return measure_centroidal(world, moved[None], NO_SUPPORTS).com[0]

    assert np.abs(frames.com_jacobian[0] - central_differences(centre, np.zeros(model.nv))).max() < 1e-8
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_subtreeVel(model, data)
    assert frames.momentum_matrix[0] @ qvel == pytest.approx(data.subtree_angmom[1], abs=1e-9)
