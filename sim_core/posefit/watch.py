"""How a solver tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Watch = Callable[[float], None]
"""Told the share that is done, 0 to 1; may raise to stop."""


def unwatched(_: float) -> None:
    """For callers that do not watch."""
