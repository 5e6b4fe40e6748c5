"""The buttons Walk Along and Make a Hop: motions that are made for a character."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bpy.types import Context, Operator

from ..addon.blender.blender_types import RigContext, rig_context
from .job_operator import BakeOperator, SourceOperator
from .shared import accepts

if TYPE_CHECKING:
    from ..addon.live.make_hop import HopSession
    from ..addon.live.walk_along import WalkSession


class _MakesMotion(SourceOperator, BakeOperator):
    """A job that makes a motion of the armature's source and writes it as a new action."""


class HEFT_OT_walk_along(_MakesMotion, Operator):
    """Let the armature walk along the selected curve or keyed empty by its listed actions, as a new action"""

    bl_idname = "heft.walk_along"
    bl_label = "Walk Along"
    bl_options = {"REGISTER", "UNDO"}
    work = "Walk"

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ..addon.reading.ground_path import path_among

        return super().poll(context) and accepts(cls, partial(path_among, rig_context(context)))

    def make_session(self, context: RigContext) -> WalkSession:
        from ..addon.live.walk_along import WalkSession
        from ..addon.reading.ground_path import path_among

        return WalkSession(context, context.object, path_among(context))


class HEFT_OT_make_hop(_MakesMotion, Operator):
    """Make the armature hop by its own strength, as a new action; it starts where its source stands best"""

    bl_idname = "heft.make_hop"
    bl_label = "Make a Hop"
    bl_options = {"REGISTER", "UNDO"}
    work = "Hop"

    def make_session(self, context: RigContext) -> HopSession:
        from ..addon.live.make_hop import HopSession

        return HopSession(context, context.object)


CLASSES = (HEFT_OT_walk_along, HEFT_OT_make_hop)
