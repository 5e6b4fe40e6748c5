"""Where Heft keeps what the user makes with it: outside the extension's own folder, which updates replace."""

from __future__ import annotations

from pathlib import Path

import bpy

ROOT_PACKAGE = __package__.rsplit(".", 1)[0]


def user_folder_for(kind: str = "") -> Path:
    """The folder for one kind of things, or the one above all; made when it is not there."""
    try:
        return Path(bpy.utils.extension_path_user(ROOT_PACKAGE, path=kind, create=True))
    except ValueError:  # run from a clone, which is no installed extension
        return Path(bpy.utils.user_resource("DATAFILES", path=str(Path("heft", kind)), create=True))
