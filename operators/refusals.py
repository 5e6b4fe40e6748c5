"""An operator that cannot do its work says why, in one sentence, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from bpy.types import Context, Operator

from ..addon.blender_types import OperatorResult
from ..sim_core.base.errors import HeftError

_Self = TypeVar("_Self", bound=Operator)
_Execute = Callable[[_Self, Context], OperatorResult]


def tells_refusals(execute: _Execute[_Self]) -> _Execute[_Self]:
    """An error of Heft's becomes a report, and the operator is cancelled."""

    # Blender counts the arguments of an operator's methods: they can not be passed on as a list.
    @wraps(execute)
    def told(self: _Self, context: Context) -> OperatorResult:
        try:
            return execute(self, context)
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}

    return told


def accepts(cls: type[Operator], check: Callable[[], object]) -> bool:
    """For polls: whether a check raises no HeftError, with its sentence as the reason when it does."""
    try:
        check()
    except HeftError as problem:
        cls.poll_message_set(str(problem).rstrip("."))
        return False
    return True


def outside_edit_mode(cls: type[Operator], context: Context) -> bool:
    """For polls, with the reason when not."""
    cls.poll_message_set("Leave Edit Mode first")
    return context.mode != "EDIT_ARMATURE"
