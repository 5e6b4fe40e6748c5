"""Hands on other bodies: dances, mirrored and with another timing, and touches of the own body."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.motion.glb_mesh import read_glb_mesh
from sim_core.motion.glb_skeleton import read_glb_skeleton
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton
from sim_core.recognition import recognise
from sim_core.recognition.mapping import BoneMapping
from sim_core.retarget.arms import palms
from sim_core.retarget.body_surface import moving_parts
from sim_core.retarget.relations import Actor
from sim_core.retarget.retarget import retarget
from sim_core.retarget.retarget_figures import retarget_figures
from sim_core.retarget.retarget_options import RetargetOptions
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig
from tests.core.sample_touches import HELD, PLACES, touching

from ..common.clips import CMU
from ..common.measured_code import commit_of
from ..common.pages import write_page
from ..common.tables import Columns, Row, markdown
from .hand_measures import elbow_step_deg, hand_figures, hand_sides, palm_depths, touches_kept
from .targets import DATA, targets
from .trials import read_clip, rotation_copy

DANCES = {
    "dance 05_02": CMU / "05_02.bvh",
    "salsa 60_01": CMU / "60_01.bvh",
    "pirouette": CMU.parent / "misc" / "pirouette.bvh",
}
SECONDS = 2.5
FILES = {
    "Knight": "KayKit_Knight",
    "CesiumMan": "CesiumMan",
    "RiggedFigure": "RiggedFigure",
    "RobotExpressive": "RobotExpressive",
}
DANCERS = (*FILES, "child 1.10 m", "giant 2.40 m")
TOUCHERS = ("child 1.10 m", "adult 1.75 m", "giant 2.40 m", "Knight")
DEEP_M = 0.01
WAYS = {"": "", "without_": ", without hands", "copy_": ", rotation copy"}
OPTIONS = {"": RetargetOptions(), "without_": RetargetOptions(hands=False)}
HANDS: Columns = {
    "source": "{clip}",
    "target": "{target}",
    **{f"hand jerk{text}": f"{{{way}jerk:.2f}}" for way, text in WAYS.items()},
    "source's elbow step, deg": "{source_elbow:.1f}",
    **{f"elbow step{text}": f"{{{way}elbow:.1f}}" for way, text in WAYS.items()},
    **{f"inside, % of frames{text}": f"{{{way}inside:.1f}}" for way, text in WAYS.items()},
    "upper body, deg": "{upper:.1f}",
    "frames/s": "{fps:.0f}",
    "frames/s without hands": "{without_fps:.0f}",
}
TOUCHES: Columns = {
    "motion": "{clip}",
    "target": "{target}",
    "furthest from the source's gap, cm": "{away_cm:.2f}",
    "without hands": "{without_away_cm:.1f}",
    "kept within 1.5 cm, % of contact frames": "{kept:.0f}",
    "kept, without hands": "{without_kept:.0f}",
    "deepest, cm": "{deepest_cm:.2f}",
}


def bodies() -> dict[str, RetargetRig]:
    """Return the characters of the tables, with meshes where their files have one."""
    found = targets()
    for name, file in FILES.items():
        path = DATA / "characters" / f"{file}.glb"
        skeleton = read_glb_skeleton(path)
        found[name] = make_retarget_rig(skeleton, recognise(skeleton), mesh=read_glb_mesh(path))
    return found


def mirrored(rig: RetargetRig, motion: Motion) -> tuple[RetargetRig, Motion]:
    """Return the motion as seen in a mirror, with left and right exchanged."""
    place, turn = np.array([1.0, -1.0, 1.0]), np.array([1.0, -1.0, 1.0, -1.0])
    old = motion.skeleton
    skeleton = Skeleton(
        old.names, old.parents, old.rest_position_world * place, old.rest_quaternion_world * turn
    )
    other = {"L": "R", "R": "L"}
    bones = {
        slot[:-1] + other[slot[-1]] if slot[-2:] in (".L", ".R") else slot: names
        for slot, names in rig.mapping.bones.items()
    }
    shown = Motion(skeleton, motion.time, motion.position_world * place, motion.quaternion_world * turn)
    return make_retarget_rig(skeleton, BoneMapping(rig.mapping.kind, bones), shown), shown


def warped(rig: RetargetRig, motion: Motion) -> tuple[RetargetRig, Motion]:
    """Return the motion with a tempo that swings between 0.7 and 1.3 times its own every 1.5 s."""
    swing = 0.3 * 1.5 / (2.0 * np.pi) * np.sin(2.0 * np.pi * (motion.time - motion.time[0]) / 1.5)
    kept = motion.time + swing <= motion.time[-1]
    shown = motion.at((motion.time + swing)[kept])
    return rig, replace(shown, time=motion.time[kept])


def dances() -> Iterator[tuple[str, RetargetRig, Motion]]:
    """Yield the dances in a mirror and with another tempo; as they are, they are in the other table."""
    for name, file in DANCES.items():
        rig, motion = read_clip(file)
        motion = motion.between(0.0, SECONDS) if motion.duration > SECONDS else motion
        yield f"{name}, mirrored", *mirrored(rig, motion)
        yield f"{name}, warped", *warped(rig, motion)


def danced(clip: str, name: str, source: RetargetRig, motion: Motion, target: RetargetRig) -> Row:
    """Return the figures of the hands in one pair."""
    sides = hand_sides(source, target)
    row: dict[str, Any] = {"clip": clip, "target": name}
    target.surfaces  # noqa: B018 - made once for a character, not for each motion
    row["source_elbow"] = max(elbow_step_deg(source, motion, side) for side in sides)
    for way, options in {**OPTIONS, "copy_": None}.items():
        began = time.process_time()
        if options is None:
            shown = rotation_copy(source, motion, target)
        else:
            outcome = retarget(source, motion, target, options)
            shown = outcome.motion
            row[f"{way}fps"] = len(motion.time) / (time.process_time() - began)
            if not way:
                row["upper"] = retarget_figures(outcome)["upper_deg"]
        hands = hand_figures(source, motion, target, shown)
        row[f"{way}jerk"], row[f"{way}elbow"] = hands["jerk"], hands["elbow"]
        depths = None if target.mesh is None else palm_depths(target, shown, target.mesh)
        row[f"{way}inside"] = None if depths is None else 100.0 * float(np.mean(depths > DEEP_M))
    return row


def touched(clip: str, name: str, target: RetargetRig) -> Row:
    """Return how far palms are from the gap of the source's while they are held, and how deep [cm]."""
    source, motion = touching(clip)
    held = (motion.time > HELD[0]) & (motion.time < HELD[1])
    ratio = target.character.spec.height / source.character.spec.height
    row: dict[str, Any] = {"clip": clip, "target": name}
    for way, options in OPTIONS.items():
        shown = retarget(source, motion, target, options).motion
        away, deepest = [0.0], [0.0]
        for side, (part, _, _) in PLACES[clip].items():
            wanted = ratio * _gap(source, motion, side, part)[held]
            gap = _gap(target, shown, side, part)
            away.append(float(np.abs(gap[held] - wanted).max()))
            if target.mesh is not None:
                deepest.append(float(palm_depths(target, shown, target.mesh).max()))
        row[f"{way}away_cm"] = 100.0 * max(away)
        row[f"{way}kept"] = 100.0 * touches_kept(Actor(source, motion, target, shown), shown)
        row[f"{way}deepest_cm"] = 100.0 * max(deepest)
    return row


