"""Which stream is followed, and how: what the user chooses, and its file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from ..base.errors import InputError
from ..base.files import write_text_atomically
from ..base.json_files import dataclass_from_json, read_json_file, to_json
from ..stream.performer import THIS_MACHINE
from ..stream.receiver import PROTOCOLS, Receiver
from .follow_mode import DIRECT, USUAL_DELAY_S, FollowMode, delayed

LABELS = {"vmc": "VMC", "rokoko": "Rokoko"}
"""What users call the protocols."""


@dataclass(frozen=True)
class StreamChoice:
    """A stream to follow.

    protocol: one of PROTOCOLS; address: to listen on; port: None is the protocol's usual one
    delay_s: of the delayed mode [s]; 0 is the direct mode
    """

    protocol: str
    address: str = THIS_MACHINE
    port: int | None = None
    delay_s: float = USUAL_DELAY_S

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise InputError(f"'{self.protocol}' is no stream; there are {', '.join(PROTOCOLS)}.")

    @property
    def note(self) -> str:
        """A sentence for the result of a take that followed it."""
        behind = f"{self.delay_s:g} s behind" if self.delay_s else "without delay"
        return f"The source is the motion of a performer ({LABELS[self.protocol]}), followed {behind}."

    @property
    def mode(self) -> FollowMode:
        """How it is followed."""
        return delayed(self.delay_s) if self.delay_s else DIRECT

    def listen(self) -> Receiver:
        """Open the port."""
        return Receiver(self.protocol, self.address, self.port)


def save_choice(choice: StreamChoice, path: Path) -> None:
    """Write a choice to a file."""
    write_text_atomically(path, to_json(asdict(choice)))


def load_choice(path: Path) -> StreamChoice:
    """Return the choice in a file."""
    choice: StreamChoice = dataclass_from_json(StreamChoice, read_json_file(path, "stream"), "The stream")
    return choice
