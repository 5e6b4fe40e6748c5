"""One bake of the tracking benchmark, through the command line that users have."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path
from typing import Any

from sim_core import cli, metrics
from sim_core.result import Result, load_result

from .clips import SECONDS, clip_of
from .curves import Poses, squared_error

FELL = 3
"""Exit status of a bake that worked, but whose character fell."""


def has_option(name: str) -> bool:
    """Whether `heft bake` knows an option."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
        cli.main(["bake", "--help"])
    return f"--{name}" in shown.getvalue()


def arguments_of(item: dict[str, Any], out: str) -> list[str]:
    """The `heft` command of an item."""
    clip = clip_of(item["clip"])
    words = ["bake", str(clip.file), "--out", out, "--seconds", "0", f"{SECONDS:g}", "--no-find-assist"]
    for name in ("quality", "assist", "balance", "seed", "noise"):
        words += [f"--{name}", str(item[name])]
    if clip.fps is not None:
        words += ["--fps", f"{clip.fps:g}"]
    if item["correction"] != 1.0:
        words += ["--correction", str(item["correction"])]
    if item["character"] is not None:
        words += ["--character", item["character"]]
    return words


def run_bake(item: dict[str, Any]) -> dict[str, Any]:
    """What the bake's result file says of itself."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.npz"
        messages = io.StringIO()
        with contextlib.redirect_stderr(messages), contextlib.redirect_stdout(messages):
            status = cli.main(arguments_of(item, str(out)))
        if status not in (0, FELL):
            said = messages.getvalue().strip().splitlines()[-1]
            return {"error": said.replace(str(clip_of(item["clip"]).file), item["clip"])}
        result = load_result(out)
    outcome = _outcome(result)
    if item["curve"]:
        outcome["curve"] = _curve(result)
    return outcome


def _outcome(result: Result) -> dict[str, Any]:
    meta = result.meta
    figures = meta["metrics"]
    up = "full" if figures["full"] else f"fell at {figures['up_s']:.2f} s"
    reference = meta["reference"]
    return {
        "metrics": figures,
        "residual_before_share": reference.get("residual_before_share"),
        "residual_after_share": reference.get("residual_after_share"),
        "root_change_cm": reference.get("root_mean_cm"),
        "wall_seconds": meta["wall_seconds"],
        "explained": meta["fell_at"] is None or bool((meta.get("failure") or {}).get("notes")),
        "causes": [cause["text"] for cause in (meta.get("failure") or {}).get("causes", [])],
        "way": meta.get("way"),
        "ways_tried": meta.get("ways_tried", []),
        "dofs": int(len(result.torque_limit)) + 6,
        "versions": meta["versions"],
        "said": f"{up}, {figures['joint_error_deg']:.2f} deg, root {100 * figures['root_error_m']:.1f} cm",
    }


def _curve(result: Result) -> dict[str, list[float]]:
    """Tracking error at the control rate."""
    new = Poses(result.joint_position[:, 0], result.joint_quaternion_world)
    reference = Poses(result.reference_joint_position[:, 0], result.reference_joint_quaternion_world)
    degrees = metrics.joint_error_deg(new.quaternion_world, reference.quaternion_world, result.joint_parent)
    squared = squared_error(new, reference, result.joint_parent)
    time = result.time - result.time[0]
    columns = {"time_s": time, "joint_error_deg": degrees, "squared_error": squared}
    return {name: [round(float(v), 5) for v in values] for name, values in columns.items()}
