"""The child process that draws pages: `python -m sim_core.report.worker JOB PAGE`; see sim_core.worker."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ..worker import Lines, main


def draw(job_paths: Sequence[Path], page_paths: Sequence[Path], lines: Lines) -> None:
    # Imported here, because they load numpy, and threads must be limited before.
    from ..files import write_text_atomically
    from .page_job import draw_page

    for job_path, page_path in zip(job_paths, page_paths, strict=True):
        write_text_atomically(page_path, draw_page(job_path))


if __name__ == "__main__":
    sys.exit(main(draw))
