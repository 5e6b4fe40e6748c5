"""The plan of getting up: poses from where a body lies, along a guide, to its motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator

from ..base import rotations
from ..base.conventions import FloatArray
from ..character.posing import segment_poses
from ..character.spec import CharacterSpec, JointKind
from ..dynamics.centroidal import measure_supports
from ..recognition.mapping import SIDES
from ..reference.prepare import Prepared
from ..world.world import World
from .guide import Guide, KeyPose
from .rest import lying_heading
from .resume import RAMP_S, Resumption, find_resumption, pace

TURN_SPEED = np.radians(240.0)
"""Speed at which limbs are brought from where they lie to the guide's first pose [rad/s]."""
STAND_S = 0.5
"""Time from the guide's last pose to the motion's own [s]."""


@dataclass(frozen=True, eq=False)
class GetUpPlan:
    """Poses (T, nq) from a resting pose back to a motion and on to its end.

    way: the name of the guide's way, with "mirrored" where it is
    stands: sample from which on it stands; follows: sample from which on it is the motion at its own pace
    clip_sample (T): the sample of the motion that each pose is of, in between for samples of another pace; -1
    where it is not of the motion
    yaw [rad], shift (2) [m]: by which the motion was turned about the vertical and moved over the ground
    """

    qpos: FloatArray
    way: str
    stands: int
    follows: int
    clip_sample: FloatArray
    yaw: float
    shift: FloatArray


def plan_get_up(world: World, lying: FloatArray, prepared: Prepared, first: int, guide: Guide) -> GetUpPlan:
    """Return the plan from a resting pose (nq) to the next place where the prepared motion can go on.

    first: the sample of the motion from which on it may go on
    """
    spec, dt = world.spec, prepared.reference.dt
    resumption = find_resumption(world, prepared, first)
    heading = lying_heading(spec, lying)
    name, entry = _nearest_way(spec, lying, heading, guide)
    rise = guide.rise if resumption.leading_foot == 0 else tuple(key.mirrored() for key in guide.rise)
    keys = [*entry, *rise]
    placed = _placed(world, lying, heading, keys)
    turned, yaw, shift = _on_last_key(spec, prepared, resumption, placed[-1], heading)
    poses = np.array([lying, *placed, turned[0]])
    seconds = [_entry_seconds(spec, lying, placed[0], keys[0]), *(key.seconds for key in keys[1:]), STAND_S]
    times = np.concatenate([[0.0], np.cumsum(seconds)])
    up = _on_floor(world, _between(spec, times, poses, dt), poses[0, 2], turned[0, 2])
    clip = pace((len(turned) - 1) * dt, dt)
    walk = _sampled(spec, turned, clip / dt)
    qpos = np.concatenate([up, walk])
    samples = np.concatenate([np.full(len(up), -1.0), resumption.sample + clip / dt])
    follows = min(len(up) + round(RAMP_S / dt), len(qpos) - 1)
    return GetUpPlan(qpos, name, len(up), follows, samples, yaw, shift)


def _nearest_way(
    spec: CharacterSpec, lying: FloatArray, heading: float, guide: Guide
) -> tuple[str, tuple[KeyPose, ...]]:
    """Return the way, mirrored if that fits better, that has the pose nearest to how a body lies.

    What counts is how the trunk lies, since limbs are moved more easily than the trunk is turned over.
    """
    turn = rotations.about_vertical(heading)
    trunk = segment_poses(spec, lying[None])[1][0, [0, spec.trunk]]
    best, found = np.inf, ("", guide.ways[0].keys)
    for way in guide.ways:
        for mirrored in (False, True):
            keys = tuple(key.mirrored() for key in way.keys) if mirrored else way.keys
            for k, key in enumerate(keys):
                own = segment_poses(spec, key.pose(spec)[None])[1][0, [0, spec.trunk]]
                distance = float(rotations.angle_between(rotations.multiply(turn, own), trunk).mean())
                if distance < best:
                    best, found = distance, (way.name + (", mirrored" if mirrored else ""), keys[k:])
    return found


def _placed(world: World, lying: FloatArray, heading: float, keys: Sequence[KeyPose]) -> list[FloatArray]:
    """Return the poses of keys (nq) on the floor, each where the parts that hold it were before."""
    spec, turn, before = world.spec, rotations.about_vertical(heading), lying
    placed = []
    for key in keys:
        pose = key.pose(spec)
        pose[3:7] = rotations.multiply(turn, pose[3:7])
        pose[:2] += _held(spec, before, key.holds) - _held(spec, pose, key.holds)
        pose[2] += world.ground_height - _lowest(world, pose[None])[0]
        placed.append(pose)
        before = pose
    return placed


