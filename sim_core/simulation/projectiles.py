"""Projectiles: throws that meet a moving part of the character."""

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
from ..world.world import World, initial_object_state

BESIDE = 0.05
"""A part of the body that is touched this shortly before the one aimed at is not in the way [m]."""
Path = Callable[[FloatArray], FloatArray]
"""Places (N, 3) [m] at times (N) [s]."""


@dataclass(frozen=True, eq=False)
class Flight:
    """A throw: the object's place in the scene's list, and its velocity (3) [m/s].

    tick: the control interval at whose start it is let go
    seconds: until it meets its target; zero without one
    """

    thing: int
    tick: int
    velocity: FloatArray
    seconds: float


def plan_flights(world: World, reference: Reference, parts: Mapping[str, int]) -> tuple[Flight, ...]:
    """The throws that are meant for a world's character; parts: segments by the names a target may have."""
    launched = [(i, o, o.launch) for i, o in enumerate(world.scene.objects) if o.launch is not None]
    thrown = [each for each in launched if each[2].character in world.scene_names]
    flights = [_plan(world, reference, parts, i, o, launch) for i, o, launch in thrown]
    for flight in flights:
        release_projectile(world.engine.model, world.engine.objects, flight.thing)
    for flight, (_, thing, launch) in zip(flights, thrown, strict=True):
        _refuse_meetings(world, reference, flight, thing, parts.get(launch.target))
    return tuple(flights)


def _plan(
    world: World,
    reference: Reference,
    parts: Mapping[str, int],
    place: int,
    thing: SceneObject,
    launch: Launch,
) -> Flight:
    tick = round((launch.time - world.playback.start_s) / reference.dt)
    if not 0 <= tick < len(reference) - 1:
        first, last = world.playback.start_s + reference.time[[0, -1]]
        raise InputError(
            f"'{thing.name}' is launched at {launch.time:.2f} s, but the motion goes from "
            f"{first:.2f} to {last:.2f} s; launch it within."
        )
    if not launch.target:
        return Flight(place, tick, launch.speed * launch.direction, 0.0)
    if launch.target not in parts:
        raise InputError(
            f"'{thing.name}' is aimed at '{launch.target}', which is no part of the character; "
            f"there are {', '.join(sorted(parts))}."
        )
    body = world.engine.objects.body[place]
    centre = thing.position + rotations.rotate(thing.quaternion, world.engine.model.body_ipos[body])
    way = _part_path(world, reference, parts[launch.target], tick)
    times = reference.time[1 : len(reference) - tick]
    try:
        seconds, velocity = aim(centre, way, launch.speed, times, world.timestep)
    except InputError as problem:
        raise InputError(f"'{thing.name}' cannot reach {launch.target}: {problem}") from problem
    return Flight(place, tick, velocity, seconds)


def _part_path(world: World, reference: Reference, part: int, tick: int) -> Path:
    """Where the middle of a body part is planned to be, by the time since a tick."""
    position, quaternion = (values[:, part] for values in segment_poses(world.spec, reference.qpos))
    centre = position + rotations.rotate(quaternion, world.spec.segments[part].com)
    path: Path = CubicSpline(reference.time - reference.time[tick], centre)
    return path


def aim(
    start: FloatArray, target: Path, speed: float, times: FloatArray, step: float
) -> tuple[float, FloatArray]:
    """Flight time [s] and starting velocity (3) of the earliest throw that meets a moving target.

    times (N): of flight that are allowed, rising; step [s]: of the engine, which moves things by their
    velocities after the step, so that they fall by g t (t + step) / 2
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


def _refuse_meetings(
    world: World, reference: Reference, flight: Flight, thing: SceneObject, part: int | None
) -> None:
    """A throw that begins in something, or meets something else well before its target, is refused."""
    engine = world.engine
    bodies = engine.model.geom_bodyid
    aimed = -1 if part is None else int(engine.index.body[part])
    speed, touched_at, touched = float(np.linalg.norm(flight.velocity)), np.inf, -1
    for time, met in _meetings(world, reference, flight, thing):
        if met and touched < 0:
            touched_at, touched = time, met[0]
        if touched_at == 0.0:
            raise InputError(
                f"'{thing.name}' is inside {world.describe_geom(touched)} when it is launched; move it away."
            )
        if aimed in bodies[met]:
            return
        if touched >= 0 and (
            speed * (time - touched_at) > BESIDE or bodies[touched] not in engine.index.body
        ):
            raise InputError(
                f"'{thing.name}' would meet {world.describe_geom(touched)} on its way, "
                f"{touched_at:.2f} s after its launch; move it, or give it another speed."
            )


def _meetings(
    world: World, reference: Reference, flight: Flight, thing: SceneObject
) -> Iterator[tuple[float, list[int]]]:
    """Times since the launch [s], and the geoms that the projectile would then be in.

    The character moves as planned. Props and other characters are left out: where they will be is not known.
    """
    engine, data = world.engine, mujoco.MjData(world.engine.model)
    model, objects = engine.model, engine.objects
    joint = int(model.body_jntadr[objects.body[flight.thing]])
    place = slice(model.jnt_qposadr[joint], model.jnt_qposadr[joint] + 3)
    times = np.arange(0.0, flight.seconds + 1e-9, world.timestep)
    moving = world.playback.at(flight.tick * reference.dt + times)
    data.qpos[objects.qpos] = initial_object_state(world).qpos
    for time, state in zip(times.tolist(), moving.qpos, strict=True):
        sample = min(flight.tick + round(time / reference.dt), len(reference) - 1)
        data.qpos[engine.index.qpos] = reference.qpos[sample]
        data.qpos[objects.moving_qpos] = state
        fall = 0.5 * GRAVITY * time * (time + world.timestep)
        data.qpos[place] = thing.position + time * flight.velocity - fall * Z_UP
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        yield time, _met(world, data, objects.geoms_of(flight.thing))


def _met(world: World, data: mujoco.MjData, own: IntArray) -> list[int]:
    """Geoms that a projectile's own geoms are in, props and other characters left out."""
    objects = world.engine.objects
    pairs = [contact.geom for contact in data.contact if contact.dist < 0.0]
    met = {int(geom) for pair in pairs if np.isin(pair, own).any() for geom in pair}
    props = objects.geoms_of(objects.props)
    return sorted(met.difference(own.tolist(), props.tolist(), world.engine.other_geoms.tolist()))
