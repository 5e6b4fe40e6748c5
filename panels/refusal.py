"""The only panel where Heft cannot run: it says why, in the place where the user looks for Heft.

It needs nothing but Blender, because what is missing or broken may be any package.
"""

from __future__ import annotations

import textwrap

import bpy
from bpy.types import Context, Panel

LETTERS = 40
"""Letters in a line of the sidebar at its usual width."""


class HEFT_PT_refusal(Panel):
    """Why Heft cannot run here, and what to do."""

    bl_label = "Heft cannot run"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Heft"
    sentence = ""

    def draw(self, context: Context) -> None:
        """Draw the sentence."""
        column = self.layout.column(align=True)
        for number, line in enumerate(textwrap.wrap(type(self).sentence, LETTERS)):
            column.label(text=line, icon="NONE" if number else "ERROR")


def refuse(sentence: str) -> None:
    """Show the sentence in the sidebar, and print it for those who have no window."""
    print(f"Heft: {sentence}")
    HEFT_PT_refusal.sentence = sentence
    bpy.utils.register_class(HEFT_PT_refusal)


def take_back() -> bool:
    """Remove the panel; return whether it was there."""
    if not HEFT_PT_refusal.is_registered:
        return False
    bpy.utils.unregister_class(HEFT_PT_refusal)
    return True
