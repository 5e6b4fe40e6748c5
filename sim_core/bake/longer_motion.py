"""The longer motion of a character that got up: the clip, the body while it was away, and the clip again.

The clip waits while the character falls, lies and gets up. Where it goes on it is turned and moved to where
the body stands then.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray
from ..character.posing import bones_on_segments, pose_from_motion, segment_poses
from ..motion.motion import CONTROL_DT, Motion
from ..reference.contacts import ContactSchedule, flat_contact_ground
from ..reference.prepare import Prepared
from ..reference.reference import reference_from_poses
from ..scenario.scenario import Scenario
from .get_up_run import GetUpRun, GetUpTry
from .setup import CharacterSetup

LEAVE_S = 0.3
"""Time in which the longer source goes over from the clip to the falling body [s]."""
Bones = tuple[FloatArray, FloatArray]
"""Positions (T, N, 3) [m] and quaternions (T, N, 4) of all bones in the world."""


def last_tick(tick: int, rate_hz: float) -> int:
    """Return the last control tick up to a tick at which a motion of whole frames may end."""
    while int(frames_until(tick, rate_hz) / rate_hz / CONTROL_DT + 1e-6) != tick:
        tick -= 1
    return tick


def frames_until(tick: int, rate_hz: float) -> int:
    """Return how many frames a motion needs that ends at a control tick or up to a frame later."""
    return int(np.ceil(tick * CONTROL_DT * rate_hz - 1e-6))


def _pieces(run: GetUpRun) -> list[tuple[GetUpTry, int]]:
    """Return each try with the tick at which what it planned ends: at the next fall, or at the end."""
    ends = [*(own.fell for own in run.tries[1:]), len(run.trace.qpos)]
    return list(zip(run.tries, ends, strict=True))


def joined_reference(setup: CharacterSetup, prepared: Prepared, run: GetUpRun) -> Prepared:
    """Return the motion, what was simulated while it fell and lay, and the plans, as one reference.

    setup: with the longer source
    """
    qpos, size = run.trace.qpos.copy(), len(setup.world.index.support_body)
    touches: BoolArray = np.zeros((len(qpos), size), dtype=bool)
    force = np.zeros((len(qpos), size, 3))
    plans = ((own.rests, max(end, own.rests), own.prepared) for own, end in _pieces(run))
    parts = [(0, min(run.tries[0].fell, len(prepared.reference)), prepared), *plans]
    for start, end, own in parts:
        used, support = slice(0, end - start), own.schedule.support
        qpos[start:end] = own.reference.qpos[used]
        touches[start:end, support] = own.schedule.touches[used]
        force[start:end, support] = own.support_force[used]
    index = setup.world.index
    schedule = ContactSchedule(touches, index.foot_of_support, np.arange(size))
    ground = flat_contact_ground(len(qpos), size, setup.scenario.ground_height)
    reference = reference_from_poses(setup.world.model, qpos, CONTROL_DT)
    return Prepared(reference, schedule, ground, force, prepared.change)


def longer_scenario(scenario: Scenario, run: GetUpRun) -> Scenario:
    """Return the scenario with the source that the run comes to: the clip, and the body while it is away."""
    return replace(
        scenario,
        motion=_longer(scenario, scenario.motion, run),
        repaired=_longer(scenario, scenario.repaired, run),
    )


def _longer(scenario: Scenario, motion: Motion, run: GetUpRun) -> Motion:
    frames = frames_until(len(run.trace.qpos) - 1, motion.rate_hz)
    elapsed = np.arange(frames + 1) / motion.rate_hz
    clip_s = np.minimum(elapsed, min(run.tries[0].fell * CONTROL_DT + LEAVE_S, motion.duration))
    result = _clip_at(motion, clip_s)
    for own, end in _pieces(run):
        result = _with_try(scenario, motion, result, elapsed, own, end, run.trace.qpos)
    return Motion(motion.skeleton, motion.time[0] + elapsed, *result)


def _clip_at(motion: Motion, elapsed: FloatArray) -> Bones:
    """Return positions and quaternions of all bones at times since the start [s], which may repeat."""
    frame = np.clip(elapsed * motion.rate_hz, 0.0, len(motion.time) - 1.0)
    low = np.minimum(frame.astype(int), len(motion.time) - 2)
    share = (frame - low)[:, None]
    position, quaternion = motion.position_world, motion.quaternion_world
    turned = np.repeat(share, quaternion.shape[1], axis=1)
    return (
        position[low] + share[..., None] * (position[low + 1] - position[low]),
        rotations.slerp(quaternion[low], quaternion[low + 1], turned),
    )


def _with_try(
    scenario: Scenario,
    motion: Motion,
    bones: Bones,
    elapsed: FloatArray,
    made: GetUpTry,
    end: int,
    qpos: FloatArray,
) -> Bones:
    """Return the bones, from a fall on as the body was simulated, and from its resumption on as the clip."""
    tick = elapsed / CONTROL_DT
    resumed = made.rests + made.plan.stands
    away = (tick >= made.fell) & (tick < min(resumed, end))
    later = (tick >= resumed) & (tick < end)
    position, quaternion = bones
    left = min(made.fell * CONTROL_DT, motion.duration)
    body = _bones_of_body(scenario, motion, left, qpos, tick[away])
    share = np.clip((tick[away] - made.fell) * CONTROL_DT / LEAVE_S, 0.0, 1.0)[:, None]
    position[away] += share[..., None] * (body[0] - position[away])
    quaternion[away] = rotations.slerp(
        quaternion[away], body[1], np.repeat(share, quaternion.shape[1], axis=1)
    )
    samples = np.arange(len(made.plan.clip_sample))
    clip = np.interp(tick[later] - made.rests, samples, made.plan.clip_sample)
    turn = rotations.about_vertical(made.plan.yaw)
    moved = _clip_at(motion, clip * CONTROL_DT)
    shift = made.plan.shift[0], made.plan.shift[1], 0.0
    position[later] = rotations.rotate(turn, moved[0]) + np.array(shift)
    quaternion[later] = rotations.multiply(turn, moved[1])
    if later.any():  # what comes next goes over from the resumed clip
        after = tick >= end
        position[after], quaternion[after] = position[later][-1], quaternion[later][-1]
    return position, quaternion


def _bones_of_body(
    scenario: Scenario, motion: Motion, left_s: float, qpos: FloatArray, ticks: FloatArray
) -> Bones:
    """Return all bones on the simulated body at fractional ticks; those without a segment go with it."""
    held = Motion(motion.skeleton, ticks * CONTROL_DT, *_clip_at(motion, np.full(len(ticks), left_s)))
    source = segment_poses(scenario.spec, pose_from_motion(scenario.spec, scenario.binding, held))
    new = segment_poses(scenario.spec, qpos[np.minimum(np.round(ticks).astype(int), len(qpos) - 1)])
    root = scenario.binding.joint[0]
    turn = rotations.multiply(new[1][:, :1], rotations.conjugate(source[1][:, :1]))
    position = new[0][:, :1] + rotations.rotate(turn, held.position_world - held.position_world[:, [root]])
    quaternion = rotations.multiply(turn, held.quaternion_world)
    mapped = bones_on_segments(scenario.binding, held, source, new)
    position[:, scenario.binding.bone], quaternion[:, scenario.binding.bone] = mapped
    return position, quaternion
