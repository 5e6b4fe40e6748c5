"""The joints of SMPL, SMPL-H and SMPL-X, on a body of average proportions.

The joint trees are published with the models: Loper et al. 2015 (SMPL), Romero et al. 2017 (SMPL-H), Pavlakos
et al. 2019 (SMPL-X). The models' own lengths may not be passed on, so those of presets/skeletons/person.json
are used. At rest the body stands in a T-pose, as the models do: Y up, Z forward, X to its left.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..base.conventions import Z_UP_FROM_Y_UP, FloatArray
from ..base.json_files import read_preset
from .motion_file import unrotated_skeleton
from .skeleton import NO_PARENT, Skeleton

AVERAGE_HEIGHT_M = 1.70
"""Height of the body where nothing is known of it: between the means of men and of women."""
BODY = (
    ("Pelvis", None),
    ("L_Hip", "Pelvis"),
    ("R_Hip", "Pelvis"),
    ("Spine1", "Pelvis"),
    ("L_Knee", "L_Hip"),
    ("R_Knee", "R_Hip"),
    ("Spine2", "Spine1"),
    ("L_Ankle", "L_Knee"),
    ("R_Ankle", "R_Knee"),
    ("Spine3", "Spine2"),
    ("L_Foot", "L_Ankle"),
    ("R_Foot", "R_Ankle"),
    ("Neck", "Spine3"),
    ("L_Collar", "Spine3"),
    ("R_Collar", "Spine3"),
    ("Head", "Neck"),
    ("L_Shoulder", "L_Collar"),
    ("R_Shoulder", "R_Collar"),
    ("L_Elbow", "L_Shoulder"),
    ("R_Elbow", "R_Shoulder"),
    ("L_Wrist", "L_Elbow"),
    ("R_Wrist", "R_Elbow"),
)
"""The 22 joints that all models share, in their order, each with its parent."""
FINGERS = ("Index", "Middle", "Pinky", "Ring", "Thumb")
"""Fingers in the models' order; each has three joints."""
FACE = ("Jaw", "L_Eye", "R_Eye")

_OF_PERSON = {
    "Pelvis": "hips",
    "Spine1": "spine",
    "Spine3": "chest",
    "Neck": "neck",
    "Head": "head",
    "Collar": "clavicle",
    "Shoulder": "upper_arm",
    "Elbow": "forearm",
    "Wrist": "hand",
    "Hip": "thigh",
    "Knee": "shin",
    "Ankle": "foot",
    "Foot": "toe",
}
"""Joints by their names in the preset; Spine2 is in the middle between its neighbours."""
_KNUCKLE_M = {
    "Index": (0.02, 0.085, 0.0),
    "Middle": (0.0, 0.09, 0.0),
    "Pinky": (-0.045, 0.075, 0.0),
    "Ring": (-0.02, 0.085, 0.0),
    "Thumb": (0.03, 0.025, -0.01),
}
"""First joint of each finger from the wrist of the preset: forward, outward, up [m]."""
_PHALANX_M = 0.028
"""Distance from one joint of a finger to the next [m]."""
_FACE_M = {"Jaw": (0.02, 0.0, 0.0), "L_Eye": (0.07, 0.03, 0.06), "R_Eye": (0.07, -0.03, 0.06)}
"""Joints of the face from the head joint of the preset: forward, left, up [m]."""

JOINTS_OF_MODEL = {22: "SMPL body", 24: "SMPL", 52: "SMPL-H", 55: "SMPL-X"}
"""Number of joints -> model."""


def smpl_skeleton(joints: int, height_m: float) -> Skeleton:
    """Return the skeleton of the model with this number of joints at rest, as tall as given [m]."""
    person = read_preset("skeletons", "person")
    heads = {name: np.array(head) for name, _, head in (*person["centre"], *person["left"])}
    position: dict[str, FloatArray] = {}
    for name, parent in _tree(joints):
        position[name] = _head(name, parent, heads, position)
    scaled = np.array(list(position.values())) * height_m / person["height"]
    return joint_skeleton(joints, scaled @ Z_UP_FROM_Y_UP)


def joint_skeleton(joints: int, heads: FloatArray) -> Skeleton:
    """Return a skeleton of joints (N, 3) in the model's axes, with its pelvis at the origin."""
    names, parents = zip(*_tree(joints), strict=True)
    index = [NO_PARENT if parent is None else names.index(parent) for parent in parents]
    return unrotated_skeleton(names, index, heads - heads[0])


def _tree(joints: int) -> Iterator[tuple[str, str | None]]:
    yield from BODY
    if joints == 24:
        yield from (("L_Hand", "L_Wrist"), ("R_Hand", "R_Wrist"))
    if joints == 55:
        yield from ((name, "Head") for name in FACE)
    for side in ("L", "R") if joints in (52, 55) else ():
        for finger in FINGERS:
            names = [f"{side}_{finger}{number}" for number in (1, 2, 3)]
            yield from zip(names, (f"{side}_Wrist", *names[:2]), strict=True)


def _head(
    name: str, parent: str | None, heads: dict[str, FloatArray], position: dict[str, FloatArray]
) -> FloatArray:
    """Return a joint's position at rest: X forward, Y left, Z up [m of the preset]."""
    side, _, part = name.rpartition("_")
    mirror = np.array([1.0, -1.0 if side == "R" else 1.0, 1.0])
    if part in _OF_PERSON:
        return heads[_OF_PERSON[part]] * mirror
    if part == "Spine2":
        return np.asarray(0.5 * (heads["spine"] + heads["chest"]))
    assert parent is not None, "all joints without a parent are in the preset"
    if name in _FACE_M:
        return position[parent] + _FACE_M[name]
    if part == "Hand":
        return position[parent] + mirror * _KNUCKLE_M["Middle"]
    if part.endswith("1"):
        return position[parent] + mirror * _KNUCKLE_M[part[:-1]]
    return position[parent] + mirror * [0.0, _PHALANX_M, 0.0]
