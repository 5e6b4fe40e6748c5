"""The `heft` command with its sub-commands.

Exit status: 0 done, 1 an internal error, 2 bad input (one sentence on standard error), 3 the simulation
failed, 130 stopped by Ctrl-C. Metrics go to standard output, everything else to standard error.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from .. import VERSION
from ..base.errors import Cancelled, HeftError, SimulationError
from ..base.worker_process import importing_for_good, limit_threads
from .option_parser import OptionParser
from .streams import answer, lasting_streams, tell

INTERNAL_ERROR = 1


class Command(NamedTuple):
    """The module of a command, below sim_core, and its summary, which is the module's first line."""

    module: str
    summary: str

    def load(self) -> ModuleType:
        """Import the module."""
        return import_module(f"..{self.module}", __package__)


COMMANDS = {
    "actions": Command(
        "cli.actions_command",
        "List clips as the actions of one character: what each does, and which can follow which.",
    ),
    "bake": Command(
        "cli.bake_command", "Simulate the motions of BVH and marker files and write the result files."
    ),
    "batch": Command(
        "cli.batch.batch_command",
        "Bake many motions, characters, seeds and perturbations, and rank what comes out.",
    ),
    "doctor": Command(
        "cli.doctor_command",
        "Check that this installation works, with a small bake, and say what to do where it does not.",
    ),
    "dynamics": Command(
        "cli.dynamics_command", "Find the forces behind a motion, captured, keyed or simulated."
    ),
    "export": Command(
        "cli.export_command",
        "Write a clip or a result as MJCF for MuJoCo's own viewer, or what it takes to repeat a simulation.",
    ),
    "fit": Command(
        "cli.fit_command", "Fit a skeleton to the markers of a C3D or TRC file, or to keypoints from video."
    ),
    "live": Command(
        "cli.live_command",
        "Play a motion as a simulated character that is pushed, pulled and hit while it plays.",
    ),
    "hop": Command(
        "cli.hop_command",
        "Make a character hop: a simple model hops, its motion is put on the body, which is then simulated.",
    ),
    "model": Command(
        "cli.model_command",
        "Simulate an abstract model by itself: a springy pendulum, a hopper, or a pendulum that stands.",
    ),
    "plausible": Command(
        "cli.plausible_command",
        "Make a motion plausible without simulating it: the smallest change that forces can produce.",
    ),
    "presets": Command(
        "cli.presets_command", "List the presets that come with Heft, or check files of your own."
    ),
    "report": Command(
        "cli.report_command",
        "Say what is wrong with a motion or a result, with forces, a score and the worst frames.",
    ),
    "retarget": Command(
        "cli.retarget_command",
        "Carry the motion of one body over to another, with feet and hands where they belong.",
    ),
    "stream": Command(
        "cli.stream_command",
        "Send a motion over the network as a performer would (VMC), for trying live streams without a suit.",
    ),
    "supports": Command(
        "cli.supports_command",
        "Find the steps and seats that a motion was captured on, and write them as a scene.",
    ),
    "transitions": Command(
        "cli.transitions_command", "Say how well motions of one character follow each other."
    ),
}
"""The sub-commands by name.

A command is a module with `add_arguments(parser)` and `run(options) -> metrics`. The exit status tells that a
simulation failed if the metrics have a `fell_at` that is not None or a `failed` that is not zero. Only the
module of the command that is run is imported: all of them take longer to load than a short bake takes.
"""


class Parser(OptionParser):
    """A parser that reports errors in one sentence instead of printing the usage."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and exit."""
        self.exit(2, f"The command was not understood: {message} (see '{self.prog} --help').\n")


def main(arguments: Sequence[str] | None = None, own_process: bool = False) -> int:
    """Run the command line; return the exit status.

    own_process: whether the process is there for this command alone, and ends after it
    """
    limit_threads()
    with lasting_streams():
        return _run(arguments, own_process)


def _run(arguments: Sequence[str] | None, own_process: bool) -> int:
    try:
        words = sys.argv[1:] if arguments is None else arguments
        with importing_for_good() if own_process else nullcontext():
            parser = make_parser(words)
        options = parser.parse_args(words)
        metrics = options.run(options)
        _print_metrics(metrics, options.json)
    except HeftError as problem:
        return _fail(str(problem), problem.exit_code)
    except KeyboardInterrupt:
        return _fail("Stopped; nothing was saved.", Cancelled.exit_code)
    except MemoryError as problem:
        text = f"There is not enough memory for this ({problem}); shorten the motion or close programs."
        return _fail(text, HeftError.exit_code)
    except Exception as problem:
        traceback.print_exc(file=sys.stderr)
        text = f"An internal error stopped Heft ({type(problem).__name__}: {problem}); please report it."
        return _fail(text, INTERNAL_ERROR)
    return SimulationError.exit_code if _any_fell(metrics) or metrics.get("failed") else 0


def _any_fell(metrics: Mapping[str, Any]) -> bool:
    characters = (metrics, *metrics.get("others", {}).values())
    return any(character.get("fell_at") is not None for character in characters)


def make_parser(loaded: Collection[str] = tuple(COMMANDS)) -> Parser:
    """Return the parser of the command line, with the options of some commands; the others have none."""
    parser = Parser(prog="heft", description="Physical character animation.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"heft {VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        summary = command.summary
        sub = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        if name in loaded:
            _add_command(sub, command.load())
    return parser


def _add_command(parser: Parser, command: ModuleType) -> None:
    parser.add_argument("--json", action="store_true", help="print the metrics as one JSON object")
    command.add_arguments(parser)
    parser.set_defaults(run=command.run)


def _fail(sentence: str, status: int) -> int:
    tell(sentence)
    return status


def _print_metrics(metrics: Mapping[str, Any], as_json: bool) -> None:
    from ..base.json_files import to_json  # here, because it loads numpy

    if as_json:
        answer(to_json(metrics))
        return
    lines = _list(metrics)
    for other, figures in metrics.get("others", {}).items():
        lines += _list(figures, f"{other}/")
    answer("\n".join(lines))


def _list(metrics: Mapping[str, Any], prefix: str = "") -> list[str]:
    return [
        f"{prefix}{name}: {value:.4g}" if isinstance(value, float) else f"{prefix}{name}: {value}"
        for name, value in metrics.items()
        if name != "others"
    ]
