"""Atomic writing and careful reading."""

from __future__ import annotations

import errno
import os
import platform
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sim_core.base import files
from sim_core.base.errors import InputError
from sim_core.markers.text_table import read_table
from sim_core.markers.trc_file import read_trc
from sim_core.motion.text_file import read_lines

ROOT = Path(__file__).parents[2]
ARRAYS = {"numbers": np.arange(1000.0), "names": np.array(["é", "b"])}


def one_sentence(text: str) -> bool:
    return "\n" not in text and text.endswith(".")


def test_arrays_come_back(tmp_path: Path) -> None:
    files.write_npz_atomically(tmp_path / "a.file", ARRAYS)
    back = files.read_npz(tmp_path / "a.file")
    assert {name: array.tolist() for name, array in back.items()} == {
        n: a.tolist() for n, a in ARRAYS.items()
    }
    assert os.listdir(tmp_path) == ["a.file"]


def test_text_comes_back_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    files.write_text_atomically(path, "old and longer")
    files.write_text_atomically(path, "nëu")
    assert path.read_text(encoding="utf-8") == "nëu"


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    files.write_bytes_atomically(tmp_path / "ours", b"x")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "ours")]
    assert modes[0] == modes[1]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    files.write_bytes_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.parametrize(
    ("code", "word"),
    [(errno.ENOSPC, "full"), (errno.EROFS, "write-protected"), (errno.EACCES, "write-protected")],
)
@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_failed_write_keeps_the_old_file_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, word: str, failing: str
) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(InputError, match=word) as caught:
        files.write_npz_atomically(path, ARRAYS)
    assert one_sentence(str(caught.value))
    assert os.listdir(tmp_path) == ["a.npz"] and path.read_bytes() == b"old"


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.write_bytes_atomically(tmp_path / "a", b"x")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "write", [files.refuse_unwritable, lambda path: files.write_bytes_atomically(path, b"x")]
)
def test_places_that_cannot_be_written(tmp_path: Path, write: Callable[[Path], None]) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for path, word in (
        (tmp_path / "absent" / "a.npz", "does not exist"),
        (tmp_path / "file" / "a.npz", "not a folder"),
        (tmp_path / "folder", "is a folder"),
        (tmp_path / ("n" * 300), "cannot be saved"),
    ):
        with pytest.raises(InputError, match=word) as caught:
            write(path)
        assert one_sentence(str(caught.value))
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.skipif(os.name == "nt", reason="no device files on Windows")
def test_a_device_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not an ordinary file"):
        files.write_bytes_atomically(tmp_path / "pipe", b"x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_place_that_can_be_written_is_left_clean(tmp_path: Path) -> None:
    files.refuse_unwritable(tmp_path / "a.npz")
    assert os.listdir(tmp_path) == []


def test_python_objects_are_not_saved(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="bad"):
        files.write_npz_atomically(tmp_path / "a.npz", {"bad": np.array([{}], dtype=object)})
    assert os.listdir(tmp_path) == []


def test_pickled_arrays_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", bad=np.array([{}], dtype=object))
    with pytest.raises(InputError, match="not a readable file of arrays"):
        files.read_npz(tmp_path / "a.npz")


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.arange(3))
    (tmp_path / "text").write_text("HIERARCHY\nROOT Hips\n")
    (tmp_path / "empty").touch()
    for name in ("one.npy", "text", "empty"):
        with pytest.raises(InputError, match=name):
            files.read_npz(tmp_path / name)
    with pytest.raises(InputError, match="does not exist"):
        files.read_npz(tmp_path / "absent")
    with pytest.raises(InputError, match="is a folder"):
        files.read_npz(tmp_path)


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    files.write_npz_atomically(path, ARRAYS)
    whole = path.read_bytes()
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError):
            files.read_npz(path)


def test_changed_bytes_never_give_other_numbers(tmp_path: Path) -> None:
    """A flipped byte is refused, or hits nothing that matters (a time stamp in the zip)."""
    path = tmp_path / "a.npz"
    files.write_npz_atomically(path, ARRAYS)
    whole = path.read_bytes()
    refused = 0
    for place in range(0, len(whole), 13):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            back = files.read_npz(path)
        except InputError:
            refused += 1
        else:
            for name, array in back.items():
                if name in ARRAYS:
                    assert np.array_equal(array, ARRAYS[name])
    assert refused > 0.9 * len(whole) / 13


