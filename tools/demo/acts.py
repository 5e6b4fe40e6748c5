"""The acts of the demo: what is shown, each in a scene of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import addon_utils
import bpy
import numpy as np

from ..load_extension import ROOT
from .body import Body
from .mannequin import FIRST_FRAME, FPS
from .markers import marker_paths, write_trc
from .motions import make
from .stage import Stage

LANE_M = 0.55
"""Distance of the source to the left of the middle, and of the result to the right [m]."""
ADULT, CHILD, GIANT = Body(), Body(1.20), Body(2.40)
CARTWHEEL = ROOT.parent / "shared" / "data" / "bvh" / "cmu" / "49_06.bvh"
CMU_UNIT_M = 0.056444
MARKER_M = 0.05
"""Size of markers in the picture, larger than real ones so that they are seen [m]."""


@dataclass(frozen=True)
class Act:
    """One act; about: a sentence for the page; make: builds the scene and bakes.

    seconds: what of it is shown; spread_m: between poses of the picture, for motions that stay where they are
    """

    title: str
    about: str
    make: Callable[[Stage, Path], None]
    seconds: tuple[float, float]
    spread_m: float | None = None


def walk(stage: Stage, _: Path) -> None:
    """Source and result side by side."""
    source = stage.figure("source", ADULT, "source", (0.0, LANE_M, 0.0))
    result = stage.figure("result", ADULT, "result", (0.0, -LANE_M, 0.0))
    stage.play(source, stage.act(result, make("walk", ADULT)))
    stage.simulate([result])


def ball(stage: Stage, _: Path) -> None:
    """A ball of 4 kg is thrown at the chest of somebody who marches."""
    rig = stage.figure("result", ADULT, "result")
    stage.act(rig, make("march", ADULT))
    thrown = stage.ball("ball", 0.13, (2.6, -2.6, 1.3), 4.0).heft_object
    thrown.target_rig, thrown.target_bone = rig, "chest"
    thrown.launch_frame, thrown.launch_speed = FIRST_FRAME + round(2.2 * FPS), 7.0
    stage.simulate([rig])


def steps(stage: Stage, _: Path) -> None:
    """Three steps of 5 cm, then a slope downwards, under a walk that was made for a flat floor."""
    rig = stage.figure("result", ADULT, "result")
    stage.act(rig, make("walk", ADULT))
    for number in range(3):
        left, right = 0.8 + 0.5 * number, 2.3
        height = 0.05 * (number + 1)
        stage.box(
            f"step {number + 1}", (right - left, 1.2, height), (0.5 * (left + right), 0.0, height), "GROUND"
        )
    slope = np.arctan2(0.15, 2.0)
    stage.box("slope", (2.0 / np.cos(slope), 1.2, 0.05), (3.3, 0.0, 0.075), "GROUND", float(slope))
    stage.simulate([rig])


def around(stage: Stage, _: Path) -> None:
    """A box stands in the way of the walk."""
    rig = stage.figure("result", ADULT, "result")
    stage.act(rig, make("walk", ADULT))
    stage.box("box", (0.5, 0.5, 0.6), (2.6, 0.05, 0.6), "OBSTACLE")
    stage.simulate([rig])


def sizes(stage: Stage, _: Path) -> None:
    """The walk of an adult on a child and on a giant."""
    source = stage.figure("source", ADULT, "source")
    stage.act(source, make("walk", ADULT))
    child, giant = stage.figure("child", CHILD, "result"), stage.figure("giant", GIANT, "result")
    for rig in (child, giant):
        stage.retarget(source, rig)
    stage.simulate([child, giant])
    child.delta_location.y, giant.delta_location.y = -1.2, 1.4


def markers(stage: Stage, folder: Path) -> None:
    """Markers in a TRC file become an armature, whose motion goes to the mannequin and is simulated."""
    motion = make("march", ADULT)
    file = write_trc(folder / "markers.trc", *marker_paths(motion), motion.rate_hz)
    bpy.ops.heft.import_markers(filepath=str(file), frame_start=FIRST_FRAME)
    take = bpy.context.object
    stage.scene.frame_end = FIRST_FRAME + len(motion.time) - 1
    bpy.ops.heft.fit_markers()
    fitted = bpy.context.object
    rig = stage.figure("result", ADULT, "result")
    stage.retarget(fitted, rig)
    stage.simulate([rig])
    rig.delta_location.y, take.delta_location.y = -LANE_M, LANE_M
    stage.shown.append(take)
    balls = take.modifiers[0]
    balls[balls.node_group.interface.items_tree["Size"].identifier] = MARKER_M


def cartwheel(stage: Stage, _: Path) -> None:
    """A captured cartwheel, which falls when it is tracked: controls for it are searched."""
    addon_utils.enable("io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(CARTWHEEL), global_scale=CMU_UNIT_M, update_scene_fps=True)
    captured = bpy.context.object
    captured.rotation_euler.z = np.pi / 2
    source = stage.figure("source", ADULT, "source")
    result = stage.figure("result", ADULT, "result")
    for rig in (source, result):
        stage.retarget(captured, rig)
    first, last = result.animation_data.action.frame_range
    stage.scene.frame_start, stage.scene.frame_end = int(first), int(last)
    stage.simulate([result])
    source.delta_location.y, result.delta_location.y = LANE_M, -LANE_M


ACTS = {
    "walk": Act(
        "A walk",
        "Brown: the animation. Blue: the same motion, carried out by a body with mass and strength.",
        walk,
        (1.2, 4.9),
    ),
    "ball": Act("A ball", "4 kg at 7 m/s against the chest of somebody who marches.", ball, (1.8, 4.2), 1.15),
    "steps": Act(
        "Steps and a slope",
        "The same walk, made for a flat floor, climbs three steps of 5 cm and goes down a slope.",
        steps,
        (1.2, 6.4),
    ),
    "around": Act(
        "Something in the way",
        "A box is put into its path: it walks around and comes back.",
        around,
        (1.2, 6.4),
    ),
    "sizes": Act(
        "A child and a giant",
        "Retargeted to bodies of 1.20 m and 2.40 m, then simulated with their own masses.",
        sizes,
        (1.2, 4.9),
    ),
    "markers": Act(
        "From markers",
        "41 markers in a TRC file become an armature, whose motion goes to the mannequin and is simulated.",
        markers,
        (1.2, 4.9),
        1.0,
    ),
    "cartwheel": Act(
        "A cartwheel",
        "It falls when it is tracked, so controls are searched. The capture is 49_06 of mocap.cs.cmu.edu.",
        cartwheel,
        (1.2, 3.4),
        1.25,
    ),
}


def available() -> list[str]:
    """Return the acts that can be shown here: the capture of the cartwheel does not belong to the project."""
    return [name for name in ACTS if name != "cartwheel" or CARTWHEEL.is_file()]
