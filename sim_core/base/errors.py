"""Errors that a user may see, with one common base class.

A message is a full sentence for an animator: what was wrong, what was found, what to do.
Operators show it as a report; the command line prints it and exits with status `exit_code`.
"""

from __future__ import annotations

LONGEST = 900
"""Most characters of a message."""
SHOWN = 40
"""Most characters of a word of a file that a message repeats."""


class HeftError(Exception):
    """Base class of all errors that a user may see; its message is one line, whatever a file put into it."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        line = "".join(letter if letter.isprintable() else " " for letter in message)
        if len(line) > LONGEST:
            line = f"{line[: LONGEST - 300]} ... {line[-200:]}"
        super().__init__(line)


class InputError(HeftError):
    """The input cannot be used: a file, an armature, an option."""


class RecognitionError(InputError):
    """The skeleton is not a humanoid that can be simulated."""


class SimulationError(HeftError):
    """The simulation was started and failed."""

    exit_code = 3


class Cancelled(HeftError):
    """The user asked to stop."""

    exit_code = 130
