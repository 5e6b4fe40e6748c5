"""Hopping by a model, alone and on a character: `python3 dev.py bench hopper` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from sim_core.hopper.standing import largest_push

from ..common.cache import Cache
from ..common.kept_run import run_kept
from ..common.measured_code import commit_of
from ..common.options import common_parser
from ..common.pages import write_page
from ..common.plots import DPI, NO_DATE, pyplot
from ..common.tables import Columns, markdown
from .plan import HALF_FEET_M, ROWS, STIFFNESSES, describe
from .trials import LEG

COLUMNS: dict[str, Columns] = {
    "model": {
        "height [cm]": lambda row: f"{100.0 * row['height']:g}",
        "speed [m/s]": "{speed}",
        "outcome": "{message}",
        "hops": "{hops}",
        "height reached [cm]": "{height_cm:.1f}",
        "speed reached [m/s]": "{speed_m_s:.2f}",
        "trunk at most [deg]": "{pitch_deg:.2f}",
    },
    "character": {
        "height [cm]": lambda row: f"{100.0 * row['height']:g}",
        "speed [m/s]": "{speed}",
        "outcome": "{message}",
        "hops": "{hops}",
        "joints [deg]": "{joint_error_deg:.2f}",
        "travelled [m]": "{travelled_m:.2f}",
        "planned [m]": "{planned_m:.2f}",
        "in the air [%]": lambda row: f"{100.0 * row['air_share']:.0f}",
        "the model [%]": lambda row: f"{100.0 * row['planned_air_share']:.0f}",
        "CPU [s]": "{cpu_s:.0f}",
    },
}


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write the table."""
    options = common_parser("hopper", "Hopping by a model and by a character, at 0 N.").parse_args(argv)
    return run_kept("hopper", options, list(ROWS.values()), describe, _write_report)


def _write_report(cache: Cache, folder: Path) -> str:
    parts = [
        "# Hopper",
        "Made by `python3 dev.py bench hopper`; docs/benchmarks.md says how to read it. The character "
        "follows the model at 0 N, standard quality, with the search where it falls. "
        f"Commit {commit_of('hopper')}.",
    ]
    for row, items in ROWS.items():
        known = [(item, own) for item in items if (own := cache.get(item)) is not None and "error" not in own]
        if known:
            up = sum(not own["fell"] for _, own in known)
            seconds = items[0]["seconds"]
            parts += [
                f"## The {row}",
                f"The {row}: {up} of {len(known)} hop for {seconds:g} s without a fall.",
                markdown([{**item, **own} for item, own in known], COLUMNS[row]),
            ]
    parts += ["## Standing on an ankle", _standing(folder / "hopper_standing.png")]
    return write_page(folder / "hopper.md", parts)


def _standing(picture: Path) -> str:
    """Return the table of figure 6.7, and draw it: the largest push by stiffness and size of the foot."""
    pushes = np.array([[largest_push(LEG.length, k, half) for half in HALF_FEET_M] for k in STIFFNESSES])
    _draw(pushes, picture)
    columns: Columns = {"ankle": "{ankle:g}"} | {
        f"foot {200.0 * half:g} cm": f"{{push[{n}]:.2f}}" for n, half in enumerate(HALF_FEET_M)
    }
    rows = [{"ankle": k, "push": own} for k, own in zip(STIFFNESSES, pushes, strict=True)]
    return (
        "The largest push [m/s] after which a pendulum of "
        f"{LEG.length:g} m still stands, by the stiffness of its ankle (1 just holds it upright) and the "
        "length of its foot. A loose ankle tips on any foot; a stiff one stands until the capture point "
        "leaves the foot."
        f"\n\n{markdown(rows, columns)}\n\n![The same as a picture]({picture.name})"
    )


def _draw(pushes: np.ndarray, picture: Path) -> None:
    figure, axes = pyplot.subplots(figsize=(5.0, 3.2))
    for own, half in zip(pushes.T, HALF_FEET_M, strict=True):
        axes.plot(STIFFNESSES, own, marker="o", label=f"foot {200.0 * half:g} cm")
    axes.set_xlabel("stiffness of the ankle / (m g l)")
    axes.set_ylabel("largest push [m/s]")
    axes.legend()
    figure.tight_layout()
    figure.savefig(picture, dpi=DPI, metadata=NO_DATE)
    pyplot.close(figure)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
