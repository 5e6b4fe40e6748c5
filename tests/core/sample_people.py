"""A person made of numbers: a rig whose every length and angle is known.

Poses are given as joint rotations from the neutral stance (arms down, all axes parallel), so what
a character built from the rig should do is known as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton
from sim_core.recognition.mapping import BoneMapping

Turns = Mapping[str, FloatArray]
"""Bone -> rotation vectors (T, 3) or (3) against its parent, in the neutral stance's axes [rad]."""

SOLE = 0.0
ANKLE = 0.08
_CENTRE = (
    ("hips", "", (0.0, 0.0, 0.95)),
    ("spine", "hips", (0.0, 0.0, 1.03)),
    ("chest", "spine", (0.0, 0.0, 1.22)),
    ("neck", "chest", (0.0, 0.0, 1.47)),
    ("head", "neck", (0.0, 0.0, 1.55)),
)
_LEFT = (
    ("clavicle", "chest", (0.0, 0.03, 1.43)),
    ("upper_arm", "clavicle", (0.0, 0.18, 1.43)),
    ("forearm", "upper_arm", (0.0, 0.18, 1.13)),
    ("hand", "forearm", (0.0, 0.18, 0.87)),
    ("thigh", "hips", (0.0, 0.09, 0.92)),
    ("shin", "thigh", (0.0, 0.09, 0.50)),
    ("foot", "shin", (0.0, 0.09, ANKLE)),
    ("toe", "foot", (0.13, 0.09, 0.03)),
)


def mirror_name(name: str) -> str:
    """The same part on the other side: "foot.L" <-> "foot.R"; centre parts stay."""
    return name[:-1] + {"L": "R", "R": "L"}[name[-1]] if name[-2:] in (".L", ".R") else name


def _sided() -> list[tuple[str, str, FloatArray]]:
    bones = [(name, parent, np.array(at)) for name, parent, at in _CENTRE]
    centre = {name for name, _, _ in _CENTRE}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for name, parent, at in _LEFT:
            above = parent if parent in centre else f"{parent}.{side}"
            bones.append((f"{name}.{side}", above, np.array(at) * [1.0, sign, 1.0]))
    return bones


BONES = _sided()
NAMES = tuple(name for name, _, _ in BONES)
PARENTS = np.array([-1 if not parent else NAMES.index(parent) for _, parent, _ in BONES])
HEADS = np.array([at for _, _, at in BONES])

T_POSE: Turns = {"upper_arm.L": np.array([np.pi / 2, 0, 0]), "upper_arm.R": np.array([-np.pi / 2, 0, 0])}
A_POSE: Turns = {"upper_arm.L": np.array([np.pi / 4, 0, 0]), "upper_arm.R": np.array([-np.pi / 4, 0, 0])}

MAPPING = BoneMapping(
    "a made-up person",
    {
        "hips": ("hips",),
        "spine": ("spine", "chest"),
        "neck": ("neck",),
        "head": ("head",),
        **{name: (name,) for name in NAMES if "." in name},
    },
)


@dataclass(frozen=True, eq=False)
class Performance:
    """What the person does: joint rotations and the hips' way [m] from the neutral place, (T, 3)."""

    time: FloatArray
    turns: Turns
    hips_offset: FloatArray

    def mirrored(self) -> Performance:
        """The same seen in a mirror on the plane y = 0."""
        turns = {mirror_name(bone): turn * [-1.0, 1.0, -1.0] for bone, turn in self.turns.items()}
        return Performance(self.time, turns, self.hips_offset * [1.0, -1.0, 1.0])


def _world(turns: Turns, hips_offset: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Heads (T, N, 3) and neutral-frame rotations (T, N, 4) of all bones."""
    samples = len(hips_offset)
    position, rotation = np.zeros((samples, len(NAMES), 3)), np.zeros((samples, len(NAMES), 4))
    for i, (name, parent) in enumerate(zip(NAMES, PARENTS, strict=True)):
        local = rotations.from_vector(turns.get(name, 0.0) + np.zeros((samples, 3)))
        if parent < 0:
            position[:, i], rotation[:, i] = HEADS[i] + hips_offset, local
            continue
        position[:, i] = position[:, parent] + rotations.rotate(rotation[:, parent], HEADS[i] - HEADS[parent])
        rotation[:, i] = rotations.multiply(rotation[:, parent], local)
    return position, rotation


def person(
    performance: Performance, rest: Turns = T_POSE, rolls: int | None = None, scale: float = 1.0
) -> Motion:
    """The performance on a rig with this rest pose, with bone axes turned at random by the seed `rolls`."""
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (len(NAMES), 1))
    if rolls is not None:
        turned = rotations.from_vector(np.random.default_rng(rolls).normal(size=(len(NAMES), 3)))
    rest_position, rest_rotation = _world(rest, np.zeros((1, 3)))
    skeleton = Skeleton(
        NAMES, PARENTS, scale * rest_position[0], rotations.multiply(rest_rotation[0], turned)
    )
    position, rotation = _world(performance.turns, performance.hips_offset)
    return Motion(skeleton, performance.time, scale * position, rotations.multiply(rotation, turned))


def standing(seconds: float = 0.5, rate: float = 50.0) -> Performance:
    """Stands in the neutral stance with its soles at height zero."""
    time = np.arange(round(seconds * rate) + 1) / rate
    return Performance(time, {}, np.zeros((len(time), 3)))


def moving(seconds: float = 1.0, rate: float = 50.0, seed: int = 0) -> Performance:
    """Waves all joints and sways; knees and elbows bend about Y only; the feet hover and then stand."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(seconds * rate) + 1) / rate
    # Nothing moves at the start and at the end, so that feet are seen to stand.
    envelope = np.sin(np.pi * time / time[-1]) ** 4

    def wave() -> FloatArray:
        return envelope * np.sin(2.0 * np.pi * (rng.uniform(0.8, 1.6) * time / time[-1] + rng.uniform()))

    turns = {}
    for name in NAMES:
        turns[name] = 0.3 * np.stack([wave(), wave(), wave()], axis=1)
        bend = {"shin": 0.6, "forearm": -0.9}.get(name.split(".")[0])
        if bend is not None:
            turns[name] = np.stack([0.0 * time, bend * envelope * (1.0 + 0.3 * wave()), 0.0 * time], axis=1)
    sway = np.stack([0.05 * wave(), 0.04 * wave(), 0.1 * envelope], axis=1)
    return Performance(time, turns, sway)
