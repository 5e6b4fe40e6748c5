"""One action of a game character, read and simulated as Simulate does it, with the panel's defaults."""

from __future__ import annotations

import sys
import time as clock
from dataclasses import asdict, replace
from importlib import import_module
from typing import Any

import bpy
import numpy as np

from tools.load_extension import load_heft

from ..common.clips import CMU

SEARCH_SECONDS = 1200.0
"""Wall time that a search may take, so that figures do not depend on how busy the machine is [s]."""
LOW_HIPS = 0.6
"""Hips below this share of their height at rest are those of a body that sits, kneels or lies."""
LOW_TIME_SHARE, FOLDED_TIME_SHARE = 0.1, 0.5
"""Share of the time with hips that low over the floor, and over the lower ankle, from which on an action is
not one on the feet: who sits on a chair has hips as high as ever, and legs are drawn up in jumps as well."""
_opened: list[str] = []
"""The character that is open now."""
_imported: dict[str, Any] = {}
"""The pose of its bones after the import, in which bones are that an action has no keys of."""


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Simulate an action with an assist of at most `assist` N and Nm, and return its figures.

    With `supports` it is simulated on the seats and steps that are found in the action itself.
    """
    _open(item["character"])
    job_module, pipeline = (
        import_module("heft.addon.bake.bake_job"),
        import_module("heft.sim_core.bake.pipeline"),
    )
    errors = import_module("heft.sim_core.base.errors")
    wall, busy = clock.perf_counter(), clock.process_time()
    try:
        job = _prepared(item["action"], job_module).job
        settings = replace(
            job.settings, assist_cap=item["assist"], find_assist=False, search_seconds=SEARCH_SECONDS
        )
        job, supports = _on_supports(replace(job, settings=settings), item.get("supports", False))
        result = pipeline.bake(job)
    except errors.HeftError as problem:
        return {"refused": str(problem), "message": f"refused: {problem}"}
    figures, cpu = result.meta.measured, clock.process_time() - busy
    up = "to the end" if figures.full else f"falls at {figures.up_s:.2f} s"
    return {
        "on_feet": _stays_on_feet(job),
        "supports": supports,
        "metrics": asdict(figures),
        "searched": result.meta.search is not None and result.meta.search.kept,
        "looped": result.meta.loop is not None,
        "closes": import_module("heft.sim_core.bake.loop").loop_of([job]) is not None,
        "gap": _gap(result.bone_position, result.bone_quaternion_world),
        "source_gap": _source_gap(job, result),
        "found": [own.text for own in result.meta.report.after.problems if own.kind in FINDINGS],
        "cpu_seconds": cpu,
        "wall_seconds": clock.perf_counter() - wall,
        "message": f"{up}, {figures.joint_error_source_deg:.1f} deg from the source, {cpu:.0f} CPU s",
    }


FINDINGS = ("legs", "hands", "drift", "joint")
"""Problems that a viewer sees though the body did not fall."""


def _on_supports(job: Any, wanted: bool) -> tuple[Any, int]:
    """Return a job on the supports that are found, if they are wanted, and their number."""
    if not wanted:
        return job, 0
    supports = import_module("heft.sim_core.supports.find")
    found = supports.find_supports(job)
    return supports.on_supports(job, found)[0], len(found.supports)


def sits_or_lies(character: str, action: str) -> bool:
    """Return whether an action moves, and is not one on the feet."""
    _open(character)
    try:
        job = _prepared(action, import_module("heft.addon.bake.bake_job")).job
    except import_module("heft.sim_core.base.errors").HeftError:
        return False
    return not _stays_on_feet(job)


def actions_of(character: str) -> list[str]:
    """Return the names of all actions of a character."""
    _open(character)
    return sorted(action.name for action in bpy.data.actions)


def _open(character: str) -> None:
    """Import a character into an empty file, if it is not open already."""
    if "heft" not in sys.modules:
        load_heft().register()
    if _opened == [character]:
        return
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_module("addon_utils").enable("io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=str(CMU.parents[1] / "characters" / f"{character}.glb"), loglevel=50)
    _opened[:] = [character]
    _imported.clear()
    _imported.update((bone.name, bone.matrix_basis.copy()) for bone in _rig().pose.bones)


def _rig() -> Any:
    """Return the only armature."""
    (rig,) = [obj for obj in bpy.context.view_layer.objects if obj.type == "ARMATURE"]
    return rig


def _prepared(action: str, job_module: Any) -> Any:
    """Read an action of the only armature, with the options that its panel shows."""
    options = import_module("heft.addon.bake.bake_options")
    rig = _rig()
    bpy.context.view_layer.objects.active = rig
    for bone in rig.pose.bones:
        bone.matrix_basis = _imported[bone.name]
    rig.animation_data.action = bpy.data.actions[action]
    if hasattr(rig.animation_data, "action_slot"):
        rig.animation_data.action_slot = bpy.data.actions[action].slots[0]
    participant = options.Participant(rig, options.options_of(bpy.context, rig))
    (prepared,) = import_module("heft.addon.blender.steps").run_all(
        job_module.prepare_bakes(bpy.context, [participant])
    )
    return prepared


def _stays_on_feet(job: Any) -> bool:
    """Return whether a motion is one of a body on its feet, by the heights of its hips."""
    skeleton = job.motion.skeleton
    binding = import_module("heft.sim_core.character.binding").bind(skeleton, job.mapping)

    def joints(part: str) -> list[int]:
        return [int(binding.joint[binding.index(f"{part}.{side}")]) for side in "LR"]

    def time_below(height: Any, rest: float) -> float:
        return float((height < LOW_HIPS * rest).mean())

    height, rest, hips = (
        job.motion.position_world[..., 2],
        skeleton.rest_position_world[:, 2],
        binding.joint[0],
    )
    over_ankle = height[:, joints("thigh")].mean(axis=1) - height[:, joints("foot")].min(axis=1)
    leg = rest[joints("thigh")].mean() - rest[joints("foot")].min()
    low = time_below(height[:, hips], rest[hips]) >= LOW_TIME_SHARE
    return not low and time_below(over_ankle, leg) < FOLDED_TIME_SHARE


def _source_gap(job: Any, result: Any) -> list[float]:
    bones = [job.motion.skeleton.index[str(name)] for name in result.bone_name]
    return _gap(job.motion.position_world[:, bones], job.motion.quaternion_world[:, bones])


def _gap(position: Any, quaternion: Any) -> list[float]:
    """Return how far both ends are apart: the bone that turned furthest [deg], the one that moved [cm]."""
    rotations = import_module("heft.sim_core.base.rotations")
    turned = np.degrees(rotations.angle_between(quaternion[0], quaternion[-1])).max()
    moved = 100.0 * np.linalg.norm(position[0] - position[-1], axis=-1).max()
    return [float(turned), float(moved)]
