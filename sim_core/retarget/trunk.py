"""Trunks that bend towards what straight arms do not reach.

A table that a child leans on is low for a giant: the arms are straight, the feet stand where they can, and
the hands are still above it. Then the spine bends, as little as is needed, towards the place and away again
over the same time as hands move. Arms, hands, neck and head keep their directions in the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, FloatArray, IntArray
from .displacements import Pulls
from .hands import Hands
from .palm import NEARLY, TOUCHING, Palm
from .placement import MISSED
from .relations import Actor
from .retarget_rig import RetargetRig
from .style import BoneRotations

ANGLES = np.radians(np.arange(0.0, 82.0, 2.0))
"""Bends that are tried, the smallest first [rad]."""
CLOSER, WORTH = 0.005, 0.5
"""A further bend that brings a hand nearer by less is not made [m], nor any that leaves more than this share
of what is missing: nobody bows before something above the head."""


@dataclass(frozen=True, eq=False)
class _Goal:
    """A palm whose wrist should be at positions (N, 3) in frames (N), and is not [m]."""

    palm: Palm
    rows: IntArray
    wrist: FloatArray


def bent_trunks(hands: Hands, moved: FloatArray) -> list[BoneRotations]:
    """Return rotations of bent spines, for each actor, where palms displaced by (T, K) miss their places.

    An actor that misses nothing has none.
    """
    goals = list(_goals(hands, moved))
    return [_bent(actor, [own for own in goals if own.palm.actor is actor]) for actor in hands.actors]


def missing(hands: Hands, moved: FloatArray) -> float:
    """Return how far palms displaced by (T, K) are from their places, summed over all frames [m]."""
    return float(sum(np.linalg.norm(miss.away, axis=1).sum() for miss in hands.misses(moved)))


def _goals(hands: Hands, moved: FloatArray) -> list[_Goal]:
    found = []
    for miss in hands.misses(moved):
        far = np.linalg.norm(miss.away, axis=1) > MISSED
        both = [(miss.palm, miss.away)]
        if miss.other is not None:
            both = [(miss.palm, 0.5 * miss.away), (miss.other, -0.5 * miss.away)]
        for palm, away in both:
            here = (palm.reached(moved) + palm.to_wrist)[miss.rows] + away
            reach = np.linalg.norm(here - palm.shoulder[miss.rows], axis=1)
            missed = far & (reach > palm.reach[miss.rows])
            if missed.any():
                found.append(_Goal(palm, miss.rows[missed], here[missed]))
    return found


def _bent(actor: Actor, goals: Sequence[_Goal]) -> BoneRotations:
    spine = _spine(actor.target)
    if not goals or not spine:
        return {}
    axis, angle = _axes(actor, spine, goals), np.zeros(len(actor.style.time))
    for goal in goals:
        angle[goal.rows] = np.maximum(angle[goal.rows], _needed_angle(goal, axis[goal.rows]))
    pulls = Pulls(np.zeros((len(angle), 3)), actor.style.rate_hz)
    pulls.add_point(0, angle[:, None] * axis, TOUCHING * (angle > 0.0))
    bends = pulls.step()
    turned = {
        bone: rotations.multiply(
            rotations.from_vector((number + 1) / len(spine) * bends), actor.style.quaternion_world[:, bone]
        )
        for number, bone in enumerate(spine)
    }
    whole = rotations.from_vector(bends)
    for bone in _shoulders(actor.target):
        turned[bone] = rotations.multiply(whole, actor.style.quaternion_world[:, bone])
    return turned


def _spine(rig: RetargetRig) -> list[int]:
    return [rig.bone("spine", which) for which in range(len(rig.mapping.bones.get("spine", ())))]


def _shoulders(rig: RetargetRig) -> list[int]:
    """Return the bones between chest and arms, which turn with the chest."""
    return [rig.bone(slot) for slot in ("clavicle.L", "clavicle.R") if slot in rig.mapping]


def _axes(actor: Actor, spine: Sequence[int], goals: Sequence[_Goal]) -> FloatArray:
    """Return the level axes (T, 3) about which the trunk bends towards the middle of all goals."""
    towards = np.zeros((len(actor.style.time), 3))
    for goal in goals:
        towards[goal.rows] += goal.wrist - actor.style.position_world[goal.rows, spine[0]]
    across = np.cross(Z_UP, towards)
    return np.asarray(across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9))


def bent_shoulders(palm: Palm, rows: IntArray, axis: FloatArray) -> FloatArray:
    """Return where a palm's shoulder is in some frames (N) with all bends about axes (N, 3) (A, N, 3) [m]."""
    actor = palm.actor
    spine = _spine(actor.target)
    joints = actor.style.position_world[rows][:, spine]
    joints = np.concatenate([joints, palm.shoulder[rows][:, None]], axis=1)
    lengths = np.diff(joints, axis=1)
    found = np.tile(joints[:, 0], (len(ANGLES), 1, 1))
    for shoulder, angle in zip(found, ANGLES, strict=True):
        for part in range(len(spine)):
            turn = rotations.from_vector((part + 1) / len(spine) * angle * axis)
            shoulder += rotations.rotate(turn, lengths[:, part])
    return found


def _needed_angle(goal: _Goal, axis: FloatArray) -> FloatArray:
    """Return the smallest turns (N) of the chest about axes (N, 3) with which an arm reaches [rad]."""
    apart = np.linalg.norm(goal.wrist - bent_shoulders(goal.palm, goal.rows, axis), axis=2)
    short = np.maximum(apart - NEARLY * goal.palm.reach[goal.rows], 0.0)
    # The first bend that is as good as the best one, if that is worth a bow.
    enough = (short < short.min(axis=0) + CLOSER).argmax(axis=0)
    return np.asarray(np.where(short.min(axis=0) < WORTH * short[0], ANGLES[enough], 0.0))
