"""What is measured of a motion in one pass is what each pass of its own measures, to the last digit."""

from __future__ import annotations

import numpy as np

from sim_core.character.from_rig import character_from_rig
from sim_core.character.posing import pose_from_motion
from sim_core.dynamics.centroidal import (
    measure_bodies,
    measure_centroidal,
    measure_momenta,
    measure_motion,
    measure_supports,
)
from sim_core.dynamics.kinematics import Kinematics, inverse_dynamics
from sim_core.world.world import build_world
from tests.core.sample_people import MAPPING, moving, person


def test_one_pass_measures_what_several_do() -> None:
    motion = person(moving())
    character = character_from_rig(motion, MAPPING)
    world = build_world(character.spec)
    qpos = pose_from_motion(character.spec, character.binding, motion)[:4]
    qvel, qacc = np.random.default_rng(1).normal(size=(2, len(qpos), world.model.nv))
    soles = np.arange(world.index.soles)

    frames, whole = measure_supports(world, qpos, soles), measure_centroidal(world, qpos, soles)
    for name in ("com", "points", "moved", "axes"):
        assert np.array_equal(getattr(frames, name), getattr(whole, name))

    bodies, momenta, force = measure_motion(world, qpos, qvel, qacc)
    for name in ("com", "axes", "origin", "rotation"):
        assert np.array_equal(getattr(bodies, name), getattr(measure_bodies(world, qpos), name))
    alone, kinematics = measure_momenta(world, qpos, qvel), Kinematics(world)
    assert np.array_equal(momenta.angular, alone.angular)
    assert np.array_equal(momenta.energy, alone.energy)
    states = zip(qpos, qvel, qacc, strict=True)
    assert np.array_equal(force, [inverse_dynamics(kinematics, *state) for state in states])


def test_forces_at_points_give_what_their_jacobians_give() -> None:
    """J' f of all points, here by the com's axes instead of Jacobians: equal but for rounding."""
    motion = person(moving())
    character = character_from_rig(motion, MAPPING)
    world = build_world(character.spec)
    qpos = pose_from_motion(character.spec, character.binding, motion)[:4]
    frames = measure_supports(world, qpos, np.arange(len(world.index.support_body)))
    forces = np.random.default_rng(2).normal(size=frames.points.shape)
    found = frames.generalised_force(forces)
    assert np.allclose(found, np.einsum("tkid,tki->td", frames.point_jacobian, forces), atol=1e-12)
