"""Control markers: bones of a moving rig are pulled to places, and the rest gives way as little as it must.

The rig's body is first posed like the rig in every frame. Then Levenberg-Marquardt looks for poses near
those that bring the pulled points to their places, with the feet and the hips held softly where they were.
The rig is turned by what the body was turned by, so a frame in which nothing pulls stays as it is.
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
from .engine_solver import EngineSolver
from .fit_body import EngineBody
from .fit_rig import RigBody, body_from_rig
from .frame_by_frame import track
from .points import Attachments, measure_points, places
from .pose_terms import LIMIT_SIGMA, add_limits

HALF_SIGMA = 0.05
"""A weight of 0.5 pulls as if the place were known to this [m]; weights w scale with the odds w / (1 - w)."""
SURE = 0.999
"""Weights count up to this: a full weight then leaves a millimetre or two."""
HELD_SIGMA = {"foot": 0.005, "toe": 0.005, "hips": 0.05}
"""How firmly parts stay where they were [m]."""
JOINT_SIGMA = 0.5
"""How freely joints leave the motion [rad]."""
TRUNK_SIGMA = 0.2
"""The same for hips, spine and neck: a hand is reached by the arm first [rad, and m for the hips]."""
TRUNK = ("hips", "spine", "neck")
ARM = 0.1
"""Length of the axes by which the body is laid on the rig [m]."""
MARGIN = 0.2
"""The search starts with hinges this far from their limits [rad]: a straight leg cannot tell which way
its knee bends."""
FAR = 10.0
"""While the body is laid on the rig no point is an outlier [m]."""
ITERATIONS = 40
FIRST_DAMPING, DAMPING_FACTOR = 1e-3, 4.0
TOLERANCE = 1e-6
"""Smaller changes end the search [rad, m]."""
CHUNK = 256
"""Frames whose Jacobians are held in memory at once."""


@dataclass(frozen=True, eq=False)
class Control:
    """A bone whose head is pulled.

    target_world (T, 3) [m]
    weight (T): from 0, which does not pull, to 1, which reaches the place if the body can
    axes (3): along which of the world's axes it pulls
    dead_zone (T), or one for all: nearer than this is near enough [m]
    """

    bone: str
    target_world: FloatArray
    weight: FloatArray
    axes: BoolArray = field(default_factory=lambda: np.ones(3, dtype=bool))
    dead_zone: FloatArray | float = 0.0


def pull_bones(
    motion: Motion,
    mapping: BoneMapping,
    controls: Sequence[Control],
    report: ProgressCallback = ignore_progress,
) -> Motion:
    """The motion with its bones pulled by control markers."""
    _refuse_unfit(motion, controls)
    rig = body_from_rig(motion.skeleton, mapping)
    report(Progress("Laying a body on the rig", 0.0))
    solver = EngineSolver(rig.body, _axes_of(rig))
    laid = _laid_on(solver, rig, motion)
    report(Progress("Pulling", 0.5))
    holding = _holding(solver.engine, rig, motion.skeleton, controls, laid)
    # Both with limits, so that a rig beyond a limit is not moved where nothing pulls.
    still = holding.solve(laid)
    pulling = _pulling(holding, motion, controls, still)
    moved = np.where(
        pulling.wants(still, len(controls))[:, None], pulling.solve(_unlocked(solver.engine, still)), still
    )
    return _turned(motion, rig, solver.engine, still, moved)


def _refuse_unfit(motion: Motion, controls: Sequence[Control]) -> None:
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
            raise InputError(f"The control of '{control.bone}' has a place or weight that is no number.")
        if np.any(control.weight < 0.0) or not np.all(np.asarray(control.dead_zone) >= 0.0):
            raise InputError(f"The control of '{control.bone}' has a weight or dead zone below zero.")


def _axes_of(rig: RigBody) -> Attachments:
    """The origin and two axes of every link, as points."""
    links = len(rig.body.links)
    offset = ARM * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return Attachments(np.repeat(np.arange(links), 3), np.tile(offset, (links, 1)))


def _link_quaternions(rig: RigBody, motion: Motion) -> FloatArray:
    """How the rig's motion turns the links (T, L, 4)."""
    rest = motion.skeleton.rest_quaternion_world[rig.bone]
    offset = rotations.relative(rest, rig.rest_quaternion_world)
    return rotations.multiply(motion.quaternion_world[:, rig.bone], offset)


