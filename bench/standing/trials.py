"""One run of the standing benchmark: the same as one of the balance benchmark."""

from __future__ import annotations

from ..balance.trials import run_item

__all__ = ["run_item"]
