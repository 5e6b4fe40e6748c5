"""Projectiles: launch velocities with which objects hit a moving part of the character."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from ..base import rotations
from ..base.conventions import GRAVITY, Z_UP, FloatArray, IntArray
from ..base.errors import InputError
from ..character.posing import segment_poses
from ..reference.reference import Reference
from ..scene.scene import Launch, SceneObject
from ..world.scene_model import release_projectile
from ..world.start_state import initial_object_state
from ..world.world import World

NEIGHBOUR_DISTANCE = 0.05
"""Another part of the body may be touched at most this distance before the target [m]."""
Trajectory = Callable[[FloatArray], FloatArray]
"""Gives positions (N, 3) [m] at times (N) [s]."""


@dataclass(frozen=True, eq=False)
class Flight:
    """The launch of a projectile.

    object_index: index of the projectile among the scene's objects
    tick: the control interval at whose start it is launched
    velocity (3): at the launch [m/s]
    seconds: from the launch until it meets its target; zero without a target
    """

    object_index: int
    tick: int
    velocity: FloatArray
    seconds: float


def plan_flights(world: World, reference: Reference, parts: Mapping[str, int]) -> tuple[Flight, ...]:
    """Return the launches that are meant for a world's character; parts: segment indices by target name."""
    launched = [(i, o, o.launch) for i, o in enumerate(world.scene.objects) if o.launch is not None]
    thrown = [each for each in launched if each[2].character in world.scene_names]
    flights = [_plan(world, reference, parts, i, o, launch) for i, o, launch in thrown]
    for flight in flights:
        release_projectile(world.engine.model, world.engine.objects, flight.object_index)
    for flight, (_, projectile, launch) in zip(flights, thrown, strict=True):
        _refuse_obstacles(world, reference, flight, projectile, parts.get(launch.target))
    return tuple(flights)


def _plan(
    world: World,
    reference: Reference,
    parts: Mapping[str, int],
    index: int,
    projectile: SceneObject,
    launch: Launch,
) -> Flight:
    tick = round((launch.time - world.playback.start_s) / reference.dt)
    if not 0 <= tick < len(reference) - 1:
        first, last = world.playback.start_s + reference.time[[0, -1]]
        raise InputError(
            f"'{projectile.name}' is launched at {launch.time:.2f} s, but the motion goes from "
            f"{first:.2f} to {last:.2f} s; launch it within."
        )
    if not launch.target:
        return Flight(index, tick, launch.speed * launch.direction, 0.0)
    if launch.target not in parts:
        raise InputError(
            f"'{projectile.name}' is aimed at '{launch.target}', which is no part of the character; "
            f"there are {', '.join(sorted(parts))}."
        )
    body = world.engine.objects.body[index]
    centre = projectile.position + rotations.rotate(projectile.quaternion, world.engine.model.body_ipos[body])
    target = _part_trajectory(world, reference, parts[launch.target], tick)
    times = reference.time[1 : len(reference) - tick]
    try:
        seconds, velocity = aim(centre, target, launch.speed, times, world.timestep)
    except InputError as problem:
        raise InputError(f"'{projectile.name}' cannot reach {launch.target}: {problem}") from problem
    return Flight(index, tick, velocity, seconds)


def _part_trajectory(world: World, reference: Reference, part: int, tick: int) -> Trajectory:
    """Return the planned positions of a segment's centre of mass, by the time since a tick."""
    position, quaternion = (values[:, part] for values in segment_poses(world.spec, reference.qpos))
    centre = position + rotations.rotate(quaternion, world.spec.segments[part].com)
    trajectory: Trajectory = CubicSpline(reference.time - reference.time[tick], centre)
    return trajectory


