"""Soft parts: `python3 dev.py bench soft` (docs/soft-parts.md)."""

from __future__ import annotations

import os
import sys
from typing import Any

from ..common.clips import require_data
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.tables import Columns, markdown
from .trials import ONLY_SOFT, WHOLE, endurance, energy, followed, frame_rates, pace

BAR_RTF, BAR_ABOVE, BAR_SHARE = 3.0, 1e-3, 0.01
FRAMES = {60.0: 10_000, 24.0: 2_000, 30.0: 2_000, 120.0: 2_000}
"""Of the endurance runs, by frames per second."""
CLIPS = ("02_01", "05_02", "13_11")
"""A walk, a dance and a jump."""
PACE: Columns = {
    "clip": "{clip}",
    "simulated": "{what}",
    "degrees of freedom": "{dofs}",
    "seconds": "{seconds:.1f}",
    "RTF (processor time)": "{rtf:.1f}",
    "stays up": lambda row: "no" if row["fell"] else "yes",
}
FOLLOWED: Columns = {
    "clip": "{clip}",
    "simulated": "{what}",
    "stays up": lambda row: "yes" if row["fell_at"] is None else "no",
    "joint error [deg]": "{error_deg:.2f}",
    "force that nothing explains": "{residual:.1e}",
    "method": "{method}",
    "soft joints away from their animation by at most [deg]": "{largest_deg:.0f}",
}
ENERGY: Columns = {
    "stiffness": "{stiffness:g}",
    "damping": "{damping:g}",
    "step [ms]": "{step_ms:g}",
    "ever above its start": "{above:.1e}",
    "left after 10 s": "{left:.1e}",
}
ENDURANCE: Columns = {
    "fps": "{fps:g}",
    "frames": "{frames}",
    "seconds": "{seconds:.0f}",
    "all finite": lambda row: "yes" if row["finite"] else "no",
    "fastest soft bone [m/s]": "{soft_m_s:.1f}",
    "in the last tenth [m/s]": "{late_m_s:.1f}",
    "fastest bone of the body [m/s]": "{body_m_s:.1f}",
}
RATES: Columns = {
    "collide": lambda row: "all" if row["colliding"] else "by kind",
    "fps": "{fps}",
    "apart from 60 fps [mm]": "{apart_mm:.2f}",
    "of its way": "{share:.2%}",
}


def main(argv: list[str]) -> int:
    """Measure everything, and write the page."""
    parser = plain_parser("soft", "A tail and ten strands of hair on captures.")
    parser.add_argument("--frames", type=int, metavar="N", help="of each endurance run")
    options = parser.parse_args(argv)
    require_data()
    paces = [
        {"clip": clip, "what": what, **pace(clip, soft, settings)}
        for clip in CLIPS
        for what, soft, settings in (
            ("body", False, WHOLE),
            ("body and soft parts", True, WHOLE),
            ("soft parts only", True, ONLY_SOFT),
        )
    ]
    bodies = [
        {"clip": clip, "what": "body and soft parts" if soft else "body", **followed(clip, soft)}
        for clip in ("02_01", "13_11")
        for soft in (False, True)
    ]
    energies = [
        energy(stiffness, damping, step)
        for stiffness, damping in ((0.0, 0.0), (0.2, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.3))
        for step in (0.001, 0.002)
    ]
    rates = [row for colliding in (False, True) for row in frame_rates(colliding)]
    runs = [endurance(fps, options.frames or frames, 2.0) for fps, frames in FRAMES.items()]
    text = report_of(paces, bodies, energies, runs, rates)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "soft.md").write_text(text, "utf-8")
    print(text)
    return 0 if "missed" not in text else 1


def report_of(
    paces: list[dict[str, Any]],
    bodies: list[dict[str, Any]],
    energies: list[dict[str, Any]],
    runs: list[dict[str, Any]],
    rates: list[dict[str, Any]],
) -> str:
    """Return the page."""
    slowest = min(row["rtf"] for row in paces if row["what"] != "body")
    above = max(row["above"] for row in energies)
    share = max(row["share"] for row in rates if not row["colliding"])
    calm = all(row["finite"] and row["late_m_s"] <= 2.0 * row["body_m_s"] for row in runs)
    bars = (
        (f"RTF with the body at least {BAR_RTF:g}: the slowest has {slowest:.1f}", slowest >= BAR_RTF),
        (f"Energy never above its start, within {BAR_ABOVE:g}: at most {above:.1e}", above <= BAR_ABOVE),
        (f"{runs[0]['frames']} frames without a blow-up, and no blow-up at any frame rate", calm),
        (
            f"Tips equal within {BAR_SHARE:.0%} of their way at 24, 30 and 60 fps, where parts collide as "
            f"their kind does: {share:.2%}",
            share <= BAR_SHARE,
        ),
    )
    intro = (
        "Made by `python3 dev.py bench soft`: a tail of six bones and ten strands of hair of three bones "
        "each on captures, with the dials of their kinds. All of them collide, except where it is said. RTF "
        "is seconds of motion for each second of processor time of the simulation, on a machine with load "
        f"{os.getloadavg()[0]:.0f} on {os.cpu_count()} cores. Commit {commit_of('soft')}."
    )
    return "\n\n".join(
        (
            "# Soft parts",
            intro,
            "\n".join(f"- {text}: {'met' if met else 'missed'}." for text, met in bars),
            "## Pace",
            markdown(paces, PACE),
            "## The body with them",
            "Whole bakes without assist.",
            markdown(bodies, FOLLOWED),
            "## Energy",
            "Random speeds of all joints, without gravity and contacts, on a body that does not move.",
            markdown(energies, ENERGY),
            "## Endurance",
            "Soft parts only, on a body that is turned and thrown about by waves below 2 Hz, in draft "
            "quality, whose steps of 2 ms are the longest. A blow-up is a number that is not finite, or soft "
            "bones more than twice as fast as the body's own in the end.",
            markdown(runs, ENDURANCE),
            "## Frame rates",
            "The same smooth motion keyed at three rates, soft parts only. Largest distance of any tip from "
            "where it is at 60 fps, over how far that tip moves from its mean. Where strands collide they "
            "buckle on the shoulders to one side or the other by the smallest difference; so hair does not "
            "collide by default.",
            markdown(rates, RATES),
        )
    ) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
