"""Characters together and with props: what hands touch in the source, measured on other sizes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.motion.motion import Motion
from sim_core.motion.skinned_mesh import SkinnedMesh
from sim_core.retarget.arms import palms
from sim_core.retarget.hands import Hands
from sim_core.retarget.props import Prop
from sim_core.retarget.relations import Actor, find_relations
from sim_core.retarget.retarget import Retargeted, Take, retarget_together
from sim_core.retarget.retarget_figures import retarget_figures
from sim_core.retarget.retarget_options import RetargetOptions
from sim_core.retarget.retarget_rig import RetargetRig
from tests.core.sample_company import COMPANIES, Company

from ..common.measured_code import commit_of
from ..common.pages import write_page
from ..common.tables import Columns, Row, markdown
from .hand_measures import MESH_FRAMES, hand_sides, signed_depth, skinned
from .hand_trials import bar_line, bodies

SIZES = ("child 1.10 m", "adult 1.75 m", "giant 2.40 m", "Knight")
MIXED = (
    ("child 1.10 m", "adult 1.75 m"),
    ("adult 1.75 m", "giant 2.40 m"),
    ("giant 2.40 m", "child 1.10 m"),
    ("Knight", "adult 1.75 m"),
)
REACHED_CM = 2.0
WAYS = {"": RetargetOptions(), "without_": RetargetOptions(hands=False)}
COMPANY: Columns = {
    "motion": "{clip}",
    "target": "{target}",
    "furthest from the source's contact, cm": "{away_cm:.2f}",
    "any pose, at least, cm": "{least_cm:.1f}",
    "without hands": "{without_away_cm:.1f}",
    "palm in somebody else or in a prop, cm": "{deepest_cm:.2f}",
    "without hands: in them, cm": "{without_deepest_cm:.1f}",
    "skate, cm/s": "{skate:.2f}",
    "frames/s": "{fps:.0f}",
}


def casts(company: Company) -> list[tuple[str, ...]]:
    """Return who plays in it: everybody of one size, and pairs of two sizes."""
    if len(company.people) == 1:
        return [(size,) for size in SIZES]
    return [*((size, size) for size in SIZES), *MIXED]


def played(clip: str, cast: tuple[str, ...], rigs: dict[str, RetargetRig]) -> Row:
    """Return how far palms are from the source's contacts, and how deep in somebody else or in props."""
    company = COMPANIES[clip]()
    row: dict[str, Any] = {"clip": clip, "target": " and ".join(dict.fromkeys(cast)), "cast": cast}
    for way, options in WAYS.items():
        takes = [
            Take(rig, motion, rigs[name], options)
            for (rig, motion), name in zip(company.people, cast, strict=True)
        ]
        began = time.process_time()
        outcomes, props = retarget_together(takes, props=company.props)
        seconds = time.process_time() - began
        actors = [
            Actor(take.source, take.motion, outcome.target, outcome.motion)
            for take, outcome in zip(takes, outcomes, strict=True)
        ]
        hands = Hands(find_relations(actors, company.props), actors, props)
        row[f"{way}away_cm"] = 100.0 * _furthest(hands, props)
        row[f"{way}deepest_cm"] = 100.0 * max(_depth(outcomes, i, props) for i in range(len(takes)))
        if not way:
            row["least_cm"] = 100.0 * max(
                (miss.least for outcome in outcomes for miss in outcome.unreached), default=0.0
            )
            row["fps"] = len(takes) * len(takes[0].motion.time) / seconds
            row["skate"] = max(retarget_figures(outcome)["skate_cm_s"] for outcome in outcomes)
    return row


def _furthest(hands: Hands, props: tuple[Prop, ...]) -> float:
    """Return how far a gap, or the distance of palms that meet, is from the wanted one at most [m]."""
    parts = [actor.target_parts(actor.style) for actor in hands.actors]
    parts += [{prop.name: prop.part()} for prop in props]
    found = [
        float(np.linalg.norm(wanted, axis=1).max())
        for one, other, _, wanted in hands.meetings
        if one.owner != other.owner
    ]
    for palm in hands.palms:
        for goal in palm.touches:
            if hands.neighbours[goal.neighbour].owner != palm.owner:
                part = goal.part(parts)
                gap = part.surface.gap(part.local(palm.style[goal.frames]))
                found.append(float(np.abs(gap - goal.gap).max()))
    return max(found)


