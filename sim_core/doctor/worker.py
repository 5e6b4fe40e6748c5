"""The child process of a check: `python -m sim_core.doctor.worker JOB RESULT`; lines as in `worker`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ..worker import Lines, main


def check(job_paths: Sequence[Path], result_paths: Sequence[Path], lines: Lines) -> None:
    # Imported here, because they load numpy, and threads must be limited before.
    from ..process import keep_mujoco_from_logging_to_file
    from .examine import examine
    from .file import load_surroundings, save_examination

    keep_mujoco_from_logging_to_file()
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        save_examination(examine(load_surroundings(job_path), lines.progress), result_path)


if __name__ == "__main__":
    sys.exit(main(check))
