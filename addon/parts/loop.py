"""Actions that are marked as loops, and results that stay such."""

from __future__ import annotations

from dataclasses import replace

from bpy.types import FCurve

from ...sim_core.bake.loop import Loop
from ...sim_core.base.errors import InputError
from ...sim_core.scenario.job import Job
from .. import compat
from ..blender_types import ArmatureObject
from ..compare.sources import source_of
from ..source_action import animated_range

MOST = 0.5
"""So many of an action's curves, or more, have a Cycles modifier where it is a loop."""

_KEPT = ("mode_before", "mode_after", "cycles_before", "cycles_after")


def is_marked(obj: ArmatureObject) -> bool:
    """Whether the action is cyclic, or its curves have Cycles modifiers."""
    source = source_of(obj)
    if source is None or obj.heft.source_mode == "SEQUENCE":
        return False
    if source.action.use_frame_range and source.action.use_cyclic:
        return True
    curves = [curve for curve in compat.curves_of(source) if curve.data_path.startswith("pose.bones")]
    cyclic = sum(_cycles(curve) is not None for curve in curves)
    return cyclic > 0 and cyclic >= MOST * len(curves)


def settled(
    obj: ArmatureObject, job: Job, frames: tuple[int, int], alone: bool
) -> tuple[Job, tuple[str, ...]]:
    """With Loop on Auto, one whole cycle of a marked action becomes a loop; notes where it cannot be."""
    own = job.settings
    on = obj.heft_parts.loop == "AUTO" and own.simulate and not own.only_plausible
    if not on or not is_marked(obj) or frames != animated_range(obj):
        return job, ()
    told = "The action is marked as a loop, but was not simulated as one. "
    if not alone:
        return job, (f"{told}A loop is simulated alone.",)
    looped = replace(job, settings=replace(own, loop=True))
    try:
        Loop.of(looped)
    except InputError as problem:
        return job, (f"{told}{problem}",)
    return looped, ()


def keep_cycles(source: compat.SlottedAction, written: compat.SlottedAction) -> None:
    """Give the curves of a looped result the Cycles modifiers that the source's have."""
    before = {(c.data_path, c.array_index): _cycles(c) for c in compat.curves_of(source)}
    for curve in compat.curves_of(written):
        old = before.get((curve.data_path, curve.array_index))
        if old is not None and _cycles(curve) is None:
            new = curve.modifiers.new("CYCLES")
            for name in _KEPT:
                setattr(new, name, getattr(old, name))


def _cycles(curve: FCurve) -> object | None:
    """The curve's Cycles modifier that works."""
    found = (m for m in curve.modifiers if m.type == "CYCLES" and not m.mute and not m.use_restricted_range)
    return next(found, None)
