"""List clips as the actions of one character: what each does, and which can follow which."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..actions.graph import MIRRORED, ActionGraph
from ..actions.graph_file import ActionEntry, ActionList, load_actions, save_actions
from ..base.errors import InputError
from ..sources.motion_source import MOTION_KINDS, PLAY_SUFFIX
from .console import Console
from .graph_source import graph_of
from .output_files import check_outputs
from .shared_options import add_body_options, reading_choices


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    summary = f"{MOTION_KINDS}; the first has the body of all. Or one list of actions, ACTIONS.json"
    parser.add_argument("motions", metavar="MOTION", type=Path, nargs="+", help=summary)
    parser.add_argument("--out", metavar="ACTIONS.json", type=Path, help="the list to write")
    parser.add_argument("--no-mirror", dest="mirror", action="store_false", help="no mirrored copies")
    add_body_options(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Return what each action does, and how many links lead from it to which others."""
    first = options.motions[0]
    check_outputs(options, "out")
    listed, folder = _listed(options), first.parent if first.suffix == PLAY_SUFFIX else Path()
    source = graph_of(listed, folder, reading_choices(options))
    console = Console()
    for note in source.notes:
        console.message(note)
    if options.out is not None:
        save_actions(_with_words(listed, source.graph), options.out)
        console.message(f"Saved '{options.out}'.")
    return figures_of(source.graph)


def _listed(options: argparse.Namespace) -> ActionList:
    first: Path = options.motions[0]
    if first.suffix.lower() == PLAY_SUFFIX:
        if len(options.motions) > 1:
            raise InputError(f"'{first}' is a list of actions; give it alone, or motion files only.")
        return load_actions(first)
    entries = [ActionEntry(str(file.resolve()), file.stem, mirror=options.mirror) for file in options.motions]
    return ActionList(tuple(entries))


def _with_words(listed: ActionList, graph: ActionGraph) -> ActionList:
    """Return the list with what each action does."""
    words = {action.name: ", ".join(action.doing) for action in graph.actions}
    rows = (replace(entry, doing=words.get(entry.name, entry.doing)) for entry in listed.actions)
    return replace(listed, actions=tuple(rows))


def figures_of(graph: ActionGraph) -> dict[str, Any]:
    """Return what each action does, and the links between them."""
    rows = {}
    for number, action in enumerate(graph.actions):
        if action.name.endswith(MIRRORED):
            continue
        targets = Counter(graph.actions[graph.links[link].target].name for link in graph.exits[number])
        rows[action.name] = {
            "does": ", ".join(action.doing) or "nothing for long",
            "speed_m_s": float(action.speed.mean()),
            "turns_left_deg_s": float(action.turning.max()),
            "turns_right_deg_s": float(-action.turning.min()),
            "steps": action.steps,
            "goes_over_into": dict(targets),
        }
    return {"actions": rows, "links": len(graph.links), "starts_in": graph.actions[graph.start[0]].name}
