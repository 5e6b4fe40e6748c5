"""How far a motion was changed before it was carried out, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .body_words import joint_words

WORTH_TELLING = 0.1
"""A motion that was changed by less is as it was [cm, deg]."""


def change_notes(change: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for the user; none where nothing worth telling was changed. change: as Prepared has it."""
    parts = change.get("parts", {})
    largest = max((float(part["max_deg"]) for part in parts.values()), default=0.0)
    if max(largest, float(change.get("root_max_cm", 0.0))) < WORTH_TELLING:
        return ()
    most = max(parts, key=lambda name: float(parts[name]["mean_deg"]))
    return (
        f"So that forces can produce it, the motion was moved by {change['root_mean_cm']:.1f} cm on average "
        f"(at most {change['root_max_cm']:.0f} cm); most of all joints the {joint_words(most)} was turned, "
        f"by {parts[most]['mean_deg']:.1f} deg (at most {parts[most]['max_deg']:.0f} deg). No force "
        f"explained {change['residual_before_share']:.1%} of the weight before, and "
        f"{change['residual_after_share']:.1%} after.",
    )
