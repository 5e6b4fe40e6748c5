"""How much of each bone is simulated, as pose bones have it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import PoseBone

from ...sim_core.base.conventions import FloatArray
from .. import compat
from ..blender_types import ArmatureObject, part_bone
from ..source_action import strips_of

PATH_END = ".heft_simulate"


def is_used(obj: ArmatureObject) -> bool:
    """Whether some bone is, or may at some frame be, less than wholly simulated."""
    return any(part_bone(bone).heft_simulate < 1.0 for bone in obj.pose.bones) or _is_animated(obj)


def _is_animated(obj: ArmatureObject) -> bool:
    animation, source = obj.animation_data, compat.action_of(obj)
    sources = [] if source is None else [source]
    sources += [compat.strip_source(strip) for strip in strips_of(obj) if strip.action is not None]
    curves = [curve for own in sources for curve in compat.curves_of(own)]
    curves += [] if animation is None else list(animation.drivers)
    return any(curve.data_path.endswith(PATH_END) for curve in curves)


def read_shares(evaluated: ArmatureObject) -> FloatArray:
    """Of all pose bones at the current frame (N), in their own order."""
    return np.array([part_bone(bone).heft_simulate for bone in evaluated.pose.bones])


def set_shares(bones: Sequence[PoseBone], share: float, key_frame: float | None) -> None:
    """Set bones; key_frame: where the value is keyed, None nowhere."""
    for bone in bones:
        part_bone(bone).heft_simulate = share
        if key_frame is not None:
            bone.keyframe_insert("heft_simulate", frame=key_frame, group=bone.name)


def bones_of_collection(obj: ArmatureObject) -> list[PoseBone]:
    """The active bone collection's bones, and those of collections below it; none where none is active."""
    active = obj.data.collections.active
    return [] if active is None else [obj.pose.bones[bone.name] for bone in active.bones_recursive]
