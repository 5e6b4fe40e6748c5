"""Standard streams that may be closed, or whose reader may go away before a command ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from ..base.errors import InputError

STANDARD = ("stdin", "stdout", "stderr")


@contextmanager
def lasting_streams() -> Iterator[None]:
    """Give the process all three standard streams, and end without words about those that nobody reads."""
    for name in STANDARD:
        if getattr(sys, name) is None:  # closed by who started the process
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):  # or the stream is closed
                _let_go(stream)


def tell(text: str, end: str = "\n") -> None:
    """Print on standard error; if nobody reads it any more, the work goes on without."""
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        _let_go(sys.stderr)


def answer(text: str) -> None:
    """Print on standard output; a reader who has enough is no problem, but what cannot be written is."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _let_go(sys.stdout)
    except OSError as problem:
        _let_go(sys.stdout)
        raise InputError(
            f"The figures cannot be written to standard output ({problem.strerror}); the work itself is "
            "done, so make room or send them elsewhere."
        ) from problem


def _let_go(stream: TextIO) -> None:
    """Send what is still in a stream, and all that comes, to nowhere."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
