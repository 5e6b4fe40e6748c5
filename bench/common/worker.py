"""Child process of a benchmark: one JSON item per line in, one JSON outcome per line out."""

from __future__ import annotations

import json
import sys
import traceback
from importlib import import_module

from sim_core.base.worker_process import claim_stdout, keep_mujoco_from_logging_to_file, limit_threads


def main(benchmark: str) -> None:
    """Answer items with the benchmark's `run_item` until the input ends."""
    limit_threads()
    answers = claim_stdout()
    # Only now, because it loads numpy, which must not happen before limit_threads.
    run_item = import_module(f"bench.{benchmark}.trials").run_item
    keep_mujoco_from_logging_to_file()
    for line in sys.stdin:
        try:
            outcome = run_item(json.loads(line))
        except Exception as problem:  # the benchmark goes on with the next item and shows this one as failed
            traceback.print_exc()
            outcome = {"error": f"{type(problem).__name__}: {problem}"}
        answers.write(json.dumps(outcome) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