def _laid_on(solver: EngineSolver, rig: RigBody, motion: Motion) -> FloatArray:
    """Poses (T, nq) of the body like those of the rig."""
    turn, links = _link_quaternions(rig, motion), solver.points.link
    arm = rotations.rotate(turn[:, links], solver.points.offset)
    target = motion.position_world[:, rig.bone][:, links] + arm
    start = solver.engine.neutral
    start[:3], start[3:7] = motion.position_world[0, rig.bone[0]], turn[0, 0]
    return track(solver, target, start, 0, FAR)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Poses near `prior` (T, nq) whose points come to targets (T, P, 3).

    information (T, P, 3): of targets [1/m^2]; reach (T, P): dead zones [m]
    firmness (nv): of joints towards the prior [1/rad^2]
    """

    engine: EngineBody
    points: Attachments
    prior: FloatArray
    firmness: FloatArray
    target: FloatArray
    information: FloatArray
    reach: FloatArray

    def wants(self, qpos: FloatArray, count: int) -> BoolArray:
        """Frames (T) in which one of the first points is not where it should be in poses (T, nq)."""
        apart = (self.target - places(self.engine, self.points, qpos)) * (self.information > 0.0)
        return np.asarray((np.linalg.norm(apart, axis=2) > self.reach)[:, :count].any(axis=1))

    def solve(self, qpos: FloatArray) -> FloatArray:
        """Poses (T, nq), starting from others."""
        parts = [slice(start, start + CHUNK) for start in range(0, len(qpos), CHUNK)]
        return np.concatenate([self._solve_part(qpos[part].copy(), part) for part in parts])

    def _solve_part(self, qpos: FloatArray, part: slice) -> FloatArray:
        """Levenberg-Marquardt: each frame takes the steps that lower its own cost."""
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
        """Matrices (t, nv, nv), negative slopes (t, nv) and costs (t) of some frames."""
        count, nv = len(qpos), self.engine.model.nv
        matrix, slope = np.zeros((count, nv, nv)), np.zeros((count, nv))
        add_limits(self.engine, qpos, matrix, slope)
        # A limit's slope is how far a joint is beyond it over the square of its sigma.
        cost = LIMIT_SIGMA**2 * (slope * slope).sum(axis=1)
        away = self.engine.differences(self.prior[part], qpos)
        matrix[:, np.arange(nv), np.arange(nv)] += self.firmness
        slope -= self.firmness * away
        cost += (self.firmness * away * away).sum(axis=1)
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
    controls: Sequence[Control],
    laid: FloatArray,
) -> _Problem:
    """Feet and hips stay where they are in poses (T, nq); points of control markers come first, free."""
    links, offsets = _places_on_links(rig, skeleton, [control.bone for control in controls])
    parents = rig.body.parents
    held = [
        (i, HELD_SIGMA[part])
        for i, slot in enumerate(rig.slot)
        # A part is let go when it or what it carries is pulled; toes go with their foot.
        if (part := slot.split(".")[0]) in HELD_SIGMA
        and not any(i in (link, parents[link]) or (part == "toe" and parents[i] == link) for link in links)
    ]
    points = Attachments(
        np.array([*links, *(i for i, _ in held)]), np.concatenate([offsets, np.zeros((len(held), 3))])
    )
    target = places(engine, points, laid)
    information = np.zeros_like(target)
    information[:, len(links) :] = np.array([sigma for _, sigma in held]).reshape(1, -1, 1) ** -2.0
    free = np.zeros(target.shape[:2])
    return _Problem(engine, points, laid, _firmness(engine, rig), target, information, reach=free)


def _pulling(holding: _Problem, motion: Motion, controls: Sequence[Control], still: FloatArray) -> _Problem:
    """The same with points pulled from where they are in poses (T, nq).

    By how much the rig's own bones must move: the body need not lie on them exactly.
    """
    count = len(controls)
    bones = [motion.skeleton.index[control.bone] for control in controls]
    wanted = np.stack([control.target_world for control in controls], axis=1)
    target, information, reach = (
        np.array(values) for values in (holding.target, holding.information, holding.reach)
    )
    start = places(holding.engine, holding.points, still)[:, :count]
    target[:, :count] = start + wanted - motion.position_world[:, bones]
    information[:, :count] = np.stack([_odds(control) for control in controls], axis=1) / HALF_SIGMA**2
    reach[:, :count] = np.stack([np.broadcast_to(c.dead_zone, len(reach)) for c in controls], axis=1)
    return replace(holding, target=target, information=information, reach=reach)


def _unlocked(engine: EngineBody, qpos: FloatArray) -> FloatArray:
    """Poses (T, nq) whose hinges are away from their limits."""
    model, result = engine.model, np.array(qpos)
    for joint in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE):
        low, high = model.jnt_range[joint]
        column = model.jnt_qposadr[joint]
        result[:, column] = np.clip(result[:, column], low + MARGIN, high - MARGIN)
    return result


def _odds(control: Control) -> FloatArray:
    """(T, 3); 0 along axes that it does not pull."""
    weight = np.minimum(control.weight, SURE)
    return (weight / (1.0 - weight))[:, None] * np.array(control.axes, dtype=np.float64)


def _firmness(engine: EngineBody, rig: RigBody) -> FloatArray:
    sigma = [TRUNK_SIGMA if slot in TRUNK else JOINT_SIGMA for slot in rig.slot]
    link_of = {int(body): i for i, body in enumerate(engine.body)}
    return np.array([sigma[link_of[int(body)]] ** -2.0 for body in engine.model.dof_bodyid])


def _places_on_links(rig: RigBody, skeleton: Skeleton, bones: list[str]) -> tuple[list[int], FloatArray]:
    """The link that carries the head of each bone, and the head's place on it (P, 3) [m]."""
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
    """The motion, each bone turned by what its link was turned by between two poses (T, nq)."""
    place_before, turn_before = engine.poses(still)
    place_after, turn_after = engine.poses(moved)
    turn_of_link = rotations.multiply(turn_after, rotations.conjugate(turn_before))
    skeleton, link_of = motion.skeleton, {int(bone): i for i, bone in enumerate(rig.bone)}
    position, quaternion = np.array(motion.position_world), np.array(motion.quaternion_world)
    turn: dict[int, FloatArray] = {}
    shift = place_after - place_before
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
