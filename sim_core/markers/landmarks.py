"""Landmarks of the body that markers are put on, and where they are on a body of 1.75 m.

A landmark is a place ("knee") with an aspect of it ("medial"). Positions are in the frame of the part that
carries it (docs/markers.md), for the left side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..recognition.mapping import SIDE_SLOTS, SIDES
from .marker_sets import MIRROR, SIGMA_M, MarkerPlacement

LOOSE_SIGMA = 0.08
"""Standard deviation of a marker of which only the part of the body is known, as in a cluster [m]."""
MIDDLE = ""
"""Side of a landmark in the middle of the body."""
USUAL = ""
"""Aspect that a place has where a label names none."""
JOINT = "joint"
"""Aspect of a keypoint from video, which is by definition the centre of the joint."""

Row = tuple[str, tuple[float, float, float], str]
LANDMARKS: dict[str, dict[str, Row]] = {
    "asis": {USUAL: ("hips", (0.08, 0.125, 0.084), "bone")},
    "psis": {USUAL: ("hips", (-0.11, 0.05, 0.104), "bone")},
    "waist": {
        "front": ("hips", (0.10, 0.14, 0.094), "skin"),
        "rear": ("hips", (-0.12, 0.08, 0.104), "skin"),
        USUAL: ("hips", (0.0, 0.16, 0.104), "skin"),
        JOINT: ("hips", (0.0, 0.0, 0.0), "joint"),
    },
    "iliac crest": {USUAL: ("hips", (0.0, 0.15, 0.14), "skin")},
    "sacrum": {USUAL: ("hips", (-0.11, 0.0, 0.104), "bone")},
    "trochanter": {USUAL: ("hips", (0.0, 0.17, 0.0), "skin")},
    "hip centre": {
        USUAL: ("hips", (0.0, 0.086, 0.0), "bone"),
        JOINT: ("hips", (0.0, 0.086, 0.0), "joint"),
    },
    "thigh": {USUAL: ("thigh", (0.03, 0.08, -0.25), "loose")},
    "knee": {
        USUAL: ("thigh", (0.0, 0.06, -0.429), "bone"),
        "medial": ("thigh", (0.0, -0.06, -0.429), "bone"),
        "centre": ("thigh", (0.0, 0.0, -0.429), "skin"),
        JOINT: ("thigh", (0.0, 0.0, -0.429), "joint"),
    },
    "patella": {USUAL: ("thigh", (0.07, 0.0, -0.40), "loose")},
    "shank": {USUAL: ("shin", (0.03, 0.05, -0.20), "loose")},
    "fibula": {USUAL: ("shin", (-0.02, 0.06, -0.05), "skin")},
    "tuberosity": {USUAL: ("shin", (0.06, 0.01, -0.07), "skin")},
    "ankle": {
        USUAL: ("shin", (-0.01, 0.045, -0.432), "bone"),
        "medial": ("shin", (0.01, -0.045, -0.425), "bone"),
        "centre": ("shin", (0.0, 0.0, -0.429), "skin"),
        JOINT: ("shin", (0.0, 0.0, -0.429), "joint"),
    },
    "heel": {
        USUAL: ("foot", (-0.06, 0.0, -0.03), "bone"),
        "lateral": ("foot", (-0.03, 0.035, -0.04), "skin"),
        "medial": ("foot", (-0.03, -0.035, -0.04), "skin"),
    },
    "metatarsal": {
        USUAL: ("foot", (0.14, 0.0, -0.02), "skin"),
        "1": ("foot", (0.14, -0.04, -0.035), "bone"),
        "2": ("foot", (0.14, -0.01, -0.02), "bone"),
        "5": ("foot", (0.11, 0.05, -0.045), "bone"),
        "lateral": ("foot", (0.11, 0.05, -0.045), "bone"),
        "medial": ("foot", (0.14, -0.04, -0.035), "bone"),
    },
    "toe": {
        USUAL: ("foot", (0.14, 0.0, -0.02), "skin"),
        "lateral": ("foot", (0.12, 0.05, -0.045), "bone"),
        "medial": ("foot", (0.14, -0.04, -0.035), "bone"),
        "1": ("foot", (0.16, -0.03, -0.04), "skin"),
        "5": ("foot", (0.12, 0.05, -0.05), "skin"),
        "tip": ("toe", (0.06, 0.0, 0.0), "skin"),
    },
    "foot": {USUAL: ("foot", (0.07, 0.0, -0.01), "loose")},
    "c7": {USUAL: ("chest", (-0.06, 0.0, 0.29), "bone")},
    "upper back": {USUAL: ("chest", (-0.08, 0.0, 0.20), "skin")},
    "t10": {USUAL: ("chest", (-0.10, 0.0, 0.05), "bone")},
    "lumbar": {USUAL: ("spine", (-0.10, 0.0, 0.05), "loose")},
    "jugular notch": {USUAL: ("chest", (0.10, 0.0, 0.20), "bone")},
    "sternum": {USUAL: ("chest", (0.125, 0.0, 0.10), "loose")},
    "back": {USUAL: ("chest", (-0.11, 0.09, 0.15), "skin")},
    "trunk": {USUAL: ("chest", (0.0, 0.0, 0.10), "loose")},
    "neck": {USUAL: ("chest", (0.02, 0.0, 0.24), "loose")},
    "acromion": {
        USUAL: ("clavicle", (-0.04, 0.16, 0.05), "bone"),
        "front": ("clavicle", (0.03, 0.16, 0.0), "skin"),
        "rear": ("clavicle", (-0.10, 0.15, 0.0), "skin"),
        "centre": ("upper_arm", (0.0, 0.0, 0.0), "skin"),
        JOINT: ("upper_arm", (0.0, 0.0, 0.0), "joint"),
    },
    "upper arm": {USUAL: ("upper_arm", (0.0, 0.06, -0.17), "loose")},
    "elbow": {
        USUAL: ("upper_arm", (0.0, 0.045, -0.305), "bone"),
        "medial": ("upper_arm", (0.0, -0.045, -0.305), "bone"),
        "centre": ("upper_arm", (0.0, 0.0, -0.305), "skin"),
        JOINT: ("upper_arm", (0.0, 0.0, -0.305), "joint"),
    },
    "forearm": {USUAL: ("forearm", (0.0, 0.05, -0.13), "loose")},
    "wrist": {
        USUAL: ("forearm", (0.0, 0.0, -0.255), "skin"),
        "lateral": ("forearm", (0.04, 0.0, -0.25), "bone"),
        "medial": ("forearm", (-0.04, 0.0, -0.25), "bone"),
        "centre": ("forearm", (0.0, 0.0, -0.255), "skin"),
        JOINT: ("forearm", (0.0, 0.0, -0.255), "joint"),
    },
    "hand": {
        USUAL: ("hand", (0.0, 0.025, -0.09), "skin"),
        "lateral": ("hand", (0.03, 0.025, -0.08), "skin"),
        "medial": ("hand", (-0.03, 0.025, -0.08), "skin"),
        JOINT: ("hand", (0.0, 0.0, -0.09), "loose"),
    },
    "head": {
        USUAL: ("head", (0.03, 0.08, 0.10), "loose"),
        "front": ("head", (0.09, 0.07, 0.10), "skin"),
        "rear": ("head", (-0.09, 0.07, 0.10), "skin"),
        "upper": ("head", (0.01, 0.0, 0.18), "skin"),
    },
    "temple": {USUAL: ("head", (0.06, 0.08, 0.09), "skin")},
    "ear": {USUAL: ("head", (0.01, 0.075, 0.035), "skin")},
    "eye": {USUAL: ("head", (0.09, 0.03, 0.055), "skin")},
    "nose": {USUAL: ("head", (0.12, 0.0, 0.02), "skin")},
    "mouth": {USUAL: ("head", (0.10, 0.025, -0.015), "skin")},
}
"""Place -> aspect -> part, position [m], and "joint", "bone", "skin" or "loose"."""
SPINE = {"sacrum", "c7", "upper back", "t10", "lumbar"}
"""Places that are in the middle of the body only."""
UNSIDED = {
    *SPINE,
    "jugular notch",
    "sternum",
    "trunk",
    "neck",
    "head",
    "nose",
    "mouth",
    "waist",
    "hip centre",
}
"""Places that a label without a side can name."""


@dataclass(frozen=True)
class Landmark:
    """A place of the body with its side (one of SIDES, or MIDDLE) and its aspect."""

    place: str
    side: str
    aspect: str = USUAL

    @property
    def row(self) -> Row:
        """The part, position and kind of the left one; an unknown aspect counts as the usual one."""
        aspects = LANDMARKS[self.place]
        return aspects.get(self.aspect, aspects[USUAL])

    @property
    def loose(self) -> bool:
        """Whether only the part of the body is known."""
        return self.row[2] == "loose"

    @property
    def placement(self) -> MarkerPlacement:
        """The landmark as a row of a marker set."""
        part, position, kind = self.row
        offset = np.array(position) * (MIRROR if self.side == SIDES[1] else 1.0)
        if self.side == MIDDLE:
            offset = offset * [1.0, 0.0, 1.0]
        return MarkerPlacement(
            f"{part}.{self.side}" if part in SIDE_SLOTS else part,
            offset,
            LOOSE_SIGMA if self.loose else SIGMA_M[kind],
        )