def aim(
    start: FloatArray, target: Trajectory, speed: float, times: FloatArray, step: float
) -> tuple[float, FloatArray]:
    """Return flight time [s] and launch velocity (3) [m/s] of the earliest throw that meets a moving target.

    times (N): allowed flight times, ascending [s]
    step: the engine's time step [s]; semi-implicit Euler lets a body fall by g t (t + step) / 2
    """

    def velocity(time: FloatArray) -> FloatArray:
        fall = 0.5 * GRAVITY * (time + step)
        return (target(time) - start) / time[:, None] + np.outer(fall, Z_UP)

    def excess(time: float) -> float:
        return float(np.linalg.norm(velocity(np.array([time]))) - speed)

    needed = np.linalg.norm(velocity(times), axis=1)
    slow = needed <= speed
    if not slow.any():
        raise InputError(
            f"at {speed:.1f} m/s it does not come there in the {times[-1]:.2f} s that are left; "
            f"give it {needed.min() + 0.05:.1f} m/s or more, or move it closer."
        )
    last = int(slow.argmax())
    first = times[last - 1] if last > 0 else 1e-3 * times[0]
    seconds = float(brentq(excess, first, times[last])) if excess(float(first)) > 0.0 else float(first)
    return seconds, velocity(np.array([seconds]))[0]


def _refuse_obstacles(
    world: World, reference: Reference, flight: Flight, projectile: SceneObject, part: int | None
) -> None:
    """Raise InputError if a projectile starts inside a body or would meet one well before its target."""
    engine = world.engine
    bodies = engine.model.geom_bodyid
    aimed = -1 if part is None else int(engine.index.body[part])
    speed, touched_at, touched = float(np.linalg.norm(flight.velocity)), np.inf, -1
    for time, met in _predicted_contacts(world, reference, flight, projectile):
        if met and touched < 0:
            touched_at, touched = time, met[0]
        if touched_at == 0.0:
            raise InputError(
                f"'{projectile.name}' is inside {world.describe_geom(touched)} when it is launched; "
                "move it away."
            )
        if aimed in bodies[met]:
            return
        if touched >= 0 and (
            speed * (time - touched_at) > NEIGHBOUR_DISTANCE or bodies[touched] not in engine.index.body
        ):
            raise InputError(
                f"'{projectile.name}' would meet {world.describe_geom(touched)} on its way, "
                f"{touched_at:.2f} s after its launch; move it, or give it another speed."
            )


def _predicted_contacts(
    world: World, reference: Reference, flight: Flight, projectile: SceneObject
) -> Iterator[tuple[float, list[int]]]:
    """Yield the times since the launch [s] and the geoms that the projectile would touch at each of them.

    The character follows the reference. Props and other characters are left out: their motion is not known.
    """
    engine, data = world.engine, mujoco.MjData(world.engine.model)
    model, objects = engine.model, engine.objects
    joint = int(model.body_jntadr[objects.body[flight.object_index]])
    position = slice(model.jnt_qposadr[joint], model.jnt_qposadr[joint] + 3)
    times = np.arange(0.0, flight.seconds + 1e-9, world.timestep)
    moving = world.playback.at(flight.tick * reference.dt + times)
    data.qpos[objects.qpos] = initial_object_state(world).qpos
    for time, state in zip(times.tolist(), moving.qpos, strict=True):
        sample = min(flight.tick + round(time / reference.dt), len(reference) - 1)
        data.qpos[engine.index.qpos] = reference.qpos[sample]
        data.qpos[objects.moving_qpos] = state
        fall = 0.5 * GRAVITY * time * (time + world.timestep)
        data.qpos[position] = projectile.position + time * flight.velocity - fall * Z_UP
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        yield time, _touched_geoms(world, data, objects.geoms_of(flight.object_index))


def _touched_geoms(world: World, data: mujoco.MjData, own: IntArray) -> list[int]:
    """Return the geoms that a projectile's own geoms touch, without props and other characters."""
    objects = world.engine.objects
    pairs = [contact.geom for contact in data.contact if contact.dist < 0.0]
    met = {int(geom) for pair in pairs if np.isin(pair, own).any() for geom in pair}
    props = objects.geoms_of(objects.props)
    return sorted(met.difference(own.tolist(), props.tolist(), world.engine.other_geoms.tolist()))
