"""Heft in Blender's preferences: the check of the installation."""

from __future__ import annotations

from bpy.types import AddonPreferences, Context

from ..addon.presets.user_files import ROOT_PACKAGE


class HeftPreferences(AddonPreferences):
    """The check of the installation and its findings."""

    bl_idname = ROOT_PACKAGE

    def draw(self, context: Context) -> None:
        from ..addon.jobs.doctor_session import last_doctor_report

        layout = self.layout
        layout.operator("heft.check_installation", icon="CHECKMARK")
        found = last_doctor_report()
        if found is None:
            return
        column = layout.column(align=True)
        for check in found.checks:
            column.label(text=f"{check.name}: {check.found}", icon="CHECKMARK" if check.well else "ERROR")
            if not check.well:
                column.label(text=check.advice, icon="BLANK1")


CLASSES = (HeftPreferences,)
