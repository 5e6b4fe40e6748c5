"""Second step, the next start of Blender: bake with the extension, disable it, look for leftovers."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import bpy

from .install import MODULE, load_preferences
from .markers import write_walk
from .registered import Watch, registered
from .walker import FRAMES, make_walker


def main(before: set[str]) -> None:
    """Do what a user does, with a check after each step."""
    watch = Watch()
    load_preferences(enabled=True)
    check_enabled(watch)
    check_bundled_packages()
    check_bake()
    check_report()
    check_markers()
    check_retarget()
    check_doctor()
    check_policy()
    bpy.ops.preferences.addon_disable(module=MODULE)
    check_nothing_left(before, watch)


def check_enabled(watch: Watch) -> None:
    """Check that operators, panels and the command are there."""
    ours = [line for line in registered() if line.startswith(f"class {MODULE}.")]
    assert any(".operators." in line for line in ours), f"no operator is registered: {ours}"
    assert any(".panels." in line for line in ours), f"no panel is registered: {ours}"
    assert "heft" in watch.commands(), f"commands: {watch.commands()}"


def check_bundled_packages() -> None:
    """Check that the engine comes from the zip's wheels and works."""
    user_folder = os.path.realpath(os.environ["BLENDER_USER_RESOURCES"])
    for name in ("mujoco", "scipy", "daqp", "osqp", "coacd", "ezc3d", "c3d"):
        found = os.path.realpath(str(importlib.import_module(name).__file__))
        assert found.startswith(user_folder), f"{name} was found in {found}"
    check_osqp()


def check_osqp() -> None:
    """Check osqp without the dependencies that are not bundled: minimise x^2 / 2 - x with x <= 0.25."""
    import numpy as np
    import osqp
    from scipy import sparse

    one = sparse.csc_matrix([[1.0]])
    solver = osqp.OSQP()
    solver.setup(one, np.array([-1.0]), one, np.array([-1.0]), np.array([0.25]), verbose=False)
    # osqp stops at 1e-3 by default.
    assert abs(solver.solve().x[0] - 0.25) < 2e-3


def check_policy() -> None:
    """Check that Blender reports no violation; it looks only when its preferences are drawn."""
    import addon_utils  # on the path only after bpy is loaded

    warnings = addon_utils._extensions_warnings_get().get(MODULE, [])
    assert not warnings, f"Blender's policy is violated: {warnings}"


def curves(action: Any) -> list[Any]:
    """Return all f-curves of an action, with or without slots."""
    if not hasattr(action, "layers"):
        return list(action.fcurves)
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [curve for bag in bags for curve in bag.fcurves]


def check_bake() -> None:
    """Check that the operator makes a new action with keys and leaves the source as it was."""
    rig = make_walker()
    source = rig.animation_data.action
    keys_before = [[tuple(key.co) for key in curve.keyframe_points] for curve in curves(source)]
    actions_before = set(bpy.data.actions)
    done = bpy.ops.heft.simulate()
    assert done == {"FINISHED"}, done
    (result,) = set(bpy.data.actions) - actions_before
    assert all(len(curve.keyframe_points) >= FRAMES for curve in curves(result)), "keys are missing"
    assert len(curves(result)) > len(curves(source)), "hardly any bone was baked"
    keys_after = [[tuple(key.co) for key in curve.keyframe_points] for curve in curves(source)]
    assert keys_after == keys_before, "the source action was changed"


def check_report() -> None:
    """Check that the bake is judged, and its page drawn with the zip's own libraries and template."""
    page = Path(os.environ["BLENDER_USER_RESOURCES"]) / "report.html"
    assert bpy.context.object.heft_report.compared, "the bake was not judged"
    assert bpy.ops.heft.save_report(filepath=str(page)) == {"FINISHED"}
    assert "Plotly.newPlot(" in page.read_text("utf-8"), "the page has no plots"
    assert bpy.ops.heft.clear_marks.poll() == any(bpy.context.object.heft_report.worst), "marks do not fit"


def check_markers() -> None:
    """Check that markers are imported and fitted, and a set of them is kept in the user's folder."""
    user_folder = Path(os.environ["BLENDER_USER_RESOURCES"])
    assert bpy.ops.heft.import_markers(filepath=str(write_walk(user_folder / "walk.trc"))) == {"FINISHED"}
    assert bpy.ops.heft.save_marker_set(name="Mine") == {"FINISHED"}
    assert list(user_folder.glob("extensions/**/marker_sets/Mine.json")), "the marker set was not kept"
    assert bpy.ops.heft.fit_markers() == {"FINISHED"}
    assert bpy.context.object.type == "ARMATURE", "the fit made no armature"


def check_retarget() -> None:
    """Check retargeting to another armature; a table of bones is kept in the user's folder."""
    source, target = bpy.context.object, bpy.data.objects["Walker"]
    bpy.context.view_layer.objects.active = target
    target.heft_retarget.source = source
    actions_before = set(bpy.data.actions)
    assert bpy.ops.heft.retarget() == {"FINISHED"}
    (result,) = set(bpy.data.actions) - actions_before
    assert target.animation_data.action == result, "the target does not move"
    assert bpy.ops.heft.save_bones(name="Mine") == {"FINISHED"}
    user_folder = Path(os.environ["BLENDER_USER_RESOURCES"])
    assert list(user_folder.glob("extensions/**/bone_tables/Mine.json")), "the table of bones was not kept"


def check_doctor() -> None:
    """Check that Heft finds no problem, and all packages but Blender's numpy in the user's folder."""
    assert bpy.ops.heft.check_installation() == {"FINISHED"}
    found = importlib.import_module(f"{MODULE}.addon.jobs.doctor_session").last_doctor_report()
    assert found.failed == 0, found
    user_folder = os.path.realpath(os.environ["BLENDER_USER_RESOURCES"])
    strays = [name for name, place in found.origins.items() if not place.startswith(user_folder)]
    assert strays == ["numpy"], found.origins


def check_nothing_left(before: set[str], watch: Watch) -> None:
    """Check that Blender is as it was before, after disabling."""
    left = sorted(registered() - before)
    assert not left, f"left registered: {left[:20]}"
    timers = [name for name in watch.timers() if name.startswith(MODULE)]
    assert not timers, f"timers left: {timers}"
    assert "heft" not in watch.commands(), "the command heft is left"


if __name__ == "__main__":
    main(set(json.loads((Path(sys.argv[1]) / "before.json").read_text())))
    sys.stdout.flush()
