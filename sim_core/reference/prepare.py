"""Preparation of a reference: from a captured motion to one that is dynamically feasible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import GRAVITY, Z_UP, FloatArray
from ..dynamics.centroidal import measure_bodies, supports_of
from ..dynamics.kinematics import Kinematics, inverse_dynamics
from ..result.records import JointChange, ObstaclePassing, ReferenceChange
from ..scene.scene import Passing
from ..world.world import World
from .bending_toes import bend_toes
from .body_contacts import beside_objects, detect_body_contacts, lowest_points, source_heights
from .carrying import plan_carrying
from .contacts import POINT_SPEED, REFERENCE_LEG_LENGTH, ContactGround, ContactSchedule, detect_contacts
from .dynamic_filter import Filtered, FilterSettings
from .filter_windows import filter_motion
from .ground_projection import ProjectedMotion, project_on_ground
from .holds import plan_holds
from .reference import Reference, pose_changes, reference_from_poses
from .rigid_feet import lift_dipping_tips
from .tipping import rests_as_before, support_against_tipping


@dataclass(frozen=True, eq=False)
class Prepared:
    """A reference with its contacts, the ground under them, and the ground forces (T, K, 3) [N].

    change: how far it differs from the source; None where the source was left as it is
    """

    reference: Reference
    schedule: ContactSchedule
    contact_ground: ContactGround
    support_force: FloatArray
    change: ReferenceChange | None


@dataclass(frozen=True, eq=False)
class GroundedMotion:
    """A motion on its ground, with its contacts.

    source (T, nq): poses before projection, past the obstacles in its way
    projected: poses on the ground of the scene; passings: how the obstacles are passed
    """

    source: FloatArray
    schedule: ContactSchedule
    projected: ProjectedMotion
    passings: tuple[ObstaclePassing, ...] = ()

    def moved(self, qpos: FloatArray) -> GroundedMotion:
        """Return the same contacts with other poses (T, nq)."""
        return replace(self, source=qpos, projected=replace(self.projected, qpos=qpos))


def put_on_ground(
    world: World,
    qpos: FloatArray,
    dt: float,
    leg_length: float,
    point_speed: float = POINT_SPEED,
    rolls: bool = True,
    passes_by: bool = True,
) -> GroundedMotion:
    """Find the contacts of a motion and project it on the ground of the scene.

    rolls: rigid feet may be turned so that they roll over their tips instead of dipping them into the ground,
    if nothing but feet ever carries the body
    passes_by: whether its path is changed where obstacles are in the way
    """
    size = leg_length / REFERENCE_LEG_LENGTH
    if rolls and len(world.index.toes):
        qpos = bend_toes(world, qpos, dt)
    schedule = plan_contacts(world, qpos, dt, size, point_speed)
    passings: tuple[ObstaclePassing, ...] = ()
    if passes_by and world.scene.objects:
        from .obstacles import pass_obstacles  # here, because most scenes are empty

        passed = pass_obstacles(world, qpos, schedule, dt, leg_length)
        passings = passed.passings
        if passed.qpos is not None:
            qpos = passed.qpos
            schedule = plan_contacts(world, qpos, dt, size, point_speed)
    on_feet = not schedule.touches[:, schedule.foot < 0].any()  # else feet lie and point anywhere
    rigid = len(world.index.toes) == 0
    rolling = lift_dipping_tips(world, qpos, dt) if rolls and on_feet and rigid else qpos
    stepped_over = [own.name for own in passings if own.way == Passing.OVER.value]
    projected = project_on_ground(world, rolling, schedule, dt, stepped_over)
    return GroundedMotion(qpos, schedule, projected, passings)


def make_feasible(
    world: World,
    motion: GroundedMotion,
    dt: float,
    leg_length: float,
    settings: FilterSettings,
    start: FloatArray | None = None,
    held: int = 0,
) -> Prepared:
    """Change a motion as little as possible so that ground forces explain it (dynamic filter).

    start (T, nq), held: poses to begin with, and how many of the first stay as they are there
    """
    schedule, projected = motion.schedule, motion.projected
    ground = projected.contact_ground
    filtered = filter_motion(world, projected.qpos, schedule, ground, dt, leg_length, settings, start, held)
    reference = reference_from_poses(world.model, filtered.qpos, dt)
    resting = schedule.touches[:, (schedule.foot < 0) & ~world.index.holds(schedule.support)].any(axis=1)
    change = _describe(world, motion, filtered, float(resting.mean()))
    return Prepared(reference, schedule, ground, filtered.support_force, change)


def unfiltered_reference(world: World, motion: GroundedMotion, dt: float) -> Prepared:
    """Return the source unchanged, for bakes with kinematic segments, which need not be feasible."""
    schedule, contact_ground = motion.schedule, motion.projected.contact_ground
    no_force = np.zeros((*schedule.touches.shape, 3))
    reference = reference_from_poses(world.model, motion.source, dt)
    return Prepared(reference, schedule, contact_ground, no_force, None)


def plan_contacts(
    world: World, qpos: FloatArray, dt: float, size: float, point_speed: float
) -> ContactSchedule:
    """Return the contacts of the soles, and of other parts that rest on the ground at some time."""
    index, soles = world.index, np.arange(world.index.soles)
    above = [0.0, 0.0, world.ground_height]
    bodies = measure_bodies(world, qpos)
    frames = supports_of(world, bodies, soles)
    foot = index.foot_of_support[index.resting]
    points, speed = lowest_points(world, bodies, dt, index.resting)
    rise = source_heights(world, points) - world.ground_height
    touches = np.zeros((len(qpos), len(index.resting)), dtype=bool)
    touches[:, soles] = detect_contacts(
        frames.points - above, frames.com - above, foot[soles], dt, size, point_speed, rise[:, soles]
    )
    stands = np.asarray(touches.any(axis=1))
    rests, others = detect_body_contacts(world, points, speed, dt, frames.com, size, stands)
    touches[:, others] = rests
    stood_on = (rise * touches).sum(axis=1) / np.maximum(touches.sum(axis=1), 1)
    above_ground = points - rise[..., None] * Z_UP - above
    com = frames.com - stood_on[:, None] * Z_UP - above
    tipping = support_against_tipping(above_ground, speed, touches, com, dt, size)
    tipping |= rests_as_before(above_ground[..., 2], speed, tipping & (foot < 0), dt)
    touches |= tipping & (foot < 0) & ~beside_objects(world, above_ground[..., 2] / size, rise + above[2])
    touches = np.concatenate([touches, plan_holds(world, qpos, dt, size)], axis=1)
    support = np.union1d(np.concatenate([soles, others]), np.flatnonzero(touches.any(axis=0)))
    carrying = plan_carrying(world, qpos, dt, size)
    return ContactSchedule(touches[:, support], index.foot_of_support[support], support, carrying)


def _describe(
    world: World, motion: GroundedMotion, filtered: Filtered, other_support_share: float
) -> ReferenceChange:
    """Return how far each part of the body was moved, and the unexplained force before and after."""
    change = pose_changes(world.model, motion.source, filtered.qpos)
    parts: dict[str, JointChange] = {}
    for segment, name in enumerate(world.spec.names[1:], start=1):
        angle = np.degrees(np.linalg.norm(change[:, world.index.dofs_of(segment)], axis=1))
        parts[name] = JointChange(float(angle.mean()), float(angle.max()))
    root = 100.0 * np.linalg.norm(change[:, :3], axis=1)
    weight = GRAVITY * world.spec.mass
    return ReferenceChange(
        root_mean_cm=float(root.mean()),
        root_max_cm=float(root.max()),
        parts=parts,
        residual_before_share=_rms(filtered.residual_before[:, :3]) / weight,
        residual_after_share=_rms(filtered.residual[:, :3]) / weight,
        other_support_share=other_support_share,
        passings=motion.passings,
    )


def _rms(vectors: FloatArray) -> float:
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))


def needed_torque(world: World, prepared: Prepared, samples: Iterable[int]) -> FloatArray:
    """Return the joint torques (N, nu) of a reference at samples: inverse dynamics less ground forces."""
    reference, kinematics = prepared.reference, Kinematics(world)
    torque = []
    for t in samples:
        force = inverse_dynamics(kinematics, reference.qpos[t], reference.qvel[t], reference.qacc[t])
        jacobians = kinematics.support_jacobians(prepared.schedule.support)
        ground = np.einsum("kiv,ki->v", jacobians, prepared.support_force[t])
        carrying = prepared.schedule.carrying
        if carrying is not None:
            ground += kinematics.palm_load(carrying.force[t])
        torque.append((force - ground)[world.index.actuated_dof])
    return np.array(torque)
