"""One run of the balance benchmark: a motion at 0 N under one policy, perhaps disturbed."""

from __future__ import annotations

import time as clock
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from sim_core.bake.assemble import assemble
from sim_core.bake.attempt import Attempt, judge
from sim_core.bake.baked import BakedCharacter
from sim_core.bake.diagnosis import fell_at, find_causes
from sim_core.bake.make_controller import start_noise
from sim_core.bake.methods import USUAL
from sim_core.bake.setup import CharacterSetup, make_worlds
from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, Z_UP, FloatArray
from sim_core.base.errors import HeftError
from sim_core.character.posing import pose_from_motion, segment_poses
from sim_core.control.balance.swing_hip import SwingHipBalance, SwingHipGains
from sim_core.control.make_tracker import TrackerOptions, make_tracker
from sim_core.control.tracking.tracker import Tracker
from sim_core.control.until_fall import UntilFall
from sim_core.motion.motion import CONTROL_DT, low_pass, on_control_grid
from sim_core.reference.prepare import Prepared, make_feasible, put_on_ground
from sim_core.result.records import Failure
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario, make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Launch, Push, Role, Scene, SceneObject
from sim_core.scene.shapes import Sphere
from sim_core.simulation.projectiles import plan_flights
from sim_core.simulation.protocol import Command, State
from sim_core.simulation.simulation import CharacterStart, Simulation
from sim_core.simulation.trace import Trace
from sim_core.world.start_state import raise_out_of_ground
from sim_core.world.world import World

from ..common.grounds import GROUNDS, walking_path
from ..common.motions import motion_of
from ..common.tracking_error import curve_of
from .plan import BALL_KG, BALL_M_S, BALL_RADIUS, BALL_S, BALLS, DIRECTIONS, PLAIN, PUSH_N, PUSH_S


@dataclass(frozen=True, eq=False)
class PreparedTrial:
    """A motion that is prepared for a ground."""

    scenario: Scenario
    world: World
    prepared: Prepared

    def direction(self, sample: int, degrees: float) -> FloatArray:
        """Return the level direction (3) at an angle from where the pelvis faces."""
        angle = rotations.heading(self.prepared.reference.qpos[sample, 3:7]) + np.radians(degrees)
        return np.array([np.cos(angle), np.sin(angle), 0.0])

    def disturbed(self, scene: Scene) -> PreparedTrial:
        """Return the trial with another scene, which its motion was not prepared for."""
        scenario = replace(self.scenario, scene=scene)
        return replace(self, scenario=scenario, world=make_worlds((scenario,), ("standard",))[0])


@lru_cache(maxsize=2)
def _prepare_trial(clip: str, ground: str) -> PreparedTrial:
    motion, mapping = motion_of(clip)
    scenario = make_scenario(Job(motion, mapping, BakeSettings()))
    scenario = replace(scenario, scene=GROUNDS[ground](walking_path(motion, mapping, scenario.ground_height)))
    world = make_worlds((scenario,), ("standard",))[0]
    poses = pose_from_motion(
        scenario.spec, scenario.binding, on_control_grid(low_pass(scenario.repaired, USUAL.cutoff_hz))
    )
    leg_length = scenario.leg_length
    grounded = put_on_ground(world, poses, CONTROL_DT, leg_length, USUAL.point_speed)
    prepared = make_feasible(world, grounded, CONTROL_DT, leg_length, USUAL.filter)
    return PreparedTrial(scenario, world, prepared)


