"""The report's curves in the Graph Editor, on an Empty of their own."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from bpy.types import Object

from ...sim_core.base.conventions import FloatArray
from ...sim_core.report.measures import Side
from ...sim_core.report.report import Report, make_report
from .. import compat
from ..blender_types import ArmatureObject, RigContext
from ..channel_keys import write_channel
from .kept import KeptResult, kept_result

GROUP = "Heft Report"
SUFFIX = "_report"


def plot_curves(context: RigContext, obj: ArmatureObject) -> Object:
    """Write the curves onto the armature's Empty, which is made where there is none, and select it too."""
    kept = kept_result(obj.heft_report.token)
    empty = obj.heft_report.curves or _new_empty(context, obj)
    _replace_curves(empty, obj.name + SUFFIX, kept)
    obj.heft_report.curves = empty
    if empty.name in context.view_layer.objects:
        empty.select_set(True)
    return empty


def _new_empty(context: RigContext, obj: ArmatureObject) -> Object:
    empty = bpy.data.objects.new(obj.name + SUFFIX, None)
    empty.empty_display_size = 0.1
    context.scene.collection.objects.link(empty)
    return empty


def _replace_curves(empty: Object, name: str, kept: KeptResult) -> None:
    animation = empty.animation_data_create()
    old = animation.action
    target = compat.new_action(empty, name)
    writer = compat.CurveWriter(target)
    for measure, time, values in _measures(make_report(kept.result)):
        at_frames = np.interp(kept.frame_time, time, values)
        empty[measure] = float(at_frames[0])
        write_channel(writer, f'["{measure}"]', GROUP, kept.frame, at_frames[:, None])
    compat.assign_action(animation, target)
    if old is not None and old.users == 0:
        bpy.data.actions.remove(old)


def _measures(report: Report) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Names with units, times and values."""
    for when, judged in (("before", report.before), ("after", report.after)):
        if judged is not None:
            for name, values in _side_measures(judged.side):
                yield f"{when} {name}", judged.side.time, values


def _side_measures(side: Side) -> Iterator[tuple[str, FloatArray]]:
    if side.known.any():
        for foot, name in enumerate(side.foot_name):
            yield f"{name} force N", side.foot_force[:, foot, 2]
        yield ("help N" if side.simulated else "force from nowhere N"), side.outside_force
        yield "effort %", 100.0 * side.used.max(axis=1, initial=0.0)
    yield "feet slide cm/s", 100.0 * side.foot_slip.max(axis=1, initial=0.0)
    yield "feet sink mm", 1000.0 * side.foot_depth.max(axis=1, initial=0.0)
    if side.simulated:
        yield "joints off deg", side.joint_error
    yield "centre of mass m", side.com[:, 2]
