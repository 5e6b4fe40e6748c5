"""Retargeted clips on all bodies, copies of rotations, a clap, and bakes."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.intervals import true_intervals
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.recognition.mapping import SIDES
from sim_core.result.metrics import direction_error_deg
from sim_core.retarget.arms import palms
from sim_core.retarget.legs import LEG
from sim_core.retarget.retarget import Retargeted, retarget
from sim_core.retarget.retarget_figures import retarget_figures
from sim_core.retarget.retarget_options import Feet, RetargetOptions
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig
from sim_core.retarget.style import posed
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_claps import clap
from tests.core.sample_people import MAPPING, person

from ..common.clips import CMU, SECONDS
from ..common.tables import Row
from .hand_measures import elbow_step_deg, hand_figures, hand_sides

SOURCES = {
    "walk 07_01": CMU / "07_01.bvh",
    "run 09_01": CMU / "09_01.bvh",
    "march 138_01": CMU / "138_01.bvh",
    "punches 02_05": CMU / "02_05.bvh",
    "dance 05_02": CMU / "05_02.bvh",
    "pirouette": CMU.parent / "misc" / "pirouette.bvh",
}
OTHERS = (
    "02_01", "16_17", "104_28", "137_42", "91_19", "132_29",
    "13_18", "13_11", "118_01", "02_04", "02_03", "60_01",
)  # fmt: skip
"""Further clips of the CMU library; the report says what was chosen with them."""
DANCES = ("dance 05_02", "pirouette", "60_01")
SIMULATED = ("walk 07_01", "march 138_01")
PUSH_OFF_SECONDS = 0.15
STYLE = RetargetOptions(feet=Feet.FREE, hands=False)


def read_clip(file: Path) -> tuple[RetargetRig, Motion]:
    """Return the rig and the beginning of the motion of a file."""
    motion = read_bvh(file).motion
    motion = motion if motion.duration <= SECONDS else motion.between(0.0, SECONDS)
    return make_retarget_rig(motion.skeleton, recognise(motion.skeleton), motion), motion


def measure(
    clip: str, name: str, source: RetargetRig, motion: Motion, target: RetargetRig
) -> tuple[Row, Retargeted]:
    """Return the figures of a pair, with the skating of copied rotations; and the retargeted motion."""
    began = time.process_time()
    outcome = retarget(source, motion, target)
    seconds = time.process_time() - began
    hands = hand_figures(source, motion, target, outcome.motion)
    copied = retarget_figures(replace(outcome, motion=rotation_copy(source, motion, target)))
    row = {
        "clip": clip,
        "target": name,
        **retarget_figures(outcome),
        "push_off_deg": push_off_deg(outcome),
        "hand_jerk": hands["jerk"],
        "elbow_deg": hands["elbow"],
        "source_elbow_deg": max(elbow_step_deg(source, motion, side) for side in hand_sides(source, target)),
        "fps": len(motion.time) / seconds,
        "frames": len(motion.time),
        **{f"copy_{key}": copied[key] for key in ("skate_cm_s", "skate_p95_cm_s", "penetration_max_cm")},
    }
    return row, outcome


def push_off_deg(outcome: Retargeted) -> float | None:
    """Return how much further knees are bent than the source's at push-off [deg].

    It is the mean over 0.15 s before toes that were flat leave the ground; None for clips without such a
    moment.
    """
    window = max(round(PUSH_OFF_SECONDS * outcome.motion.rate_hz), 1)
    found = []
    for side in SIDES:
        source = _knee_deg(outcome.source, outcome.repaired, side)
        more = _knee_deg(outcome.target, outcome.motion, side) - source
        rests = outcome.rests[side]
        for first, past in true_intervals(rests[:, 1]):
            rolled = rests[first:past].all(axis=1).any() and not rests[past - 1, 0]
            if rolled and past < len(rests) and past - first >= window:
                found.append(float(more[past - window : past].mean()))
    return float(np.mean(found)) if found else None


def _knee_deg(actor: RetargetRig, motion: Motion, side: str) -> FloatArray:
    """Return the flexion of a knee (T) [deg]."""
    hip, knee, ankle = (motion.position_world[:, actor.bone(f"{part}.{side}")] for part in LEG)
    return direction_error_deg(knee - hip, ankle - knee)


def rotation_copy(source: RetargetRig, motion: Motion, target: RetargetRig) -> Motion:
    """Return the motion with the source's rotations from rest, and the hips' path scaled by the legs.

    This is what tools without contacts do.
    """
    turned = {}
    for slot, names in target.mapping.bones.items():
        for which, _ in enumerate(names if slot in ("spine", "neck") else names[:1]):
            if which < len(source.mapping.bones.get(slot, ())):
                own, other = source.bone(slot, which), target.bone(slot, which)
                rest = rotations.conjugate(source.skeleton.rest_quaternion_world[own])
                turn = rotations.multiply(motion.quaternion_world[:, own], rest)
                turned[other] = rotations.multiply(turn, target.skeleton.rest_quaternion_world[other])
    ground = np.array([0.0, 0.0, source.character.ground_height])
    hips = motion.position_world[:, source.bone("hips")]
    centre = np.array([hips[0, 0], hips[0, 1], 0.0]) + ground
    ratio = target.leg_length / source.leg_length
    return posed(target, turned, centre + ratio * (hips - centre), motion.time)


def identity(clip: str, source: RetargetRig, motion: Motion) -> Row:
    """Retarget a body to itself: as it is, and with locked feet, which remove the skating of the source."""
    row: dict[str, object] = {"clip": clip}
    for name, options in (("same", RetargetOptions()), ("locked", RetargetOptions(feet=Feet.LOCK))):
        result = retarget(source, motion, source, options).motion
        turned = np.degrees(rotations.angle_between(result.quaternion_world, motion.quaternion_world))
        away = 1000.0 * np.linalg.norm(result.position_world - motion.position_world, axis=2)
        row |= {f"{name}_deg": float(turned.max()), f"{name}_mm": float(away.max())}
        row |= {f"{name}_mean_deg": float(turned.mean()), f"{name}_mean_mm": float(away.mean())}
    return row


def clapped(name: str, target: RetargetRig) -> Row:
    """Return how far palms are apart when those of the source meet [cm]."""
    motion = person(clap())
    source = make_retarget_rig(motion.skeleton, MAPPING, motion)

    def apart(actor: RetargetRig, shown: Motion) -> np.ndarray:
        return 100.0 * np.linalg.norm(palms(actor, shown, "L") - palms(actor, shown, "R"), axis=1)

    meet = int(np.argmin(apart(source, motion)))
    style, kept = (
        apart(target, retarget(source, motion, target, options).motion)[meet]
        for options in (STYLE, RetargetOptions())
    )
    return {
        "target": name,
        "source_cm": float(apart(source, motion)[meet]),
        "style_cm": float(style),
        "clap_cm": float(kept),
    }


def simulated(
    clip: str, name: str, source: RetargetRig, motion: Motion, target: RetargetRig, scale_time: bool
) -> Row:
    """Bake the retargeted motion at 0 N with the target's own masses."""
    moved = retarget(source, motion, target, RetargetOptions(scale_time=scale_time)).motion
    result = bake(Job(moved, target.mapping, BakeSettings(find_assist=False)))
    metrics = result.meta.measured
    return {
        "clip": clip,
        "target": name,
        "timing": "by the legs" if scale_time else "kept",
        **{
            key: getattr(metrics, key)
            for key in ("full", "up_s", "seconds", "joint_error_deg", "joint_error_source_deg")
        },
    }
