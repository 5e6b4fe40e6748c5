"""The demo's mannequin in the window's scene, and what can be read from the file."""

from __future__ import annotations

import os
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from tools.demo.body import Body
from tools.demo.mannequin import FIRST_FRAME, FPS, build_mannequin, write_action
from tools.demo.motions import make

from .window import Window

MODULE = "bl_ext.user_default.heft"
RIG = "mannequin"
SOURCE = "walk"


def build_scene(window: Window) -> None:
    """Only the walking mannequin, seen from the side, as one undo step."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.data.orphans_purge()  # or saving would drop them, and the file would not be the same
    scene, body = bpy.context.scene, Body()
    motion = make(SOURCE, body)
    scene.render.fps = FPS
    scene.frame_start, scene.frame_end = FIRST_FRAME, FIRST_FRAME + len(motion.time) - 1
    with window.context():
        rig = build_mannequin(RIG, body, "result")
    write_action(rig, SOURCE, motion, import_module(f"{MODULE}.addon.blender.compat"))
    rig.select_set(True)
    with window.context():
        bpy.ops.view3d.view_all()
        bpy.ops.ed.undo_push(message="Build the scene")


def rig() -> Any:
    """The armature; never keep it over an undo or a load."""
    return bpy.data.objects[RIG]


def select_alone(name: str) -> None:
    """Click an object."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name == name)
    bpy.context.view_layer.objects.active = bpy.data.objects[name]


def progress() -> Any:
    """What the panel shows of a running bake."""
    return bpy.context.window_manager.heft


def state() -> dict[str, Any]:
    """Everything that a bake may change: blocks of the file, the rig's animation and pose, the frame."""
    kinds = ("objects", "armatures", "meshes", "actions", "scenes", "texts", "collections")
    blocks = {kind: sorted((b.name, b.use_fake_user) for b in getattr(bpy.data, kind)) for kind in kinds}
    pose = np.array([bone.matrix for bone in rig().pose.bones])
    return {
        **blocks,
        "frame": (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe),
        "action": rig().animation_data.action.name,
        "keys": {action.name: _keys(action) for action in bpy.data.actions},
        "pose": pose.round(5).tolist(),
        "result": rig().heft.outcome.present,
    }


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of what is not the same."""
    return [name for name in before if before[name] != after[name]]


class StepTimes:
    """The longest step of Heft's own [s of processor time], and the stage after it, while the block runs.

    frames: which the window could draw while the motion was read
    """

    def __enter__(self) -> StepTimes:
        self.longest_s, self.stage = 0.0, ""
        self.frames: set[int] = set()
        self._session = import_module(f"{MODULE}.addon.bake.bake_job").BakeSession
        self._step = self._session.step

        def timed(session: Any, context: Any) -> Any:
            start = time.thread_time()
            try:
                return self._step(session, context)
            finally:
                took = (time.thread_time() - start, session.progress.stage)
                self.longest_s, self.stage = max((self.longest_s, self.stage), took)
                if "Reading" in session.progress.stage:
                    self.frames.add(bpy.context.scene.frame_current)

        self._session.step = timed
        return self

    def __exit__(self, *_: object) -> None:
        self._session.step = self._step


def children() -> list[int]:
    """Processes that Blender started and that still run, without the one that was ready for a simulation."""
    import_module(f"{MODULE}.addon.jobs.ready_worker").READY.end()
    own = str(os.getpid())
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = status.read_text().split(" (", 1)
        except OSError:
            continue
        if rest.rsplit(") ", 1)[1].split()[1] == own:
            found.append(int(number))
    return found


def _keys(action: Any) -> tuple[int, float]:
    """How many keys an action has, and the sum of their values."""
    strips = [strip for layer in getattr(action, "layers", ()) for strip in layer.strips]
    bags = [bag for strip in strips for bag in strip.channelbags] or [action]
    curves = [curve for bag in bags for curve in bag.fcurves]
    total = 0.0
    for curve in curves:
        keys = np.empty(2 * len(curve.keyframe_points))
        curve.keyframe_points.foreach_get("co", keys)
        total += float(np.abs(keys[1::2]).sum())
    return sum(len(curve.keyframe_points) for curve in curves), round(total, 3)
