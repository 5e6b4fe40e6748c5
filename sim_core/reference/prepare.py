"""From a captured motion to one that a body can carry out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base.conventions import GRAVITY, FloatArray
from ..dynamics.centroidal import measure_centroidal
from ..world.world import World
from .contacts import LEG_OF_THRESHOLDS, POINT_SPEED, ContactSchedule, detect_contacts
from .dynamic_filter import DynamicFilter, Filtered, FilterSettings
from .footing import Footing
from .reference import Reference, pose_changes, reference_from_poses
from .resting_parts import detect_rests
from .terrain import Grounded, project


@dataclass(frozen=True, eq=False)
class Prepared:
    """A reference with its contacts, the ground under them, and the ground forces (T, K, 3) that carry it.

    change: what was done to the source, for the report
    """

    reference: Reference
    schedule: ContactSchedule
    footing: Footing
    support_force: FloatArray
    change: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Standing:
    """A motion on its ground, with its contacts.

    source (T, nq): as it was; grounded: where the ground that is there has it
    """

    source: FloatArray
    schedule: ContactSchedule
    grounded: Grounded

    def moved(self, qpos: FloatArray) -> Standing:
        """The same contacts with other poses (T, nq)."""
        return replace(self, source=qpos, grounded=replace(self.grounded, qpos=qpos))


def prepare(
    world: World,
    qpos: FloatArray,
    dt: float,
    leg_length: float,
    settings: FilterSettings,
    point_speed: float = POINT_SPEED,
) -> Prepared:
    """Contacts, the ground that is there, then the smallest change after which its forces explain all."""
    return make_possible(
        world, put_on_ground(world, qpos, dt, leg_length, point_speed), dt, leg_length, settings
    )


def put_on_ground(
    world: World, qpos: FloatArray, dt: float, leg_length: float, point_speed: float = POINT_SPEED
) -> Standing:
    schedule = plan_contacts(world, qpos, dt, leg_length / LEG_OF_THRESHOLDS, point_speed)
    return Standing(qpos, schedule, project(world, qpos, schedule, dt))


def make_possible(
    world: World, standing: Standing, dt: float, leg_length: float, settings: FilterSettings
) -> Prepared:
    schedule, grounded = standing.schedule, standing.grounded
    filtered = DynamicFilter(world, schedule, dt, leg_length, settings, grounded.footing).run(grounded.qpos)
    reference = reference_from_poses(world.model, filtered.qpos, dt)
    resting = schedule.touches[:, schedule.foot < 0].any(axis=1)
    change = _describe(world, standing.source, filtered) | {"other_support_share": float(resting.mean())}
    return Prepared(reference, schedule, grounded.footing, filtered.support_force, change)


def as_it_is(world: World, standing: Standing, dt: float) -> Prepared:
    """The source, which need not be possible where something carries it."""
    schedule, footing = standing.schedule, standing.grounded.footing
    no_force = np.zeros((*schedule.touches.shape, 3))
    return Prepared(reference_from_poses(world.model, standing.source, dt), schedule, footing, no_force, {})


def plan_contacts(
    world: World, qpos: FloatArray, dt: float, size: float, point_speed: float
) -> ContactSchedule:
    """What is meant to rest on the ground: soles, and other parts where there are any that do."""
    soles = np.arange(world.index.soles)
    frames = measure_centroidal(world, qpos, soles)
    above_ground = frames.points - [0.0, 0.0, world.ground_height]
    foot = world.index.foot_of_support
    touches = detect_contacts(above_ground, frames.com, foot[soles], dt, size, point_speed)
    rests, others = detect_rests(world, qpos, dt, frames.com, size, np.asarray(touches.any(axis=1)))
    support = np.concatenate([soles, others])
    return ContactSchedule(np.hstack([touches, rests]), foot[support], support)


def _describe(world: World, source: FloatArray, filtered: Filtered) -> dict[str, Any]:
    """How far each part of the body was moved, and what that bought."""
    change = pose_changes(world.model, source, filtered.qpos)
    parts: dict[str, dict[str, float]] = {}
    for segment, name in enumerate(world.spec.names[1:], start=1):
        angle = np.degrees(np.linalg.norm(change[:, world.index.dofs_of(segment)], axis=1))
        parts[name] = {"mean_deg": float(angle.mean()), "max_deg": float(angle.max())}
    root = 100.0 * np.linalg.norm(change[:, :3], axis=1)
    weight = GRAVITY * world.spec.mass
    return {
        "root_mean_cm": float(root.mean()),
        "root_max_cm": float(root.max()),
        "parts": parts,
        "residual_before_share": _rms(filtered.residual_before[:, :3]) / weight,
        "residual_after_share": _rms(filtered.residual[:, :3]) / weight,
    }


def _rms(vectors: FloatArray) -> float:
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))
