"""Carry out the steps of `docs/tutorial.md` in Blender, and write into it what Heft says at each of them.

Run with a Blender environment: `.dev/envs/blender-5.0/bin/python -m tools.tutorial CAPTURE.bvh`, where the
capture is 02_05 of the CMU database. The page has a block for each step that quotes the panel.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.load_extension import load_heft

load_heft()

import bpy  # noqa: E402
from heft.addon.bake.bake_summary import detail_lines, summary_lines  # noqa: E402
from mathutils import Vector  # noqa: E402

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tutorial.md"
CMU_UNIT_M = 0.0564
FIRST, LAST, LAUNCH = 240, 600, 400
BLOCK = re.compile(r"(<!-- step: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def steps(capture: Path) -> Iterator[tuple[str, list[str]]]:
    """Do what the page says, and yield the name of each block with the lines that the panel shows."""
    rig = import_boxer(capture)
    rig.heft.range_mode, rig.heft.frame_start, rig.heft.frame_end = "CUSTOM", FIRST, LAST
    simulate(rig)
    yield "simulate", said(rig)
    throw_ball(rig)
    simulate(rig)
    yield "ball", [*hits(rig), *said(rig)]
    yield "firm", prepared_line(rig)
    bpy.ops.heft.load_preset(group="reactions", key="soft")
    simulate(rig)
    yield "soft", prepared_line(rig)
    rig.heft_keys.mode = "FEW"
    simulate(rig)
    yield "keys", [note for note in notes(rig) if " keys in place of " in note and "Props" not in note]


def import_boxer(capture: Path) -> Any:
    """Import the capture with the options of step 2."""
    import_module("addon_utils").enable("io_anim_bvh")  # importable once bpy is
    options = {"global_scale": CMU_UNIT_M, "update_scene_fps": True, "update_scene_duration": True}
    bpy.ops.import_anim.bvh(filepath=str(capture), **options)
    return bpy.context.object


def throw_ball(rig: Any) -> None:
    """Put the ball three metres in front of the chest, and aim it there."""
    bpy.context.scene.frame_set(LAUNCH)
    place = {name: rig.matrix_world @ rig.pose.bones[name].head for name in ("Spine1", "LeftArm", "RightArm")}
    forward = (place["LeftArm"] - place["RightArm"]).cross(Vector((0.0, 0.0, 1.0))).normalized()
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.12, location=place["Spine1"] + 3.0 * forward)
    ball = bpy.context.object
    ball.name, thrown = "Ball", ball.heft_object
    thrown.role, thrown.mass, thrown.launch_frame, thrown.launch_speed = "PROJECTILE", 3.0, LAUNCH, 8.0
    thrown.aim, thrown.target_rig, thrown.target_bone = "BONE", rig, "Spine1"


def simulate(rig: Any) -> None:
    """Click the armature and press Simulate."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == rig)
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.heft.simulate() == {"FINISHED"}


def said(rig: Any) -> list[str]:
    """The lines of the panel Result."""
    return [line.text for line in summary_lines(rig.heft.outcome)]


def notes(rig: Any) -> list[str]:
    """The notes of the last bake."""
    return [note.text for note in rig.heft.outcome.notes]


def hits(rig: Any) -> list[str]:
    """What hit the boxer first."""
    return [note for note in notes(rig) if re.match(r"Frame \d+: 'Ball' hits", note)][:1]


def prepared_line(rig: Any) -> list[str]:
    """How far the body gave way."""
    return [line for line in detail_lines(rig.heft.outcome) if line.startswith("From the prepared motion")]


def filled(page: str, found: dict[str, list[str]]) -> str:
    """Return the page with what was said in its blocks."""

    def block(match: re.Match[str]) -> str:
        indent = re.match(r" *", match[3])
        space = "" if indent is None else indent[0]
        lines = "".join(f"{space}> {line}<br>\n" for line in found[match[2]])
        return f"{match[1]}{lines.removesuffix('<br>' + chr(10))}\n{space}{match[4]}"

    return BLOCK.sub(block, page)


def main() -> None:
    """Rewrite the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("capture", type=Path)
    capture = parser.parse_args().capture.resolve()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    heft = load_heft()
    heft.register()
    found = dict(steps(capture))
    PAGE.write_text(filled(PAGE.read_text("utf-8"), found), "utf-8")


if __name__ == "__main__":
    main()
