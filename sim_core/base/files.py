"""Atomic writing of files, and reading of files that may be missing, damaged or of another kind."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import platform
import shutil
import stat
import time
import uuid
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .npz_arrays import unpack_npy, unpack_npz

AnyPath = str | os.PathLike[str]
AnyArray = NDArray[Any]
Read = TypeVar("Read", bound=Callable[..., Any])

PART_SUFFIX = ".heft-part"
"""Suffix of the name of a file that is still being written."""
ABANDONED_S = 3600.0
"""Age of a part that is no longer being written; writing one takes seconds [s]."""
MOST_BYTES = 2**30
"""Size of the largest file of another program that is read."""
HEAD_BYTES = 4096
"""Beginning of a file by which one sees whether it is text: a zero byte is in no text."""


def write_bytes_atomically(path: AnyPath, data: bytes) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part of it.

    A failure leaves no file behind and raises an InputError.
    """
    write_together({path: data})


def write_together(contents: Mapping[AnyPath, bytes]) -> None:
    """Write files that belong together, like write_bytes_atomically: on a full disk none is written."""
    parts: dict[Path, Path] = {}
    try:
        for path, data in contents.items():
            target = _target(path)
            parts[target] = _part(target)
            with _write_problems(target), open(parts[target], "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for target, part in parts.items():
            with _write_problems(target):
                os.replace(part, target)
    finally:
        for part in parts.values():
            with contextlib.suppress(OSError):
                part.unlink()


def write_text_atomically(path: AnyPath, text: str) -> None:
    """Write a text file in UTF-8, like write_bytes_atomically."""
    write_bytes_atomically(path, text.encode("utf-8"))


def write_npz_atomically(path: AnyPath, arrays: Mapping[str, AnyArray]) -> None:
    """Write an npz file, like write_bytes_atomically; no '.npz' is added to the path."""
    write_bytes_atomically(path, npz_bytes(arrays))


def npz_bytes(arrays: Mapping[str, AnyArray]) -> bytes:
    """Return the content of an npz file; it is packed in memory, where no full disk can cut it."""
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise TypeError(f"array '{name}' holds Python objects, which only a pickle could save")
    buffer = io.BytesIO()
    named: dict[str, Any] = dict(arrays)
    np.savez(buffer, **named)
    return buffer.getvalue()


def make_folder(path: AnyPath) -> None:
    """Make a folder, and those above it, unless it exists; a failure raises an InputError."""
    target = Path(path)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except FileExistsError as problem:
        raise InputError(f"'{target}' is a file, not a folder; choose another name.") from problem
    except OSError as problem:
        raise InputError(_write_problem(target, problem)) from problem


def refuse_unwritable(path: AnyPath) -> None:
    """Raise an InputError if a file cannot be written here; meant to be called before long work.

    What a killed process left half-written in this folder is removed.
    """
    target = _target(path)
    sweep_parts(target.parent)
    part = _part(target)
    with _write_problems(target):
        part.touch(exist_ok=False)
        part.unlink()


def sweep_parts(folder: Path) -> None:
    """Remove parts of files whose writer is gone, or must be, as nobody has written to them for so long."""
    with contextlib.suppress(OSError):
        for part in folder.glob(f".*{PART_SUFFIX}"):
            with contextlib.suppress(OSError):
                if _owner_is_gone(part.name[1:]) or time.time() - part.stat().st_mtime > ABANDONED_S:
                    part.unlink()


def sweep_folders(place: Path, pattern: str, prefix: str) -> None:
    """Remove private folders, named by `owner_mark` after a prefix, whose process is gone."""
    with contextlib.suppress(OSError):  # folders of others come and go while they are listed
        for folder in place.glob(pattern):
            if _owner_is_gone(folder.name.removeprefix(prefix)):
                shutil.rmtree(folder, ignore_errors=True)


def owner_mark() -> str:
    """Return a name of this process, for files and folders that nobody else may use."""
    return f"{_machine()}-{os.getpid()}-"


def _owner_is_gone(name: str) -> bool:
    """Return whether the process that something is named after was one of this machine, and has ended."""
    machine, _, rest = name.partition("-")
    number = rest.partition("-")[0]
    # On Windows, signal 0 would end the process.
    if os.name != "posix" or machine != _machine() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    return False


def _machine() -> str:
    """Return a short name of this machine: folders are shared between machines, numbers of processes not."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def read_bytes(path: AnyPath, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file; a failure, or more bytes than `most`, raises an InputError."""
    with open_ordinary(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise InputError(f"'{path}' is larger than {most / 1e6:.0f} MB, which is not read; make it smaller.")
    return data


def read_text(path: AnyPath, refusal: str) -> str:
    """Return the text of a file without its byte order mark; refusal: what is said of one that is no text."""
    data = read_bytes(path)
    if b"\0" in data[:HEAD_BYTES]:
        raise InputError(refusal)
    return data.decode("utf-8", errors="replace").lstrip("\ufeff")


def read_npz(path: AnyPath, names: Collection[str] | None = None) -> dict[str, AnyArray]:
    """Return the arrays of an npz file, without unpickling anything and within bounds of memory.

    names: of the arrays that are wanted, as far as the file has them; None takes all
    """
    with open_ordinary(path) as file:
        return unpack_npz(file, Path(path).name, names)


def read_npy(path: AnyPath) -> AnyArray:
    """Return the array of an npy file, like read_npz."""
    return unpack_npy(io.BytesIO(read_bytes(path)), Path(path).name)


@contextlib.contextmanager
def about_file(path: AnyPath) -> Iterator[None]:
    """Let every refusal in this context name the file, also one of a part that does not know its file.

    As a decorator of a function, `names_its_file` does the same for its first argument.
    """
    name = Path(path).name
    try:
        yield
    except InputError as problem:
        if name in str(problem):
            raise
        raise type(problem)(f"'{name}': {problem}") from problem


def names_its_file(read: Read) -> Read:
    """Return a function that reads the file in its first argument, with refusals that name this file."""

    @wraps(read)
    def reading(path: AnyPath, *others: Any, **named: Any) -> Any:
        with about_file(path):
            return read(path, *others, **named)

    return cast("Read", reading)


@contextlib.contextmanager
def open_ordinary(path: AnyPath) -> Iterator[BinaryIO]:
    """Open a file for reading; a pipe or a device, which may never end, is refused like a missing file."""
    with _opened(path) as file:
        try:
            yield file
        except OSError as problem:
            raise InputError(_read_problem(path, problem)) from problem


def _opened(path: AnyPath) -> BinaryIO:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode):
            return open(path, "rb")
    except (OSError, ValueError) as problem:  # a name with a NUL character is a ValueError
        raise InputError(_read_problem(path, problem)) from problem
    if stat.S_ISDIR(mode):
        raise InputError(f"'{path}' is a folder; give the name of a file in it.")
    raise InputError(f"'{path}' is not an ordinary file and is not read; choose another one.")


def _target(path: AnyPath) -> Path:
    """Return the file to write: links are followed, so that the file behind a link is replaced."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return target
    except OSError as problem:
        raise InputError(_write_problem(target, problem)) from problem
    if stat.S_ISDIR(mode):
        raise InputError(f"'{target}' is a folder; give the name of a file in it.")
    if not stat.S_ISREG(mode):
        raise InputError(f"'{target}' is not an ordinary file and will not be replaced; choose another name.")
    return target


@contextlib.contextmanager
def _write_problems(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise InputError(_write_problem(target, problem)) from problem


def _part(target: Path) -> Path:
    """Return the name of a temporary file in the same folder, which tells who writes it."""
    return target.with_name(f".{owner_mark()}{uuid.uuid4().hex}{PART_SUFFIX}")


def _write_problem(target: Path, problem: OSError) -> str:
    name, folder = target.name, target.parent
    if problem.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return (
            f"'{name}' was not saved because the disk of '{folder}' is full; free some space and try again."
        )
    if problem.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"'{name}' cannot be saved because '{folder}' is write-protected; choose another folder."
    if problem.errno == errno.ENOTDIR or folder.is_file():
        return f"'{name}' cannot be saved because '{folder}' is not a folder; choose another folder."
    if problem.errno == errno.ENOENT:
        return f"'{name}' cannot be saved because the folder '{folder}' does not exist; create it first."
    return f"'{name}' cannot be saved in '{folder}' ({problem.strerror or problem}); choose another folder."


def _read_problem(path: AnyPath, problem: OSError | ValueError) -> str:
    if isinstance(problem, (FileNotFoundError, NotADirectoryError, ValueError)):
        return f"The file {str(path)!r} does not exist; check its name."
    return f"The file '{path}' cannot be read ({problem.strerror or problem}); check that you may open it."
