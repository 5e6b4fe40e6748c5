"""The child process that pulls: `python -m sim_core.posefit.worker JOB RESULT`; see sim_core.worker."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ..process import keep_mujoco_from_logging_to_file
from ..worker import Lines, main


def pull(job_paths: Sequence[Path], result_paths: Sequence[Path], lines: Lines) -> None:
    # Imported here, because they load numpy, and threads must be limited before.
    from ..files import refuse_unwritable
    from .control_job import load_control_job, save_control_motion
    from .controls import pull_bones

    keep_mujoco_from_logging_to_file()
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        job = load_control_job(job_path)
        refuse_unwritable(result_path)
        save_control_motion(pull_bones(job.motion, job.mapping, job.controls, lines.progress), result_path)


if __name__ == "__main__":
    sys.exit(main(pull))