class Timed:
    """A controller, and the processor time that it takes."""

    def __init__(self, controller: Tracker) -> None:
        self.controller, self.seconds, self.ticks = controller, 0.0, 0

    def command(self, state: State) -> Command:
        """Return the command of the controller."""
        started = clock.process_time()
        command = self.controller.command(state)
        self.seconds, self.ticks = self.seconds + clock.process_time() - started, self.ticks + 1
        return command


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of an item of plan.make_item."""
    try:
        trial = _prepare_trial(item["clip"], item["ground"])
        if item["push"] is not None:
            trial = _with_push(trial, *item["push"])
        if item["ball"] is not None:
            trial = _with_ball(trial, *item["ball"])
        return _run(trial, item)
    except HeftError as problem:
        return {"error": str(problem)}


def _with_push(trial: PreparedTrial, direction: str, share: float, newtons: float = PUSH_N) -> PreparedTrial:
    sample = round(share * (len(trial.prepared.reference) - 1))
    force = newtons * trial.direction(sample, DIRECTIONS[direction])
    start = float(trial.scenario.motion.time[0]) + sample * CONTROL_DT
    return trial.disturbed(replace(trial.scenario.scene, pushes=(Push("chest", force, start, PUSH_S),)))


def _with_ball(trial: PreparedTrial, ball: str, share: float) -> PreparedTrial:
    """Add a ball whose flight ends where the motion will have the middle of a segment.

    It has a direction and no target: an arm or a chin may be in front of a chest.
    """
    segment, degrees = BALLS[ball]
    reference, spec = trial.prepared.reference, trial.scenario.spec
    sample = round(share * (len(reference) - 1))
    met = sample + round(BALL_S / CONTROL_DT)
    position, quaternion = segment_poses(spec, reference.qpos[met : met + 1])
    hit = spec.names.index(segment)
    middle = position[0, hit] + rotations.rotate(quaternion[0, hit], spec[segment].com)
    rise = 0.5 * GRAVITY * BALL_S  # speed upwards after which it is back at its height
    level = np.sqrt(BALL_M_S**2 - rise**2) * trial.direction(sample, degrees)
    time = float(trial.scenario.motion.time[0]) + sample * CONTROL_DT
    launch = Launch(time, BALL_M_S, direction=level + rise * Z_UP)
    start = middle - BALL_S * level
    ball_object = SceneObject(
        "ball", Role.PROJECTILE, Sphere(BALL_RADIUS), start, mass=BALL_KG, launch=launch
    )
    return trial.disturbed(
        replace(trial.scenario.scene, objects=(*trial.scenario.scene.objects, ball_object))
    )


def _run(trial: PreparedTrial, item: dict[str, Any]) -> dict[str, Any]:
    settings = BakeSettings(assist_cap=0.0, seed=item["seed"], noise=item["noise"], find_assist=False)
    started = clock.process_time()
    timed = Timed(_tracker(trial, item["policy"]))
    precomputed = clock.process_time()
    trace, fell = _simulate(trial, timed, settings)
    simulated = clock.process_time()
    causes = () if fell is None else find_causes(trial.world, trial.prepared, trace, fell)
    failure = None if fell is None else Failure(fell, causes, None, ())
    hits = timed.controller.reactions.hits
    setup = CharacterSetup(trial.scenario, settings, trial.world)
    judged = judge(setup, Attempt(USUAL), trial.prepared, trace, hits)
    baked = BakedCharacter(setup, replace(judged, failure=failure, methods_tried=(USUAL.name,)))
    result = assemble(baked, settings, {"simulation": 1.0})
    figures, change = result.meta.measured, trial.prepared.change
    up = "full" if fell is None else f"fell at {fell:.2f} s"
    outcome = {
        "metrics": asdict(figures),
        "feet_m": _feet_displacement(trial, trace),
        "residual_after_share": None if change is None else change.residual_after_share,
        "precompute_s": precomputed - started,
        "control_ms": 1e3 * timed.seconds / timed.ticks,
        "tick_ms": 1e3 * (simulated - precomputed) / (len(trace.time) - 1),
        "causes": [cause.text for cause in causes],
        "message": f"{up}, {figures.joint_error_deg:.2f} deg, root {100 * figures.root_error_m:.1f} cm",
    }
    return outcome | ({"curve": curve_of(result)} if item["curve"] else {})


def _feet_displacement(trial: PreparedTrial, trace: Trace) -> float:
    """Return how far the further foot ends from its planned position, horizontally [m]."""
    reference, spec = trial.prepared.reference, trial.scenario.spec
    last = len(trace.qpos) - 1
    ends = segment_poses(spec, np.stack([trace.qpos[last], reference.qpos[last]]))[0]
    feet = [trial.world.leg_segments(foot)[2] for foot in (0, 1)]
    return float(np.linalg.norm((ends[0] - ends[1])[feet, :2], axis=1).max())


def _tracker(trial: PreparedTrial, policy: str) -> Tracker:
    world, prepared, leg = trial.world, trial.prepared, trial.scenario.leg_length
    if policy != PLAIN:
        return make_tracker(world, prepared, leg, TrackerOptions(balance=policy))
    tracker = make_tracker(world, prepared, leg, TrackerOptions(balance="swing_hip"))
    damping_only = SwingHipGains(distance=0.0, velocity=0.0)
    tracker.balance = SwingHipBalance(world, tracker.plan, leg, damping_only)
    return tracker


def _simulate(trial: PreparedTrial, timed: Timed, settings: BakeSettings) -> tuple[Trace, float | None]:
    """Simulate to the end or to a fall; return the trace and the time of the fall [s]."""
    reference = trial.prepared.reference
    controller = UntilFall(timed, trial.world, reference, trial.scenario.leg_length)
    qvel: FloatArray = reference.qvel[0] + start_noise(settings, reference.qvel.shape[1])
    qpos = raise_out_of_ground(trial.world, reference.qpos[0])
    flights = plan_flights(trial.world, reference, trial.scenario.binding.parts)
    (trace,) = Simulation((trial.world,), CONTROL_DT, (1,)).run(
        (CharacterStart(controller, qpos, qvel),),
        len(reference) - 1,
        lambda _: not controller.fallen,
        flights,
    )
    fell = fell_at(trial.scenario, reference, trace)
    return trace, controller.upright_at if fell is None and controller.fallen else fell
