"""The table of a take's markers: by a preset, by what labels mean, and by how markers move.

Markers of which only the part is known, and markers whose names say nothing, are put where they are seen on a
body that was fitted to the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..posefit.fit_body import EngineBody
from .computed_points import marker_labels
from .label_meaning import read_label
from .landmarks import JOINT, LANDMARKS, LOOSE_SIGMA, MIDDLE, Landmark
from .marker_fit import MarkerFit, fit_take
from .marker_sets import MIN_KNOWN, SIGMA_M, MarkerPlacement, MarkerSet, find_preset
from .marker_take import MarkerTake
from .propose import FAR_COST, bone_distance, bone_part, propose_set
from .subject import calibrate_subject
from .template import TEMPLATE_HEIGHT

PRESET_SHARE = 0.8
"""Share of the labels with a meaning that a preset must know; one that knows fewer belongs to another set."""
VIDEO_JOINTS = {"acromion", "elbow", "wrist", "hip centre", "knee", "ankle"}
"""Places whose names in keypoints from video stand for the centres of joints."""
FEET = {"ankle", "heel", "metatarsal", "toe"}
"""Places at the foot; a list of keypoints without any of them calls the ankle a foot."""
PELVIS_BONES = {"asis", "psis", "iliac crest", "sacrum", "trochanter"}
"""Places that only markers on the skin show."""
MIDDLE_OF_HIPS = ("hip centre", MIDDLE)
LEAST_FIRM = 8
"""Least number of markers on landmarks that determine a body well enough to place others on it."""
LEAST_PARTS = 4
"""Least number of parts of the body that these markers must be on."""
CLUSTER = 3
"""Markers of which only the part is known that show together how it moves."""
MOVES_MOST = 0.03
"""A marker that moves more in the frames of all parts than markers of the body do is not on it [m]."""


def find_set(labels: tuple[str, ...]) -> MarkerSet | None:
    """Return a row for every label whose meaning is known; None if there are too few."""
    landmarks = _as_centres({label: found for label in labels if (found := read_label(label)) is not None})
    rows = {label: landmark.placement for label, landmark in landmarks.items()}
    # Presets that know names of keypoints say where markers on the skin of these names are.
    preset = None if are_keypoints(labels) else find_preset(labels)
    if preset is not None and len(preset.rows) >= PRESET_SHARE * len(rows.keys() | preset.rows.keys()):
        return replace(preset, rows={**rows, **preset.rows})
    return MarkerSet("by names", rows, _feet_note(rows)) if len(rows) >= MIN_KNOWN else None


def _feet_note(rows: Mapping[str, MarkerPlacement]) -> tuple[str, ...]:
    """Return a note about keypoints that do not show the feet."""
    if not are_keypoints(rows) or any(row.part.split(".")[0] in ("foot", "toe") for row in rows.values()):
        return ()
    return (
        "No keypoint is on the feet, so their direction is guessed from the shins and they may slide; a list "
        "with heels and toes (HALPE_26, BODY_25, MediaPipe) gives better steps.",
    )


def are_keypoints(labels: Iterable[str]) -> bool:
    """Return whether points come from video, which shows joints but no bones of the pelvis."""
    landmarks = [found for label in labels if (found := read_label(label)) is not None]
    places = {landmark.place for landmark in landmarks}
    if "foot" in places and not places & FEET:
        places.add("ankle")
    on_skin = any(
        landmark.place in PELVIS_BONES
        or (landmark.place == "waist" and landmark.side != MIDDLE)
        or (landmark.place in VIDEO_JOINTS and landmark.aspect in ("medial", "lateral"))
        for landmark in landmarks
    )
    return places >= VIDEO_JOINTS and not on_skin


def _as_centres(landmarks: Mapping[str, Landmark]) -> dict[str, Landmark]:
    """Return landmarks as centres of joints if they are keypoints from video.

    Only there does a hip without a side mean the point between both.
    """
    if not are_keypoints(landmarks):
        return {
            label: found for label, found in landmarks.items() if (found.place, found.side) != MIDDLE_OF_HIPS
        }
    feet_are_ankles = not {landmark.place for landmark in landmarks.values()} & FEET
    centres = {
        label: replace(found, place="ankle") if feet_are_ankles and found.place == "foot" else found
        for label, found in landmarks.items()
    }
    return {
        label: replace(found, aspect=JOINT) if JOINT in LANDMARKS[found.place] else found
        for label, found in centres.items()
    }


def recognise_set(take: MarkerTake) -> MarkerSet:
    """Return a table with a row for as many of the take's markers as possible."""
    offered = marker_labels(take)
    table = find_set(offered)
    firm = None if table is None else _firm(table)
    if table is not None and firm is not None and _determines_body(firm, take):
        return _with_others(take, table, [label for label in offered if label not in firm.rows])
    clusters = None if table is None else _clusters(table, take)
    if table is not None and clusters is not None and _determines_body(clusters, take):
        return _with_others(take, table, list(offered), clusters)
    return propose_set(take.chosen(offered) if offered else take)


