"""Find the supports of a motion: the whole of this package in one function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import FloatArray
from ..scenario.job import Job
from ..scenario.scenario import Scenario
from ..scenario.several import make_scenarios
from ..scene.scene import FLAT, Scene, SceneObject
from .body_motion import BodyMotion, PartKind, observe
from .clusters import Cluster, cluster
from .contradictions import contradiction
from .evidence import carrying_rests
from .floor import Floor, lowest_level, measure_floor, on_level_floor
from .resting import Rest, find_rests
from .scene_match import SceneMatch, match_scene, with_matches
from .slopes import Slope, find_slopes
from .support import KINDS, Support, make_slope, make_support
from .wording import NOTHING_FOUND, floor_sentences, refusal_sentence, support_sentence

STRAIGHT_PATH = 3.0
"""How much longer than wide a path must be for all steps to lie along it."""


@dataclass(frozen=True, eq=False)
class FoundSupports:
    """What a motion was captured on, at the size of its rig.

    supports: in the order in which they are first used; floor: under all of them
    scene: the supports as a scene, with the height of the floor where it differs from where soles are found
    notes: sentences for the user
    """

    supports: tuple[Support, ...]
    floor: Floor
    scene: Scene
    notes: tuple[str, ...]


def find_supports(job: Job) -> FoundSupports:
    """Find what the motion of a job was captured on, whatever its scene has."""
    return supports_of(make_scenarios([replace(job, scene=FLAT, aims=())])[0])


@dataclass(frozen=True, eq=False)
class PlacedSupports:
    """Supports among the objects of a scene.

    added: objects that the scene does not have; matches: those that it has and that are used instead
    aside (3): how far the motion is moved sideways to meet these [m]
    """

    added: tuple[SceneObject, ...]
    matches: tuple[SceneMatch, ...]
    aside: FloatArray

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say which objects of the scene are used."""
        return tuple(match.sentence for match in self.matches)


def place_supports(scene: Scene, found: FoundSupports) -> PlacedSupports:
    """Use objects of a scene where they are near the supports; what is added has names of its own."""
    matches = match_scene(scene, found.scene.underfoot.objects)
    matched = {match.support.name for match in matches}
    aside = np.append(matches[0].offset[:2], 0.0) if matches else np.zeros(3)
    missing = [
        replace(own, position=own.position + aside) for own in found.scene.objects if own.name not in matched
    ]
    added = _with_free_names(missing, {own.name for own in scene.objects})
    return PlacedSupports(tuple(added), tuple(matches), aside)


def on_supports(job: Job, found: FoundSupports) -> tuple[Job, tuple[str, ...]]:
    """Return a job on its supports, and sentences on objects of its scene that are used instead of some.

    The motion is moved sideways to meet these.
    """
    placed = place_supports(job.scene, found)
    scene = with_matches(job.scene, placed.matches)
    height = scene.floor_height if found.scene.floor_height is None else found.scene.floor_height
    scene = replace(scene, objects=(*scene.objects, *placed.added), floor_height=height)
    motion = job.motion.moved(placed.aside) if placed.aside.any() else job.motion
    return replace(job, motion=motion, scene=scene), placed.sentences


def _with_free_names(objects: Sequence[SceneObject], taken: set[str]) -> list[SceneObject]:
    named = []
    for own in objects:
        numbered = (own.name, *(f"{own.name} ({number})" for number in range(2, len(taken) + 3)))
        name = next(name for name in numbered if name not in taken)
        taken.add(name)
        named.append(replace(own, name=name))
    return named


def supports_of(scenario: Scenario) -> FoundSupports:
    """Find what the motion of a scenario was captured on."""
    body = observe(scenario, scenario.ground_height)
    rests = find_rests(body)
    lowest = lowest_level(body, rests)
    if lowest != body.floor:
        body = observe(scenario, lowest)
        rests = find_rests(body)
    floor = measure_floor(body, rests)
    rests = on_level_floor(body, rests)
    slopes, clusters = find_slopes(body, cluster(body, carrying_rests(body, rests), rests), rests)
    reasons = [text for own in clusters if (text := contradiction(body, own, clusters)) is not None]
    supports = () if reasons else _supports(body, clusters, slopes, rests)
    notes = [*floor_sentences(floor, scenario.ground_height), *map(support_sentence, supports)]
    if reasons:
        notes.append(refusal_sentence(reasons))
    elif not supports:
        notes.append(NOTHING_FOUND)
    lower = body.floor if supports and body.floor != scenario.ground_height else None
    scene = Scene(tuple(own.scene_object for own in supports), floor_height=lower)
    return FoundSupports(supports, floor, scene.scaled(1.0 / scenario.scale), tuple(notes))


def _supports(
    body: BodyMotion, clusters: Sequence[Cluster], slopes: Sequence[Slope], rests: Sequence[Rest]
) -> tuple[Support, ...]:
    """Return the supports of clusters and slopes, named by kind and number."""
    along, counts = _path(rests), Counter[str]()
    found = [make_slope(body, own, f"slope {number}") for number, own in enumerate(slopes, 1)]
    for own in sorted(clusters, key=lambda c: min(rest.start for rest in c.rests)):
        kind = KINDS[own.kind].value
        counts[kind] += 1
        ahead = _mean_direction(own) if along is None or own.kind is not PartKind.SOLE else along
        found.append(make_support(body, own, f"{kind} {counts[kind]}", ahead))
    return tuple(sorted(found, key=lambda own: own.spans[0]))


def _path(rests: Sequence[Rest]) -> FloatArray | None:
    """Return the direction (2) of the path of the feet; None where it is not straight."""
    centres = np.array([rest.centre for rest in rests if rest.part.kind is PartKind.SOLE])
    if len(centres) < 3:
        return None
    _, spread, axes = np.linalg.svd(centres - centres.mean(axis=0), full_matrices=False)
    return np.asarray(axes[0]) if spread[0] > STRAIGHT_PATH * max(float(spread[1]), 1e-9) else None


def _mean_direction(own: Cluster) -> FloatArray:
    """Return the direction (2) in which most of the resting parts point."""
    ahead = np.array([rest.ahead * (rest.end - rest.start) for rest in own.rests])
    total = np.asarray(ahead.sum(axis=0))
    return total / max(float(np.linalg.norm(total)), 1e-9)
