"""Say what is wrong with a motion or a result, with forces, a score and the worst frames."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..bake.pipeline import bake
from ..base.files import about_file, write_text_atomically
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..report.frame_numbers import FrameOf, file_frames, whole_frame
from ..report.report import Judged, Report, make_report
from ..report.series_files import write_csv, write_npz
from ..result.result import Result, load_result
from ..scenario.job import Job
from ..scenario.settings import BakeSettings
from ..sequence.blend import BLEND_SECONDS
from ..sources.motion_source import MOTION_KINDS, is_result, read_source
from .console import Console
from .output_files import check_outputs
from .shared_options import add_body_options, reading_choices, refuse_motion_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    summary = f"a result of bake (.npz), or a motion as it is: {MOTION_KINDS}"
    parser.add_argument("input", metavar="FILE", type=Path, help=summary)
    parser.add_argument("--html", metavar="OUT.html", type=Path, help="the report as one page for a browser")
    parser.add_argument("--csv", metavar="FOLDER", type=Path, help="all curves and problems as tables")
    parser.add_argument("--npz", metavar="OUT.npz", type=Path, help="all curves as arrays")
    add_body_options(parser, before="of a motion: ")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Judge as the options say; return the figures and the worst frames."""
    check_outputs(options, "html", "npz")
    console = Console()
    with about_file(options.input):
        result = _result(options, console)
        report, frame_of = make_report(result), file_frames(result)
    if options.html is not None:
        # Here, because plots take long to load.
        from ..report.page import page_of

        write_text_atomically(options.html, page_of(report, result, frame_of, options.input.name))
    if options.csv is not None:
        write_csv(report, frame_of, options.csv)
    if options.npz is not None:
        write_npz(report, frame_of, options.npz)
    for out in (options.html, options.csv, options.npz):
        if out is not None:
            console.message(f"Saved '{out}'.")
    _print_worst_frames(console, report, frame_of)
    return _summary(report, frame_of)


def _result(options: argparse.Namespace, console: Console) -> Result:
    """Return the result of a file, or of a motion that is not simulated."""
    if is_result(options.input):
        refuse_motion_options(options, options.input)
        return load_result(options.input)
    source = read_source([options.input], reading_choices(options), BLEND_SECONDS)
    for note in source.notes:
        console.message(note)
    keep_mujoco_from_logging_to_file()
    settings = BakeSettings(height=options.height, mass=options.mass, simulate=False)
    return bake(Job(source.motion, source.mapping, settings), console.progress)


def _print_worst_frames(console: Console, report: Report, frame_of: FrameOf) -> None:
    for sentence in _worst_frames(report, frame_of):
        console.message(sentence)
    score = report.shown.score
    was = "" if report.after is None else f", {report.before.score.total:.0f} before"
    console.message(f"Score {score.total:.0f} of 100{was}: {score.verdict}.")


def _worst_frames(report: Report, frame_of: FrameOf) -> list[str]:
    return [
        f"Frame {whole_frame(frame_of, worst.at_s)}: {worst.text}." for worst in report.shown.worst_frames
    ]


def _summary(report: Report, frame_of: FrameOf) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "score": report.shown.score.total,
        "verdict": report.shown.score.verdict,
        "worst_frames": _worst_frames(report, frame_of),
        "before": _judged_summary(report.before),
    }
    return summary | ({} if report.after is None else {"after": _judged_summary(report.after)})


def _judged_summary(judged: Judged) -> dict[str, Any]:
    return {"score": judged.score.total, "parts": dict(judged.score.parts), **judged.figures}
