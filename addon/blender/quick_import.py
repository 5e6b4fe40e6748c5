"""Imports that are not interrupted."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def garbage_ignored() -> Iterator[None]:
    """Do not search for garbage meanwhile, because going through all that Blender holds takes longer.

    What was imported stays, so it counts as old from the start: the next search for young garbage would go
    through all of it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _make_all_old()
            gc.enable()


def _make_all_old() -> None:
    """Move all objects to the oldest generation, unless somebody keeps some out of all searches."""
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
