"""Imports that are not interrupted."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def garbage_ignored() -> Iterator[None]:
    """Do not search for garbage meanwhile, because going through all that Blender holds takes longer."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
