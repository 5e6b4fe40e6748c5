"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """found: what there is, in words; advice: what to do about it, a sentence, where it is not well"""

    name: str
    well: bool
    found: str
    advice: str = ""

    def sentence(self) -> str:
        return f"ok: {self.found}" if self.well else f"WRONG: {self.found}. {self.advice}"


REINSTALL = "Reinstall Heft; in Blender, remove the extension, restart, and install its zip again."
