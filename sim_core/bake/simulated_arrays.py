"""Arrays of a result that a simulation gives: forces, contacts and props."""

from __future__ import annotations

import mujoco
import numpy as np

from ..character.posing import segment_centres
from ..dynamics.centroidal import measure_momenta
from ..result.result import NO_BODY
from ..simulation.trace import Trace
from ..world.world import World
from .baked import BakedCharacter
from .poses import SegmentPoses


def forces_of(baked: BakedCharacter, poses: SegmentPoses) -> dict[str, np.ndarray]:
    """Return the recorded forces and contacts; all forces are zero without a simulation."""
    if baked.outcome is None:
        centres = segment_centres(baked.scenario.spec, *poses.new)
        return {"body_com": centres} | _no_forces(len(centres), len(baked.world.index.actuator))
    return _trace_forces(baked.world, baked.outcome.trace)


def _trace_forces(world: World, trace: Trace) -> dict[str, np.ndarray]:
    touching = np.linalg.norm(trace.contact_force, axis=-1) > 1e-6
    momenta = measure_momenta(world, trace.qpos, trace.qvel)
    return {
        "body_com": trace.body_com,
        "assist": trace.assist,
        "torque": trace.torque,
        "torque_rate": trace.qvel[:, world.index.actuated_dof],
        "angular_momentum": momenta.angular,
        "angular_momentum_rate": trace.angular_rate(momenta.angular),
        "energy": momenta.energy,
        "contact_point": np.where(touching[..., None], trace.contact_point, 0.0),
        "contact_force": np.where(touching[..., None], trace.contact_force, 0.0),
        "contact_body": np.where(touching, trace.contact_segment, NO_BODY),
        **_others(world, trace),
    }


def _no_forces(samples: int, axes: int) -> dict[str, np.ndarray]:
    return {
        "assist": np.zeros((samples, 6)),
        "torque": np.zeros((samples, axes)),
        "torque_rate": np.zeros((samples, axes)),
        "angular_momentum": np.zeros((samples, 3)),
        "angular_momentum_rate": np.zeros((samples, 3)),
        "energy": np.zeros(samples),
        "contact_point": np.zeros((samples, 0, 3)),
        "contact_force": np.zeros((samples, 0, 3)),
        "contact_body": np.zeros((samples, 0), dtype=np.int64),
        "contact_other": np.zeros(0, dtype=str),
        "contact_other_body": np.zeros(0, dtype=str),
    }


def _others(world: World, trace: Trace) -> dict[str, np.ndarray]:
    """Return the characters that contacts are with, and their bodies; empty for all other contacts."""
    pairs = [
        (world.engine.others[index].name, world.engine.others[index].spec.names[segment])
        for index, segment in zip(trace.contact_other, trace.contact_other_segment, strict=True)
        if index >= 0
    ]
    names = np.array([("", "")] * int((trace.contact_other < 0).sum()) + pairs)
    return {"contact_other": names[:, 0], "contact_other_body": names[:, 1]}


def props_of(baked: BakedCharacter) -> dict[str, np.ndarray]:
    """Return names and poses of what the character can push; nothing without a simulation."""
    engine, outcome = baked.world.engine, baked.outcome
    objects = np.concatenate([engine.objects.hinged, engine.objects.props])
    if outcome is None or len(objects) == 0:
        return {}
    data, body = mujoco.MjData(engine.model), engine.objects.body[objects]
    position = np.zeros((len(outcome.trace.time), len(objects), 3))
    quaternion = np.zeros((*position.shape[:2], 4))
    for k, qpos in enumerate(outcome.trace.object_qpos):
        data.qpos[engine.objects.qpos] = qpos
        mujoco.mj_kinematics(engine.model, data)
        position[k], quaternion[k] = data.xpos[body], data.xquat[body]
    return {
        "prop_name": np.array([baked.world.scene.objects[each].name for each in objects]),
        "prop_position": position,
        "prop_quaternion": quaternion,
    }
