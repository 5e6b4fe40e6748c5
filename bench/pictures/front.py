"""The film of the front page: what it shows, and the bakes behind it, all at 0 N."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from sim_core import api
from sim_core.base.conventions import Z_UP
from sim_core.motion.bvh_writer import write_bvh
from sim_core.motion.motion import Motion
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scene.scene import Launch, Passing, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Sphere
from tools.demo.body import Body
from tools.demo.motions import make

from ..common.motions import motion_of
from .film import Shot

Kept = Callable[[str, Callable[[], Result]], Result]
"""Returns the result of a name, baked by a function where there is none yet."""
PHYSICAL = api.BakeSettings(assist_cap=0.0, find_assist=False, loop="off")
BOXER, BALL_S, BALL_AWAY_M = "02_05:2.0-5.0", 1.33, 3.0
BOX = SceneObject(
    "box", Role.OBSTACLE, Box(np.array([0.1, 0.3, 0.05])), np.array([2.1, 0.0, 0.05]), passing=Passing.OVER
)
BOX_S, SIZES_S = (1.6, 5.0), (2.0, 4.4)
"""What of the walks is shown [s]."""
SIZES_M = (1.20, 2.40)


def shots(acrobatic: dict[str, Result], kept: Kept) -> list[Shot]:
    """Return the film; acrobatic: results of acrobatic motions by what they are."""
    walk = make("walk", Body())
    boxer = motion_of(BOXER)[0]
    ball = thrown_at(boxer)
    return [
        *(Shot(name, (result,)) for name, result in acrobatic.items()),
        Shot(
            "a ball of 3 kg at 8 m/s",
            (kept("boxer", lambda: api.bake(boxer, PHYSICAL, scene=Scene((ball,)))),),
            (ball,),
        ),
        Shot(
            "a box in the way",
            (kept("box", lambda: api.bake(walk, PHYSICAL, scene=Scene((BOX,)))),),
            (BOX,),
            BOX_S,
        ),
        Shot(
            "a child and a giant",
            tuple(kept(f"walk_{height:.2f}", partial(on_body, walk, height)) for height in SIZES_M),
            seconds=SIZES_S,
        ),
    ]


def thrown_at(motion: Motion) -> SceneObject:
    """Return a ball that is thrown at the chest of a body from the front, where it faces at that time."""
    sample = int(np.argmin(np.abs(motion.time - motion.time[0] - BALL_S)))
    mapping = recognise(motion.skeleton)
    hips, left, right = (
        motion.position_world[sample, motion.skeleton.index[mapping.bones[slot][0]]]
        for slot in ("hips", "thigh.L", "thigh.R")
    )
    ahead = np.cross(left - right, Z_UP)
    place = hips + BALL_AWAY_M * ahead / np.linalg.norm(ahead) + 0.3 * Z_UP
    launch = Launch(time=float(motion.time[sample]), speed=8.0, target="chest")
    return SceneObject("ball", Role.PROJECTILE, Sphere(0.12), place, mass=3.0, launch=launch)


def on_body(motion: Motion, height_m: float) -> Result:
    """Return a motion that was retargeted to the mannequin of another height and simulated."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "target.bvh"
        write_bvh(make("standing", Body(height_m)), target)
        return api.bake(api.retarget(motion, target, target_unit_m=0.01), PHYSICAL)
