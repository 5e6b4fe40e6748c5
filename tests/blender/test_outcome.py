"""What the user is told about a bake."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from heft.addon.bake.bake_report import _frame_at, hit_notes
from heft.sim_core.result.records import Hit


def test_a_fall_is_told_by_the_frame_of_the_timeline() -> None:
    """Half a second into an action that starts at frame 100, at 24 frames per second."""
    frame = np.arange(100, 149)
    motion = SimpleNamespace(time=frame / 24.0)
    sampled: Any = SimpleNamespace(motion=motion, frame=frame, frame_sample=np.arange(len(frame)))
    assert _frame_at(0.5, sampled) == 112


def test_hits_are_told_by_the_frame_of_the_timeline() -> None:
    frame = np.arange(100, 149)
    motion = SimpleNamespace(time=frame / 24.0)
    sampled: Any = SimpleNamespace(motion=motion, frame=frame, frame_sample=np.arange(len(frame)))
    hit = Hit(0.5, "arm.L", "forearm.L", "ball", 12.34)
    result: Any = SimpleNamespace(meta=SimpleNamespace(hits=(hit,)))
    assert hit_notes(result, sampled) == ["Frame 112: 'ball' hits the left forearm with 12.3 Ns."]
