"""Control markers: bones of a motion pulled to places, while all else keeps to the motion.

The markers are those of pose fitting (physics-engine movement analysis dissertation, ch. 6.1): a point of a
bone follows a target with a weight, along all axes or some, and needs to come no nearer than a dead zone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .. import rotations
from ..conventions import BoolArray, FloatArray
from ..errors import InputError
from ..motion import Motion
from ..recognition.mapping import SIDES, BoneMapping
from .engine import EngineSolver, Pull
from .points import Attachments, places
from .rig import RigBody, body_from_rig

STEPS = 12
HOLD_WEIGHT = 2.0
"""Of bones that stay where the motion has them, against a control's weight of 1."""
ALL_AXES = np.ones(3, dtype=bool)


@dataclass(frozen=True, eq=False)
class Control:
    """A bone that is pulled.

    bone: its name; target_world (T, 3): where its head should be [m]; NaN where it is left alone
    weight (T): from 0, not at all; 1 is firm; axes (3): world axes along which it is pulled
    dead_zone: nearer than this is near enough [m]
    """

    bone: str
    target_world: FloatArray
    weight: FloatArray
    axes: BoolArray = field(default_factory=lambda: ALL_AXES.copy())
    dead_zone: float = 0.0


def pull_bones(
    motion: Motion, mapping: BoneMapping, controls: Sequence[Control], hold: Sequence[str] | None = None
) -> Motion:
    """The motion with bones pulled to their targets.

    hold: bones that stay where they are; None holds the feet that are not pulled
    """
    rig = body_from_rig(motion.skeleton, mapping, human_joints=False)
    held = _held(mapping, controls) if hold is None else list(hold)
    names = [control.bone for control in controls] + held
    attachments = Attachments(np.array([_link(rig, name) for name in names]), np.zeros((len(names), 3)))
    solver = EngineSolver(rig.body, attachments)
    source = rig.poses_of(motion)
    target = places(solver.engine, attachments, source)
    weight = np.full((len(source), len(names)), HOLD_WEIGHT)
    for i, control in enumerate(controls):
        _check(control, len(source))
        target[:, i], weight[:, i] = control.target_world, control.weight
    target[weight <= 0.0] = np.nan
    axes = np.array([control.axes for control in controls] + [ALL_AXES] * len(held))
    zone = np.array([control.dead_zone for control in controls] + [0.0] * len(held))
    poses = source.copy()
    for t, pose in enumerate(source):
        solver.set_prior(pose)
        pull = Pull(target[t], weight[t], axes=axes, dead_zone=zone)
        poses[t] = solver.solve(pose, pull, STEPS)
    return _carried(rig, solver, motion, source, poses)


def _held(mapping: BoneMapping, controls: Sequence[Control]) -> list[str]:
    pulled = {control.bone for control in controls}
    feet = [mapping.first(f"foot.{side}") for side in SIDES if f"foot.{side}" in mapping]
    return [foot for foot in feet if foot not in pulled]


def _link(rig: RigBody, bone: str) -> int:
    names = rig.body.names
    if bone not in names:
        raise InputError(
            f"'{bone}' is not in the table of bones and cannot be pulled; choose one of {', '.join(names)}."
        )
    return names.index(bone)


def _check(control: Control, samples: int) -> None:
    if np.shape(control.target_world) != (samples, 3) or np.shape(control.weight) != (samples,):
        raise InputError(
            f"The control of '{control.bone}' needs one target and weight for each of {samples} frames."
        )
    if not np.all(np.asarray(control.weight) >= 0.0) or not control.dead_zone >= 0.0:
        raise InputError(f"The control of '{control.bone}' has a weight or dead zone below zero.")


def _carried(
    rig: RigBody, solver: EngineSolver, motion: Motion, source: FloatArray, poses: FloatArray
) -> Motion:
    """The motion with every bone riding on the link it belongs to, so that fingers keep what they do."""
    position, quaternion = solver.engine.poses(source)
    new_position, new_quaternion = solver.engine.poses(poses)
    bones, links = rig.riders
    turn = rotations.multiply(new_quaternion, rotations.conjugate(quaternion))[:, links]
    away = motion.position_world[:, bones] - position[:, links]
    placed, turned = motion.position_world.copy(), motion.quaternion_world.copy()
    placed[:, bones] = new_position[:, links] + rotations.rotate(turn, away)
    turned[:, bones] = rotations.multiply(turn, motion.quaternion_world[:, bones])
    return Motion(motion.skeleton, motion.time, placed, turned)
