"""Results whose reports can still be plotted and saved; they are gone when Blender closes."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.base.errors import InputError
from ...sim_core.result.result import Result

MOST = 8
"""Results that are kept; the oldest goes first."""


@dataclass(frozen=True, eq=False)
class KeptResult:
    """frame (F), frame_time (F): whole frames, and their times since the first sample [s]"""

    result: Result
    frame: IntArray
    frame_time: FloatArray


_kept: dict[str, KeptResult] = {}


def keep(kept: KeptResult) -> str:
    """The token under which it is found."""
    token = uuid.uuid4().hex
    _kept[token] = kept
    while len(_kept) > MOST:
        del _kept[next(iter(_kept))]
    return token


def is_kept(token: str) -> bool:
    return token in _kept


def kept_result(token: str) -> KeptResult:
    if token not in _kept:
        raise InputError("The curves of this report are no longer there; simulate or check again.")
    return _kept[token]
