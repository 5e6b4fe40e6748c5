"""The `heft` command: one sub-command per module of `commands`.

Exit status: 0 done, 1 an internal error, 2 bad input (one sentence on standard error),
3 the simulation failed, 130 stopped by Ctrl-C. Metrics go to standard output, all else to
standard error.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from .. import VERSION
from ..base.errors import Cancelled, HeftError, SimulationError
from ..base.worker_process import limit_threads

INTERNAL_ERROR = 1


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence instead of printing the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"The command was not understood: {message} (see '{self.prog} --help').\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    limit_threads()
    try:
        options = _parser().parse_args(arguments)
        metrics = options.run(options)
        _print_metrics(metrics, options.json)
    except HeftError as problem:
        return _give_up(str(problem), problem.exit_code)
    except KeyboardInterrupt:
        return _give_up("Stopped; nothing was saved.", Cancelled.exit_code)
    except Exception as problem:
        traceback.print_exc(file=sys.stderr)
        text = f"An internal error stopped Heft ({type(problem).__name__}: {problem}); please report it."
        return _give_up(text, INTERNAL_ERROR)
    return SimulationError.exit_code if _somebody_fell(metrics) or metrics.get("failed") else 0


def _somebody_fell(metrics: Mapping[str, Any]) -> bool:
    everybody = (metrics, *metrics.get("others", {}).values())
    return any(one.get("fell_at") is not None for one in everybody)


def _parser() -> Parser:
    from .commands import COMMANDS  # here, because the commands load numpy

    parser = Parser(prog="heft", description="Physical character animation.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"heft {VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        summary = (command.__doc__ or "").splitlines()[0]
        sub = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        sub.add_argument("--json", action="store_true", help="print the metrics as one JSON object")
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def _give_up(sentence: str, status: int) -> int:
    print(sentence, file=sys.stderr)
    return status


def _print_metrics(metrics: Mapping[str, Any], as_json: bool) -> None:
    from ..base.json_files import to_json  # here, because it loads numpy

    if as_json:
        print(to_json(metrics))
        return
    _list(metrics)
    for other, figures in metrics.get("others", {}).items():
        _list(figures, f"{other}/")


def _list(metrics: Mapping[str, Any], prefix: str = "") -> None:
    for name, value in metrics.items():
        if name != "others":
            print(f"{prefix}{name}: {value:.4g}" if isinstance(value, float) else f"{prefix}{name}: {value}")
