"""The files that the examples of docs/python-api.md use, made from the mannequin's motions.

`python -m tools.demo.example_files FOLDER` writes them.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from sim_core.base.intervals import smooth_step
from sim_core.base.json_files import to_json
from sim_core.motion.bvh_writer import write_bvh
from sim_core.motion.motion import Motion
from sim_core.scene.scene import Launch, Role, Scene, SceneObject
from sim_core.scene.scene_file import scene_to_dict
from sim_core.scene.shapes import Sphere

from .body import Body
from .markers import marker_paths, write_trc
from .motions import make

CHILD_M = 1.20
STRIDES_S = (1.0, 4.0)
"""Part of the walk that is used [s]."""
STEP_M = 0.2
"""Height of the step that is climbed [m]."""
BALL = SceneObject(
    "ball",
    Role.PROJECTILE,
    Sphere(0.1),
    np.array([4.0, 0.3, 1.2]),
    mass=2.0,
    launch=Launch(time=0.8, speed=8.0, target="spine"),
)


def write_example_files(folder: Path) -> None:
    """Write a walk, its markers, a scene with a ball, a child, and somebody who gets onto a step."""
    walk = make("walk", Body()).between(*STRIDES_S)
    write_bvh(walk, folder / "walk.bvh")
    write_trc(folder / "walk.trc", *marker_paths(walk), walk.rate_hz)
    write_bvh(make("standing", Body(CHILD_M)), folder / "child.bvh")
    (folder / "scene.json").write_text(to_json(scene_to_dict(Scene((BALL,)))), "utf-8")
    write_bvh(_onto_a_step(), folder / "step.bvh")


def _onto_a_step() -> Motion:
    """Stands, is lifted onto a step as a whole, and stands there: the least that shows a support."""
    still = make("standing", Body()).between(0.0, 3.0)
    share = smooth_step((still.time - still.time[0] - 1.0) / 0.5)
    moved = share[:, None, None] * np.array([2.0 * STEP_M, 0.0, STEP_M])
    return replace(still, position_world=still.position_world + moved)


if __name__ == "__main__":
    write_example_files(Path(sys.argv[1]))