def _gap(rig: RetargetRig, motion: Motion, side: str, part: str) -> FloatArray:
    own = moving_parts(rig.character, rig.surfaces, motion)[part]
    return own.surface.gap(own.local(palms(rig, motion, side)))


def write_hands(folder: Path) -> str:
    """Measure all pairs and write the tables; return the bars."""
    found = bodies()
    rows = [
        danced(clip, name, rig, motion, found[name]) for clip, rig, motion in dances() for name in DANCERS
    ]
    touches = [touched(clip, name, found[name]) for clip in PLACES for name in TOUCHERS]
    bars = "\n".join(
        [
            bar_line("hand jerk, p99 <= 1.6 x the source's", rows, "jerk", 1.6),
            bar_line("largest step of an elbow at 60 fps <= 15 deg", rows, "elbow", 15.0),
            bar_line(
                "palm more than 1 cm inside the mesh <= 0.5 % of frames",
                [row for row in rows if row["inside"] is not None],
                "inside",
                0.5,
            ),
            bar_line(
                "touches kept within 1.5 cm in >= 95 % of contact frames",
                touches,
                "kept",
                95.0,
                at_least=True,
            ),
            bar_line("speed >= 500 frames/s", rows, "fps", 500.0, at_least=True),
            bar_line("touch kept within 2 cm of the source's gap", touches, "away_cm", 2.0),
            bar_line("penetration while touching <= 1 cm", touches, "deepest_cm", 1.0),
        ]
    )
    parts = [
        "# Hands of retargeted motions",
        "Made by `python3 dev.py bench retarget --hands`; docs/retarget.md says how it works. Times are "
        "processor time of one thread, without making the surface of the character. "
        f"Commit {commit_of('retarget')}.",
        bars,
        "## Dances",
        f"The first {SECONDS:g} s of three captures in a mirror, and with a tempo that swings between 0.7 "
        "and 1.3 of theirs. Jerk: 99th percentile of the palms', relative to the source's at the "
        "size of the arms. Inside: frames in which a palm is more than 1 cm inside the skinned mesh without "
        "its own arm.",
        markdown(rows, HANDS),
        "## Touches",
        "A person of the project's own puts the hands on the body and holds them there.",
        markdown(touches, TOUCHES),
    ]
    write_page(folder / "retarget_hands.md", parts)
    return bars


def bar_line(text: str, rows: list[Row], key: str, limit: float, at_least: bool = False) -> str:
    """Return a line that says whether all rows reach a bar."""
    sign = -1.0 if at_least else 1.0
    missed = [row for row in rows if sign * float(row[key]) > sign * limit]
    worst = max(rows, key=lambda row: sign * float(row[key]))
    state = "reached" if not missed else f"**missed** by {len(missed)} of {len(rows)}"
    return f"- {state}: {text} (worst: {float(worst[key]):.3g}, {worst['clip']}, {worst['target']})"
