"""Write `docs/command-line.md` from the options of the `heft` command.

Run with the engine's packages: `.dev/envs/core-py311/bin/python -m tools.command_page`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sim_core.cli.main import make_parser

PAGE = Path(__file__).resolve().parents[1] / "docs" / "command-line.md"
HEAD = """# The command line

`python3 dev.py heft COMMAND …` in a clone needs no Blender. For `.blend` files the same commands run inside
Blender: `blender --command heft bake scene.blend --assist 0`, `blender --command heft retarget …`.

Exit status: 0 done, 1 an internal error, 2 bad input (one sentence on standard error), 3 a character fell or
the simulation failed, 130 stopped by Ctrl-C. Figures go to standard output, as one line of JSON with
`--json`; all else goes to standard error. `tools/command_page.py` writes this page from the options.
"""


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the sub-commands by name, in their own order."""
    for action in make_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("the command has no sub-commands")


def arguments(command: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the arguments of a command without its help."""
    shown = [action for action in command._actions if action.help != argparse.SUPPRESS]
    return [action for action in shown if action.dest != "help"]


def page() -> str:
    """Return the page: all commands, with a line for each of their options."""
    parts = [HEAD]
    for name, command in commands().items():
        lines = [f"## heft {name}", "", command.description or "", ""]
        lines += [f"- `{_usage(action)}` {_help(action)}".rstrip() for action in arguments(command)]
        parts.append("\n".join(lines).rstrip() + "\n")
    return "\n".join(parts)


def _usage(action: argparse.Action) -> str:
    values = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    words = " ".join(values) if isinstance(values, tuple) else values
    if action.choices is not None and action.metavar is None:
        words = "{" + ",".join(str(choice) for choice in action.choices) + "}"
    return " ".join([*action.option_strings[:1], words]).strip()


def _help(action: argparse.Action) -> str:
    return ((action.help or "") % {"default": action.default, "prog": "heft"}).replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
