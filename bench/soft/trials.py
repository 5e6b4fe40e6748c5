"""What is measured of soft parts: pace, energy, endurance, and independence of the frame rate."""

from __future__ import annotations

import time as clock
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from sim_core.bake.attempt import Attempt
from sim_core.bake.make_controller import make_controller
from sim_core.bake.make_reference import make_reference
from sim_core.bake.monitor import Monitor
from sim_core.bake.pipeline import bake
from sim_core.bake.setup import set_up
from sim_core.bake.simulate import simulate
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.progress import ignore_progress
from sim_core.character.soft_parts import SoftPart, soft_part
from sim_core.motion.motion import Motion
from sim_core.recognition import recognise
from sim_core.recognition.soft_chains import find_soft_chains
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.simulation.kinematic import HEAVY

from ..common.motions import motion_of
from .attach import with_hair, with_tail

ONLY_SOFT = BakeSettings(only="soft", loop="off", find_assist=False)
WHOLE = BakeSettings(assist_cap=0.0, loop="off", find_assist=False)
COMMON_S = 1.0 / 6.0
"""Keys at 24, 30 and 60 frames per second coincide at multiples of this time [s]."""


def furnished(motion: Motion) -> Motion:
    """Return a motion with a tail of six bones and ten strands of three bones."""
    bones = recognise(motion.skeleton).bones
    return with_hair(with_tail(motion, bones["hips"][0]), bones["head"][0])


def soft_parts(motion: Motion, colliding: bool) -> tuple[SoftPart, ...]:
    """Return all soft parts of a motion's rig with the dials of their roles; colliding: in any role."""
    found = find_soft_chains(motion.skeleton, recognise(motion.skeleton))
    parts = map(soft_part, found.chains)
    return tuple(replace(part, collides=True) if colliding else part for part in parts)


def job_of(motion: Motion, settings: BakeSettings, colliding: bool = True) -> Job:
    """Return the job with all soft parts."""
    return Job(motion, recognise(motion.skeleton), settings, soft=soft_parts(motion, colliding))


def pace(label: str, soft: bool, settings: BakeSettings) -> dict[str, Any]:
    """Return seconds of motion for each second of processor time while it is simulated."""
    motion = furnished(motion_of(label)[0])
    job = job_of(motion, settings) if soft else Job(motion, recognise(motion.skeleton), settings)
    setups, monitor = set_up((job,)), Monitor(ignore_progress)
    own = setups[0]
    prepared = make_reference(own, Attempt(own.methods[0]))
    controlled = make_controller(own, own.world, prepared, own.methods[0], settings.assist_cap)
    began = clock.process_time()
    (trace,) = simulate(setups, [own.world], [controlled], "", monitor)
    spent_s = clock.process_time() - began
    return {
        "dofs": own.world.engine.model.nv,
        "seconds": float(trace.time[-1]),
        "cpu_s": spent_s,
        "rtf": float(trace.time[-1]) / spent_s,
        "fell": controlled.controller.fallen,
    }


def followed(label: str, soft: bool) -> dict[str, Any]:
    """Return how a whole bake follows a capture, with soft parts that pull at the body or without."""
    motion = furnished(motion_of(label)[0])
    job = job_of(motion, WHOLE) if soft else Job(motion, recognise(motion.skeleton), WHOLE)
    meta = bake(job).meta
    return {
        "fell_at": meta.fell_at,
        "error_deg": meta.measured.joint_error_deg,
        "residual": meta.measured.residual_share,
        "method": meta.attempt,
        "largest_deg": max((own.largest_deg for own in meta.soft), default=None),
    }


