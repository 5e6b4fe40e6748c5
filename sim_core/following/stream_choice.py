"""Which stream is followed, and how: what the user chooses, and where it is kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import InputError
from ..base.files import write_text_atomically
from ..base.json_files import dataclass_from_json, read_json_file, to_json
from ..stream.performer import THIS_MACHINE
from ..stream.receiver import PROTOCOLS, Receiver
from .choices import FILE, USUAL_DELAY_S
from .follow_mode import DIRECT, FollowMode, delayed

if TYPE_CHECKING:
    from .performed_file import PerformedFile

KINDS = (*PROTOCOLS, FILE)


@dataclass(frozen=True)
class StreamChoice:
    """A stream to follow.

    protocol: one of KINDS; address: to listen on; port: None is the protocol's usual one
    delay_s: of the delayed mode [s]; 0 is the direct mode
    file: of the motion that is followed instead of a protocol
    """

    protocol: str
    address: str = THIS_MACHINE
    port: int | None = None
    delay_s: float = USUAL_DELAY_S
    file: str = ""

    def __post_init__(self) -> None:
        if self.protocol not in KINDS:
            raise InputError(f"'{self.protocol}' is no stream; there are {', '.join(KINDS)}.")
        if self.protocol == FILE and not self.file:
            raise InputError("No motion file is chosen that could be followed; choose one.")

    @property
    def note(self) -> str:
        """A sentence for the result of a take that followed it."""
        behind = f"{self.delay_s:g} s behind" if self.delay_s else "without delay"
        what = f"of '{Path(self.file).name}'" if self.file else f"that was sent ({self.protocol})"
        return f"The source is the motion {what}, followed {behind} as a performer's."

    @property
    def mode(self) -> FollowMode:
        """How it is followed."""
        return delayed(self.delay_s) if self.delay_s else DIRECT

    def listen(self) -> Receiver | PerformedFile:
        """Open the port, or read the file."""
        if self.protocol != FILE:
            return Receiver(self.protocol, self.address, self.port)
        from .performed_file import PerformedFile  # here, because few streams are files

        return PerformedFile(Path(self.file), self.delay_s)


def save_choice(choice: StreamChoice, path: Path) -> None:
    """Write a choice to a file."""
    write_text_atomically(path, to_json(asdict(choice)))


def load_choice(path: Path) -> StreamChoice:
    """Return the choice in a file."""
    choice: StreamChoice = dataclass_from_json(StreamChoice, read_json_file(path, "stream"), "The stream")
    return choice
