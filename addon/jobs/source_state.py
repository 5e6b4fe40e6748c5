"""Objects found again after renaming and undo, and whether what a job read is still unchanged."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator
from dataclasses import dataclass

import bpy
from bpy.types import Object

from ...sim_core.base.errors import InputError
from ..blender import compat
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.matrices import read_matrices
from ..blender.result_actions import taking_checksum
from ..reading.rig_reader import require_armature


@dataclass(frozen=True)
class ObjectHandle:
    """Identifies an object by the number that Blender keeps for it until another file is opened.

    A Python reference is lost on undo, and the name is lost on renaming.
    name: the object's name when the handle was made
    """

    number: int
    name: str

    @staticmethod
    def of(obj: Object) -> ObjectHandle:
        """Return the handle of an object."""
        return ObjectHandle(obj.session_uid, obj.name)

    def find(self) -> Object | None:
        """Return the object, or None once it is deleted."""
        found: Object | None = bpy.data.objects.get(self.name)
        if found is None or found.session_uid != self.number:
            found = next((obj for obj in bpy.data.objects if obj.session_uid == self.number), None)
        # A deleted armature stays in the file, in no scene, while a modifier of its mesh names it.
        return found if found is not None and found.users_scene else None

    def require(self, verb: str) -> Object:
        """Return the object, or raise an error that names what the user has to do again (verb)."""
        found = self.find()
        if found is None:
            raise InputError(
                f"'{self.name}' was deleted in the meantime, so nothing was written; "
                f"undo that and {verb} again."
            )
        return found

    @property
    def current_name(self) -> str:
        """The object's current name, or its last known name once it is deleted."""
        found = self.find()
        return self.name if found is None else str(found.name)


FindAction = Callable[[ArmatureObject], compat.SlottedAction | None]


def no_action(_obj: ArmatureObject) -> None:
    """Return None, for results that do not depend on the object's action."""


@dataclass(frozen=True, eq=False)
class SourceState:
    """The state of an armature when its motion was read.

    verb: what the user would have to do again, such as "simulate"
    rest: digest of its bones, their parents and rest poses
    find: returns the action that the result depends on, or None; action: its number and name
    keys: checksum of the action
    """

    object: ObjectHandle
    verb: str
    rest: str
    find: FindAction
    action: tuple[int, str] | None
    keys: str

    @staticmethod
    def reading(obj: ArmatureObject, verb: str, find: FindAction) -> Generator[float, None, SourceState]:
        """Read the state of an armature, yielding on the way."""
        source = find(obj)
        action, keys = None, ""
        if source is not None:
            action = (int(source.action.session_uid), str(source.action.name))
            keys = yield from taking_checksum(source.action)
        return SourceState(ObjectHandle.of(obj), verb, _rest_of(obj), find, action, keys)

    def armature(self) -> ArmatureObject:
        """Return the armature; raise an error if it was deleted or its bones were changed."""
        obj = require_armature(self.object.require(self.verb))
        if obj.mode != "EDIT" and _rest_of(obj) != self.rest:
            raise InputError(
                f"The bones of '{obj.name}' were changed in the meantime, so nothing was written; "
                f"{self.verb} again."
            )
        return obj

    def obstacle(self, context: RigContext) -> str:
        """Return what the user has to do before the result can be written, or an empty string."""
        obj = self.armature()
        if obj.mode == "EDIT":
            return f"Leave Edit Mode of '{obj.name}' to get the result"
        if obj.name not in context.view_layer.objects:
            return f"Go back to the view layer of '{obj.name}' to get the result"
        now = self.find(obj)
        if self.action is not None and (now is None or now.action.session_uid != self.action[0]):
            return f"Assign '{self.action[1]}' to '{obj.name}' again to get the result"
        return ""

    def refusing_changed_keys(self) -> Generator[float, None, None]:
        """Raise an error if the action's keys were changed, yielding on the way."""
        source = self.find(self.armature())
        if source is not None and (yield from taking_checksum(source.action)) != self.keys:
            raise InputError(
                f"The keys of '{source.action.name}' were changed in the meantime, so nothing was written; "
                f"{self.verb} again."
            )


def _rest_of(obj: ArmatureObject) -> str:
    digest = hashlib.sha256(read_matrices(obj.data.bones, "matrix_local").tobytes())
    for bone in obj.data.bones:
        digest.update(f"{bone.name}<{'' if bone.parent is None else bone.parent.name}\n".encode())
    return digest.hexdigest()
