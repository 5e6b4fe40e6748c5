"""What Heft's lists have in common."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, UILayout


class Rows:
    """A list whose rows are drawn by their own entries."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        raise NotImplementedError

    def draw_item(
        self,
        context: Context,
        layout: UILayout,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_property: str,
        index: int = 0,
        flt_flag: int = 0,
    ) -> None:
        self.draw_row(layout.row(), item)
