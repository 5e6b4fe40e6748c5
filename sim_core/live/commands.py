"""What can be asked of a live simulation, as typed records with a checked JSON form, and the log of them.

Points and velocities are in the rig's world, as Blender shows it. A command takes effect at the start of a
control interval; the log says at which one. With the log, the simulation repeats itself to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from ..base.errors import InputError
from ..base.files import AnyPath, names_its_file, write_text_atomically
from ..base.json_codec import from_object, to_object
from ..base.json_files import check_json_objects, read_json_file, to_json
from ..base.npz_file import FORMAT_KEY, SCHEMA_KEY, refuse_other_format
from ..motion.motion import CONTROL_DT

FORMAT, SCHEMA = "heft-live-log", 1
KIND = "do"
"""Entry of a command's JSON object that names its kind."""
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Push:
    """A force [N] at the centre of a part of the body, for a time [s]."""

    segment: str
    force: Vector
    seconds: float


@dataclass(frozen=True)
class Grab:
    """Take a part of the body at a point and pull it to a target by a spring.

    point: in the segment's own frame, at the rig's own size [m]; target: in the world [m]
    stiffness [N/m]; most: longest force of the spring [N]
    """

    segment: str
    point: Vector
    target: Vector
    stiffness: float = 400.0
    most: float = 300.0


@dataclass(frozen=True)
class Pull:
    """Move the target of the grabbed part [m]."""

    target: Vector


@dataclass(frozen=True)
class Release:
    """Let go of the grabbed part."""


@dataclass(frozen=True)
class Throw:
    """Throw the ball of the nearest mass [kg] from a position [m] with a velocity [m/s]."""

    mass: float
    position: Vector
    velocity: Vector


@dataclass(frozen=True)
class Dial:
    """Change a setting of the character while it plays, such as stiffness."""

    name: str
    value: float


@dataclass(frozen=True)
class MoveObject:
    """Put an object of the scene to a position [m] with a rotation (w, x, y, z)."""

    name: str
    position: Vector
    quaternion: tuple[float, float, float, float]


@dataclass(frozen=True)
class TakeOver:
    """Follow another segment from now on."""

    segment: str


@dataclass(frozen=True)
class Steer:
    """Ask for a direction: forward, faster, left, right, or to stop (or empty)."""

    direction: str


@dataclass(frozen=True)
class NextAction:
    """Ask for an action by its name, at the next possible transition."""

    name: str


@dataclass(frozen=True)
class Record:
    """Start to keep what is played, or stop."""

    on: bool


@dataclass(frozen=True)
class Pause:
    """Stop the time, or let it go on."""

    on: bool


@dataclass(frozen=True)
class Step:
    """Simulate one frame of 1/25 s while the time stands still."""


@dataclass(frozen=True)
class Speed:
    """Let time pass faster or slower than real time by a factor."""

    factor: float


@dataclass(frozen=True)
class Restart:
    """Start again where the run began, as after a fall; dials stay as they are."""


@dataclass(frozen=True)
class Stop:
    """End."""


LiveCommand = (
    Push | Grab | Pull | Release | Throw | Dial | MoveObject | TakeOver | Steer | NextAction
    | Record | Pause | Step | Speed | Restart | Stop
)  # fmt: skip
KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Push, Grab, Pull, Release, Throw, Dial, MoveObject, TakeOver, Steer, NextAction,
        Record, Pause, Step, Speed, Restart, Stop,
    )
}  # fmt: skip


def command_to_dict(command: LiveCommand) -> dict[str, Any]:
    """Return a command as a JSON object."""
    return {KIND: type(command).__name__, **to_object(command)}


def command_from_dict(value: object, what: str) -> LiveCommand:
    """Return the command in a JSON object; `what` names it in the error message."""
    name = value.get(KIND) if isinstance(value, dict) else None
    if not isinstance(name, str) or name not in KINDS:
        raise InputError(f"{what} has no '{KIND}' that is known; there are {', '.join(KINDS)}.")
    command: LiveCommand = from_object(KINDS[name], value, what)
    _refuse_broken_numbers(command, what)
    return command


def _refuse_broken_numbers(command: LiveCommand, what: str) -> None:
    for each in fields(command):
        value = getattr(command, each.name)
        numbers = value if isinstance(value, tuple) else (value,)
        if any(isinstance(own, float) and not math.isfinite(own) for own in numbers):
            raise InputError(f"The '{each.name}' of {what} is not a number; give one.")


@dataclass(frozen=True)
class LoggedCommand:
    """A command and the control interval at whose start it took effect."""

    tick: int
    command: LiveCommand


@dataclass(frozen=True)
class CommandLog:
    """What was asked of a run, and how long it lasted.

    ticks: control intervals of the whole run; first: the one from which on it was kept
    """

    ticks: int
    commands: tuple[LoggedCommand, ...] = ()
    first: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.first < self.ticks:
            raise InputError(
                f"The log keeps {self.first} to {self.ticks} control intervals, which is nothing; "
                "record it again."
            )
        ticks = [own.tick for own in self.commands]
        if ticks != sorted(ticks) or (ticks and ticks[0] < 0):
            raise InputError("The commands of the log are not in the order of their ticks; sort them.")

    @property
    def seconds(self) -> float:
        """How long what was kept lasts [s]."""
        return CONTROL_DT * (self.ticks - self.first)

    def up_to(self, ticks: int) -> CommandLog:
        """Return the log of a run that is over after so many control intervals at the latest."""
        ticks = min(ticks, self.ticks)
        return CommandLog(ticks, tuple(own for own in self.commands if own.tick < ticks), self.first)

    def at(self, tick: int) -> tuple[LiveCommand, ...]:
        """Return the commands that take effect at the start of a control interval."""
        return tuple(own.command for own in self.commands if own.tick == tick)


def save_log(log: CommandLog, path: AnyPath) -> None:
    """Write a log to a file."""
    commands = [{"tick": own.tick, **command_to_dict(own.command)} for own in log.commands]
    text = to_json(
        {FORMAT_KEY: FORMAT, SCHEMA_KEY: SCHEMA, "ticks": log.ticks, "first": log.first, "commands": commands}
    )
    write_text_atomically(path, text)


@names_its_file
def load_log(path: AnyPath) -> CommandLog:
    """Read the log in a file; one that is broken raises an InputError."""
    data = read_json_file(path, "command log")
    refuse_other_format(data, FORMAT, SCHEMA, f"'{path}'")
    listed = check_json_objects("commands", data.get("commands"), f"'{path}'")
    ticks, first = (_whole(data.get(name), name) for name in ("ticks", "first"))
    return CommandLog(ticks, tuple(_logged(listed)), first)


def _logged(listed: Iterable[dict[str, Any]]) -> Iterable[LoggedCommand]:
    for number, own in enumerate(listed, 1):
        what = f"Command {number} of the log"
        yield LoggedCommand(_whole(own.get("tick"), "tick"), command_from_dict(own, what))


def _whole(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"The '{name}' of the log is {value!r}; it must be a whole number from zero.")
    return value
