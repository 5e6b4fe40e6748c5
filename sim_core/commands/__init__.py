"""The sub-commands of `heft`.

A command is a module whose first line of documentation is its summary, with
`add_arguments(parser)` and `run(options) -> metrics`. A `fell_at` among the metrics that is not
None makes the exit status say that the simulation failed.
"""

from __future__ import annotations

from types import ModuleType

from . import bake, fit, presets, retarget, transitions

COMMANDS: dict[str, ModuleType] = {
    "bake": bake,
    "fit": fit,
    "presets": presets,
    "retarget": retarget,
    "transitions": transitions,
}
