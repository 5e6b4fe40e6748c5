"""Where files of the user's own are kept: never in the extension's folder, which updates replace."""

from __future__ import annotations

from pathlib import Path

import bpy

ROOT_PACKAGE = __package__.rsplit(".", 1)[0]


def own_folder(name: str) -> Path:
    """A folder for one kind of files; made when it is not there."""
    try:
        return Path(bpy.utils.extension_path_user(ROOT_PACKAGE, path=name, create=True))
    except ValueError:  # run from a clone, which is no installed extension
        return Path(bpy.utils.user_resource("DATAFILES", path=f"heft/{name}", create=True))
