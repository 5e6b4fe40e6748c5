"""Acrobatics and other motions that fall when tracked: `python3 dev.py bench acrobatics` (docs/search.md)."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..common.cache import Cache, Item
from ..common.clips import START_NOISE
from ..common.kept_run import run_kept
from ..common.measured_code import commit_of
from ..common.options import common_parser
from ..common.pages import write_page
from ..common.tables import markdown
from ..common.tracking_error import is_full

CLIPS = {
    "88_06@60": "jump and spin kick",
    "88_07@60": "cartwheel",
    "49_06": "cartwheel",
    "88_01@60": "backflip",
    "87_03@60:1": "backflip, without its first second",
    "87_01": "jump, kick and spin",
    "90_36": "roll",
    "140_08": "getting up from the back",
    "74_03": "kick",
    "61_03@60": "salsa",
    "05_10": "dance",
    "75_13@60": "hopscotch",
    "127_27": "run and jump",
    "141_14": "punch and kick",
}
"""Clips and what they are; @ gives the true frame rate, what follows a colon is where the clip starts [s]."""
BODY_CLIPS = ("88_07@60", "88_01@60")
BODIES = ("child 1.10 m", "giant 2.40 m", "Knight")
"""Clips that are retargeted to other bodies, and these bodies."""
LONGEST_S = 8.0
"""Only so much of a clip is used [s]."""


def make_item(label: str, seed: int) -> Item:
    """Return the run of a clip from one start; seed 0 is the start without an error."""
    clip, _, start = label.partition(":")
    start_s = float(start or 0.0)
    noise = START_NOISE if seed else 0.0
    return {"clip": clip, "start_s": start_s, "end_s": start_s + LONGEST_S, "seed": seed, "noise": noise}


def make_body_item(label: str, body: str) -> Item:
    """Return the run of a clip on another body, from the start without an error."""
    return make_item(label, 0) | {"body": body}


def describe(item: Item) -> str:
    """Return a short name of a run."""
    return f"{item['clip']}, {item['body']}" if "body" in item else f"{item['clip']}, start {item['seed']}"


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write the table."""
    parser = common_parser("acrobatics", "Motions that fall when tracked, at 0 N.")
    parser.add_argument("--starts", type=int, default=4, metavar="N", help="starts of each clip (default: 4)")
    options = parser.parse_args(argv)
    tasks = [[make_item(label, seed)] for seed in range(options.starts) for label in CLIPS]
    tasks += [[make_body_item(label, body)] for label in BODY_CLIPS for body in BODIES]
    # The search has threads of its own, so that one run at a time uses the machine.
    return run_kept("acrobatics", options, tasks, describe, partial(write_report, options.starts), jobs=1)


def write_report(starts: int, cache: Cache, folder: Path) -> str:
    """Write the table of all clips, and return it."""
    rows = [
        _row([make_item(label, seed) for seed in range(starts)], cache) | {"clip": label, "what": what}
        for label, what in CLIPS.items()
    ]
    full = sum(row["up"] for row in rows)
    runs = sum(row["runs"] for row in rows)
    about = (
        "Made by `python3 dev.py bench acrobatics`; docs/search.md explains it. No outside force, human "
        f"torque limits, standard quality, the first {LONGEST_S:g} s of each clip. The first start has no "
        f"error, others have random velocities of {START_NOISE:g} rad/s and m/s. "
        f"Commit {commit_of('acrobatics')}."
    )
    jerk = float(np.median([row["jerk"] for row in rows if row["jerk"] is not None]))
    reached = f"To the end: {full} of {runs} runs. Median jerk over the reference's: {jerk:.2f}."
    parts = ["# Acrobatics", about, reached, markdown(rows, COLUMNS)]
    on_bodies = [
        _row([make_body_item(label, body)], cache) | {"clip": label, "what": f"{CLIPS[label]}, {body}"}
        for label in BODY_CLIPS
        for body in BODIES
    ]
    parts += ["## Other bodies", ABOUT_BODIES, markdown(on_bodies, COLUMNS)]
    return write_page(folder / "acrobatics.md", parts)


ABOUT_BODIES = (
    "The clips retargeted (docs/retarget.md) with their timing kept, and simulated with the body's own "
    "masses and strength. The Knight is a game character with a large head and short legs."
)
COLUMNS = {
    "clip": "{clip}",
    "motion": "{what}",
    "to the end": "{up} of {runs}",
    "joint error, deg": "{joint:.1f}",
    "from the source, deg": "{source:.1f}",
    "from the repaired source, deg": "{repaired:.1f}",
    "root, cm": "{root:.1f}",
    "jitter over the source's": "{jitter:.2f}",
    "jerk over the reference's": "{jerk:.2f}",
    "skate, cm/s": "{skate:.1f}",
    "searched, s": "{searched:.1f}",
    "CPU s per second of clip": "{cost:.1f}",
    "wall s per second of clip": "{wall:.1f}",
}


def _row(items: list[Item], cache: Cache) -> dict[str, Any]:
    """Return the means of some runs over those that reach the end."""
    known = [cache.get(item) for item in items]
    runs = [one for one in known if one is not None and "error" not in one]
    full = [one for one in runs if is_full(one["metrics"])]
    row: dict[str, Any] = {"up": len(full), "runs": len(runs)}

    def mean(values: list[float]) -> float | None:
        return float(np.mean(values)) if values else None

    metrics = [one["metrics"] for one in full]
    spans = [one["search"] for one in full if one["search"] is not None and one["search"]["kept"]]
    return row | {
        "joint": mean([own["joint_error_deg"] for own in metrics]),
        "source": mean([own["joint_error_source_deg"] for own in metrics]),
        "repaired": mean([own["joint_error_repaired_deg"] for own in metrics]),
        "root": mean([100.0 * own["root_error_m"] for own in metrics]),
        "jitter": mean([own["jitter_deg"] / own["jitter_source_deg"] for own in metrics]),
        "jerk": mean([own["jerk_m_s3"] / own["jerk_reference_m_s3"] for own in metrics]),
        "skate": mean([own["skate_cm_s"] for own in metrics]),
        "searched": mean([own["end_s"] - own["start_s"] for own in spans]),
        "cost": mean([one["cpu_seconds"] / one["metrics"]["seconds"] for one in full]),
        "wall": mean([one["wall_seconds"] / one["metrics"]["seconds"] for one in full]),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
