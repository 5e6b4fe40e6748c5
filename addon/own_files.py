"""Presets that the user saved: JSON files, those of one kind in one folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy

from ..sim_core.base.errors import InputError
from .user_folder import user_folder_for

OWN = "own:"
"""Starts the keys of the user's presets; others are the names of those that come with Heft."""


@dataclass(frozen=True)
class OwnFiles:
    """Files of one kind; folder: below the user's; what: one of them, in words"""

    folder: str
    what: str

    def path(self) -> Path:
        """Of the folder; made when it is not there."""
        return user_folder_for(self.folder)

    def all_keys(self) -> list[str]:
        return sorted(OWN + file.stem for file in self.path().glob("*.json"))

    def file(self, key: str) -> Path:
        return self.path() / f"{key.removeprefix(OWN)}.json"

    def new_key(self, name: str) -> str:
        """For a file with a name that the user gave; refused where it is taken."""
        stem = bpy.path.clean_name(name.strip())
        if not stem:
            raise InputError(f"The {self.what} has no name; give it one.")
        if self.file(stem).exists():
            raise InputError(
                f"There is a {self.what} '{stem}' already; choose another name or remove it first."
            )
        return OWN + stem

    def remove(self, key: str) -> str:
        """Delete a file, unless it is gone already; its name."""
        if not key.startswith(OWN):
            raise InputError(f"'{key}' is no {self.what} that you saved, so it cannot be removed.")
        self.file(key).unlink(missing_ok=True)
        return key.removeprefix(OWN)
