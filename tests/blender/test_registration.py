"""Registering adds what it should, and unregistering leaves nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]


def registered_names() -> set[str]:
    types = {name for name in dir(bpy.types) if name.startswith(("HEFT_", "Heft"))}
    owners = (bpy.types.Object, bpy.types.Armature, bpy.types.WindowManager, bpy.types.Scene)
    return types | {f"{owner.__name__}.heft" for owner in owners if hasattr(owner, "heft")}


def test_nothing_is_left() -> None:
    package = sys.modules["heft"]
    assert registered_names() == set()
    for _ in range(2):
        package.register()
        assert "HEFT_OT_simulate" in registered_names()
        assert "Object.heft" in registered_names()
        package.unregister()
        assert registered_names() == set()


def test_a_failure_on_the_way_takes_everything_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from heft.addon import registration
    from heft.addon.cli import command as cli_command

    def fail() -> None:
        raise RuntimeError("no command line today")

    monkeypatch.setattr(cli_command, "register", fail)
    with pytest.raises(RuntimeError, match="no command line today"):
        registration.register()
    assert registered_names() == set()


def test_pieces_are_imported_one_at_a_time_and_then_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    from heft.addon.bake import warm_up

    monkeypatch.setattr(warm_up, "_left", warm_up.import_pieces(iter(warm_up.PIECES[:2])))
    assert [warm_up._next_piece() for _ in range(3)] == [warm_up.PAUSE_S, warm_up.PAUSE_S, None]


AT_WORK = {
    "actions", "analysis", "bake", "control", "drawing", "dynamics", "jobs", "live", "posefit", "reading",
    "reference", "report", "search", "simulation", "supports", "world",
}  # fmt: skip
"""Packages of the core that are at work when something is simulated, read, written or drawn."""
HEAVY = {"argparse", "scipy.interpolate", "scipy.linalg", "scipy.ndimage", "scipy.optimize"}
"""Libraries that take as long to load as Heft's own modules."""
SHOW_PACKAGES = """
import json, os, sys
import bpy
from tools.load_extension import load_heft
import numpy, scipy.spatial.transform, mujoco, daqp
before = set(sys.modules)
load_heft().register()
from heft.addon.bake import warm_up
own = [name.split(".")[2] for name in sys.modules if name.startswith("heft.sim_core.")]
libraries = sorted(set(sys.modules) - before)
pieces = list(warm_up.import_pieces(iter(warm_up.PIECES)))
warm = set(sys.modules)
import heft.addon.bake.bake_job
print(json.dumps([own, libraries, pieces, sorted(set(sys.modules) - warm)]), flush=True)
os._exit(0)  # without a screen, the bpy module can crash while Python takes it down
"""


def test_registering_loads_nothing_that_only_a_job_needs() -> None:
    """Blender starts with the extension, and nobody waits for a simulation then."""
    command = [sys.executable, "-c", SHOW_PACKAGES]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded, libraries, pieces, late = json.loads(answer.stdout.splitlines()[-1])
    assert {"base", "scenario"} <= set(loaded)
    assert not set(loaded) & AT_WORK
    assert not set(libraries) & HEAVY
    assert all((ROOT / "sim_core" / name).is_dir() for name in AT_WORK)
    assert pieces and late == []  # what is imported afterwards is all that a bake imports
