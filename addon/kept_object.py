"""Objects that are found again after they were renamed, and after undo and redo."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
from bpy.types import Object

from ..sim_core.base.errors import InputError


@dataclass(frozen=True)
class KeptObject:
    """An object by the number that Blender keeps for it until another file is opened.

    Python's own reference is lost when the user undoes, and the name when the user renames.
    name: what it was called when it was kept
    """

    number: int
    name: str

    @staticmethod
    def of(obj: Object) -> KeptObject:
        return KeptObject(obj.session_uid, obj.name)

    def find(self) -> Object | None:
        """None once it is deleted."""
        by_name: Object | None = bpy.data.objects.get(self.name)
        if by_name is not None and by_name.session_uid == self.number:
            return by_name
        return next((obj for obj in bpy.data.objects if obj.session_uid == self.number), None)

    def require(self, verb: str) -> Object:
        """verb: what the user would have to do again"""
        found = self.find()
        if found is None:
            raise InputError(
                f"'{self.name}' was deleted in the meantime, so nothing was written; "
                f"undo that and {verb} again."
            )
        return found

    @property
    def present_name(self) -> str:
        """What it is called now; its last known name once it is deleted."""
        found = self.find()
        return self.name if found is None else str(found.name)
