"""Control markers: bones of a moving rig are pulled to targets, with the smallest change of everything else.

The rig's body is first posed like the rig in every frame. Then Levenberg-Marquardt finds poses near those
that bring the pulled points to their targets, with the feet and the hips held softly where they were. Each
bone of the rig is turned as its link was turned, so a frame without any pull stays unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray
from ..base.errors import InputError
from ..base.progress import Progress, ProgressCallback, ignore_progress
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, Skeleton
from ..recognition.mapping import BoneMapping
from .engine_solver import EngineSolver, track
from .fit_body import EngineBody
from .fit_rig import RigBody, body_from_rig
from .points import Attachments, measure_points, point_positions
from .pose_terms import LIMIT_SIGMA, add_limits

HALF_SIGMA = 0.05
"""A weight of 0.5 pulls like a target with this standard deviation [m]; weights w scale with the odds w / (1
- w)."""
SURE = 0.999
"""Upper limit of weights: with a full weight an error of a millimetre or two is left."""
HELD_SIGMA = {"foot": 0.005, "toe": 0.005, "hips": 0.05}
"""Standard deviations with which parts stay where they were [m]."""
JOINT_SIGMA = 0.5
"""Standard deviation of joints from the motion [rad]."""
TRUNK_SIGMA = 0.2
"""The same for hips, spine and neck, so that a hand is moved by the arm first [rad, and m for the hips]."""
TRUNK = ("hips", "spine", "neck")
ARM = 0.1
"""Length of the axes that align the body with the rig [m]."""
MARGIN = 0.2
"""The search starts with hinges this far from their limits [rad]; a straight leg has no direction of
bending."""
FAR = 10.0
"""Distance from which points are outliers while the body is aligned with the rig, so large that none is
[m]."""
ITERATIONS = 40
FIRST_DAMPING, DAMPING_FACTOR = 1e-3, 4.0
TOLERANCE = 1e-6
"""Smaller changes end the search [rad, m]."""
CHUNK = 256
"""Number of frames whose Jacobians are in memory at once."""


@dataclass(frozen=True, eq=False)
class ControlMarker:
    """A bone whose head is pulled.

    target_world (T, 3) [m]
    weight (T): from 0, no pull, to 1, which reaches the target if the body can
    axes (3): along which of the world's axes it pulls
    dead_zone (T), or one for all: no pull within this distance [m]
    """

    bone: str
    target_world: FloatArray
    weight: FloatArray
    axes: BoolArray = field(default_factory=lambda: np.ones(3, dtype=bool))
    dead_zone: FloatArray | float = 0.0


def pull_bones(
    motion: Motion,
    mapping: BoneMapping,
    controls: Sequence[ControlMarker],
    report: ProgressCallback = ignore_progress,
) -> Motion:
    """Return the motion with its bones pulled by control markers."""
    _refuse_unfit(motion, controls)
    rig = body_from_rig(motion.skeleton, mapping)
    report(Progress("Laying a body on the rig", 0.0))
    solver = EngineSolver(rig.body, _axes_of(rig))
    aligned = _aligned(solver, rig, motion)
    report(Progress("Pulling", 0.5))
    holding = _holding(solver.engine, rig, motion.skeleton, controls, aligned)
    # Both with limits, so that a rig beyond a limit is not moved where nothing pulls.
    still = holding.solve(aligned)
    pulling = _pulling(holding, motion, controls, still)
    moved = np.where(
        pulling.is_pulled(still, len(controls))[:, None],
        pulling.solve(_unlocked(solver.engine, still)),
        still,
    )
    return _turned(motion, rig, solver.engine, still, moved)


def _refuse_unfit(motion: Motion, controls: Sequence[ControlMarker]) -> None:
    if not controls:
        raise InputError("No control marker pulls this armature; add one to a bone.")
    count = len(motion.time)
    for control in controls:
        if control.bone not in motion.skeleton.index:
            raise InputError(f"There is no bone '{control.bone}' for a control marker to pull.")
        if np.shape(control.target_world) != (count, 3) or np.shape(control.weight) != (count,):
            raise InputError(
                f"The control of '{control.bone}' needs one target and weight for each of {count} frames."
            )
        numbers = np.column_stack([control.target_world, control.weight])
        if not np.isfinite(numbers).all():
            raise InputError(
                f"The control of '{control.bone}' has a position or weight that is not a number."
            )
        if np.any(control.weight < 0.0) or not np.all(np.asarray(control.dead_zone) >= 0.0):
            raise InputError(f"The control of '{control.bone}' has a weight or dead zone below zero.")


def _axes_of(rig: RigBody) -> Attachments:
    """Return the origin and two axes of every link, as points."""
    links = len(rig.body.links)
    offset = ARM * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return Attachments(np.repeat(np.arange(links), 3), np.tile(offset, (links, 1)))


def _link_quaternions(rig: RigBody, motion: Motion) -> FloatArray:
    """Return the rotations of the links in the rig's motion (T, L, 4)."""
    rest = motion.skeleton.rest_quaternion_world[rig.bone]
    offset = rotations.relative(rest, rig.rest_quaternion_world)
    return rotations.multiply(motion.quaternion_world[:, rig.bone], offset)