def settle_loose(take: MarkerTake, table: MarkerSet) -> MarkerSet:
    """Return the table with markers of which only the part is known put where they are seen on that part.

    The table stays as it is if its other markers do not determine a body.
    """
    firm = _firm(table)
    loose = [label for label in take.labels if label in table.rows and label not in firm.rows]
    return _with_others(take, table, loose) if _determines_body(firm, take) else table


def _firm(table: MarkerSet) -> MarkerSet:
    return replace(table, rows={label: row for label, row in table.rows.items() if row.sigma < LOOSE_SIGMA})


def _clusters(table: MarkerSet, take: MarkerTake) -> MarkerSet:
    """Return the rows of parts that have a marker on a landmark, or enough others that are seen."""
    firm = _firm(table).rows
    seen = {label for label in take.labels if take.seen[:, take.index(label)].any()}
    parts = [row.part for label, row in table.rows.items() if label in seen]
    return replace(
        table,
        rows={
            label: row
            for label, row in table.rows.items()
            if label in firm or parts.count(row.part) >= CLUSTER
        },
    )


def _determines_body(firm: MarkerSet, take: MarkerTake) -> bool:
    seen = [
        row
        for label, row in firm.rows.items()
        if label in take.labels and take.seen[:, take.index(label)].any()
    ]
    return len(seen) >= LEAST_FIRM and len({row.part for row in seen}) >= LEAST_PARTS


@dataclass(frozen=True, eq=False)
class _OnParts:
    """Where markers are in the frames of all parts.

    middle (M, L, 3): median positions [m]; moves (M, L): standard deviations [m]; NaN for markers never seen
    """

    middle: FloatArray
    moves: FloatArray


def _with_others(
    take: MarkerTake, table: MarkerSet, others: list[str], known: MarkerSet | None = None
) -> MarkerSet:
    """Return the table with others put where they are on a body fitted to known markers, or firm ones."""
    if not others:
        return table
    subject = calibrate_subject(take, _firm(table) if known is None else known)
    fit = fit_take(take, subject, "preview")
    rig, scale = subject.calibration.rig, TEMPLATE_HEIGHT / subject.height
    seen = _on_parts(fit, take.chosen(others).position_world)
    most = MOVES_MOST + float(np.sqrt(np.nanmean(fit.distance**2)))
    rows, off_body = dict(table.rows), []
    for m, label in enumerate(others):
        if not np.isfinite(seen.moves[m]).any():
            continue
        named = table.rows.get(label)
        cost = seen.moves[m] + FAR_COST * bone_distance(rig, seen.middle[m])
        link = rig.carrier(named.part) if named is not None else int(np.argmin(cost))
        if named is None and seen.moves[m, link] > most:
            off_body.append(label)
            continue
        part = named.part if named is not None else bone_part(rig, link)
        rows[label] = MarkerPlacement(part, scale * seen.middle[m, link], SIGMA_M["skin"])
    return replace(table, rows=rows, notes=(*table.notes, *_notes(table, rows, off_body)))


def _on_parts(fit: MarkerFit, measured: FloatArray) -> _OnParts:
    """Return where markers at (T, M, 3) are in the frames of the fitted body's parts."""
    position, quaternion = EngineBody(fit.subject.calibration.rig.body).poses(fit.qpos)
    middle = np.full((measured.shape[1], position.shape[1], 3), np.nan)
    moves = np.full(middle.shape[:2], np.nan)
    for m in range(measured.shape[1]):
        seen = np.isfinite(measured[:, m]).all(axis=1)
        if seen.any():
            away = measured[seen, m, None] - position[seen]
            local = rotations.rotate(rotations.conjugate(quaternion[seen]), away)
            middle[m], moves[m] = np.median(local, axis=0), np.linalg.norm(local.std(axis=0), axis=1)
    return _OnParts(middle, moves)


def _notes(table: MarkerSet, rows: dict[str, MarkerPlacement], off_body: list[str]) -> list[str]:
    placed = [label for label in rows if label not in table.rows]
    notes = []
    if placed:
        shown = ", ".join(placed[:5]) + (", ..." if len(placed) > 5 else "")
        notes.append(
            f"{len(placed)} marker(s) whose names say nothing were assigned by how they move: {shown}."
        )
    if off_body:
        shown = ", ".join(off_body[:5]) + (", ..." if len(off_body) > 5 else "")
        notes.append(f"{len(off_body)} marker(s) move with no part of the body: {shown}.")
    return notes
