"""A marker set put on a body: links, places and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..posefit.fit_rig import RigBody
from ..posefit.points import Attachments
from .marker_sets import MarkerSet
from .template import TEMPLATE_HEIGHT


@dataclass(frozen=True, eq=False)
class Nominal:
    """M markers on links.

    link (M); offset (M, 3): where the set puts them [m]; sigma (M): how far they may be from there [m]
    """

    labels: tuple[str, ...]
    link: IntArray
    offset: FloatArray
    sigma: FloatArray

    @property
    def attachments(self) -> Attachments:
        return Attachments(self.link, self.offset)


def put_on(rig: RigBody, table: MarkerSet, labels: tuple[str, ...], height: float) -> Nominal:
    """Markers of a table on a rig whose body is `height` tall [m]; a part it lacks is what carries it."""
    scale = height / TEMPLATE_HEIGHT
    rows = [table.rows[label] for label in labels]
    return Nominal(
        labels=labels,
        link=np.array([rig.carrier(row.part) for row in rows], dtype=np.int64),
        offset=np.array([np.zeros(3) if row.offset is None else scale * row.offset for row in rows]),
        sigma=np.array([row.sigma for row in rows]),
    )
