"""Plays that pose something now, and the takes that were recorded: neither gets into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import bpy

if TYPE_CHECKING:
    from ...sim_core.jobs.live_job import LiveJob, Played
    from ..bake.bake_job import PreparedBake
    from .live_play import LivePlay

PLAYING: list[LivePlay] = []
"""Plays that pose something."""
_TAKES: dict[int, RecordedTake] = {}
"""The recorded takes, by the numbers of their armatures."""


class RecordedTake(NamedTuple):
    """What was played and can be kept: the bakes that it started from, and what was done and came."""

    prepared: tuple[PreparedBake, ...]
    job: LiveJob
    played: Played

    @property
    def seconds(self) -> float:
        """How long it lasts [s]."""
        return self.played.log.seconds


def keep_take(play: LivePlay, played: Played) -> None:
    """Remember what was recorded, until it is kept or forgotten."""
    if play.recorded and play.job is not None:
        _TAKES[play.objects[0].number] = RecordedTake(play._prepared or (), play.job, played)


def take_of(obj: bpy.types.Object) -> RecordedTake | None:
    """Return the recorded take of an armature; None if there is none."""
    return _TAKES.get(obj.session_uid)


def forget_take(obj: bpy.types.Object) -> None:
    """Forget the recorded take of an armature."""
    _TAKES.pop(obj.session_uid, None)


def _before_saving(*_: object) -> None:
    """Save the poses that belong to the file, not those of a play."""
    for play in PLAYING:
        play.put_back()


def forget_takes(*_: object) -> None:
    """Forget all recorded takes: those of one file mean nothing in another."""
    _TAKES.clear()


HANDLERS = {"save_pre": _before_saving, "load_pre": forget_takes}
