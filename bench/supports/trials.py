"""One capture of the supports benchmark: what is found, how far it is from what rests, and the bake on it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.bake.support_offers import SURE_HEIGHT
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import HeftError
from sim_core.base.intervals import true_intervals
from sim_core.character.posing import pose_from_motion
from sim_core.dynamics.centroidal import measure_bodies
from sim_core.markers.fit_pipeline import FitOptions, fit_file
from sim_core.motion.motion import CONTROL_DT, Motion, on_control_grid
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.recognition.mapping import BoneMapping
from sim_core.reference.body_contacts import lowest_points
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scenario.several import make_scenarios
from sim_core.scene.scene import Scene
from sim_core.supports.find import FoundSupports, find_supports, on_supports
from sim_core.supports.support import Support, SupportKind
from sim_core.world.world import build_world

from ..common.clips import CMU, MARKERS
from .plan import CUTS, FLAT, FLOOR
from .variants import at_rate, mirrored

MARKER_FILES = {
    "stairs": MARKERS / "pycgm" / "stairs_Movement_trial.c3d",
    "STS1": MARKERS / "opencap_subject4" / "STS1.trc",
}
SEARCH_SECONDS = 900.0
"""Wall time that a search may take, so that figures do not depend on how busy the machine is [s]."""
SLOW, SECONDS = 0.15, 0.15
"""A part rests that is slower than this [m/s] for so long [s]: stricter than the search for supports is."""
CUT_SECONDS, LONGEST_S = (2.0, 3.5, 6.0), 24.0
"""Lengths of cuts, each of which starts half its length after the last; so much of a clip is cut [s]."""
NEAR_TOP = 0.08
"""Rests that are further above or below a support are on something else [m]."""


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Find the supports of a capture; bake it on them at 0 N, unless it is a flat one."""
    try:
        motion, mapping = _motion(item["clip"], item["variant"])
        settings = BakeSettings(
            assist_cap=0.0,
            find_assist=False,
            height=_height(item["variant"]),
            search_seconds=SEARCH_SECONDS,
        )
        job = Job(motion, mapping, settings)
        if item["group"] == CUTS:
            return _invented_on_cuts(job)
        found = find_supports(job)
        if item["group"] == FLAT:
            return {"found": len(found.supports), "message": f"{len(found.supports)} supports"}
        scenario = make_scenarios([job])[0]
        errors = _errors(scenario, found)
        if item["group"] != FLOOR:
            job = on_supports(_among_moved(job, found, item["variant"]), found)[0]
        meta = bake(job).meta
    except HeftError as problem:
        return {"error": str(problem)}
    figures, search = meta.measured, meta.search
    up = "full" if figures.full else f"fell at {figures.up_s:.2f} s"
    return {
        "found": len(found.supports),
        "kinds": sorted({own.kind.value for own in found.supports}),
        "metrics": asdict(figures),
        "search": None if search is None else asdict(search),
        "message": f"{len(found.supports)} supports, {up}, {figures.joint_error_deg:.2f} deg",
        **errors,
    }


def _invented_on_cuts(job: Job) -> dict[str, Any]:
    """Return how many cuts of a motion there are, with how many supports are found, and high ones."""
    end = min(float(job.motion.duration), LONGEST_S)
    spans = [(float(start), own) for own in CUT_SECONDS for start in np.arange(0.0, end - own, 0.5 * own)]
    motions = [job.motion.between(start, start + own) for start, own in spans]
    cuts = [find_supports(replace(job, motion=motion)) for motion in motions]
    high = [any(own.height >= SURE_HEIGHT for own in cut.supports) for cut in cuts]
    found = sum(bool(cut.supports) for cut in cuts)
    message = f"{found} of {len(cuts)} cuts with supports, {sum(high)} with high ones"
    return {"cuts": len(cuts), "found": found, "high": sum(high), "message": message}


