"""The groups of presets of settings, and what each sets.

A preset belongs to one group. It sets everything of that group: what its file leaves out goes back to its
default, so that nothing is left of the preset before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .settings import BakeSettings

SETTINGS: dict[str, tuple[str, ...]] = {
    "characters": ("height", "mass", "effort", "weight", "character"),
    "motions": ("stiffness", "balance_weight", "correction", "tracking_gain", "springs"),
    "reactions": ("softness", "recovery_s", "alertness"),
}
"""Group -> the settings that its presets set, all of them."""


@dataclass(frozen=True)
class Preset:
    """A valid preset; settings: all of its group, or empty for tables."""

    group: str
    name: str
    about: str
    settings: Mapping[str, Any]


def preset_text(group: str, name: str, settings: BakeSettings) -> dict[str, Any]:
    """Return the content of a preset file: the settings that differ from the defaults."""
    default = BakeSettings()
    own = {key: getattr(settings, key) for key in SETTINGS[group]}
    changed = {key: value for key, value in own.items() if value != getattr(default, key)}
    return {"name": name, "settings": changed}
