"""Files loaded one after the other while Heft is registered: nothing of it may pile up or be lost."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import bpy
from heft.addon.jobs.job_queue import QUEUE

from tests.blender.rigs import animate, humanoid
from tests.blender.user_edits import factory_settings, new_file


def load_files(count: int) -> str:
    """Register Heft, load files, unregister it; return a sentence of what was found."""
    package = sys.modules["heft"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    package.register()
    try:
        kept = hold_through_loads(count)
    finally:
        package.unregister()
    held = "nothing piled up or was lost" if not kept else "; ".join(kept)
    return f"{count} file loads while registered (new, factory settings, opened by turns): {held}."


def hold_through_loads(count: int) -> list[str]:
    """Load files while Heft is registered, and return what differs afterwards; nothing is expected."""
    with tempfile.TemporaryDirectory(prefix="faults_") as folder:
        path = Path(folder) / "figure.blend"
        _save_figure(path)
        before = _state()
        opening = partial(bpy.ops.wm.open_mainfile, filepath=str(path))
        loads: tuple[Callable[[], object], ...] = (new_file, factory_settings, opening)
        for load in islice(cycle(loads), count):
            load()
            if QUEUE or not hasattr(bpy.types.Object, "heft"):
                return ["a load has changed the queue or the properties"]
        bpy.ops.wm.open_mainfile(filepath=str(path))
        return [
            f"{name} was {before[name]}, is {now}" for name, now in _state().items() if now != before[name]
        ]


def _save_figure(path: Path) -> None:
    new_file()
    figure = humanoid()
    animate(figure, "Hips")
    figure.heft.quality = "draft"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))


def _state() -> dict[str, Any]:
    """Return what loads must leave as it is: handlers, timers' threads, classes, and what the file says."""
    return {
        **{f"handlers {name}": len(own) for name, own in _handlers()},
        "classes": sum(name.startswith(("HEFT_", "Heft")) for name in dir(bpy.types)),
        "threads": threading.active_count(),
        "quality": bpy.context.view_layer.objects.active.heft.quality,
        "can simulate": bpy.ops.heft.simulate.poll(),
    }


def _handlers() -> Iterator[tuple[str, list[Any]]]:
    """Yield Heft's own handlers by the event; Blender's scripts add theirs anew at factory settings."""
    for name in dir(bpy.app.handlers):
        own = getattr(bpy.app.handlers, name)
        if isinstance(own, list):
            yield name, [handler for handler in own if _module(handler).startswith("heft.")]


def _module(handler: Any) -> str:
    return str(getattr(handler, "__module__", type(handler).__module__))
