"""The captures that benchmarks use, and the groups that share a bar."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMU = ROOT.parent / "shared" / "data" / "bvh" / "cmu"
MARKERS = CMU.parents[1] / "markers"
START_NOISE = 0.1
"""Standard deviation of the random error of the starting velocities [rad/s, m/s]."""
SECONDS = 10.0
"""Only the beginning of longer clips is used [s]."""

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
"""Labels of clips by group; what follows an @ is the true frame rate [Hz] where the file's own is wrong."""


@dataclass(frozen=True)
class CaptureClip:
    """A capture at a frame rate; its group is that of the bars."""

    label: str
    group: str

    @property
    def file(self) -> Path:
        """Return the BVH file."""
        return CMU / f"{self.label.split('@')[0]}.bvh"

    @property
    def fps(self) -> float | None:
        """Return the true frame rate [Hz], or None where the file's own is right."""
        _, _, rate = self.label.partition("@")
        return float(rate) if rate else None


CLIPS = {label: CaptureClip(label, group) for group, labels in GROUPS.items() for label in labels}


def clip_of(label: str) -> CaptureClip:
    """Return a clip by its label; one without a group belongs to 'other'."""
    return CLIPS.get(label, CaptureClip(label, "other"))


def require_data() -> None:
    """End the program with a sentence where the captures are missing."""
    problem = missing_data()
    if problem is not None:
        raise SystemExit(problem)


def missing_data() -> str | None:
    """Return why nothing can be measured here, or None."""
    if CMU.is_dir():
        return None
    return "The captures (../shared/data/bvh/cmu) are not on this machine; put them there and try again."


def require_markers() -> None:
    """End the program with a sentence where the marker captures are missing."""
    if not MARKERS.is_dir():
        raise SystemExit("The marker captures (../shared/data/markers) are not on this machine.")
