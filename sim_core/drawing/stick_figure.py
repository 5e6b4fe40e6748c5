"""A figure of capsules, made from the joints of a result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray
from ..motion.skeleton import NO_PARENT
from ..result.result import Result

WIDTH_M = {
    "pelvis": 0.17,
    "abdomen": 0.18,
    "chest": 0.2,
    "head": 0.17,
    "clavicle": 0.1,
    "upper_arm": 0.085,
    "forearm": 0.07,
    "hand": 0.06,
    "thigh": 0.13,
    "shin": 0.095,
    "foot": 0.075,
    "toe": 0.06,
}
"""Widths of parts of a body of REFERENCE_HEIGHT_M."""
OTHER_WIDTH_M = 0.08


@dataclass(frozen=True, eq=False)
class StickFigure:
    """Capsules that move.

    ends: of each capsule (T, S, 2, 3) [m]; width: (S) [m]; dark: (S), those of the right side
    """

    ends: FloatArray
    width: FloatArray
    dark: BoolArray


def figures_of(result: Result, size: float) -> tuple[StickFigure, StickFigure]:
    """Return the figures of source and result; size: height relative to REFERENCE_HEIGHT_M."""
    # A part ends twice as far from its joint as its centre of mass.
    reach = 2.0 * (result.body_com - result.joint_position)
    source_turn = result.source_joint_quaternion_world
    turn = rotations.multiply(source_turn, rotations.conjugate(result.joint_quaternion_world))
    source_reach = rotations.rotate(turn, reach)
    return (
        _figure(result, result.source_joint_position, source_reach, size),
        _figure(result, result.joint_position, reach, size),
    )


def _figure(result: Result, joints: FloatArray, reach: FloatArray, size: float) -> StickFigure:
    """Return a figure with a stick from each joint to its parent, and one for each part without children.

    joints (T, J, 3), reach (T, J, 3): from the joints to the ends of their parts [m]
    """
    parent = result.joint_parent
    children = np.flatnonzero(parent != NO_PARENT)
    tips = np.setdiff1d(np.arange(len(parent)), parent)
    inner = np.stack([joints[:, parent[children]], joints[:, children]], axis=2)
    outer = np.stack([joints[:, tips], joints[:, tips] + reach[:, tips]], axis=2)
    names = [str(name).partition(".") for name in result.body_name]
    width = np.array([size * WIDTH_M.get(part, OTHER_WIDTH_M) for part, _, _ in names])
    right = np.array([side == "R" for _, _, side in names])
    return StickFigure(
        np.concatenate([inner, outer], axis=1),
        np.concatenate([width[parent[children]], width[tips]]),
        np.concatenate([right[children], right[tips]]),
    )