def _depth(outcomes: list[Retargeted], own: int, props: tuple[Prop, ...]) -> float:
    """Return how deep palms of one character are in the meshes of others and in props at most [m]."""
    target, motion = outcomes[own].target, outcomes[own].motion
    found = [0.0]
    for side in hand_sides(target):
        palm = palms(target, motion, side)
        for prop in props:
            part = prop.part()
            found.append(-float(part.surface.gap(part.local(palm)).min()))
        for number, other in enumerate(outcomes):
            if number != own and other.target.mesh is not None:
                found.append(_in_mesh(palm, other.target, other.motion, other.target.mesh))
    return max(found)


def _in_mesh(palm: FloatArray, rig: RetargetRig, motion: Motion, mesh: SkinnedMesh) -> float:
    """Return how deep a palm is in somebody's mesh without hands and what they hold at most [m]."""
    rows = np.unique(np.linspace(0, len(motion.time) - 1, MESH_FRAMES).astype(int))
    hands = {rig.bone(f"hand.{side}") for side in hand_sides(rig)}
    out = list(hands | {bone for one in hands for bone in rig.skeleton.descendants(one)})
    first = np.take_along_axis(mesh.bone, mesh.weight.argmax(axis=1)[:, None], axis=1)[:, 0]
    triangles = mesh.triangle[~np.isin(first, out)[mesh.triangle].any(axis=1)]
    return max(signed_depth(palm[row], skinned(mesh, motion, int(row))[triangles]) for row in rows)


def _out_of_reach(row: Row) -> str:
    """Return a line on a contact that no pose can keep."""
    return (
        f"- out of reach, not counted above: {row['clip']}, {row['target']}: {row['away_cm']:.1f} cm, where "
        f"no pose comes nearer than {row['least_cm']:.1f} cm"
    )


def _surface_seconds(rig: RetargetRig) -> float:
    """Make the surface of a character, and return the processor time that this took [s]."""
    began = time.process_time()
    rig.surfaces  # noqa: B018 - kept for all motions
    return time.process_time() - began


def write_company(folder: Path) -> str:
    """Measure everybody together and write the table; return the bars."""
    rigs = bodies()
    made = {name: _surface_seconds(rigs[name]) for name in SIZES if rigs[name].mesh is not None}
    rows = [played(clip, cast, rigs) for clip, company in COMPANIES.items() for cast in casts(company())]
    within, beyond = (
        [row for row in rows if (row["least_cm"] > REACHED_CM) == is_beyond] for is_beyond in (False, True)
    )
    same = [row for row in within if len(set(row["cast"])) == 1]
    mixed = [row for row in within if len(set(row["cast"])) > 1]
    bars = "\n".join(
        [
            bar_line("of one size: contact kept within 2 cm", same, "away_cm", REACHED_CM),
            bar_line("of two sizes: contact kept within 2 cm", mixed, "away_cm", REACHED_CM),
            *map(_out_of_reach, beyond),
            bar_line("penetration <= 1 cm", rows, "deepest_cm", 1.0),
            bar_line("speed >= 500 frames/s", rows, "fps", 500.0, at_least=True),
        ]
    )
    parts = [
        "# Characters who are retargeted together, and props",
        "Made by `python3 dev.py bench retarget --together`; docs/retarget.md says how it works. Frames/s: "
        "of all characters, by processor time of one thread. "
        f"Commit {commit_of('retarget')}.",
        bars,
        "People of the project's own who touch each other, a box that is lifted, a table and a rail that "
        "stay where they are. Trunks bend for what is out of reach; an adult's chest is 58 cm above the "
        "shoulder of a child whose arm is 36 cm long. The surface of a mesh is made once for a character: "
        + ", ".join(f"{seconds:.1f} s for the {name}" for name, seconds in made.items())
        + ", not in these figures.",
        markdown(rows, COMPANY),
    ]
    write_page(folder / "retarget_together.md", parts)
    return bars
