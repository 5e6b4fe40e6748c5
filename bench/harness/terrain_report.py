"""The files of the terrain part of the balance benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .cache import Cache, Item
from .tables import Columns, Row, markdown, write_csv

COLUMNS = (
    *("ground", "clip", "seeds", "full", "up_s", "seconds", "joint_error_deg", "root_error_m", "skate_cm_s"),
    *("penetration_max_mm", "residual_after_share", "rtf", "ways", "error"),
)
TABLE: Columns = {
    "ground": "{ground}",
    "clip": "{clip}",
    "full": "{full}/{seeds}",
    "up, s": "{up_s:.2f} of {seconds:.2f}",
    "joint, deg": "{joint_error_deg:.2f}",
    "root, cm": lambda r: f"{100 * r['root_error_m']:.1f}",
    "skate, cm/s": "{skate_cm_s:.1f}",
    "depth, mm": "{penetration_max_mm:.1f}",
    "residual of the reference, %": lambda r: f"{100 * r['residual_after_share']:.2f}",
    "RTF": "{rtf:.1f}",
    "ways": "{ways}",
}
_WORST = ("joint_error_deg", "root_error_m", "skate_cm_s", "penetration_max_mm")


def write_terrain_report(items: Sequence[Item], cache: Cache, folder: Path) -> str:
    """Write all files; what to tell on the terminal."""
    folder.mkdir(parents=True, exist_ok=True)
    together: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        together.setdefault((item["ground"], item["clip"]), []).append(item)
    rows = [row for same in together.values() if (row := _row(same, cache)) is not None]
    summary = _summary(rows, len(cache.missing(list(items))))
    parts = [
        "# Terrain",
        "Made by `python3 dev.py bench balance`; docs/benchmarks.md says how to read it. "
        f"Walks and marches at 0 N. Commit {cache.commit}.",
        "\n".join(summary),
        markdown(rows, TABLE),
    ]
    (folder / "terrain.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    write_csv(rows, COLUMNS, folder / "terrain.csv")
    return "\n".join(summary)


def _row(same: Sequence[Item], cache: Cache) -> Row | None:
    """The worst figures over the seeds of one clip on one ground."""
    outcomes = [outcome for item in same if (outcome := cache.get(item)) is not None]
    if not outcomes:
        return None
    row = {"ground": same[0]["ground"], "clip": same[0]["clip"], "seeds": len(outcomes)}
    errors = [outcome["error"] for outcome in outcomes if "error" in outcome]
    known = [outcome for outcome in outcomes if "error" not in outcome]
    if not known:
        return row | dict.fromkeys(COLUMNS[4:]) | {"full": 0, "error": errors[0]}
    figures = [outcome["metrics"] for outcome in known]
    return row | {
        "full": sum(f["full"] and f["joint_error_deg"] < 8.0 for f in figures),
        "up_s": min(f["up_s"] for f in figures),
        "seconds": figures[0]["seconds"],
        **{name: max(f[name] for f in figures) for name in _WORST},
        "residual_after_share": known[0]["residual_after_share"],
        "rtf": sorted(f["rtf"] for f in figures)[len(figures) // 2],
        "ways": ", ".join(dict.fromkeys(str(outcome["way"]) for outcome in known)),
        "error": errors[0] if errors else None,
    }


def _summary(rows: Sequence[Row], missing: int) -> list[str]:
    lines = []
    for ground in dict.fromkeys(row["ground"] for row in rows):
        mine = [row for row in rows if row["ground"] == ground]
        full, seeds = sum(row["full"] for row in mine), sum(row["seeds"] for row in mine)
        failed = [row["clip"] for row in mine if row["full"] < row["seeds"]]
        verdict = "reached" if not failed else f"missed by {', '.join(failed)}"
        lines.append(f"- {ground}: {full} of {seeds} to the end; {verdict}.")
    if missing:
        lines.append(f"- Missing: {missing} bakes.")
    return lines
