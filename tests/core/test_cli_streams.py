"""Standard streams of the `heft` command that are closed, full, or that nobody reads any more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim_core.cli import main as cli
from sim_core.cli.console import Console

ROOT = Path(__file__).parents[2]
PRESETS = [sys.executable, "-m", "sim_core", "presets", "--json"]
posix_only = pytest.mark.skipif(os.name != "posix", reason="uses a POSIX shell")


def shell(redirections: str) -> subprocess.CompletedProcess[str]:
    """Run `heft presets --json` with redirections, as a shell would."""
    line = f'"$@" {redirections}'
    return subprocess.run(["sh", "-c", line, "sh", *PRESETS], cwd=ROOT, capture_output=True, text=True)


@posix_only
@pytest.mark.parametrize("redirections", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_problem(redirections: str) -> None:
    done = shell(redirections)
    assert done.returncode == 0
    assert "rror" not in done.stdout + done.stderr
    if ">&-" not in redirections.replace("2>&-", ""):
        assert done.stdout.count("\n") == 1 and done.stdout.startswith("{"), "figures alone are the answer"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_who_goes_away_stops_nothing_and_hears_nothing(stream: str) -> None:
    read, write = os.pipe()
    os.close(read)
    out, err = ((write if name == stream else subprocess.PIPE) for name in ("stdout", "stderr"))
    done = subprocess.run(PRESETS, cwd=ROOT, text=True, stdout=out, stderr=err)
    os.close(write)
    assert done.returncode == 0
    assert "rror" not in (done.stdout or "") + (done.stderr or "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_figures_that_cannot_be_written_are_told_in_one_sentence() -> None:
    done = shell("> /dev/full")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("The figures cannot be written to standard output (")
    assert "Traceback" not in done.stderr
    assert shell("2> /dev/full").returncode == 0


def test_messages_that_nobody_reads_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        def isatty(self) -> bool:
            return False

        def write(self, _: str) -> int:
            raise BrokenPipeError

        def flush(self) -> None:
            raise BrokenPipeError

        def fileno(self) -> int:
            raise OSError

    monkeypatch.setattr(sys, "stderr", Gone())
    Console().message("Nobody hears this.")


@pytest.mark.parametrize("value", ["-1e-05", "-.5E3", "-inf", "-2"])
def test_negative_numbers_in_any_notation_are_values(value: str) -> None:
    words = ["bake", "a.bvh", "--out", "r.npz", "--at", value, "0", value, "--up", "-Y"]
    options = cli.make_parser(("bake",)).parse_args(words)
    assert options.at == [float(value), 0.0, float(value)]
    assert options.up == "-Y"
