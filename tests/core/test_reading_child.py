"""Foreign binary files are read in a child: whatever they do to a library there is one sentence here."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from sim_core.base import reading_child
from sim_core.base.errors import InputError
from sim_core.base.reading_child import read_in_child
from sim_core.markers.raw_points import RawPlate, RawPoints
from sim_core.markers.raw_points_file import load_points, save_points
from sim_core.markers.read_markers import read_markers
from tests.core.sample_markers import standing_points, write_c3d

ROOT = Path(__file__).parents[2]
LIMITED = (
    "import sys; sys.path.insert(0, {root!r}); from sim_core.base.worker_process import limit_resources; "
)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.skipif(os.name == "nt", reason="no signals on Windows")
@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("import os; os.abort()", "SIGABRT"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("raise SystemExit(7)", "exit code 7"),
    ],
)
def test_a_crash_of_the_library_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, word: str
) -> None:
    monkeypatch.setattr(reading_child, "worker_command", lambda *_: python(code))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = tmp_path / "a.c3d"
    file.write_bytes(b"markers")
    with pytest.raises(InputError, match=rf"'a\.c3d' is damaged.*{word}.*Export it again\.$"):
        read_in_child(file, "c3d", (), load_points)
    assert list(tmp_path.iterdir()) == [file], "the folder of the child is gone"


def test_a_child_that_waits_for_ever_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.c3d").write_bytes(b"markers")
    monkeypatch.setattr(reading_child, "worker_command", lambda *_: python("import time; time.sleep(60)"))
    monkeypatch.setattr(reading_child, "PATIENCE_S", 0.3)
    began = time.monotonic()
    with pytest.raises(InputError, match="longer than"):
        read_in_child(tmp_path / "a.c3d", "c3d", (), load_points)
    assert time.monotonic() - began < 5.0


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory hold on Linux")
@pytest.mark.parametrize(
    ("code", "killed"),
    [
        ("limit_resources(1.0, 2**40)\nwhile True: pass", True),
        ("limit_resources(9.0, 2**29); bytes(2**30)", False),
    ],
)
def test_processor_time_and_memory_are_limited(code: str, killed: bool) -> None:
    done = subprocess.run(python(LIMITED.format(root=str(ROOT)) + code), capture_output=True, text=True)
    assert done.returncode < 0 if killed else "MemoryError" in done.stderr


def test_points_travel_whole(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    corners, force, moment, pressure = (rng.normal(size=(n, 3)) for n in (4, 9, 9, 9))
    sent = RawPoints(
        labels=("a", "Fuß", "odd \ud800", ""),
        rate_hz=120.0,
        start_s=0.5,
        first_frame=7,
        position=rng.normal(size=(3, 4, 3)),
        residual=rng.normal(size=(3, 4)),
        unit="mm",
        up="+Z",
        plates=(RawPlate(corners, force, moment, pressure, 1000.0, 1.0),),
        outputs={"angle": rng.normal(size=(3, 3))},
        parameters={"Bodymass": 66.5},
        notes=("One.", "Two."),
    )
    save_points(sent, tmp_path / "p.npz")
    back = load_points(tmp_path / "p.npz")
    assert back.labels == ("a", "Fuß", "odd ?", "") and back.notes == sent.notes
    same = ("rate_hz", "start_s", "first_frame", "unit", "up", "parameters")
    assert all(getattr(back, name) == getattr(sent, name) for name in same)
    assert np.array_equal(back.position, sent.position) and np.array_equal(back.residual, sent.residual)
    assert np.array_equal(back.outputs["angle"], sent.outputs["angle"])
    assert np.array_equal(back.plates[0].pressure, pressure) and back.plates[0].rate_hz == 1000.0


def test_damage_that_the_layout_does_not_show_is_refused_or_read(tmp_path: Path) -> None:
    """A byte of the parameters that the library trusts is overwritten, at each place in turn."""
    labels, points = standing_points(5)
    path = write_c3d(tmp_path / "a.c3d", labels, points)
    whole = path.read_bytes()
    for at in (512 + 13, 512 + 40, 512 + 77):
        path.write_bytes(whole[:at] + b"\xff" + whole[at + 1 :])
        try:
            read_markers(path)
        except InputError as problem:
            assert "a.c3d" in str(problem) and str(problem).endswith(".")


def test_one_byte_of_a_real_file_does_not_kill_the_reader(tmp_path: Path, shared_data: Path) -> None:
    found = sorted((shared_data / "markers").rglob("*.c3d"))
    for source in found[:3]:
        data = bytearray(source.read_bytes())
        data[0x20D] = 255
        path = tmp_path / "a.c3d"
        path.write_bytes(bytes(data))
        with pytest.raises(InputError, match=r"a\.c3d"):
            read_markers(path)
