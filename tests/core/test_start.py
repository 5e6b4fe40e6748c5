"""What a command imports: what it needs, and nothing that takes long to load and is of no use to it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sim_core.cli.main import COMMANDS, Command
from tests.core.sample_files import standing_bvh

ROOT = Path(__file__).resolve().parents[2]
NOT_FOR_A_BAKE = {
    "c3d", "coacd", "distributed", "ezc3d", "jinja2", "osqp", "plotly", "scipy.signal", "scipy.stats",
    "sim_core.cli.batch.batch_command", "sim_core.doctor.examine", "sim_core.markers.fit_pipeline",
    "sim_core.markers.read_markers", "sim_core.posefit.batch_solver", "sim_core.report.page",
    "sim_core.retarget.retarget", "sim_core.search.search", "sim_core.supports.find",
    "sim_core.control.three_link.policy", "sim_core.reference.obstacles",
}  # fmt: skip
"""Modules that a bake of a BVH file that stays up does without."""
SHOW_IMPORTS = """
import json, sys
from sim_core.cli.main import main
try:
    status = main(sys.argv[1:], own_process=True)
except SystemExit as leaving:  # how argparse ends
    status = leaving.code
print(json.dumps([status, sorted(sys.modules)]))
"""


def imported_by(*arguments: str) -> set[str]:
    """Run a command in a process of its own; return the names of all modules that it has imported."""
    command = [sys.executable, "-c", SHOW_IMPORTS, *arguments]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    status, modules = json.loads(answer.stdout.splitlines()[-1])
    assert status == 0, answer.stderr
    return set(modules)


def test_a_bake_imports_only_what_it_needs(tmp_path: Path) -> None:
    motion = tmp_path / "stand.bvh"
    motion.write_text(standing_bvh())
    modules = imported_by("bake", str(motion), "--out", str(tmp_path / "r.npz"), "--quality", "draft")
    assert (tmp_path / "r.npz").is_file()
    assert {"mujoco", "scipy.linalg", "sim_core.bake.pipeline"} <= modules
    assert not modules & NOT_FOR_A_BAKE


def test_the_list_of_commands_is_shown_without_numpy() -> None:
    assert "numpy" not in imported_by("--help")


def test_every_module_that_a_bake_does_without_exists() -> None:
    """A name that is misspelt would never be found among the imported ones."""
    own = [name for name in NOT_FOR_A_BAKE if name.startswith("sim_core.")]
    assert [name for name in own if not (ROOT / (name.replace(".", "/") + ".py")).is_file()] == []


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_the_summary_of_a_command_is_its_first_line(command: Command) -> None:
    assert (command.load().__doc__ or "").splitlines()[0] == command.summary
