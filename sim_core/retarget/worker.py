"""The child process of a retargeting: `python -m sim_core.retarget.worker JOB RESULT`.

Lines as in sim_core.worker.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ..process import keep_mujoco_from_logging_to_file
from ..worker import Lines, main


def carry_over(job_paths: Sequence[Path], result_paths: Sequence[Path], lines: Lines) -> None:
    # Imported here, because they load numpy, and threads must be limited before.
    from ..files import refuse_unwritable
    from .job import load_retarget_job, run_retarget

    keep_mujoco_from_logging_to_file()
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        job = load_retarget_job(job_path)
        refuse_unwritable(result_path)
        run_retarget(job, result_path, lines.progress)


if __name__ == "__main__":
    sys.exit(main(carry_over))
