"""People who put their hands on their own body: on hips and head, arms crossed before and behind it."""

from __future__ import annotations

import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.base.intervals import smooth_step
from sim_core.motion.motion import Motion
from sim_core.retarget.arms import palms, reaching
from sim_core.retarget.body_surface import MovingPart, moving_parts
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig
from sim_core.retarget.style import posed
from tests.core.sample_people import MAPPING, Performance, Turns, person, standing

SECONDS, RATE = 2.0, 60.0
HELD = (0.7, 1.3)
"""The hands are on the body from one time to the other [s]."""
ROUNDS = 12
"""An arm that is touched moves too, so the places are found again and again."""
GAP = 0.02
"""Of the palms, which are the middles of hands [m]."""
PLACES = {
    "hands on hips": {"L": ("pelvis", 1.6, 0.0), "R": ("pelvis", -0.6, 0.0)},
    "hand on head": {"L": ("head", 0.9, 0.5 * np.pi)},
    "arms crossed": {"L": ("upper_arm.R", 0.8, 0.0), "R": ("upper_arm.L", 0.6, 0.0)},
    "arms folded behind": {"L": ("upper_arm.R", 0.8, 0.0), "R": ("upper_arm.L", 0.6, 0.0)},
}
"""Motion -> side of the hand -> part, latitude and longitude on it."""
RAISED: dict[str, Turns] = {
    "arms crossed": {
        "upper_arm.L": np.array([-0.2, -0.6, 0.0]),
        "upper_arm.R": np.array([0.2, -0.6, 0.0]),
        "forearm.L": np.array([-1.6, 0.0, 0.0]),
        "forearm.R": np.array([1.6, 0.0, 0.0]),
    }
}
"""Motion -> how arms are turned while hands are at their places; without it elbows go back."""


def touching(name: str) -> tuple[RetargetRig, Motion]:
    """A person who stands, moves the hands to their places, holds them there and lets them hang again."""
    time = standing(SECONDS, RATE).time
    turns = {bone: share(time)[:, None] * turn for bone, turn in RAISED.get(name, {}).items()}
    still = person(Performance(time, turns, np.zeros((len(time), 3))))
    rig = make_retarget_rig(still.skeleton, MAPPING, still)
    motion = still
    for _ in range(ROUNDS):
        motion = _reached(rig, still, moving_parts(rig.character, rig.surfaces, motion), name)
    return rig, motion


def _reached(rig: RetargetRig, still: Motion, parts: dict[str, MovingPart], name: str) -> Motion:
    paths = {}
    for side, (part, latitude, longitude) in PLACES[name].items():
        local = rig.surfaces[part].point(latitude, longitude, GAP)
        goal = parts[part].world(np.tile(local, (len(still.time), 1)))
        start = palms(rig, still, side)
        paths[side] = start + share(still.time)[:, None] * (goal - start) + _around(still.time)
    turned = {bone: still.quaternion_world[:, bone] for bone in rig.part_bones}
    turned |= reaching(rig, still, paths)
    return posed(rig, turned, still.position_world[:, rig.bone("hips")], still.time)


def share(time: FloatArray) -> FloatArray:
    """How far hands are at their places (T)."""
    return smooth_step((time - 0.1) / (HELD[0] - 0.1)) * smooth_step((SECONDS - 0.1 - time) / (HELD[0] - 0.1))


def _around(time: FloatArray) -> FloatArray:
    """A way to the front on the way there and back (T, 3) [m], so that no hand goes through the body."""
    there = share(time)
    return (0.5 * there * (1.0 - there))[:, None] * np.array([1.0, 0.0, 0.0])