def _aligned(solver: EngineSolver, rig: RigBody, motion: Motion) -> FloatArray:
    """Return poses (T, nq) of the body like those of the rig."""
    turn, links = _link_quaternions(rig, motion), solver.points.link
    arm = rotations.rotate(turn[:, links], solver.points.offset)
    target = motion.position_world[:, rig.bone][:, links] + arm
    start = solver.engine.neutral
    start[:3], start[3:7] = motion.position_world[0, rig.bone[0]], turn[0, 0]
    return track(solver, target, start, 0, FAR)


@dataclass(frozen=True, eq=False)
class _PullProblem:
    """Poses near `prior` (T, nq) whose points come to targets (T, P, 3).

    information (T, P, 3): of targets [1/m^2]; reach (T, P): dead zones [m]
    stiffness (nv): of joints towards the prior [1/rad^2]
    """

    engine: EngineBody
    points: Attachments
    prior: FloatArray
    stiffness: FloatArray
    target: FloatArray
    information: FloatArray
    reach: FloatArray

    def is_pulled(self, qpos: FloatArray, count: int) -> BoolArray:
        """Return the frames (T) in which one of the first points is not at its target in poses (T, nq)."""
        apart = (self.target - point_positions(self.engine, self.points, qpos)) * (self.information > 0.0)
        return np.asarray((np.linalg.norm(apart, axis=2) > self.reach)[:, :count].any(axis=1))

    def solve(self, qpos: FloatArray) -> FloatArray:
        """Return the poses (T, nq), starting from others."""
        parts = [slice(start, start + CHUNK) for start in range(0, len(qpos), CHUNK)]
        return np.concatenate([self._solve_part(qpos[part].copy(), part) for part in parts])

    def _solve_part(self, qpos: FloatArray, part: slice) -> FloatArray:
        """Run Levenberg-Marquardt: each frame takes the steps that reduce its own cost."""
        matrix, slope, cost = self._equations(qpos, part)
        damping = np.full(len(qpos), FIRST_DAMPING)
        diagonal = np.arange(self.engine.model.nv)
        for _ in range(ITERATIONS):
            damped = matrix.copy()
            damped[:, diagonal, diagonal] *= 1.0 + damping[:, None]
            change = np.linalg.solve(damped, slope[..., None])[..., 0]
            tried = self.engine.moved(qpos, change)
            new_matrix, new_slope, new_cost = self._equations(tried, part)
            better = new_cost < cost
            qpos[better], matrix[better], slope[better], cost[better] = (
                tried[better], new_matrix[better], new_slope[better], new_cost[better]
            )  # fmt: skip
            damping = np.where(better, damping / DAMPING_FACTOR, damping * DAMPING_FACTOR)
            if np.abs(change).max() < TOLERANCE:
                break
        return qpos

    def _equations(self, qpos: FloatArray, part: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return matrices (t, nv, nv), negative gradients (t, nv) and costs (t) of some frames."""
        count, nv = len(qpos), self.engine.model.nv
        matrix, slope = np.zeros((count, nv, nv)), np.zeros((count, nv))
        add_limits(self.engine, qpos, matrix, slope)
        # A limit's slope is how far a joint is beyond it over the square of its sigma.
        cost = LIMIT_SIGMA**2 * (slope * slope).sum(axis=1)
        away = self.engine.differences(self.prior[part], qpos)
        matrix[:, np.arange(nv), np.arange(nv)] += self.stiffness
        slope -= self.stiffness * away
        cost += (self.stiffness * away * away).sum(axis=1)
        frames = measure_points(self.engine, self.points, qpos)
        weight = self.information[part]
        apart = self.target[part] - frames.point
        # Only the axes along which a point is pulled count for its dead zone.
        distance = np.linalg.norm(apart * (weight > 0.0), axis=2)
        beyond = np.clip(1.0 - self.reach[part] / np.maximum(distance, 1e-9), 0.0, 1.0)[..., None]
        apart, weight = apart * beyond, weight * (beyond > 0.0)
        jacobian = frames.jacobian.reshape(count, -1, nv)
        scaled = (jacobian * weight.reshape(count, -1, 1)).swapaxes(1, 2)
        matrix += scaled @ jacobian
        slope += (scaled @ apart.reshape(count, -1, 1))[..., 0]
        cost += (weight * apart * apart).sum(axis=(1, 2))
        return matrix, slope, cost


def _holding(
    engine: EngineBody,
    rig: RigBody,
    skeleton: Skeleton,
    controls: Sequence[ControlMarker],
    aligned: FloatArray,
) -> _PullProblem:
    """Return the problem of holding feet and hips in poses (T, nq).

    control markers come first, without weight
    """
    links, offsets = _positions_on_links(rig, skeleton, [control.bone for control in controls])
    parents = rig.body.parents
    held = [
        (i, HELD_SIGMA[part])
        for i, slot in enumerate(rig.slot)
        # A part is released when it or its child is pulled; toes are released with their foot.
        if (part := slot.split(".")[0]) in HELD_SIGMA
        and not any(i in (link, parents[link]) or (part == "toe" and parents[i] == link) for link in links)
    ]
    points = Attachments(
        np.array([*links, *(i for i, _ in held)]), np.concatenate([offsets, np.zeros((len(held), 3))])
    )
    target = point_positions(engine, points, aligned)
    information = np.zeros_like(target)
    information[:, len(links) :] = np.array([sigma for _, sigma in held]).reshape(1, -1, 1) ** -2.0
    free = np.zeros(target.shape[:2])
    return _PullProblem(
        engine, points, aligned, _joint_stiffness(engine, rig), target, information, reach=free
    )


def _pulling(
    holding: _PullProblem, motion: Motion, controls: Sequence[ControlMarker], still: FloatArray
) -> _PullProblem:
    """Return the same problem with control markers pulled from their positions in poses (T, nq).

    They are moved by as much as the rig's own bones must move, as the body need not match the rig exactly.
    """
    count = len(controls)
    bones = [motion.skeleton.index[control.bone] for control in controls]
    wanted = np.stack([control.target_world for control in controls], axis=1)
    target, information, reach = (
        np.array(values) for values in (holding.target, holding.information, holding.reach)
    )
    start = point_positions(holding.engine, holding.points, still)[:, :count]
    target[:, :count] = start + wanted - motion.position_world[:, bones]
    information[:, :count] = np.stack([_odds(control) for control in controls], axis=1) / HALF_SIGMA**2
    reach[:, :count] = np.stack([np.broadcast_to(c.dead_zone, len(reach)) for c in controls], axis=1)
    return replace(holding, target=target, information=information, reach=reach)


def _unlocked(engine: EngineBody, qpos: FloatArray) -> FloatArray:
    """Return poses (T, nq) with hinges away from their limits."""
    model, result = engine.model, np.array(qpos)
    for joint in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE):
        low, high = model.jnt_range[joint]
        column = model.jnt_qposadr[joint]
        result[:, column] = np.clip(result[:, column], low + MARGIN, high - MARGIN)
    return result


def _odds(control: ControlMarker) -> FloatArray:
    """Return the odds (T, 3) of a control; 0 along axes that it does not pull."""
    weight = np.minimum(control.weight, SURE)
    return (weight / (1.0 - weight))[:, None] * np.array(control.axes, dtype=np.float64)


def _joint_stiffness(engine: EngineBody, rig: RigBody) -> FloatArray:
    sigma = [TRUNK_SIGMA if slot in TRUNK else JOINT_SIGMA for slot in rig.slot]
    link_of = {int(body): i for i, body in enumerate(engine.body)}
    return np.array([sigma[link_of[int(body)]] ** -2.0 for body in engine.model.dof_bodyid])


def _positions_on_links(rig: RigBody, skeleton: Skeleton, bones: list[str]) -> tuple[list[int], FloatArray]:
    """Return the link that carries the head of each bone, and the head's position on it (P, 3) [m]."""
    link_of = {int(bone): i for i, bone in enumerate(rig.bone)}
    links, offsets = [], []
    for name in bones:
        bone = skeleton.index[name]
        chain = [bone, *skeleton.ancestors(bone)]
        link = next((link_of[above] for above in chain if above in link_of), 0)
        apart = skeleton.rest_position_world[bone] - skeleton.rest_position_world[rig.bone[link]]
        links.append(link)
        offsets.append(rotations.rotate(rotations.conjugate(rig.rest_quaternion_world[link]), apart))
    return links, np.array(offsets)


def _turned(motion: Motion, rig: RigBody, engine: EngineBody, still: FloatArray, moved: FloatArray) -> Motion:
    """Return the motion with each bone turned as its link between two poses (T, nq)."""
    position_before, turn_before = engine.poses(still)
    position_after, turn_after = engine.poses(moved)
    turn_of_link = rotations.multiply(turn_after, rotations.conjugate(turn_before))
    skeleton, link_of = motion.skeleton, {int(bone): i for i, bone in enumerate(rig.bone)}
    position, quaternion = np.array(motion.position_world), np.array(motion.quaternion_world)
    turn: dict[int, FloatArray] = {}
    shift = position_after - position_before
    for bone in range(len(skeleton.names)):
        above = int(skeleton.parents[bone])
        if bone in link_of:
            turn[bone] = turn_of_link[:, link_of[bone]]
        elif above != NO_PARENT and above in turn:
            turn[bone] = turn[above]
        else:
            continue  # above the hips: roots and controls stay
        if above in turn:
            apart = motion.position_world[:, bone] - motion.position_world[:, above]
            position[:, bone] = position[:, above] + rotations.rotate(turn[above], apart)
        else:  # the hips, or feet on control bones
            position[:, bone] += shift[:, link_of[bone]]
        quaternion[:, bone] = rotations.multiply(turn[bone], motion.quaternion_world[:, bone])
    return Motion(skeleton, motion.time, position, quaternion)
