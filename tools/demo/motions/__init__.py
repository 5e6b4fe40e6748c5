"""The demo's own motions, by name, on the mannequin of any height."""

from __future__ import annotations

from collections.abc import Callable

from sim_core.motion.motion import Motion

from ..body import Body
from .gait import march, walk
from .jump import jump
from .standing import squat, standing

MOTIONS: dict[str, Callable[[Body], Motion]] = {
    "standing": standing,
    "squat": squat,
    "walk": walk,
    "march": march,
    "jump": jump,
}


def make(name: str, body: Body) -> Motion:
    """Return a motion at 60 Hz."""
    fine = MOTIONS[name](body)
    return Motion(fine.skeleton, fine.time[::2], fine.position_world[::2], fine.quaternion_world[::2])