def _among_moved(job: Job, found: FoundSupports, variant: str) -> Job:
    """Return a job whose scene has the supports as objects that are elsewhere, if the variant says so."""
    if not variant.startswith("moved"):
        return job
    offset = 0.01 * np.array([float(word) for word in variant.split()[1:4]])
    objects = [
        replace(own, name=f"object {number}", captured=False, position=own.position + offset)
        for number, own in enumerate(found.scene.objects, 1)
    ]
    return replace(job, scene=Scene(tuple(objects)))


def _motion(clip: str, variant: str) -> tuple[Motion, BoneMapping]:
    name, _, seconds = clip.partition(":")
    motion, mapping = _read(name)
    if seconds:
        motion = motion.between(*map(float, seconds.split("-")))
    if variant == "mirrored":
        motion = mirrored(motion, mapping)
    if variant.endswith("fps"):
        motion = at_rate(motion, float(variant.split()[0]))
    return motion, mapping


def _read(name: str) -> tuple[Motion, BoneMapping]:
    if name in MARKER_FILES:
        fitted = fit_file(Path(MARKER_FILES[name]), FitOptions()).fit
        return fitted.motion, fitted.subject.calibration.rig.mapping
    motion = read_bvh(CMU / f"{name}.bvh").motion
    return motion, recognise(motion.skeleton)


def _height(variant: str) -> float | None:
    return float(variant.split()[0]) if variant.endswith(" m") else None


def _errors(scenario: Scenario, found: FoundSupports) -> dict[str, Any]:
    """Return the largest errors in height and extent [m] against what rests in the motion itself."""
    world = build_world(scenario.spec, found.floor.height)
    motion = on_control_grid(scenario.repaired)
    qpos = pose_from_motion(scenario.spec, scenario.binding, motion)
    everything = np.arange(len(world.index.support_body))
    points, speed = lowest_points(world, measure_bodies(world, qpos), CONTROL_DT, everything)
    foot, segment = world.index.foot_of_support, world.index.segment_of(world.index.support_body)
    pelvis = np.flatnonzero((segment == 0) & (foot < 0))
    height, extent = [], []
    for support in found.supports:
        top = found.floor.height + support.height
        parts = [pelvis] if support.kind is SupportKind.SEAT else [np.flatnonzero(foot == f) for f in (0, 1)]
        tops = [
            rest
            for own in parts
            for rest in _rests(points[:, own], speed[:, own], support.kind is SupportKind.STEP)
            if abs(rest[:, 2].min() - top) < NEAR_TOP and _beyond(support, rest).max() < 0.3
        ]
        height += [abs(float(rest[:, 2].min()) - top) for rest in tops]
        if support.kind is SupportKind.STEP and tops:
            extent.append(_extent_error(support, np.concatenate(tops)))
    return {"height_m": max(height, default=None), "extent_m": max(extent, default=None)}


def _rests(points: FloatArray, speed: FloatArray, flat: bool) -> list[FloatArray]:
    """Return the median positions (K, 3) of points (T, K, 3) in each of their rests."""
    slow = speed.max(axis=1) < SLOW
    if flat:
        slow &= np.ptp(points[..., 2], axis=1) < 0.04
    lasting = [span for span in true_intervals(slow) if (span[1] - span[0]) * CONTROL_DT >= SECONDS]
    return [np.median(points[start:end], axis=0) for start, end in lasting]


def _in_frame(support: Support, points: FloatArray) -> FloatArray:
    """Return points (N, 2) from the middle of a support along its edges [m]."""
    w, _, _, z = support.scene_object.quaternion
    yaw = 2.0 * np.arctan2(z, w)
    axes = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    return np.asarray((points[:, :2] - support.scene_object.position[:2]) @ axes)


def _beyond(support: Support, points: FloatArray) -> FloatArray:
    """Return how far points (N, 3) are beyond a support's edges [m]."""
    outside = np.abs(_in_frame(support, points)) - 0.5 * support.size
    return np.asarray(np.maximum(outside, 0.0).max(axis=1))


def _extent_error(support: Support, points: FloatArray) -> float:
    """Return the largest distance between an edge and the outermost sole on that side [m]."""
    at, half = _in_frame(support, points), 0.5 * support.size
    return float(np.abs(np.concatenate([at.max(axis=0) - half, at.min(axis=0) + half])).max())