def _held(spec: CharacterSpec, pose: FloatArray, names: Sequence[str]) -> FloatArray:
    """Return the mean position over the ground (2) of some segments in a pose (nq); all where none is."""
    positions = segment_poses(spec, pose[None])[0][0, :, :2]
    chosen = [i for i, name in enumerate(spec.names) if name in names]
    return np.asarray(positions[chosen or slice(None)].mean(axis=0))


def _lowest(world: World, poses: FloatArray) -> FloatArray:
    """Return the height of the lowest point of the body (T) in poses (T, nq) [m]."""
    supports = np.arange(len(world.index.support_body))
    return np.asarray(measure_supports(world, poses, supports).points[..., 2].min(axis=1))


def _on_last_key(
    spec: CharacterSpec, prepared: Prepared, resumption: Resumption, last: FloatArray, heading: float
) -> tuple[FloatArray, float, FloatArray]:
    """Return the rest of the motion (T, nq), turned and moved so that its leading foot is where it stands."""
    rest = prepared.reference.qpos[resumption.sample :]
    yaw = heading - float(rotations.heading(rest[0, 3:7]))
    turn = rotations.about_vertical(yaw)
    turned = rest.copy()
    turned[:, :3], turned[:, 3:7] = (
        rotations.rotate(turn, rest[:, :3]),
        rotations.multiply(turn, rest[:, 3:7]),
    )
    foot = (f"foot.{SIDES[resumption.leading_foot]}",)
    shift = _held(spec, last, foot) - _held(spec, turned[0], foot)
    turned[:, :2] += shift
    return turned, yaw, shift


def _entry_seconds(spec: CharacterSpec, lying: FloatArray, first: FloatArray, key: KeyPose) -> float:
    """Return the time in which a lying pose comes to the first one: more where a joint turns far [s]."""
    start, end = segment_poses(spec, np.array([lying, first]))[1]
    parents = spec.parents[1:]
    turns = rotations.angle_between(
        rotations.relative(start[parents], start[1:]), rotations.relative(end[parents], end[1:])
    )
    whole = rotations.angle_between(start[0], end[0])
    return max(key.seconds, float(max(turns.max(), whole)) / TURN_SPEED)


def _between(spec: CharacterSpec, times: FloatArray, poses: FloatArray, dt: float) -> FloatArray:
    """Return poses (T, nq) every dt along key poses (K, nq) at times (K), without the last one.

    Monotone cubics between the keys (Fritsch, Carlson 1980) neither overshoot nor stop at each key.
    """
    return _interpolated(spec, times, poses, np.arange(0.0, times[-1] - 1e-6, dt))


def _sampled(spec: CharacterSpec, poses: FloatArray, samples: FloatArray) -> FloatArray:
    """Return poses (N, nq) at fractional samples (N) of a motion (T, nq)."""
    if len(poses) == 1:
        return np.repeat(poses, len(samples), axis=0)
    return _interpolated(spec, np.arange(len(poses), dtype=np.float64), poses, samples)


def _interpolated(spec: CharacterSpec, times: FloatArray, poses: FloatArray, at: FloatArray) -> FloatArray:
    columns, quaternions = poses.copy(), _quaternion_columns(spec)
    for own in quaternions:
        columns[:, own] = rotations.continuous(columns[:, own])
    result: FloatArray = np.asarray(PchipInterpolator(times, columns, axis=0)(at))
    for own in quaternions:
        unit = rotations.normalise(result[:, own])
        result[:, own] = unit * np.where(unit[:, :1] < 0.0, -1.0, 1.0) if own.start > 3 else unit
    return result


def _quaternion_columns(spec: CharacterSpec) -> list[slice]:
    """Return which columns of joint coordinates are quaternions: the root's, and those of ball joints."""
    found, column = [slice(3, 7)], 7
    for segment in spec.segments[1:]:
        ball = segment.joint.kind is JointKind.BALL
        if ball:
            found.append(slice(column, column + 4))
        column += 4 if ball else 1
    return found


def _on_floor(world: World, poses: FloatArray, first: float, last: float) -> FloatArray:
    """Return poses (T, nq) whose lowest points are on the floor; at both ends the height is as given [m]."""
    lowered = poses - np.outer(_lowest(world, poses) - world.ground_height, np.eye(poses.shape[1])[2])
    share = np.linspace(0.0, 1.0, len(poses))
    miss = (1.0 - share) ** 8 * (first - lowered[0, 2]) + share**8 * (last - lowered[-1, 2])
    return np.asarray(lowered + np.outer(miss, np.eye(poses.shape[1])[2]))
