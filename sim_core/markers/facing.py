"""Which way keypoints face: toes, faces and knees are in front of a person whose sides are named rightly.

Joint centres alone lie nearly in a plane, so a body with its sides exchanged explains them almost as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..base.conventions import FloatArray
from ..recognition.mapping import SIDES
from .label_meaning import read_label
from .landmarks import MIDDLE

IN_FRONT = (("toe", "ankle"), ("toe", "heel"), ("nose", "ear"), ("eye", "ear"), ("mouth", "ear"))
"""Places of which the first is in front of the second."""

Paths = Mapping[tuple[str, str], FloatArray]
"""Place and side -> mean path (T, 3) of the points there [m]."""


def forward_shares(labels: Sequence[str], position: FloatArray) -> tuple[float, ...]:
    """Return for each cue the share of frames in which it is in front, for points at (T, M, 3)."""
    paths = _paths(labels, position)
    try:
        hips, shoulders = ([paths[place, side] for side in SIDES] for place in ("hip centre", "acromion"))
    except KeyError:
        return ()
    left = hips[0] - hips[1] + shoulders[0] - shoulders[1]
    up = shoulders[0] + shoulders[1] - hips[0] - hips[1]
    forward = np.cross(left, up)
    found = []
    for cue in _cues(paths):
        ahead = np.einsum("ti,ti->t", cue, forward)
        ahead = ahead[np.isfinite(ahead)]
        if len(ahead):
            found.append(float((ahead > 0.0).mean()))
    return tuple(found)


def _paths(labels: Sequence[str], position: FloatArray) -> Paths:
    groups: dict[tuple[str, str], list[int]] = {}
    for i, label in enumerate(labels):
        landmark = read_label(label)
        if landmark is not None:
            groups.setdefault((landmark.place, landmark.side), []).append(i)
    return {key: position[:, columns].mean(axis=1) for key, columns in groups.items()}


def _cues(paths: Paths) -> Iterator[FloatArray]:
    """Yield vectors (T, 3) that point forward in people."""
    for front, rear in IN_FRONT:
        if front == "nose" and all((rear, side) in paths for side in SIDES) and (front, MIDDLE) in paths:
            yield paths[front, MIDDLE] - 0.5 * (paths[rear, SIDES[0]] + paths[rear, SIDES[1]])
        for side in SIDES:
            if (front, side) in paths and (rear, side) in paths:
                yield paths[front, side] - paths[rear, side]
    for side in SIDES:
        hip, knee, ankle = (paths.get((place, side)) for place in ("hip centre", "knee", "ankle"))
        if hip is not None and knee is not None and ankle is not None:
            yield knee - 0.5 * (hip + ankle)
