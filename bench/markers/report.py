"""Tables and plot of the benchmark of markers, and its bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.measured_code import commit_of
from ..common.pages import write_page
from ..common.plots import pyplot, save
from ..common.tables import Columns, Row, markdown
from .trials import FAULTS

FIT: Columns = {
    "take": lambda r: r["name"] + (" (held out)" if r["held_out"] else ""),
    "used": "{used}",
    "frames": "{frames}",
    "RMS, cm": "{marker_rms_cm:.2f}",
    "p95, cm": "{marker_p95_cm:.2f}",
    "worst, cm": "{marker_worst_cm:.1f} ({marker_worst}, frame {marker_worst_frame})",
    "leg, m": "{leg_length_m:.3f}",
    "reference, m": "{leg_reference_m:.3f}",
    "difference": lambda r: f"{100.0 * r['leg_error']:+.1f} %",
    "without static trial": lambda r: "-" if r["leg_alone"] is None else f"{100.0 * r['leg_alone']:+.1f} %",
    "calibration, s": "{calibration_s:.2f}",
    "preview, frames/s": "{preview_fps:.0f}",
    "final, frames/s": "{final_fps:.0f}",
}
ANGLES: Columns = {
    "take": "{name}",
    "angle": "{angle}",
    "r": "{r:.4f}",
    "without offset, deg RMS": "{spread_deg:.2f}",
    "offset, deg": "{offset_deg:+.1f}",
}
ROBUST: Columns = {"take": "{name}", **{name: "{" + name.replace(".", "_") + ":.2f}" for name in FAULTS}}
NOISE: Columns = {
    "noise, mm": "{noise_mm:g}",
    "quality": "{quality}",
    "joints, deg": "{joint_deg:.2f} ± {joint_sem_deg:.2f}",
    "worst draw, deg": "{joint_worst_deg:.2f}",
    "markers, mm": "{marker_mm:.2f} ± {marker_sem_mm:.2f}",
}
KEYPOINTS: Columns = {
    "keypoints": "{name}",
    "used": "{used}",
    "frames": "{frames}",
    "RMS, cm": "{marker_rms_cm:.2f}",
    "p95, cm": "{marker_p95_cm:.2f}",
    "jitter, of the raw points'": "{jitter_ratio:.2f}",
    "knee beyond its range, deg": "{knee_beyond_deg:.1f}",
    "fastest turn of a part, deg/s": "{turn_deg_s:.0f}",
    "leg, m": "{leg_length_m:.3f}",
    "simulated at 0 N": "{end}",
}
KNOWN_KEYPOINTS: Columns = {
    **{name: how for name, how in KEYPOINTS.items() if name not in ("leg, m", "simulated at 0 N")},
    "noise, cm": "{noise_cm:.2f}",
    "joints off, cm": "{joint_error_cm:.2f}",
    "worst limb's length": lambda r: f"{100.0 * r['length_error']:+.1f} %",
    "simulated at 0 N": "{end}",
}
FAULT_LIMITS_CM = dict(zip(FAULTS, (0.8, 0.7, 0.8, 1.0, 4.0), strict=True))


@dataclass(frozen=True)
class Tables:
    """All rows of a run."""

    fits: Sequence[Row]
    angles: Sequence[Row]
    robust: Sequence[Row]
    noise: Sequence[Row]
    recordings: Sequence[Row]
    keypoints: Sequence[Row]
    draws: int


def bars(tables: Tables) -> list[tuple[str, bool, str]]:
    """Return for each bar its text, whether it is reached, and the figure that was found."""
    found: list[tuple[str, bool, str]] = []

    def most(text: str, values: Sequence[float], limit: float, unit: str) -> None:
        found.append((f"{text} <= {limit:g} {unit}", max(values) <= limit, f"{max(values):.2f} {unit}"))

    def least(text: str, values: Sequence[float], limit: float) -> None:
        found.append((f"{text} >= {limit:g}", min(values) >= limit, f"{min(values):.4g}"))

    fits = [row for row in tables.fits if not row["held_out"]]
    least("share of the named markers used in every take", [r["marker_share"] for r in fits], 0.9)
    most("marker RMS of every take", [r["marker_rms_cm"] for r in fits], 0.6, "cm")
    most("p95 of every take", [r["marker_p95_cm"] for r in fits], 1.2, "cm")
    most("leg length off by", [100.0 * abs(r["leg_error"]) for r in fits], 2.0, "%")
    for joint, limit in (("knee", 0.99), ("hip", 0.98)):
        mine = [r for r in tables.angles if r["angle"].startswith(joint)]
        least(f"{joint} flexion r", [r["r"] for r in mine], limit)
        most(f"{joint} flexion without offset", [r["spread_deg"] for r in mine], 3.0, "deg")
    most("calibration", [r["calibration_s"] for r in fits], 10.0, "s")
    least("preview, frames/s", [r["preview_fps"] for r in fits], 1000.0)
    least("final, frames/s", [r["final_fps"] for r in fits], 100.0)
    for name, limit in FAULT_LIMITS_CM.items():
        most(name, [r[name.replace(".", "_")] for r in tables.robust], limit, "cm")
    if tables.noise:
        final = {r["noise_mm"]: r for r in tables.noise if r["quality"] == "final"}
        most("noise of 8 mm: joints", [final[8.0]["joint_deg"]], 3.0, "deg")
        most("noise of 64 mm does not diverge: worst draw", [final[64.0]["joint_worst_deg"]], 20.0, "deg")
    every = [*tables.recordings, *tables.keypoints]
    least("share of the keypoints used", [r["marker_share"] for r in every], 0.9)
    most("keypoints: jitter of the fit, of the raw points'", [r["jitter_ratio"] for r in every], 0.33, "")
    most("keypoints: knees beyond their range", [r["knee_beyond_deg"] for r in every], 5.0, "deg")
    most("keypoints: fastest turn, no flip", [r["turn_deg_s"] for r in every], 1500.0, "deg/s")
    most("keypoints: joints off, of the noise", _shares(tables.keypoints), 0.8, "")
    most("keypoints: limbs' lengths", [100.0 * abs(r["length_error"]) for r in tables.keypoints], 5.0, "%")
    asked = [r["to_the_end"] for r in every if r["to_the_end"] is not None]
    found.append(("keypoints simulated to the end at 0 N", all(asked), f"{sum(asked)} of {len(asked)}"))
    return found


def _shares(rows: Sequence[Row]) -> list[float]:
    """Return the errors of fitted joints relative to the noise of the points."""
    return [r["joint_error_cm"] / r["noise_cm"] for r in rows]


def write_markers_report(tables: Tables, folder: Path) -> str:
    """Write the tables; return a summary for the terminal."""
    reached = "\n".join(
        f"- {'reached' if ok else '**missed**'}: {text} (worst: {value})" for text, ok, value in bars(tables)
    )
    parts = [
        "# Markers",
        "Made by `python3 dev.py bench markers`; docs/markers.md says how it works. Times are processor "
        f"time of one thread. Commit {commit_of('markers')}.",
        reached,
        "## Takes",
        markdown(tables.fits, FIT),
        "Leg: hip to knee to ankle. References: the scaled OpenSim model; joint centres that the capture "
        "software worked out (for the stairs in the static trial: in the moving one they drift by 4 cm); the "
        "CMU skeleton; of OpenCap, the static trial's hips by the laboratory's regression (by its functional "
        "hips the legs are 1.2 % shorter). The places of pelvis markers in the presets were chosen with the "
        "first four takes in view; those held out had no say. Of the first three takes a regression from the "
        "literature now says where the markers over bones of the pelvis are to the hips (docs/markers.md). "
        "Its doubt, 1 cm along each axis, follows from the literature too; 0.7 and 1.4 cm were tried, with "
        "which the worst leg differs by 2.1 and 1.6 %. CMU 02_05 is the subject of 02_01.",
        "## Joint angles",
        markdown(tables.angles, ANGLES),
        "## Faults",
        f"RMS distance [cm] from the true markers where they were hidden or changed, {tables.draws} draws. "
        "The subject is calibrated from the broken take itself, and from the whole one for the last column.",
        markdown(tables.robust, ROBUST),
        "## Keypoints from video",
        "Pose2Sim's demonstration, balancing on a beam, as it was triangulated and filtered; jitter is "
        "compared with the triangulated points. Lengths are constant, as always in a fit. Jitter: root mean "
        "square of the second differences of the joints' paths. Simulated: as by `heft bake --assist 0`.",
        markdown(tables.recordings, KEYPOINTS),
        "Keypoints made of CMU clips with noise, half of it jitter and half slow (0.15 s), 3 % of the "
        "samples missing, written in the units and axes of several programs and read without a hand. Noise "
        "is the root mean square distance from the true points; joints off, that of the fitted joints from "
        "the true ones. Limbs are thighs, shins and upper arms: forearms of CMU skeletons are as short as "
        "14 cm, and the prior of a usual body makes those up to 10 % longer.",
        markdown(tables.keypoints, KNOWN_KEYPOINTS),
        "## Noise",
        "Figure 5.9 of the dissertation: markers of a known motion (PiG_walk_One) with Gaussian noise on "
        "every axis, fitted again; mean and standard error over the draws.",
        markdown(tables.noise, NOISE),
        "![Noise](markers_noise.png)",
    ]
    write_page(folder / "markers.md", parts)
    return reached


def plot_noise(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Plot errors of markers and joints over marker noise, as in figure 5.9 of the dissertation."""
    figure, axes = pyplot.subplots(1, 2, figsize=(10.0, 4.0))
    for quality in dict.fromkeys(row["quality"] for row in rows):
        mine = [row for row in rows if row["quality"] == quality]
        level = [row["noise_mm"] for row in mine]
        for axis, name, unit in ((axes[0], "marker", "mm"), (axes[1], "joint", "deg")):
            mean, error = ([row[f"{name}{kind}_{unit}"] for row in mine] for kind in ("", "_sem"))
            axis.errorbar(level, mean, error, marker="o", markersize=3, capsize=2, label=quality)
    for axis, label in zip(axes, ("marker error [mm]", "joint error [deg]"), strict=True):
        axis.set(xscale="log", yscale="log", xlabel="marker noise, one sigma [mm]", ylabel=label)
        axis.grid(alpha=0.3, which="both")
        axis.legend(fontsize=8)
    save(figure, path)
