"""Child process of a benchmark: one JSON item per line in, one JSON outcome per line out."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from sim_core.base.process import claim_stdout, keep_mujoco_from_logging_to_file, limit_threads


def _carry_out(kind: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    # Here, because all of them load numpy, which must not happen before limit_threads.
    if kind == "bake":
        from .bakes import run_bake

        return run_bake
    if kind == "balance":
        from .balance_trials import run_balance

        return run_balance
    from .trials import run_trial

    return run_trial


def main(kind: str) -> None:
    limit_threads()
    answers = claim_stdout()
    carry_out = _carry_out(kind)
    keep_mujoco_from_logging_to_file()
    for line in sys.stdin:
        try:
            outcome = carry_out(json.loads(line))
        except Exception as problem:  # the benchmark goes on with the next item and shows this one as failed
            traceback.print_exc()
            outcome = {"error": f"{type(problem).__name__}: {problem}"}
        answers.write(json.dumps(outcome) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