def test_files_that_belong_together_are_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write_together({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert [(tmp_path / name).read_bytes() for name in "ab"] == [b"1", b"2"]
    written = []

    def full_at_the_second(descriptor: int) -> None:
        written.append(descriptor)
        if len(written) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full_at_the_second)
    with pytest.raises(InputError, match="'d' was not saved because the disk .* is full"):
        files.write_together({tmp_path / "c": b"3", tmp_path / "d": b"4"})
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_what_a_killed_process_left_is_swept_and_what_another_one_writes_is_not(tmp_path: Path) -> None:
    old, fresh = tmp_path / f".old{files.PART_SUFFIX}", tmp_path / f".fresh{files.PART_SUFFIX}"
    for part in (old, fresh):
        part.write_bytes(b"half")
    os.utime(old, (0.0, 0.0))
    files.refuse_unwritable(tmp_path / "a.npz")
    assert os.listdir(tmp_path) == [fresh.name]


HALF_WRITTEN = """
import os, sys
from sim_core.base import files
os.fsync = lambda _: (print("half", flush=True), sys.stdin.read())
files.write_bytes_atomically(sys.argv[1], b"half")
"""


@pytest.mark.skipif(os.name != "posix", reason="only there a process can be asked whether it lives")
def test_a_part_is_swept_as_soon_as_its_writer_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", HALF_WRITTEN, str(tmp_path / "a.npz")]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == b"half\n"
        (part,) = tmp_path.iterdir()
        files.sweep_parts(tmp_path)
        assert part.exists(), "its writer lives"
        writer.kill()
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(platform, "node", lambda: "another machine")
        files.sweep_parts(tmp_path)
    assert part.exists(), "another machine has other processes"
    files.sweep_parts(tmp_path)
    assert os.listdir(tmp_path) == []


def test_folders_that_vanish_while_they_are_listed_do_not_stop_a_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of another Blender that ends meanwhile."""

    def vanishing(self: Path, pattern: str) -> Iterator[Path]:
        yield tmp_path / "heft_gone"
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(Path, "glob", vanishing)
    files.sweep_folders(tmp_path, "*/heft_*", "heft_")


def test_every_refusal_names_its_file_once(tmp_path: Path) -> None:
    @files.names_its_file
    def read(path: Path, problem: str) -> None:
        raise InputError(problem)

    for problem, said in (("It is odd.", "'a.npz': It is odd."), ("'a.npz' is odd.", "'a.npz' is odd.")):
        with pytest.raises(InputError) as caught:
            read(tmp_path / "a.npz", problem)
        assert str(caught.value) == said


def test_a_message_is_one_line_whatever_a_file_put_into_it() -> None:
    assert str(InputError("a\nb\x1b[31mc.")) == "a b [31mc."
    long = str(InputError("x" * 5000 + "; do this."))
    assert len(long) < 1000 and long.endswith("; do this.")


def test_text_is_told_from_other_files(tmp_path: Path) -> None:
    """Programs begin text with a byte order mark, and take line ends and letters as they like."""
    path = tmp_path / "motion.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo \xff")
    assert files.read_text(path, "no text") == "one\r\ntwo \N{REPLACEMENT CHARACTER}"
    path.write_bytes(b"word \0 word")
    with pytest.raises(InputError, match="no text"):
        files.read_text(path, "no text")


@pytest.mark.parametrize("read", [partial(read_lines, kind="a BVH"), read_trc, read_table])
@pytest.mark.parametrize("content", [b"", b" \n", b"\xef\xbb\xbf"])
def test_a_file_without_text_is_refused_in_words(
    tmp_path: Path, read: Callable[[Path], object], content: bytes
) -> None:
    path = tmp_path / "motion"
    path.write_bytes(content)
    with pytest.raises(InputError, match="'motion' (is empty|has no rows)"):
        read(path)
