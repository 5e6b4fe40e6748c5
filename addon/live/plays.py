"""Plays that pose something now, and the takes that were recorded: neither gets into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import bpy
from bpy.app.handlers import persistent

if TYPE_CHECKING:
    from ...sim_core.following.stream_choice import StreamChoice
    from ...sim_core.jobs.live_job import Played
    from ..bake.bake_job import PreparedBake
    from .live_play import LivePlay

PLAYING: list[LivePlay] = []
"""Plays that pose something."""
_TAKES: dict[int, RecordedTake] = {}
"""The recorded takes, by the numbers of their armatures."""


class RecordedTake(NamedTuple):
    """What was played and can be kept: the bakes that it started from, and what was done and came."""

    prepared: tuple[PreparedBake, ...]
    stream: StreamChoice | None
    played: Played

    @property
    def seconds(self) -> float:
        """How long it lasts [s]."""
        return self.played.log.seconds


def keep_take(play: LivePlay, played: Played) -> None:
    """Remember what was recorded, until it is kept or forgotten."""
    if play.recorded:
        _TAKES[play.objects[0].number] = RecordedTake(play._prepared or (), play.stream, played)


def take_of(obj: bpy.types.Object) -> RecordedTake | None:
    """Return the recorded take of an armature; None if there is none."""
    return _TAKES.get(obj.session_uid)


def forget_take(obj: bpy.types.Object) -> None:
    """Forget the recorded take of an armature."""
    _TAKES.pop(obj.session_uid, None)


@persistent
def _before_saving(*_: object) -> None:
    """Save the poses that belong to the file, not those of a play."""
    for play in PLAYING:
        play.put_back()


@persistent
def _other_file(*_: object) -> None:
    _TAKES.clear()


def register() -> None:
    """Keep plays out of saved files, and takes out of other files."""
    bpy.app.handlers.save_pre.append(_before_saving)
    bpy.app.handlers.load_pre.append(_other_file)


def unregister() -> None:
    """Stop doing so."""
    for handlers, own in (
        (bpy.app.handlers.save_pre, _before_saving),
        (bpy.app.handlers.load_pre, _other_file),
    ):
        if own in handlers:
            handlers.remove(own)
    _TAKES.clear()
