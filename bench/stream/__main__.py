"""Clips sent as a performer's stream: `python3 dev.py bench stream` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sim_core.following.follow_mode import DIRECT, FollowMode, delayed
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import ReadingChoices
from sim_core.reading.read_motion import read_motion
from sim_core.recognition import recognise
from sim_core.recognition.mapping import BoneMapping
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.stream.sender import BadNetwork

from ..common.clips import clip_of, require_data
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.pages import write_page
from ..common.tables import Columns, markdown
from .packets import PACKETS, fuzz
from .sending import follow

CHARACTER = "08_01"
"""The body that follows: that of another capture than those which are sent."""
BARRED = ("02_01", "07_01", "16_17", "35_01", "132_29", "77_02")
OTHERS = ("138_01", "91_19", "49_18")
DIRECTLY = ("77_02", "16_17")
SECONDS = 5.0
"""Only the beginning of longer clips is sent [s]."""
MOST_DEG = 4.0
NETWORKS = {
    "good": BadNetwork(),
    "10 % lost, 5 % reordered, gaps of 200 ms": BadNetwork(0.1, 0.05, 0.2, seed=4),
}
COLUMNS: Columns = {
    "clip": "{clip}",
    "mode": "{mode}",
    "network": "{network}",
    "stays up": lambda row: "yes" if row["fell_at"] is None else f"falls at {row['fell_at']:.2f} s",
    "s": "{seconds:.1f}",
    "joint error, deg": "{joint_error_deg:.2f}",
    "root, cm": lambda row: f"{100.0 * row['root_error_m']:.1f}",
    "packets": "{stream_packets}",
    "late frames": "{stream_late}",
    "longest gap, s": "{stream_gap_s:.2f}",
    "guessed samples": "{stream_guessed_samples}",
}


def main(argv: list[str]) -> int:
    """Run the benchmark and write its table."""
    parser = plain_parser("stream", "Follow clips that are sent as VMC, at 0 N.")
    parser.add_argument("--only", nargs="+", default=None, metavar="CLIP", help="clips (default: all)")
    options = parser.parse_args(argv)
    require_data()
    rows = []
    for item in _items(options.only or (*BARRED, *OTHERS)):
        rows.append(_row(*item))
        print(rows[-1], flush=True)
    packets = [fuzz(protocol) for protocol in ("vmc", "rokoko")]
    options.out.mkdir(parents=True, exist_ok=True)
    print(_write_report(rows, packets, options.out / "stream.md"))
    return 0


def _items(clips: Sequence[str]) -> list[tuple[str, str, FollowMode, str]]:
    """Return clip, words for the mode, mode and network of all runs."""
    usual = "delayed, 0.8 s"
    bars = [(clip, usual, delayed(), name) for name in NETWORKS for clip in clips if clip in BARRED]
    others = [(clip, usual, delayed(), "good") for clip in clips if clip not in BARRED]
    return [*bars, *others, *((clip, "direct", DIRECT, "good") for clip in clips if clip in DIRECTLY)]


@cache
def _clip(label: str) -> tuple[Motion, BoneMapping]:
    motion = read_motion(clip_of(label).file, ReadingChoices()).motion
    return motion.between(0.0, min(SECONDS, motion.duration)), recognise(motion.skeleton)


def _row(clip: str, words: str, mode: FollowMode, network: str) -> dict[str, Any]:
    character = _clip(CHARACTER)
    job = Job(*character, BakeSettings(assist_cap=0.0))
    followed = follow(job, *_clip(clip), mode, NETWORKS[network])
    meta = followed.performance.result.meta
    return {
        "clip": clip,
        "mode": words,
        "network": network,
        "fell_at": meta.fell_at,
        "seconds": meta.measured.seconds,
        "joint_error_deg": followed.joint_error_deg,
        "root_error_m": followed.root_error_m,
        **followed.performance.figures,
    }


def _write_report(rows: list[dict[str, Any]], packets: list[dict[str, Any]], path: Path) -> str:
    barred = [row for row in rows if row["clip"] in BARRED and row["mode"] == "delayed, 0.8 s"]
    parts = [
        "# Streams",
        "Made by `python3 dev.py bench stream`; docs/benchmarks.md says how to read it. No outside "
        f"force, standard quality. Every clip is sent as VMC and followed by the body of {CHARACTER}. "
        f"Commit {commit_of('stream')}.",
        "\n".join(_bar(name, [row for row in barred if row["network"] == name]) for name in NETWORKS),
        markdown(rows, COLUMNS),
        "## Fuzzed packets",
        markdown(packets, PACKETS),
    ]
    return write_page(path, parts)


def _bar(network: str, rows: Sequence[dict[str, Any]]) -> str:
    up = [row for row in rows if row["fell_at"] is None]
    near = [row for row in up if row["joint_error_deg"] < MOST_DEG]
    worst = max((row["joint_error_deg"] for row in rows), default=float("nan"))
    return (
        f"- network {network}: stay up {len(up)} of {len(rows)}, {len(near)} of {len(rows)} under "
        f"{MOST_DEG:g} deg (worst: {worst:.2f})"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
