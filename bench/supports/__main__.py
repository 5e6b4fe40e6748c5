"""Supports that captures were made on: `python3 dev.py bench supports` (docs/supports.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..common.cache import Cache, Item
from ..common.clips import require_markers
from ..common.kept_run import run_kept
from ..common.measured_code import commit_of
from ..common.options import common_parser
from ..common.pages import write_page
from ..common.tables import markdown
from ..common.tracking_error import is_full
from .plan import CUTS, FLAT, FLOOR, GROUPS, MOVED, SEATS, STEPS, describe, items

BARS = {
    STEPS: (0.03, 0.1, 3.0),
    SEATS: (0.03, None, None),
    MOVED: (0.03, None, None),
    FLOOR: (0.0, None, None),
}
"""Largest error in height and extent [m] and of the joints [deg] by group."""
COLUMNS = {
    "clip": "{clip}",
    "variant": "{variant}",
    "supports": "{found}",
    "height error, cm": "{height:.1f}",
    "extent error, cm": "{extent:.1f}",
    "stays up": "{up}",
    "joint error, deg": "{joint:.2f}",
    "searched": "{searched}",
}


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write the table."""
    options = common_parser("supports", "Supports found from captures, and bakes on them at 0 N.").parse_args(
        argv
    )
    require_markers()
    tasks = [[item] for item in reversed(items())]  # flat clips, which are quick, come first
    return run_kept("supports", options, tasks, describe, write_report)


def write_report(cache: Cache, folder: Path) -> str:
    """Write the tables of all groups, and return them."""
    parts = [
        "# Supports",
        "Made by `python3 dev.py bench supports`; docs/supports.md explains it. No outside force, human "
        "torque limits, standard quality, searches of at most 900 s. Errors are against what "
        "rests in the motion as it was captured, without smoothing, found by limits of its own. "
        f"Commit {commit_of('supports')}.",
    ]
    for group in GROUPS:
        rows = [_row(item, cache) for item in items() if item["group"] == group]
        parts += [f"## {group[0].upper()}{group[1:]}", _summary(group, rows), markdown(rows, COLUMNS)]
    known = _known(FLAT, cache)
    invented = [str(item["clip"]) for item, outcome in known if outcome["found"]]
    named = f" ({', '.join(invented)})" if invented else ""
    parts += ["## Flat floor", f"Supports are invented on {len(invented)} of {len(known)} clips{named}."]
    cuts, found, high = (sum(own[key] for _, own in _known(CUTS, cache)) for key in ("cuts", "found", "high"))
    parts.append(
        f"Of {cuts} cuts of these clips, 2 to 6 s long, supports are invented on {found}, "
        f"on {high} of them 10 cm or more above the floor."
    )
    return write_page(folder / "supports.md", parts)


def _known(group: str, cache: Cache) -> list[tuple[Item, dict[str, Any]]]:
    """Return the items of a group that were run, with what came out."""
    outcomes = [(item, cache.get(item)) for item in items() if item["group"] == group]
    return [(item, own) for item, own in outcomes if own is not None and "error" not in own]


def _summary(group: str, rows: list[dict[str, Any]]) -> str:
    """Return how many rows reach the bars."""
    known = [row for row in rows if row["up"] != "-"]
    height, extent, joint = BARS[group]
    found = sum(row["height"] is not None and row["height"] <= 100.0 * height for row in known)
    up = [row for row in known if row["up"] == "yes"]
    if group == FLOOR:
        return f"To the end, lying where the clip lies: {len(up)} of {len(known)}."
    if extent is None or joint is None:
        return f"Height within 3 cm: {found} of {len(known)}. Stays up: {len(up)} of {len(known)}."
    wide = sum(row["extent"] is not None and row["extent"] <= 100.0 * extent for row in known)
    close = sum(row["joint"] <= joint for row in up)
    return (
        f"Height within 3 cm: {found} of {len(known)}. Extent within 10 cm: {wide} of {len(known)}. "
        f"Stays up: {len(up)} of {len(known)}, with a joint error of at most 3 degrees: {close}."
    )


def _row(item: Item, cache: Cache) -> dict[str, Any]:
    outcome = cache.get(item)
    row = dict(item, found=None, height=None, extent=None, up="-", joint=None, searched="-")
    if outcome is None or "error" in outcome:
        return row | ({} if outcome is None else {"up": outcome["error"]})
    figures, search = outcome["metrics"], outcome["search"]
    kept = search is not None and search["kept"]
    return row | {
        "found": outcome["found"],
        "height": None if outcome["height_m"] is None else 100.0 * outcome["height_m"],
        "extent": None if outcome["extent_m"] is None else 100.0 * outcome["extent_m"],
        "up": "yes" if is_full(figures) else f"{figures['up_s']:.1f} of {figures['seconds']:.1f} s",
        "joint": figures["joint_error_deg"],
        "searched": f"{search['start_s']:.1f} to {search['end_s']:.1f} s" if kept else "no",
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
