"""Arms and legs that no marker shows: the usual pose that they get must not pass for a measured one."""

from __future__ import annotations

import numpy as np

from ..recognition.mapping import SIDES
from .marker_fit import MarkerFit

LIMBS = (
    (("upper_arm", "on the {} arm"), ("forearm", "below the {} elbow")),
    (("thigh", "on the {} leg"), ("shin", "below the {} knee")),
)
"""For each limb: the first part of what is unseen, and where that is, the larger first. Collarbones, and feet
below seen shins, are little."""
SIDE_WORD = dict(zip(SIDES, ("left", "right"), strict=True))


def unseen_limbs(fit: MarkerFit) -> tuple[str, ...]:
    """Return a note about limbs without a marker on them; none where all limbs are seen."""
    rig = fit.subject.calibration.rig
    links = fit.attachments.link[np.isfinite(fit.measured).all(axis=2).any(axis=0)]
    places = []
    for limb in LIMBS:
        for side in SIDES:
            roots = ((rig.link(f"{part}.{side}"), where) for part, where in limb)
            unseen = (
                where
                for root, where in roots
                if root is not None and not rig.body.moved_by[links, root].any()
            )
            places += [where.format(SIDE_WORD[side]) for where in unseen][:1]
    if not places:
        return ()
    return (
        f"No marker is {' or '.join(places)}: what these limbs did is not known, and the fit shows a usual "
        "pose instead.",
    )
