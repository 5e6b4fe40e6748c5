"""The action graph of a list of clips, and a walk through it along a curve, for the commands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..actions.along import walk_along
from ..actions.curve import Curve
from ..actions.graph import MIRRORED, ActionGraph, make_graph
from ..actions.graph_file import ActionEntry, ActionList, load_actions
from ..actions.route import route_chain
from ..motion.motion import Motion
from ..reading.bvh_clip import BvhClip, ReadingChoices
from ..recognition import recognise
from ..retarget.retarget import retarget
from ..retarget.retarget_rig import RetargetRig, make_retarget_rig
from ..sources.motion_source import MotionSource, read_clip

FOLLOWED = "All clips were put on the body of '{}', because a graph is of one body."


@dataclass(frozen=True, eq=False)
class GraphSource:
    """A graph, and the files of its actions by name.

    first_frames: of each action in its file, counted from 1; notes: what had to be found or done
    """

    graph: ActionGraph
    clips: dict[str, BvhClip]
    first_frames: dict[str, int]
    notes: tuple[str, ...]


def read_graph(path: Path, chosen: ReadingChoices) -> GraphSource:
    """Read the clips of a list of actions and find the links between them."""
    return graph_of(load_actions(path), path.parent, chosen)


def graph_of(listed: ActionList, folder: Path, chosen: ReadingChoices) -> GraphSource:
    """Return the graph of a list whose files are in a folder."""
    entries = [entry for entry in listed.actions if entry.on]
    clips = {entry.name: read_clip(folder / entry.file, chosen) for entry in entries}
    first = clips[entries[0].name].motion
    target = make_retarget_rig(first.skeleton, recognise(first.skeleton), first)
    motions, notes, moved = [], list[str](), False
    for entry in entries:
        clip = clips[entry.name]
        motion = _on_body(clip.motion, target)
        moved = moved or motion is not clip.motion
        notes += clip.notes
        motions.append((entry.name, _part(motion, entry)))
    if moved:
        notes.append(FOLLOWED.format(entries[0].name))
    unmirrored = {entry.name for entry in entries if not entry.mirror}
    graph = make_graph(motions, target.mapping, unmirrored, listed.off)
    starts = {
        entry.name: round((entry.seconds or (0.0, 0.0))[0] * clips[entry.name].motion.rate_hz)
        + clips[entry.name].frames_skipped
        + 1
        for entry in entries
    }
    return GraphSource(graph, clips, starts, tuple(dict.fromkeys((*notes, *target.mapping.notes))))


def _on_body(motion: Motion, target: RetargetRig) -> Motion:
    """Return a motion on the body that the graph is of."""
    if motion.skeleton is target.skeleton:
        return motion
    source = make_retarget_rig(motion.skeleton, recognise(motion.skeleton), motion)
    return retarget(source, motion, target).motion


def _part(motion: Motion, entry: ActionEntry) -> Motion:
    part = motion if entry.seconds is None else motion.between(*entry.seconds)
    return replace(part, time=part.time - part.time[0])


def walk_source(path: Path, curve: Curve, chosen: ReadingChoices) -> MotionSource:
    """Return the walk through a graph along a curve as the motion of its files."""
    source = read_graph(path, chosen)
    walk = walk_along(source.graph, curve)
    chained = replace(route_chain(source.graph, walk.route), motion=walk.motion)
    names = [part.name.removesuffix(MIRRORED) for part in chained.parts]
    own = {action.name: action.clip.motion for action in source.graph.actions}
    return MotionSource(
        tuple(source.clips[name] for name in names),
        tuple(own[part.name] for part in chained.parts),
        source.graph.mapping,
        chained,
        tuple(source.first_frames[name] for name in names),
        planning_notes=(*source.notes, walk.note),
    )
