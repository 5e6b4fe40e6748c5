"""Imports what the first job needs soon after Blender's start, so that nobody waits for it after a click.

Registration imports as little as it can. The rest follows piece by piece, while the window goes on.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import bpy

from ..blender.engine_packages import ROOT_PACKAGE

FIRST_S, PAUSE_S = 1.0, 0.05
"""When the first piece is imported after the registration, and the time between two pieces [s]."""
PIECES = (
    "sim_core.result.result",
    "sim_core.scenario.job",
    "sim_core.reading.pace_and_size",
    "sim_core.sequence.chain",
    "sim_core.keys.reduce",
    "sim_core.report.report",
    "sim_core.bake.notes",
    "addon.overlay.draw",
    "addon.reading.motion_reader",
    "addon.writing.bake_writer",
    "addon.bake.bake_job",
)
"""What a bake imports in Blender's process, from the bottom to the top: none takes a tenth of a second."""

_left: Iterator[str] = iter(())


def import_pieces(names: Iterator[str]) -> Iterator[str]:
    """Import one piece after the other, and yield its name."""
    for name in names:
        importlib.import_module(f"{ROOT_PACKAGE}.{name}")
        yield name


def _next_piece() -> float | None:
    return PAUSE_S if next(_left, None) else None


def register() -> None:
    """Begin when the window is there; without one, a job imports what it needs."""
    global _left
    if not bpy.app.background:
        _left = import_pieces(iter(PIECES))
        bpy.app.timers.register(_next_piece, first_interval=FIRST_S)


def unregister() -> None:
    """Import nothing more."""
    if bpy.app.timers.is_registered(_next_piece):
        bpy.app.timers.unregister(_next_piece)
