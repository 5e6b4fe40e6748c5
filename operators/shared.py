"""What operators share: errors as reports, poll messages, rows of lists, names and presets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Protocol, TypeVar

import bpy
from bpy.props import IntProperty, StringProperty
from bpy.types import Context, Event, Operator

from ..addon.blender.blender_types import ArmatureObject, OperatorResult, rig_context
from ..addon.blender.library_overrides import refuse_linked
from ..addon.presets.user_files import USER_PREFIX
from ..addon.reading.rig_reader import require_armature
from ..sim_core.base.errors import HeftError

_Self = TypeVar("_Self", bound=Operator)
_Execute = Callable[[_Self, Context], OperatorResult]


def reports_errors(execute: _Execute[_Self]) -> _Execute[_Self]:
    """Turn an error of Heft into a report and cancel the operator."""

    # Blender counts the arguments of an operator's methods, so *args would fail.
    @wraps(execute)
    def reporting(self: _Self, context: Context) -> OperatorResult:
        try:
            return execute(self, context)
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}

    return reporting


def accepts(cls: type[Operator], check: Callable[[], object]) -> bool:
    """Return whether a check raises no HeftError; set its sentence as the poll's message if it does."""
    try:
        check()
    except HeftError as problem:
        cls.poll_message_set(str(problem).rstrip("."))
        return False
    return True


def outside_edit_mode(cls: type[Operator], context: Context) -> bool:
    """Return whether no armature is in Edit Mode; set the poll's message if one is."""
    cls.poll_message_set("Leave Edit Mode first")
    return context.mode != "EDIT_ARMATURE"


def has_armature(cls: type[Operator], context: Context) -> bool:
    """Return whether an armature is active; set the poll's message if not."""
    obj = context.object
    if obj is None or obj.type != "ARMATURE":
        cls.poll_message_set("Select the character's armature first")
        return False
    return accepts(cls, partial(refuse_linked, obj))


class OnArmature:
    """For operators that are offered while an armature is active."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether an armature is active."""
        operator: Any = cls
        return has_armature(operator, context)


class OfArmature(OnArmature):
    """For operators on an armature's table: the active armature, or one that a panel names."""

    armature: StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def rig(self, context: Context) -> ArmatureObject:
        """Return the armature."""
        name: Any = self.armature
        return require_armature(bpy.data.objects.get(name) if name else context.object)


def has_row(cls: type[Operator], owner: Any, name: str) -> bool:
    """Return whether a row is selected; set the poll's message if not."""
    cls.poll_message_set("Select a row of the list first")
    return 0 <= getattr(owner, f"{name}_index") < len(getattr(owner, name))


def remove_row(owner: Any, name: str) -> None:
    """Remove the selected row, and select the next one or the last one."""
    rows, index = getattr(owner, name), getattr(owner, f"{name}_index")
    rows.remove(index)
    setattr(owner, f"{name}_index", max(0, min(index, len(rows) - 1)))


class AsksName:
    """For operators that save something under a name: ask for the name first."""

    name: StringProperty(name="Name", options={"SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        """Show a dialog for the name."""
        operator: Any = self
        return rig_context(context).window_manager.invoke_props_dialog(operator)


class Told(Protocol):
    """What a job or an import hands back: notes for the user, and a sentence on what was made."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what the user should know."""
        ...

    @property
    def sentence(self) -> str:
        """Return what was made, in one sentence."""
        ...


def tell(operator: Any, told: Told) -> None:
    """Report the notes of a job or an import, and its sentence at the end."""
    for text in (*told.notes, told.sentence):
        operator.report({"INFO"}, text)


class ImportsFile:
    """For operators that import a file, which is chosen in the file browser or dropped on the window."""

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    frame_start: IntProperty(name="Start Frame", description="The frame of the first sample", default=1)

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        """Ask for the options of a dropped file, or for the file."""
        operator: Any = self
        manager = rig_context(context).window_manager
        if self.filepath:  # dropped on the window
            return manager.invoke_props_dialog(operator)
        manager.fileselect_add(operator)
        return {"RUNNING_MODAL"}


class DropsOnView:
    """For kinds of files that can be dropped on the 3D view."""

    @classmethod
    def poll_drop(cls, context: Context) -> bool:
        """Return whether the file is over a 3D view."""
        return context.area is not None and context.area.type == "VIEW_3D"


Items = list[tuple[str, str, str]]


def preset_items(
    keys: Callable[[], list[tuple[str, str]]], only_user: bool = False
) -> Callable[[object, Context], Items]:
    """Return items for an `EnumProperty`: all presets, or the user's; `keys` returns keys and names."""
    # Blender needs a reference to the texts of dynamic items.
    kept: Items = []

    def items(_self: object, _context: Context) -> Items:
        kept[:] = [(key, name, "") for key, name in keys() if key.startswith(USER_PREFIX) or not only_user]
        return kept

    return items
