"""The sub-commands of `heft`.

A command is a module whose first line of documentation is its summary, with
`add_arguments(parser)` and `run(options) -> metrics`. A `fell_at` among the metrics that is not
None makes the exit status say that the simulation failed; so does a `failed` that is not zero.
"""

from __future__ import annotations

from types import ModuleType

from . import bake, doctor, dynamics, export, fit, plausible, presets, report, retarget, transitions
from .batch import command as batch

COMMANDS: dict[str, ModuleType] = {
    "bake": bake,
    "batch": batch,
    "doctor": doctor,
    "dynamics": dynamics,
    "export": export,
    "fit": fit,
    "plausible": plausible,
    "presets": presets,
    "report": report,
    "retarget": retarget,
    "transitions": transitions,
}
