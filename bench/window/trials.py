"""Bakes on Blender's module, stepped as the window steps them."""

from __future__ import annotations

import resource
import sys
import time
from importlib import import_module
from typing import Any

import bpy
import numpy as np

from tools.demo.body import Body
from tools.demo.mannequin import FPS, build_mannequin, write_action
from tools.demo.motions import make
from tools.load_extension import load_heft

from ..common.tables import Row

BONES, FRAMES = 60, 600
WALK_S = 5.0
LIMIT_S = 0.05
READING = "Reading the motion"
"""Stage whose steps are longer on purpose: the window is drawn after each."""
LOADING_S = 5.0
"""Time in which the child is ready, also on a busy machine [s]."""
PAUSE_S = 0.02
"""Pause between two steps while the child works, about as long as that of the window's timer [s]."""


def first_result() -> Row:
    """Measure the bake of the demo's walk, from pressing Simulate to the result.

    A child is ready, as it is in a window soon after its tab is shown.
    """
    rig = _walker()
    _choose_frames(rig, round(WALK_S * FPS) + 1)
    import_module("heft.addon.jobs.ready_worker").READY.start()
    time.sleep(LOADING_S)
    return {"case": "walk", **_measured(rig)}


def steps_of_a_bake(few_keys: bool) -> Row:
    """Measure a bake of a rig with fingers and many frames: a walk, then standing."""
    rig = _walker()
    _add_fingers(rig, BONES - len(rig.data.bones))
    _choose_frames(rig, FRAMES)
    rig.heft_keys.mode = "FEW" if few_keys else "EVERY"
    return {"case": "few keys" if few_keys else "keys", **_measured(rig)}


def _walker() -> Any:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if "heft" not in sys.modules:
        load_heft().register()
    body, bpy.context.scene.render.fps = Body(), FPS
    rig = build_mannequin("figure", body, "result")
    write_action(rig, "walk", make("walk", body), import_module("heft.addon.blender.compat"))
    return rig


def _choose_frames(rig: Any, last: int) -> None:
    rig.heft.range_mode, rig.heft.frame_start, rig.heft.frame_end = "CUSTOM", 1, last
    rig.heft.quality = "draft"


def _add_fingers(rig: Any, count: int) -> None:
    """Add bones at the hands, each with a key at every frame."""
    bpy.ops.object.mode_set(mode="EDIT")
    hands = [bone for bone in rig.data.edit_bones if bone.name.startswith("hand")]
    for number in range(count):
        hand = hands[number % len(hands)]
        bone = rig.data.edit_bones.new(f"finger {number}")
        bone.parent, bone.head, bone.tail = hand, hand.tail, 2.0 * hand.tail - hand.head
    bpy.ops.object.mode_set(mode="OBJECT")
    compat, keys = import_module("heft.addon.blender.compat"), import_module("heft.addon.blender.channels")
    writer, frame = compat.CurveWriter(compat.action_of(rig)), np.arange(1, FRAMES + 1)
    turn = 0.1 * np.sin(0.1 * frame)
    values = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn, 0.0 * turn], axis=1)
    for number in range(count):
        path = rig.pose.bones[f"finger {number}"].path_from_id("rotation_quaternion")
        keys.write_channel(writer, path, f"finger {number}", frame, values)


def _measured(rig: Any) -> dict[str, Any]:
    options, job = import_module("heft.addon.bake.bake_options"), import_module("heft.addon.bake.bake_job")
    context = bpy.context
    started, own_s, child_s = time.monotonic(), time.process_time(), _children_s()
    session = job.BakeSession(context, options.participants_of(context))
    took: list[tuple[float, str]] = []
    wall = {"reading_s": 0.0, "child_s": 0.0, "writing_s": 0.0}
    outcome = None
    while outcome is None:
        part = "child_s" if not session.holds_scene else "writing_s" if _writes(session) else "reading_s"
        before, stage, used = time.monotonic(), session.progress.stage, time.thread_time()
        outcome = session.step(context)
        took.append((time.thread_time() - used, stage))
        if not session.holds_scene:
            time.sleep(PAUSE_S)
        wall[part] += time.monotonic() - before
    longest_s, stage = max(step for step in took if step[1] != READING)
    return {
        "steps": len(took),
        "reading_ms": 1000.0 * max(step for step, during in took if during == READING),
        "longest_ms": 1000.0 * longest_s,
        "stage": stage,
        "over": sum(step > LIMIT_S for step, during in took if during != READING),
        "all_s": time.monotonic() - started,
        "own_processor_s": time.process_time() - own_s,
        "child_processor_s": _children_s() - child_s,
        **wall,
    }


def _children_s() -> float:
    """Return the processor time of child processes that have ended [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _writes(session: Any) -> bool:
    return bool(session.progress.stage == "Writing the keys")
