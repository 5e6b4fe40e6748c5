"""The series of a report as files for other programs: tables (CSV) or arrays (npz)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..base.conventions import FloatArray
from ..base.files import AnyPath, make_folder, write_together
from ..base.json_codec import to_object
from ..base.npz_file import write_file
from .frame_numbers import FrameOf
from .motion_series import MotionSeries
from .report import Report

SCHEMA = 1
_XYZ = ("x", "y", "z")
_WRENCH = ("fx_n", "fy_n", "fz_n", "tx_nm", "ty_nm", "tz_nm")


def write_npz(report: Report, frame_of: FrameOf, path: AnyPath) -> None:
    """Write the arrays of MotionSeries, with the prefix before_ or after_, and the judgement as JSON."""
    arrays = {
        f"{when}_{name}": array
        for when, series in _motions(report)
        for name, array in series.arrays().items()
    }
    arrays["frame"] = frame_of(report.before.series.time)
    write_file(path, "report", SCHEMA, arrays, to_object(report.record()))


def write_csv(report: Report, frame_of: FrameOf, folder: Path) -> None:
    """Write one table per motion with a row for each sample, and one of all problems."""
    make_folder(folder)
    tables: dict[AnyPath, bytes] = {}
    for when, series in _motions(report):
        columns = dict(_columns(series, frame_of))
        rows = [list(row) for row in zip(*(values.tolist() for values in columns.values()), strict=True)]
        tables[folder / f"{when}.csv"] = _table([list(columns), *rows])
    tables[folder / "problems.csv"] = _table(list(_problem_rows(report, frame_of)))
    write_together(tables)


def _motions(report: Report) -> Iterator[tuple[str, MotionSeries]]:
    yield "before", report.before.series
    if report.after is not None:
        yield "after", report.after.series


def _columns(series: MotionSeries, frame_of: FrameOf) -> Iterator[tuple[str, FloatArray]]:
    """Yield the columns of the table; names contain their units."""
    yield "frame", np.round(frame_of(series.time), 4)
    yield "time_s", series.time
    yield from ((f"com_{axis}_m", series.com[:, k]) for k, axis in enumerate(_XYZ))
    for f, foot in enumerate(series.foot_name):
        yield from ((f"{foot}_force_{axis}_n", series.foot_force[:, f, k]) for k, axis in enumerate(_XYZ))
        yield f"{foot}_slip_m_s", series.foot_slip[:, f]
        yield f"{foot}_depth_m", series.foot_depth[:, f]
    yield from ((f"residual_{name}", series.residual[:, k]) for k, name in enumerate(_WRENCH))
    yield from ((f"assist_{name}", series.assist[:, k]) for k, name in enumerate(_WRENCH))
    yield "joint_error_deg", series.joint_error
    yield "tremble_deg", series.tremble
    yield from ((f"{name}_nm", series.torque[:, k]) for k, name in enumerate(series.axis_name))


def _problem_rows(report: Report, frame_of: FrameOf) -> Iterator[list[object]]:
    yield ["when", "frame", "start_frame", "end_frame", "kind", "value", "limit", "unit", "text"]
    for when, judged in (("before", report.before), ("after", report.after)):
        for problem in judged.problems if judged else ():
            times = np.array([problem.at_s, problem.start_s, problem.end_s])
            frames = [round(frame) for frame in frame_of(times).tolist()]
            yield [when, *frames, problem.kind, problem.value, problem.limit, problem.unit, problem.text]


def _table(rows: list[list[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")
