"""The `heft` command with its sub-commands.

Exit status: 0 done, 1 an internal error, 2 bad input (one sentence on standard error), 3 the simulation
failed, 130 stopped by Ctrl-C. Metrics go to standard output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn

from .. import VERSION
from ..base.errors import Cancelled, HeftError, SimulationError
from ..base.worker_process import limit_threads

INTERNAL_ERROR = 1


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in one sentence instead of printing the usage."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and exit."""
        self.exit(2, f"The command was not understood: {message} (see '{self.prog} --help').\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    limit_threads()
    try:
        options = make_parser().parse_args(arguments)
        metrics = options.run(options)
        _print_metrics(metrics, options.json)
    except HeftError as problem:
        return _fail(str(problem), problem.exit_code)
    except KeyboardInterrupt:
        return _fail("Stopped; nothing was saved.", Cancelled.exit_code)
    except Exception as problem:
        traceback.print_exc(file=sys.stderr)
        text = f"An internal error stopped Heft ({type(problem).__name__}: {problem}); please report it."
        return _fail(text, INTERNAL_ERROR)
    return SimulationError.exit_code if _any_fell(metrics) or metrics.get("failed") else 0


def _any_fell(metrics: Mapping[str, Any]) -> bool:
    characters = (metrics, *metrics.get("others", {}).values())
    return any(character.get("fell_at") is not None for character in characters)


def _commands() -> dict[str, ModuleType]:
    """Return the sub-commands by name.

    A command is a module whose first line of documentation is its summary, with `add_arguments(parser)` and
    `run(options) -> metrics`. The exit status tells that a simulation failed if the metrics have a `fell_at`
    that is not None or a `failed` that is not zero.
    """
    from . import (  # here, because the commands load numpy
        bake_command,
        doctor_command,
        dynamics_command,
        export_command,
        fit_command,
        plausible_command,
        presets_command,
        report_command,
        retarget_command,
        supports_command,
        transitions_command,
    )
    from .batch import batch_command

    return {
        "bake": bake_command,
        "batch": batch_command,
        "doctor": doctor_command,
        "dynamics": dynamics_command,
        "export": export_command,
        "fit": fit_command,
        "plausible": plausible_command,
        "presets": presets_command,
        "report": report_command,
        "retarget": retarget_command,
        "supports": supports_command,
        "transitions": transitions_command,
    }


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(prog="heft", description="Physical character animation.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"heft {VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in _commands().items():
        summary = (command.__doc__ or "").splitlines()[0]
        sub = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        sub.add_argument("--json", action="store_true", help="print the metrics as one JSON object")
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def _fail(sentence: str, status: int) -> int:
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
