"""The captures that are measured, and the groups of the bars."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMU = ROOT.parent / "shared" / "data" / "bvh" / "cmu"
MARKERS = CMU.parents[1] / "markers"
START_NOISE = 0.1
"""Standard deviation of the random error of the starting velocities [rad/s, m/s]."""
SECONDS = 10.0
"""Of longer clips only the beginning is used [s]."""

GROUPS = {
    "walk": ("02_01", "07_01", "08_01", "16_31", "35_01", "16_17"),
    "style": ("104_28", "132_29", "137_42", "91_19", "138_01"),
    "stand": ("77_02", "49_18", "02_05", "13_18"),
    "jump": ("13_11", "118_01", "02_04"),
    "run": ("09_01", "02_03"),
    "dance": ("05_02", "60_01@60", "60_01"),
    "spin kick": ("88_06@60",),
    "ground": ("13_35", "22_12", "23_12", "90_17", "140_01"),
}
"""Labels of clips; what follows an @ is the true frame rate where the file's own is wrong [Hz]."""


@dataclass(frozen=True)
class CaptureClip:
    """A capture at a frame rate; fps: None takes the file's own."""

    label: str
    group: str

    @property
    def file(self) -> Path:
        return CMU / f"{self.label.split('@')[0]}.bvh"

    @property
    def fps(self) -> float | None:
        _, _, rate = self.label.partition("@")
        return float(rate) if rate else None


CLIPS = {label: CaptureClip(label, group) for group, labels in GROUPS.items() for label in labels}


def clip_of(label: str) -> CaptureClip:
    """A clip by its label; one without a group is called 'other'."""
    return CLIPS.get(label, CaptureClip(label, "other"))


def require_data() -> None:
    """Ends the program with a sentence where nothing can be measured."""
    problem = missing_data()
    if problem is not None:
        raise SystemExit(problem)


def missing_data() -> str | None:
    """Why nothing can be measured here, or None."""
    if CMU.is_dir():
        return None
    return "The captures (../shared/data/bvh/cmu) are not on this machine; put them there and try again."


def require_markers() -> None:
    if not MARKERS.is_dir():
        raise SystemExit("The marker captures (../shared/data/markers) are not on this machine.")
