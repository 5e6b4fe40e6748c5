"""The entry inside Blender: runs the scenario step by step from a timer, so that the window lives on."""

from __future__ import annotations

import re
import sys
import traceback
from pathlib import Path

import bpy

# The clone must be on the path before its modules are imported.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.gui import scenario
from tests.gui.window import OPTIONS, Steps, Window, run_in_window, write_log


def all_tests(window: Window) -> Steps:
    """Each test of the scenario in turn; one that fails does not stop the next."""
    for test in scenario.TESTS:
        name = test.__name__.replace("_", " ")
        if not re.search(OPTIONS["only"], name):
            continue
        try:
            detail = yield from test(window)
            write_log("PASS", f"{name}: {detail}" if detail else name)
        except AssertionError as problem:
            write_log("FAIL", f"{name}: {problem}")
        except Exception:
            write_log("FAIL", f"{name}: {traceback.format_exc()}")
    write_log("END", "")


def main() -> None:
    """Prepare the preferences, then run all tests."""
    if OPTIONS["pictures"]:
        # Or the scene shines through the sidebar.
        bpy.context.preferences.system.use_region_overlap = False
    run_in_window(all_tests(Window()))


main()
