"""The demo's figures as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COLUMNS = (
    ("up [s]", "up_s", ".2f"),
    ("of [s]", "seconds", ".2f"),
    ("joint error from the prepared motion [deg]", "joint_error_deg", ".2f"),
    ("hips from the prepared motion [cm]", "root_error_m", "cm"),
    ("assist mean / max [N]", ("assist_force_mean_n", "assist_force_max_n"), ".0f"),
    ("assist mean / max [Nm]", ("assist_torque_mean_nm", "assist_torque_max_nm"), ".0f"),
    ("skate [cm/s]", "skate_cm_s", ".2f"),
    ("penetration max [mm]", "penetration_max_mm", ".1f"),
    ("jitter result / source [deg]", ("jitter_deg", "jitter_source_deg"), ".3f"),
    ("residual [% of weight]", "residual_share", "%"),
    ("RTF", "rtf", ".1f"),
)


def write_report(folder: Path, metrics: Mapping[str, Mapping[str, Any]], wall_s: Mapping[str, float]) -> None:
    """Write metrics.md and metrics.json.

    metrics: figures of the bake by motion; wall_s: seconds by phase
    """
    text = json.dumps({"metrics": metrics, "wall_s": wall_s}, indent=1)
    (folder / "metrics.json").write_text(text + "\n", encoding="utf-8")
    (folder / "metrics.md").write_text("\n".join(_lines(metrics, wall_s)) + "\n", encoding="utf-8")


def _lines(metrics: Mapping[str, Mapping[str, Any]], wall_s: Mapping[str, float]) -> list[str]:
    titles = ["motion", "allowed assist [N, Nm]", *(title for title, _, _ in COLUMNS)]
    lines = ["# Heft's demo, measured", ""]
    lines += ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for motion, found in metrics.items():
        cells = [motion, f"{found['assist_cap']:g}", *(_cell(found, key, how) for _, key, how in COLUMNS)]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        "Definitions: docs/metrics.md. Assist is the outside force and torque at the hips; the allowance",
        "bounds the length of each.",
        "",
        "Time: " + ", ".join(f"{phase} {seconds:.1f} s" for phase, seconds in wall_s.items()) + ".",
    ]
    return lines


def _cell(found: Mapping[str, Any], key: str | tuple[str, ...], how: str) -> str:
    keys = (key,) if isinstance(key, str) else key
    scale, spec = {"cm": (100.0, ".1f"), "%": (100.0, ".2f")}.get(how, (1.0, how))
    return " / ".join(format(scale * found[k], spec) for k in keys)
