"""Operators that save something under a name ask for it."""

from __future__ import annotations

from typing import Any

from bpy.props import StringProperty
from bpy.types import Context, Event

from ..addon.blender_types import OperatorResult, rig_context


class AsksName:
    name: StringProperty(name="Name", options={"SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        operator: Any = self
        return rig_context(context).window_manager.invoke_props_dialog(operator)
