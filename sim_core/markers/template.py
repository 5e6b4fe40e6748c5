"""The project's own skeleton, for captures that bring none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base.conventions import IDENTITY_QUATERNION
from ..base.json_files import read_preset
from ..character.anthropometry import ANKLE_HEIGHT_SHARE
from ..motion.skeleton import NO_PARENT, Skeleton
from ..posefit.fit_rig import RigBody, body_from_rig
from ..recognition.mapping import SIDES, BoneMapping
from .marker_sets import MIRROR

TEMPLATE_HEIGHT = 1.75
"""Of the template and of the bodies that marker sets are given for [m]."""


def template(height: float = TEMPLATE_HEIGHT) -> RigBody:
    """A person of this height [m], all bones unturned in a T-pose."""
    data = read_preset("skeletons", "person")
    rows: list[tuple[str, str | None, np.ndarray]] = [
        (name, parent, np.array(head)) for name, parent, head in data["centre"]
    ]
    slots = {slot: tuple(names) for slot, names in data["slots"].items()}
    centre = [name for name, _, _ in rows]
    for side in SIDES:
        for name, parent, head in data["left"]:
            above = parent if parent in centre else f"{parent}.{side}"
            rows.append((f"{name}.{side}", above, np.array(head) * (MIRROR if side == "R" else 1.0)))
            slots[f"{name}.{side}"] = (f"{name}.{side}",)
    names = [name for name, _, _ in rows]
    skeleton = Skeleton(
        tuple(names),
        np.array([NO_PARENT if parent is None else names.index(parent) for _, parent, _ in rows]),
        np.array([head for _, _, head in rows]) * height / data["height"],
        np.tile(IDENTITY_QUATERNION, (len(rows), 1)),
    )
    return body_from_rig(skeleton, BoneMapping("Heft person", slots))


def stood_up(rig: RigBody, height: float) -> RigBody:
    """The template with other legs, whose soles still rest at height zero."""
    heads = np.array(rig.skeleton.rest_position_world)
    heads[:, 2] += ANKLE_HEIGHT_SHARE * height - heads[rig.skeleton.index["foot.L"], 2]
    return replace(rig, skeleton=replace(rig.skeleton, rest_position_world=heads))
