"""From a plan (pelvis, feet, trunk and arm angles over time) to the pose of every bone.

Angles follow clinical signs: flexion, dorsiflexion and leaning forward are positive [rad].
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import X_FORWARD, Y_LEFT, Z_UP, FloatArray
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion

from .body import SIDES, Body

COM_ITERATIONS = 12
"""Steps of `nearer_com` until the error is far below a millimetre."""
ARM_HANG = np.radians(82.0)
"""Angle from the T-pose down to arms that clear the hips [rad]."""


@dataclass(frozen=True)
class Plan:
    """What a motion prescribes, over T samples; sides are ordered left, right.

    pelvis (T, 3): head of the hips bone [m]
    pelvis_yaw, pelvis_pitch, pelvis_roll (T): yaw to the left, pitch forward, roll the left side up
    trunk_pitch, trunk_yaw (T): of the chest in the world
    shoulder, elbow (T, 2): arm flexion
    ankle (T, 2, 3): ankle joints [m]
    foot_pitch (T, 2): toes up positive; toe_bend (T, 2): toes up against the foot
    """

    time: FloatArray
    pelvis: FloatArray
    ankle: FloatArray
    foot_pitch: FloatArray
    toe_bend: FloatArray
    shoulder: FloatArray
    elbow: FloatArray
    pelvis_yaw: FloatArray
    pelvis_pitch: FloatArray
    pelvis_roll: FloatArray
    trunk_pitch: FloatArray
    trunk_yaw: FloatArray


def standing_plan(body: Body, time: FloatArray, stance_half_width: float) -> Plan:
    """Return a plan with both feet flat, everything else upright; motions replace what they move."""
    count = len(time)
    ankle = np.zeros((count, 2, 3))
    ankle[:, :, 1] = stance_half_width * np.array([1.0, -1.0])
    ankle[:, :, 2] = body.rest_head("foot.L")[2]
    none, pair = np.zeros(count), np.zeros((count, 2))
    pelvis = np.tile(body.rest_head("hips") - [0.0, 0.0, 0.01 * body.scale], (count, 1))
    elbow = np.full((count, 2), np.radians(15.0))
    return Plan(time, pelvis, ankle, pair, pair, pair, elbow, none, none, none, none, none)


def turn(axis: FloatArray, angle: FloatArray) -> FloatArray:
    """Return rotations about an axis."""
    return rotations.from_vector(np.multiply.outer(angle, axis))


def pelvis_turn(plan: Plan) -> FloatArray:
    """Return the rotation of the pelvis away from rest (T, 4)."""
    yaw_pitch = rotations.multiply(turn(Z_UP, plan.pelvis_yaw), turn(Y_LEFT, plan.pelvis_pitch))
    return rotations.multiply(yaw_pitch, turn(X_FORWARD, plan.pelvis_roll))


def turns_of(plan: Plan, body: Body) -> dict[str, FloatArray]:
    """Return the world rotation of every bone away from rest, (T, 4) each."""
    turns = {"hips": pelvis_turn(plan)}
    for name, share in (("spine", 0.5), ("chest", 1.0), ("neck", 0.75), ("head", 0.45)):
        yaw = plan.pelvis_yaw + share * (plan.trunk_yaw - plan.pelvis_yaw)
        pitch = plan.trunk_pitch if name == "chest" else plan.trunk_pitch * share
        if name == "spine":
            pitch = 0.5 * (plan.pelvis_pitch + plan.trunk_pitch)
        turns[name] = rotations.multiply(turn(Z_UP, yaw), turn(Y_LEFT, pitch))
    for i, side in enumerate(SIDES):
        turns.update(_arm_turns(plan, turns["chest"], i, side))
        turns.update(_leg_turns(plan, body, turns["hips"], i, side))
    return turns


def _arm_turns(plan: Plan, chest: FloatArray, i: int, side: str) -> dict[str, FloatArray]:
    sign = 1.0 if side == "L" else -1.0
    hang = turn(X_FORWARD, np.array(-sign * ARM_HANG))
    upper = rotations.multiply(chest, rotations.multiply(turn(Y_LEFT, -plan.shoulder[:, i]), hang))
    forearm = rotations.multiply(upper, turn(Z_UP, -sign * plan.elbow[:, i]))
    hand = rotations.multiply(forearm, turn(Z_UP, np.array(-sign * np.radians(8.0))))
    return {
        f"shoulder.{side}": chest,
        f"upper_arm.{side}": upper,
        f"forearm.{side}": forearm,
        f"hand.{side}": hand,
    }


def _leg_turns(plan: Plan, body: Body, hips: FloatArray, i: int, side: str) -> dict[str, FloatArray]:
    hip = hip_joint(plan, body, hips, side)
    reach = plan.ankle[:, i] - hip
    distance = np.linalg.norm(reach, axis=-1)
    if np.any(distance >= body.leg_length):
        worst = int(np.argmax(distance))
        raise InputError(
            f"The {side} leg cannot reach its foot at {plan.time[worst]:.2f} s: {distance[worst]:.3f} m "
            f"for a leg of {body.leg_length:.3f} m; lower the pelvis."
        )
    down = reach / distance[:, None]
    hinge = rotations.rotate(turn(Z_UP, 0.5 * plan.pelvis_yaw), Y_LEFT)
    hinge = hinge - np.sum(hinge * down, axis=-1, keepdims=True) * down
    hinge /= np.linalg.norm(hinge, axis=-1, keepdims=True)
    forward = np.cross(down, hinge)
    along = (body.thigh_length**2 - body.shin_length**2 + distance**2) / (2.0 * distance)
    aside = np.sqrt(body.thigh_length**2 - along**2)
    knee = along[:, None] * down + aside[:, None] * forward
    foot = turn(Y_LEFT, -plan.foot_pitch[:, i])
    return {
        f"thigh.{side}": _aligning(body, f"thigh.{side}", f"shin.{side}", knee, hinge),
        f"shin.{side}": _aligning(body, f"shin.{side}", f"foot.{side}", reach - knee, hinge),
        f"foot.{side}": foot,
        f"toe.{side}": rotations.multiply(foot, turn(Y_LEFT, -plan.toe_bend[:, i])),
    }


def hip_joint(plan: Plan, body: Body, hips: FloatArray, side: str) -> FloatArray:
    """Return the position of a hip joint (T, 3) [m]."""
    offset = body.rest_head(f"thigh.{side}") - body.rest_head("hips")
    return plan.pelvis + rotations.rotate(hips, offset)


def _aligning(body: Body, bone: str, child: str, along: FloatArray, hinge: FloatArray) -> FloatArray:
    """Return the rotation from rest that points a bone along a vector with its hinge on `hinge`."""
    rest = body.rest_head(child) - body.rest_head(bone)
    return rotations.from_matrix(_frame(along, hinge) @ _frame(rest, Y_LEFT).T)


def _frame(along: FloatArray, hinge: FloatArray) -> FloatArray:
    u = along / np.linalg.norm(along, axis=-1, keepdims=True)
    return np.stack([u, np.broadcast_to(hinge, u.shape), np.cross(u, hinge)], axis=-1)


def heads_of(plan: Plan, body: Body, turns: dict[str, FloatArray]) -> FloatArray:
    """Return bone heads (T, N, 3) [m]."""
    skeleton = body.skeleton
    rest = skeleton.rest_position_world
    heads = np.empty((len(plan.time), len(skeleton.names), 3))
    heads[:, 0] = plan.pelvis
    for i in range(1, len(skeleton.names)):
        parent = int(skeleton.parents[i])
        parent_turn = turns[skeleton.names[parent]]
        heads[:, i] = heads[:, parent] + rotations.rotate(parent_turn, rest[i] - rest[parent])
    return heads


def pose(plan: Plan, body: Body) -> Motion:
    """Return the motion of a plan."""
    turns = turns_of(plan, body)
    stacked = np.stack([turns[name] for name in body.skeleton.names], axis=1)
    quaternions = rotations.multiply(stacked, body.skeleton.rest_quaternion_world)
    return Motion(body.skeleton, plan.time, heads_of(plan, body, turns), quaternions)


def mass_points(motion: Motion, body: Body) -> tuple[FloatArray, FloatArray]:
    """Return point masses of the body: positions (T, P, 3) [m] and shares of the mass (P)."""
    names, rest_points, shares = body.mass_points
    bones = np.array([body.skeleton.index[name] for name in names])
    return attached_points(motion, body, bones, rest_points), shares


def attached_points(motion: Motion, body: Body, bones: FloatArray, rest_points: FloatArray) -> FloatArray:
    """Return points (T, P, 3) [m] that move with bones, given their positions at rest (P, 3)."""
    skeleton = body.skeleton
    turned = rotations.multiply(
        motion.quaternion_world[:, bones], rotations.conjugate(skeleton.rest_quaternion_world[bones])
    )
    offsets = rest_points - skeleton.rest_position_world[bones]
    return motion.position_world[:, bones] + rotations.rotate(turned, offsets)


def centre_of_mass(motion: Motion, body: Body) -> FloatArray:
    """Return the centre of mass (T, 3) [m]."""
    points, shares = mass_points(motion, body)
    return np.asarray(np.einsum("tpi,p->ti", points, shares))


def nearer_com(plan: Plan, body: Body, com: FloatArray, axes: tuple[int, ...]) -> Plan:
    """Move the pelvis one step so that the centre of mass approaches `com` (T, 3) on some axes."""
    pelvis = plan.pelvis.copy()
    columns = list(axes)
    pelvis[:, columns] += (com - centre_of_mass(pose(plan, body), body))[:, columns]
    return replace(plan, pelvis=pelvis)


def knee_reach(body: Body, knee_flexion: FloatArray) -> FloatArray:
    """Return the distance from hip to ankle [m] at a knee flexion."""
    a, b = body.thigh_length, body.shin_length
    return np.asarray(np.sqrt(a * a + b * b + 2.0 * a * b * np.cos(knee_flexion)))
