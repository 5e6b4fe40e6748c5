"""Jobs that draw the HTML page of a report, and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..base.files import AnyPath, read_bytes, write_text_atomically
from ..base.worker_process import EventWriter
from ..report.frame_numbers import interpolated_frames
from ..report.page import page_of
from ..report.report import make_report
from ..result.result import Result, load_result, save_result

KEY = "page"
"""Of a result's meta, for what the page needs besides."""


@dataclass(frozen=True, eq=False)
class PageJob:
    """A result whose page is drawn.

    frame (F), frame_time (F): whole frames and their times since the start [s]
    """

    result: Result
    title: str
    frame: IntArray
    frame_time: FloatArray


def save_page_job(job: PageJob, path: AnyPath) -> None:
    """Write a job to a file."""
    page = {"title": job.title, "frame": job.frame, "frame_time": job.frame_time}
    save_result(replace(job.result, meta={**job.result.meta, KEY: page}), path)


def draw_page(path: AnyPath) -> str:
    """Return the page of the job in a file."""
    result = load_result(path)
    page = result.meta.get(KEY)
    if not isinstance(page, dict):
        raise InputError(f"'{path}' is no page to draw; save the report again.")
    frames = interpolated_frames(page["frame_time"], page["frame"])
    return page_of(make_report(result), result, frames, str(page["title"]))


def load_page(path: AnyPath) -> str:
    """Read a page."""
    return read_bytes(path).decode("utf-8")


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Draw the page of each job."""
    for job_path, page_path in zip(job_paths, result_paths, strict=True):
        write_text_atomically(page_path, draw_page(job_path))
