"""Write `docs/command-line.md` from the options of the `heft` command.

Run with the engine's packages: `.dev/envs/core-py311/bin/python -m tools.command_page`.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from sim_core.cli.main import make_parser

PAGE = Path(__file__).resolve().parents[1] / "docs" / "command-line.md"
HEAD = """# The command line

The command `heft` needs no Blender. It is installed with the [Python package](python-api.md#install); in a
clone, `python3 dev.py heft COMMAND …` does the same without an installation. What works on `.blend` files
runs [inside Blender](#inside-blender).

| exit status | meaning |
|---|---|
| 0 | done |
| 1 | an internal error |
| 2 | bad input; one sentence on standard error says what is wrong |
| 3 | a character fell, or the simulation failed |
| 130 | stopped by Ctrl-C |

Figures go to standard output, as one line of JSON with `--json`; everything else goes to standard error. The
[glossary](glossary.md) explains the words. `tools/command_page.py` writes this page from the options.

## Inside Blender

`blender --command heft bake FILE.blend` simulates characters with the options that the file's sidebar shows,
and saves another file with the new actions. These options override them:

- `--armature NAME` an armature object; several are simulated together (default: the only animated one)
- `--out OUT.blend` the file to save (default: `FILE_heft.blend`)
- `--preset NAME` a [preset](presets.md) or its .json file; may be given several times
- `--assist N` largest outside force [N] and torque [Nm] at the hips; 0 is physical
- `--quality Q` one of draft, standard, best
- `--frames A B` first and last frame
- `--only PART` one of whole, upper, soft ([parts](parts.md))
- `--soft` also all [soft parts](soft-parts.md) that are found (default: those chosen in the file)
- `--loop`, `--no-loop` as a loop, or once (default: as a loop where it ends as it begins)
- `--few-keys` keys only where they are needed ([keys](keys.md))
- `--json` print the figures as JSON

`blender --command heft retarget SOURCE TARGET.blend --out OUT.blend` [retargets](retarget.md) a motion file,
or all BVH files of a folder, to a character of TARGET.blend:

- `--armature NAME` which armature it is (default: the only one)
- `--out OUT.blend` the file with the new actions
- `--path`, `--time`, `--feet`, `--no-hands`, `--hold-hands`, `--reach` as for [heft retarget](#heft-retarget)
- `--flat` on a flat floor instead of the file's scene
- `--unit`, `--fps`, `--up`, `--keep-rest-frames`, `--skeleton`, `--set` of the source, as there
- `--simulate` also simulate it, with the character's masses
- `--json` print the figures as JSON

`blender --command heft doctor` checks Heft inside Blender ([doctor](doctor.md)).
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
    told = ((action.help or "") % {"default": action.default, "prog": "heft"}).replace("<", "&lt;")
    return re.sub(r"\bdocs/([\w-]+)\.md", r"[\1](\1.md)", told)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
