"""Jobs that draw the HTML page of a report, and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..base.files import AnyPath, read_bytes, write_text_atomically
from ..base.npz_file import read_file, take_array, write_file
from ..base.worker_process import EventWriter
from ..report.frame_numbers import interpolated_frames
from ..report.page import page_of
from ..report.report import make_report
from ..result.meta import meta_to_json
from ..result.result import Result, result_from

SCHEMA = 1
JOB = "page-job"
PAGE_END = "</html>"


@dataclass(frozen=True, eq=False)
class PageJob:
    """A result whose report is to be drawn as a page with a title.

    frame (F), frame_time (F): whole frames, and their times since the first sample [s]
    """

    result: Result
    title: str
    frame: IntArray
    frame_time: FloatArray


def save_page_job(job: PageJob, path: AnyPath) -> None:
    """Write the job as a result's arrays and meta with the page's own beside them."""
    arrays = {**job.result.arrays(), "frame": job.frame, "frame_time": job.frame_time}
    write_file(path, JOB, SCHEMA, arrays, {**meta_to_json(job.result.meta), "title": job.title})


def draw_page(path: AnyPath) -> str:
    """Return the page of the job in a file, as HTML."""
    arrays, meta = read_file(path, JOB, SCHEMA)
    result = result_from(arrays, meta, path)
    frame_time = take_array(arrays, "frame_time", "f", 1, path)
    frames = interpolated_frames(frame_time, take_array(arrays, "frame", "iu", 1, path))
    return page_of(make_report(result), result, frames, str(meta.get("title", "")))


def load_page(path: AnyPath) -> str:
    """Return the page in a file, as HTML; one that is cut off is refused."""
    page = read_bytes(path).decode("utf-8", errors="replace")
    if not page.rstrip().endswith(PAGE_END):
        raise InputError(f"'{Path(path).name}' is not a whole page; save the report again.")
    return page


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Draw the page of each job."""
    for job_path, page_path in zip(job_paths, result_paths, strict=True):
        write_text_atomically(page_path, draw_page(job_path))
