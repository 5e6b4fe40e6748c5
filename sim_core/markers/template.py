"""The template skeleton for captures without one, and nominal marker positions on a body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import IDENTITY_QUATERNION, FloatArray, IntArray
from ..base.json_files import read_preset
from ..character.anthropometry import ANKLE_HEIGHT_SHARE
from ..motion.skeleton import NO_PARENT, Skeleton
from ..posefit.fit_rig import RigBody, body_from_rig
from ..posefit.points import Attachments
from ..recognition.mapping import SIDES, BoneMapping
from .marker_sets import MIRROR, MarkerSet

TEMPLATE_HEIGHT = 1.75
"""Height of the template and of the bodies that marker sets are given for [m]."""


def template(height: float = TEMPLATE_HEIGHT) -> RigBody:
    """Return a person of this height [m], with all bones unrotated in a T-pose."""
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
    """Return the template with its soles at height zero after its legs were scaled."""
    heads = np.array(rig.skeleton.rest_position_world)
    heads[:, 2] += ANKLE_HEIGHT_SHARE * height - heads[rig.skeleton.index["foot.L"], 2]
    return replace(rig, skeleton=replace(rig.skeleton, rest_position_world=heads))


@dataclass(frozen=True, eq=False)
class NominalMarkers:
    """M markers on links.

    link (M); offset (M, 3): nominal positions [m]; sigma (M): their standard deviations [m]
    """

    labels: tuple[str, ...]
    link: IntArray
    offset: FloatArray
    sigma: FloatArray

    @property
    def attachments(self) -> Attachments:
        """The markers as points on links."""
        return Attachments(self.link, self.offset)


def place_markers(rig: RigBody, table: MarkerSet, labels: tuple[str, ...], height: float) -> NominalMarkers:
    """Return the markers of a table on a rig of a height [m].

    a missing part is replaced by what carries it
    """
    scale = height / TEMPLATE_HEIGHT
    rows = [table.rows[label] for label in labels]
    return NominalMarkers(
        labels=labels,
        link=np.array([rig.carrier(row.part) for row in rows], dtype=np.int64),
        offset=np.array([np.zeros(3) if row.offset is None else scale * row.offset for row in rows]),
        sigma=np.array([row.sigma for row in rows]),
    )
