"""Long runs: many bakes in one process, a long take, many bones, characters and objects.

Each trial returns its figures and what was wrong. Those that need no Blender use the core as the command line
does; the others press the button.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from sim_core.bake.pipeline import bake, bake_together
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton
from sim_core.result.result import Result, load_result, save_result
from sim_core.scenario.job import Job, load_job, save_job
from sim_core.scenario.settings import BakeSettings
from tests.blender.rigs import animate, humanoid
from tests.core.sample_people import MAPPING, Performance, person, standing

from .usage import Usage, leaks, repeat, usage

DRAFT = BakeSettings(quality="draft", assist_cap=0.0, find_assist=False, search=False)
SHORT_S = 0.3
"""Length of a motion of which many are baked [s]."""
APART_M = 2.0
NOD_RAD, NOD_S = 0.15, 2.0
FRAMES = 8
ROLES = 5
"""Objects of a large scene that have a role."""

Outcome = dict[str, Any]


def run_item(item: dict[str, Any]) -> Outcome:
    """Do one trial; item: its name and its size."""
    began, usual = time.process_time(), tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="long_") as folder:
        tempfile.tempdir = folder  # which no other program uses
        try:
            outcome = TRIALS[item["trial"]](item["size"])
        finally:
            tempfile.tempdir = usual
    return {
        **outcome,
        "cpu_s": time.process_time() - began,
        "memory_mb": usage().memory_mb,
        "message": "; ".join(outcome["defects"]) or "well",
    }


def bakes_in_one_process(count: int) -> Outcome:
    """Bake a short motion again and again, with job and result files, as a worker does."""
    job = Job(person(standing(SHORT_S)), MAPPING, DRAFT)
    with tempfile.TemporaryDirectory(prefix="long_") as folder:

        def work(_: int) -> None:
            save_job(job, Path(folder) / "job.npz")
            save_result(bake(load_job(Path(folder) / "job.npz")), Path(folder) / "result.npz")
            load_result(Path(folder) / "result.npz")

        return _of_many(repeat(work, count))


def bakes_in_one_blender(count: int) -> Outcome:
    """Press Simulate and Discard again and again."""
    obj = _figure()

    def work(_: int) -> None:
        bpy.context.view_layer.objects.active = obj
        assert bpy.ops.heft.simulate() == {"FINISHED"}
        assert bpy.ops.heft.discard_result() == {"FINISHED"}

    held = repeat(work, count, bpy.app.tempdir)
    extra = len(bpy.data.actions) - 1
    outcome = _of_many(held)
    return outcome | {"defects": [*outcome["defects"], *([f"{extra} actions are left"] if extra else [])]}


def _of_many(held: list[Usage]) -> Outcome:
    first, last = held[len(held) // 4], held[-1]
    told = (
        f"memory {first.memory_mb:.0f} to {last.memory_mb:.0f} MB, "
        f"handles {first.handles} to {last.handles}, "
        f"threads {first.threads} to {last.threads}, temporary files {first.files} to {last.files}"
    )
    return {"found": told, "defects": leaks(held)}


def minutes_of_motion(minutes: int) -> Outcome:
    """Bake a motion that lasts long: it nods, and must stand at its end as at its beginning."""
    stand = standing(60.0 * minutes, rate=25.0)
    nod = NOD_RAD * np.sin(np.pi * stand.time / NOD_S) ** 2
    turns = {"head": np.outer(nod, [0.0, 1.0, 0.0])}
    result = bake(Job(person(Performance(stand.time, turns, stand.hips_offset)), MAPPING, DRAFT))
    return _of_result(result)


def many_bones(count: int) -> Outcome:
    """Bake a rig with many bones that are no part of the body, in chains on its head, hands and hips."""
    motion = person(standing(SHORT_S))
    own = motion.skeleton
    parents, names = list(own.parents), list(own.names)
    carriers = [own.index[name] for name in ("head", "hand.L", "hand.R", "hips")]
    while len(names) < count:
        new = len(names) - len(own.names)
        parents.append(carriers[new % 4])
        carriers[new % 4] = len(names)
        names.append(f"extra {new}")
    shift = np.array([0.0, 0.0, 0.01])
    source = [index if index < len(own.names) else -1 for index in range(count)]
    rest, turned = np.zeros((count, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    place = np.zeros((len(motion.time), count, 3))
    turn = np.tile(turned, (len(motion.time), 1, 1))
    for bone, parent in enumerate(parents):
        if source[bone] >= 0:
            rest[bone], turned[bone] = own.rest_position_world[bone], own.rest_quaternion_world[bone]
            place[:, bone], turn[:, bone] = motion.position_world[:, bone], motion.quaternion_world[:, bone]
        else:
            rest[bone], turned[bone] = rest[parent] + shift, turned[parent]
            place[:, bone], turn[:, bone] = place[:, parent] + shift, turn[:, parent]
    skeleton = Skeleton(tuple(names), np.array(parents), rest, turned)
    return _of_result(bake(Job(Motion(skeleton, motion.time, place, turn), MAPPING, DRAFT)))


def many_characters(count: int) -> Outcome:
    """Bake characters that stand in rows, in one simulation."""
    places = [APART_M * np.array([number % 5, number // 5, 0.0]) for number in range(count)]
    jobs = [Job(person(standing(SHORT_S)).moved(place), MAPPING, DRAFT) for place in places]
    outcomes = [_of_result(result) for result in bake_together(jobs)]
    return {
        "found": f"{len(outcomes)} results; the first: {outcomes[0]['found']}",
        "defects": [defect for outcome in outcomes for defect in outcome["defects"]],
    }


def _of_result(result: Result) -> Outcome:
    fell, error = result.meta.fell_at, result.meta.measured.joint_error_deg
    seconds = float(result.time[-1] - result.time[0])
    return {
        "found": f"{seconds:.1f} s baked, joint error {error:.2f} deg",
        "defects": [f"it fell at {fell:.1f} s"] if fell is not None else [],
    }


def many_objects(count: int) -> Outcome:
    """Simulate in a scene of many objects, a few of which have roles; compare with a scene of these few."""
    spent = []
    for number in (ROLES, count):
        obj = _figure()
        mesh = bpy.data.meshes.new("Box")
        mesh.from_pydata(
            [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)],
            [],
            [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)],
        )
        for index in range(number):
            box = bpy.data.objects.new(f"Box {index}", mesh)
            box.location = (3.0 + index % 50, index // 50, 0.0)
            bpy.context.scene.collection.objects.link(box)
            box.heft_object.role = "OBSTACLE" if index < ROLES else "NONE"
        bpy.context.view_layer.objects.active = obj
        began = time.process_time()
        assert bpy.ops.heft.simulate() == {"FINISHED"}
        spent.append(time.process_time() - began)
    return {
        "found": f"{spent[1]:.2f} s in Blender's process, {spent[0]:.2f} s with {ROLES} objects",
        "defects": [],
    }


def _figure() -> bpy.types.Object:
    """Return an animated figure in an empty file, with Heft registered."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types, "HEFT_OT_simulate"):
        sys.modules["heft"].register()
    obj = humanoid()
    animate(obj, "Hips")
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, FRAMES
    obj.heft.quality = "draft"
    return obj


TRIALS: dict[str, Callable[[int], Outcome]] = {
    "bakes in one process": bakes_in_one_process,
    "bakes in one Blender": bakes_in_one_blender,
    "minutes of motion": minutes_of_motion,
    "bones": many_bones,
    "characters in one simulation": many_characters,
    "objects, 5 with a role": many_objects,
}
