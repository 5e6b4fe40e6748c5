"""Soft parts: which chains are found, and what their physics must do."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from scipy.special import ellipk

from bench.soft.attach import with_chain, with_hair, with_tail
from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.base.errors import InputError
from sim_core.character.from_rig import character_from_rig
from sim_core.character.posing import pose_from_motion
from sim_core.character.soft_body import HIGHEST_HZ, make_soft_body
from sim_core.character.soft_motion import soft_motion
from sim_core.character.soft_parts import SoftPart, soft_part
from sim_core.cli.soft_options import soft_parts_of
from sim_core.motion.motion import Motion
from sim_core.recognition.soft_chains import find_soft_chains
from sim_core.result.result import Result
from sim_core.scenario.job import Job, load_job, save_job
from sim_core.scenario.settings import BakeSettings
from sim_core.simulation.kinematic import HEAVY
from sim_core.world.soft_model import WorldSoft
from sim_core.world.world import WorldCharacter, build_worlds
from tests.core.sample_people import MAPPING, Performance, moving, person, standing

ONLY_SOFT = BakeSettings(only="soft", loop="off", find_assist=False)


def _tail(motion: Motion, stiffness: float, damping: float) -> SoftPart:
    chain = next(own for own in find_soft_chains(motion.skeleton, MAPPING).chains if own.role == "tail")
    return SoftPart(chain.bones, chain.role, stiffness, damping, False, chain.tip)


def _rod(length: float = 0.4, bones: int = 1, way: tuple[float, float, float] = (0.0, 0.0, -1.0)) -> Motion:
    """A person who stands, with a chain far behind the back."""
    joints = np.array([-0.6, 0.0, 1.3]) + np.outer(np.linspace(0.0, length, bones + 1), way)
    return with_chain(person(standing(1.0)), "chest", "tail", joints)


class Held:
    """The world of a person with one soft chain, too heavy to move, stepped by the engine alone."""

    def __init__(self, motion: Motion, part: SoftPart, gravity: bool = True, timestep: float = 0.001) -> None:
        built = character_from_rig(motion, MAPPING)
        body = make_soft_body(built.spec, built.binding, (part,))
        if part.damping == 0.0:  # there is always some, which known answers do not have
            body = replace(body, links=tuple(replace(link, damping=0.0) for link in body.links))
        soft = WorldSoft(body, soft_motion(body, built.binding, motion, 0.02))
        (self.world,) = build_worlds((WorldCharacter(body.whole, soft=soft),), timestep)
        self.body, model = body, self.world.engine.model
        model.dof_armature[self.world.engine.index.dof] = HEAVY
        if not gravity:
            model.opt.gravity[:] = 0.0
        self.data, self.index = mujoco.MjData(model), self.world.engine.soft
        self.data.qpos[self.world.engine.index.qpos] = pose_from_motion(body.whole, built.binding, motion)[0]
        self.model = model

    def bend(self, angle: float) -> None:
        """Turn the first joint about the left axis."""
        self.data.qpos[self.index.qpos[0]] = rotations.from_vector(np.array([0.0, angle, 0.0]))

    def swing(self, seconds: float) -> FloatArray:
        """Step; return the angle of the first joint about the left axis at every step."""
        angles = []
        for _ in range(round(seconds / self.model.opt.timestep)):
            mujoco.mj_step(self.model, self.data)
            angles.append(rotations.to_vector(self.data.qpos[self.index.qpos[0]])[1])
        return np.array(angles)


def _period(angles: FloatArray, timestep: float) -> float:
    """The mean time between crossings of zero from below."""
    ups = np.flatnonzero((angles[:-1] < 0.0) & (angles[1:] >= 0.0))
    exact = ups + angles[ups] / (angles[ups] - angles[ups + 1])
    return float(np.diff(exact).mean()) * timestep


def test_chains_are_found_with_roles_and_others_are_left_out_with_reasons() -> None:
    motion = with_hair(with_tail(person(standing()), "hips"), "head", strands=2)
    motion = with_chain(motion, "hand.L", "index", np.array([[0.9, 0.0, 1.4], [0.95, 0.0, 1.4]]))
    motion = with_chain(motion, "forearm.L", "forearm_twist", np.array([[0.5, 0.0, 1.4], [0.6, 0.0, 1.4]]))
    motion = with_chain(motion, "hand.R", "weapon", np.array([[-0.9, 0.0, 1.4], [-0.95, 0.0, 1.4]]))
    motion = with_chain(motion, "chest", "thing", np.outer([-0.2, -0.3, -0.4], [1.0, 0.0, 0.0]))
    found = find_soft_chains(motion.skeleton, MAPPING)
    assert [(own.role, len(own.bones), own.carrier) for own in found.chains] == [
        ("tail", 6, "hips"),
        ("hair", 3, "head"),
        ("hair", 3, "head"),
        ("other", 2, "chest"),
    ]
    assert found.chains[0].tip == "tail_end"
    reasons = {own.bone: own.reason for own in found.left_out}
    assert reasons == {
        "index_01": "a finger",
        "forearm_twist_01": "a twist or helper bone",
        "weapon_01": "a weapon, or a place to hold one",
    }


def test_no_bone_of_the_body_is_a_soft_part() -> None:
    motion = person(standing())
    assert find_soft_chains(motion.skeleton, MAPPING).chains == ()
    with pytest.raises(InputError, match="carries a part of the body"):
        Job(motion, MAPPING, BakeSettings(), soft=(SoftPart(("spine",), "tail", 0.5, 0.5, False),))


def test_the_body_weighs_what_it_weighed_and_its_centre_of_mass_is_kept() -> None:
    motion = with_tail(person(standing()), "hips")
    built = character_from_rig(motion, MAPPING)
    body = make_soft_body(built.spec, built.binding, (_tail(motion, 0.3, 0.2),))
    links = sum(link.mass for link in body.links)
    assert 0.5 < links < 0.3 * built.spec["pelvis"].mass + 1e-9
    assert body.core.mass + links == pytest.approx(built.spec.mass, rel=1e-12)
    assert body.whole.mass == pytest.approx(built.spec.mass, rel=1e-12)
    moment = built.spec["pelvis"].com * body.core["pelvis"].mass
    way = np.array([-np.cos(0.6), 0.0, -np.sin(0.6)])
    centres = [np.array([-0.1, 0.0, 0.02]) + 0.7 * (k + 0.5) / 6 * way for k in range(6)]
    moment = moment + sum(link.mass * own for link, own in zip(body.links, centres, strict=True))
    assert body.whole["pelvis"].com == pytest.approx(moment / body.whole["pelvis"].mass, abs=1e-9)


def test_a_limp_bone_is_a_pendulum_with_the_right_period() -> None:
    length, angle = 0.4, 0.5
    held = Held(_rod(length), _tail(_rod(length), 0.0, 0.0))
    held.bend(angle)
    (link,) = held.body.links
    about_joint = link.inertia[0] + link.mass * (0.5 * length) ** 2
    small = 2.0 * np.pi * np.sqrt(about_joint / (link.mass * GRAVITY * 0.5 * length))
    exact = small * 2.0 / np.pi * ellipk(np.sin(0.5 * angle) ** 2)  # of a pendulum of finite amplitude
    # A step of 1 ms shifts the phase by (omega h)^2 / 24, less than 1e-5.
    assert _period(held.swing(8.0), 0.001) == pytest.approx(exact, rel=2e-4)


@pytest.mark.parametrize("bones", [1, 5])
def test_stiffness_sets_the_lowest_frequency_whatever_the_number_of_bones(bones: int) -> None:
    stiffness = 0.5
    held = Held(_rod(0.5, bones), _tail(_rod(0.5, bones), stiffness, 0.0), gravity=False)
    held.data.qvel[held.index.dof[:, 1]] = 0.05  # near the shape of the lowest mode
    period = 1.0 / (HIGHEST_HZ * stiffness**2)
    # The springs of the backward Euler method lower it by (omega h)^2 / 3 at most; other modes shift zeros.
    assert _period(held.swing(6.0), 0.001) == pytest.approx(period, rel=0.01)


@pytest.mark.parametrize(("stiffness", "timestep"), [(0.0, 0.001), (0.0, 0.002), (1.0, 0.001), (1.0, 0.02)])
def test_energy_never_grows_however_stiff_a_part_is(stiffness: float, timestep: float) -> None:
    motion = _rod(0.5, 6)
    held = Held(motion, _tail(motion, stiffness, 0.01), gravity=False, timestep=timestep)
    held.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    held.data.qvel[held.index.dof] = np.random.default_rng(0).normal(0.0, 3.0, (6, 3))
    energy = []
    for _ in range(round(2.0 / timestep)):
        mujoco.mj_step(held.model, held.data)
        energy.append(held.data.energy.sum())
    assert np.diff(energy).max() < 1e-3 * energy[0]
    assert energy[-1] < 0.9 * energy[0]


def test_a_swinging_tail_moves_the_body_and_keeps_their_momentum() -> None:
    motion = _rod(0.5, 6)
    held = Held(motion, _tail(motion, 0.5, 0.1), gravity=False)
    index, model, data = held.world.engine.index, held.model, held.data
    model.dof_armature[index.dof] = 0.0  # inertia that belongs to no mass has no momentum
    data.qpos[index.qpos[2]] += 3.0  # off the floor
    data.qvel[held.index.dof[:, 1]] = 2.0

    def momentum() -> FloatArray:
        mujoco.mj_subtreeVel(model, data)
        body = index.body[0]
        linear = model.body_subtreemass[body] * data.subtree_linvel[body]
        return np.concatenate([linear, data.subtree_angmom[body]])

    mujoco.mj_forward(model, data)
    before, start = momentum(), data.xpos[index.body[0]].copy()
    for _ in range(500):
        mujoco.mj_step(model, data)
    # Of the first order in the step: 1 ms of the tail's own rate of change.
    assert momentum() == pytest.approx(before, abs=0.02 * np.abs(before).max())
    assert np.linalg.norm(data.xpos[index.body[0]] - start) > 1e-3


def _rotations(result: Result, prefix: str) -> FloatArray:
    chosen = [k for k, name in enumerate(result.bone_name) if str(name).startswith(prefix)]
    return result.bone_quaternion_world[:, chosen]


def _baked(motion: Motion, settings: BakeSettings = ONLY_SOFT) -> Result:
    parts = tuple(soft_part(chain) for chain in find_soft_chains(motion.skeleton, MAPPING).chains)
    return bake(Job(motion, MAPPING, settings, soft=parts))


def test_who_stands_still_has_soft_parts_that_stay_as_they_are_drawn() -> None:
    motion = with_hair(with_tail(person(standing(1.0)), "hips"), "head", strands=3)
    result = _baked(motion)
    assert max(own.largest_deg for own in result.meta.soft) < 0.1
    assert sum(own.mass_kg for own in result.meta.soft) > 0.5
    assert any(note.startswith("Soft parts: tail") for note in result.meta.notes)


def test_jiggle_only_keeps_the_animation_of_the_body_to_the_last_digit() -> None:
    motion = with_tail(person(moving(1.0)), "hips")
    result = _baked(motion)
    names = [str(name) for name in result.bone_name]
    source = [motion.skeleton.index[name] for name in names]
    body = [k for k, name in enumerate(names) if not name.startswith("tail")]
    kept = motion.position_world[:, [source[k] for k in body]]
    assert result.bone_position[:, body] == pytest.approx(kept, abs=1e-12)
    assert result.meta.fell_at is None
    assert result.meta.soft[0].largest_deg > 2.0
    heads = result.bone_position[:, [names.index(bone) for bone in result.meta.soft[0].bones]]
    assert np.linalg.norm(np.diff(heads, axis=1), axis=-1) == pytest.approx(0.7 / 6, abs=1e-9)


def test_a_mirrored_motion_has_a_mirrored_tail() -> None:
    performance = moving(1.0)
    both = performance, performance.mirrored()
    tails = [_rotations(_baked(with_tail(person(own), "hips")), "tail") for own in both]
    mirrored = tails[1] * [1.0, -1.0, 1.0, -1.0]
    assert np.degrees(rotations.angle_between(tails[0], mirrored)).max() < 0.05


def test_an_armature_at_scale_001_has_the_same_tail() -> None:
    large, small = (with_tail(person(moving(1.0)), "hips").scaled(scale) for scale in (1.0, 0.01))
    settings = BakeSettings(only="soft", loop="off", height=1.8)
    tails = [_rotations(_baked(own, settings), "tail") for own in (large, small)]
    assert np.degrees(rotations.angle_between(*tails)).max() < 0.01


def test_the_frame_rate_of_the_keys_does_not_matter() -> None:
    tails = []
    for rate in (24, 60):
        time = np.arange(2 * rate + 1) / rate
        wave = np.sin(2.0 * np.pi * np.outer(time, [0.8, 1.3, 1.7])) * np.array([0.1, 0.1, 0.02])
        turn = np.stack([0.0 * time, 0.0 * time, 0.5 * np.sin(2.0 * np.pi * time)], axis=1)
        motion = with_tail(person(Performance(time, {"hips": turn}, wave)), "hips")
        tails.append(_rotations(_baked(motion), "tail")[:: rate // 12])
    moved = rotations.angle_between(tails[1], tails[1][:1]).max()
    assert rotations.angle_between(*tails).max() < 0.01 * moved


def test_a_loop_of_soft_parts_closes() -> None:
    time = np.arange(61) / 60.0
    sway = np.stack([0.0 * time, 0.06 * np.sin(2.0 * np.pi * time), 0.0 * time], axis=1)
    motion = with_tail(person(Performance(time, {}, sway)), "hips")
    result = _baked(motion, BakeSettings(only="soft", loop="on"))
    tail = _rotations(result, "tail")
    assert np.degrees(rotations.angle_between(tail[0], tail[-1])).max() < 0.01
    assert result.meta.loop is not None
    assert result.meta.loop.cycles == 5
    # What is left of a swing of some degrees after three seconds, at a damping ratio of 0.25 and about 1 Hz.
    assert result.meta.loop.gap_deg < 0.02 * result.meta.soft[0].largest_deg
    assert result.meta.soft[0].largest_deg > 1.0


def test_a_whole_bake_swings_the_tail_and_forces_explain_all_of_it() -> None:
    motion = with_tail(person(standing(1.0)), "hips")
    result = _baked(motion, BakeSettings(loop="off"))
    assert result.meta.fell_at is None
    assert result.meta.measured.residual_share < 1e-3
    assert result.meta.measured.kinematic_share == 0.0


def test_soft_parts_survive_a_job_file(tmp_path: object) -> None:
    motion = with_tail(person(standing()), "hips")
    job = Job(motion, MAPPING, BakeSettings(), soft=(_tail(motion, 0.4, 0.1),))
    path = f"{tmp_path}/job.npz"
    save_job(job, path)
    assert load_job(path).soft == job.soft


def test_options_choose_chains_by_role_and_by_bone() -> None:
    motion = with_hair(with_tail(person(standing()), "hips"), "head", strands=2)
    rig = motion.skeleton, MAPPING
    assert [own.role for own in soft_parts_of(["all"], *rig)] == ["tail", "hair", "hair"]
    tail, hair = soft_parts_of(["tail=0.9", "hair01_01=0.1,0.7"], *rig)
    assert (tail.stiffness, tail.damping) == (0.9, 0.25)
    assert (hair.name, hair.stiffness, hair.damping) == ("hair01_01", 0.1, 0.7)
    with pytest.raises(InputError, match="no such chain"):
        soft_parts_of(["ear"], *rig)
    with pytest.raises(InputError, match="from 0 to 1"):
        soft_parts_of(["tail=2"], *rig)
