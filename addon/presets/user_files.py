"""Files that the user saves: outside the extension's own folder, which an update replaces."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy

from ...sim_core.base.errors import InputError
from ..blender.engine_packages import ROOT_PACKAGE


def user_folder_for(kind: str = "") -> Path:
    """Return the user's folder for one kind of files, or the folder above all; it is created if needed."""
    try:
        return Path(bpy.utils.extension_path_user(ROOT_PACKAGE, path=kind, create=True))
    except ValueError:  # run from a clone, not from an installed extension
        return Path(bpy.utils.user_resource("DATAFILES", path=str(Path("heft", kind)), create=True))


USER_PREFIX = "own:"
"""Prefix of the keys of the user's presets; the keys of built-in presets are their names."""


@dataclass(frozen=True)
class UserFiles:
    """The user's files of one kind.

    folder: below the user's folder; what: name of one file in messages
    """

    folder: str
    what: str

    def path(self) -> Path:
        """Return the folder; it is created if needed."""
        return user_folder_for(self.folder)

    def all_keys(self) -> list[str]:
        """Return the keys of all files."""
        return sorted(USER_PREFIX + file.stem for file in self.path().glob("*.json"))

    def file(self, key: str) -> Path:
        """Return the file of a key."""
        return self.path() / f"{key.removeprefix(USER_PREFIX)}.json"

    def new_key(self, name: str) -> str:
        """Return the key for a name that the user gave; a name in use is refused."""
        stem = bpy.path.clean_name(name.strip())
        if not stem:
            raise InputError(f"The {self.what} has no name; give it one.")
        if self.file(stem).exists():
            raise InputError(
                f"The {self.what} '{stem}' already exists; choose another name or remove it first."
            )
        return USER_PREFIX + stem

    def remove(self, key: str) -> str:
        """Delete a file if it exists, and return its name."""
        if not key.startswith(USER_PREFIX):
            raise InputError(f"'{key}' is not a {self.what} that you saved, so it cannot be removed.")
        self.file(key).unlink(missing_ok=True)
        return key.removeprefix(USER_PREFIX)
