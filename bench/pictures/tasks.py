"""Pictures of the manual's task pages, all at 0 N; but for the stairs, of the mannequin's own motions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim_core import api
from sim_core.bake.monitor import Monitor
from sim_core.live.balls import with_balls
from sim_core.live.commands import CommandLog, LoggedCommand, Throw
from sim_core.live.commands import Push as LivePush
from sim_core.live.repeated import stage_of
from sim_core.live.take import replay
from sim_core.motion.motion import CONTROL_DT
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scene.scene import Push, Scene
from sim_core.sequence.chain import chain
from tools.demo.body import Body
from tools.demo.motions import make

from ..common.motions import motion_of
from .film import Shot
from .front import PHYSICAL, Kept
from .moves import HOPPING_S, hopping

STAIRS, STAIRS_S = "83_34", (3.4, 8.0)
LIVE_S, PUSHED_S, THROWN_S = 5.8, 1.6, 3.3
"""Length of the live run, and when it is pushed and hit [s]."""
LIVE_PUSH = LivePush("chest", (150.0, 0.0, 0.0), 0.3)
THROW = Throw(5.0, (0.85, 0.0, 1.45), (-5.0, 0.0, 1.6))
DOWN = Push("chest", np.array([0.0, 350.0, 0.0]), start_s=2.5, duration_s=0.3)
DOWN_S = (2.3, 8.8)


def films(kept: Kept) -> dict[str, list[Shot]]:
    """Return the films by their names."""
    live, fallen = kept("live", played_live), kept("get_up", pushed_over)
    stairs = motion_of(STAIRS)[0]
    scene = api.supports(stairs).scene
    climbed = kept("supports", lambda: api.bake(stairs, PHYSICAL, scene=scene))
    balls = tuple(ball for ball in with_balls(Scene(()), floor=0.0).objects if ball.mass == THROW.mass)
    return {
        "live": [
            Shot("pushed from behind with 150 N for 0.3 s", (live,), seconds=(PUSHED_S - 0.6, THROWN_S)),
            Shot("a ball of 5 kg at 5 m/s", (live,), balls, (THROWN_S, LIVE_S)),
        ],
        "get_up": [Shot("pushed with 350 N for 0.3 s", (fallen,), seconds=DOWN_S)],
        "hop": [Shot("hops of 15 cm", (kept("hop", hopping),), seconds=HOPPING_S)],
        "supports": [Shot("steps that are not in the file", (climbed,), scene.objects, STAIRS_S)],
    }


def played_live() -> Result:
    """Return a live run of the walk, pushed and hit while it plays."""
    walk = make("walk", Body())
    stage = stage_of(Job(walk, recognise(walk.skeleton), PHYSICAL))
    commands = ((PUSHED_S, LIVE_PUSH), (THROWN_S, THROW))
    log = CommandLog(_tick(LIVE_S), tuple(LoggedCommand(_tick(at_s), own) for at_s, own in commands))
    try:
        return replay(stage, log, Monitor(lambda _: None))
    finally:
        stage.library.close()


def pushed_over() -> Result:
    """Return the walk with a push after which the body falls, gets up and walks on."""
    return api.bake(make("walk", Body()), replace(PHYSICAL, get_up=True), scene=Scene((), pushes=(DOWN,)))


def in_sequence() -> Result:
    """Return a squat, then a jump."""
    squat, jump = make("squat", Body()), make("jump", Body())
    joined = chain([("squat", squat), ("jump", jump)], recognise(squat.skeleton))
    return api.bake(joined.motion, PHYSICAL)


def _tick(at_s: float) -> int:
    return round(at_s / CONTROL_DT)
