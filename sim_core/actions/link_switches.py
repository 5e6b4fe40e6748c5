"""What of an action graph is switched off: links between actions, and mirrored copies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LinkSwitches:
    """Switches by the names of the actions.

    off: pairs without a link from the first to the second, and none between their mirrored copies
    unmirrored: actions without a mirrored copy
    """

    off: tuple[tuple[str, str], ...] = ()
    unmirrored: tuple[str, ...] = ()