def energy(stiffness: float, damping: float, timestep: float, seconds: float = 10.0) -> dict[str, Any]:
    """Return how far the energy of soft parts on a body that does not move ever is above its start.

    All joints start with random speeds, without gravity and contacts, so that nothing feeds them.
    """
    motion = furnished(motion_of("02_01:0-1")[0])
    parts = tuple(
        replace(part, stiffness=stiffness, damping=damping, collides=False)
        for part in soft_parts(motion, colliding=False)
    )
    job = Job(motion, recognise(motion.skeleton), ONLY_SOFT, soft=parts)
    (own,) = set_up((job,))
    engine = own.world.engine
    model, index = engine.model, engine.soft
    extra = (timestep - model.opt.timestep) * model.jnt_stiffness  # the spring's share of the damping
    for link, dofs in zip(index.body, index.dof, strict=True):
        model.dof_damping[dofs] += extra[model.body_jntadr[link]]
    model.opt.timestep = timestep
    model.opt.gravity[:] = 0.0
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.geom_conaffinity[:] = 0
    model.dof_armature[engine.index.dof] = HEAVY
    data = mujoco.MjData(model)
    data.qpos[engine.index.qpos] = own.source_qpos[0]
    data.qvel[index.dof] = np.random.default_rng(0).normal(0.0, 3.0, index.dof.shape)
    values = []
    for _ in range(round(seconds / timestep)):
        mujoco.mj_step(model, data)
        values.append(float(data.energy.sum()))
    above = float(np.maximum.accumulate(values)[-1] / values[0] - 1.0)
    return {
        "stiffness": stiffness,
        "damping": damping,
        "step_ms": 1000.0 * timestep,
        "above": above,
        "left": values[-1] / values[0],
    }


def carried(pose: Motion, time: FloatArray, strength: float) -> Motion:
    """Return the first pose of a motion, turned and swayed as one piece by smooth waves below 2 Hz."""
    waves = np.stack([np.sin(2.0 * np.pi * hz * time + 0.7 * hz) for hz in (0.5, 0.8, 1.1, 1.5, 1.9)], axis=1)
    waves = strength * (waves - waves[:1])
    turn = rotations.from_vector(np.stack([0.2 * waves[:, 1], 0.2 * waves[:, 2], 0.5 * waves[:, 0]], axis=1))
    way = np.stack([0.1 * waves[:, 3], 0.1 * waves[:, 4], 0.05 * waves[:, 2]], axis=1)
    centre = pose.position_world[0, 0]
    offset = pose.position_world[0] - centre
    position = centre + way[:, None] + rotations.rotate(turn[:, None], offset)
    return Motion(
        pose.skeleton, time, position, rotations.multiply(turn[:, None], pose.quaternion_world[0])
    )


def endurance(fps: float, frames: int, strength: float) -> dict[str, Any]:
    """Return the largest speeds of soft parts while the body is thrown about for so many frames."""
    pose = furnished(motion_of("02_01:0-1")[0])
    motion = carried(pose, np.arange(frames) / fps, strength)
    result = bake(job_of(motion, replace(ONLY_SOFT, quality="draft")))
    soft = [list(result.bone_name).index(bone) for part in result.meta.soft for bone in part.bones]
    body = [k for k in range(len(result.bone_name)) if k not in soft]
    speed = np.linalg.norm(np.diff(result.bone_position, axis=0), axis=-1) * fps
    return {
        "fps": fps,
        "frames": len(result.source_time),
        "seconds": frames / fps,
        "finite": bool(np.isfinite(result.bone_position).all()),
        "soft_m_s": float(speed[:, soft].max()),
        "body_m_s": float(speed[:, body].max()),
        "late_m_s": float(speed[-len(speed) // 10 :, soft].max()),
    }


def tips(motion: Motion, colliding: bool) -> FloatArray:
    """Return where the last bones of all soft parts are at common times, from the hips."""
    result = bake(job_of(motion, ONLY_SOFT, colliding))
    names = [str(name) for name in result.bone_name]
    last = [names.index(part.bones[-1]) for part in result.meta.soft]
    root = names.index(recognise(motion.skeleton).bones["hips"][0])
    rate = round(COMMON_S / float(result.source_time[1] - result.source_time[0]))
    position = result.bone_position[::rate]
    return np.asarray(position[:, last] - position[:, [root]])


def frame_rates(colliding: bool, seconds: float = 10.0, strength: float = 0.5) -> list[dict[str, Any]]:
    """Return how far tips are from those at 60 frames per second, over how far they move at all."""
    pose = furnished(motion_of("02_01:0-1")[0])
    times = {fps: np.arange(round(seconds * fps) + 1) / fps for fps in (24, 30, 60)}
    found = {fps: tips(carried(pose, time, strength), colliding) for fps, time in times.items()}
    best = found[60]
    moved = np.linalg.norm(best - best.mean(axis=0), axis=-1).max(axis=0)
    return [
        {
            "fps": fps,
            "colliding": colliding,
            "apart_mm": 1000.0 * float(np.linalg.norm(own - best, axis=-1).max()),
            "share": float((np.linalg.norm(own - best, axis=-1).max(axis=0) / moved).max()),
        }
        for fps, own in found.items()
    ]
