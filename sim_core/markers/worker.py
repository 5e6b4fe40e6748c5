"""The child process of a fit: `python -m sim_core.markers.worker JOB RESULT`; lines as in sim_core.worker."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ..process import keep_mujoco_from_logging_to_file
from ..worker import Lines, main


def fit(job_paths: Sequence[Path], result_paths: Sequence[Path], lines: Lines) -> None:
    # Imported here, because they load numpy, and threads must be limited before.
    from ..files import refuse_unwritable
    from .fit_job import load_fit_job, run_fit, save_outcome

    keep_mujoco_from_logging_to_file()
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        job = load_fit_job(job_path)
        refuse_unwritable(result_path)
        save_outcome(job, run_fit(job, lines.progress), result_path)


if __name__ == "__main__":
    sys.exit(main(fit))
