"""Dials in plain words, the raw values behind them, and which presets were chosen."""

from __future__ import annotations

from typing import Any

from bpy.props import FloatProperty, StringProperty
from bpy.types import PropertyGroup

from ...sim_core.scenario.settings import DIAL_WORDS, RAW, BakeSettings

_DEFAULT = BakeSettings()
_LIMIT = {name: high for name, _, high in RAW}


def _dial(setting: str) -> Any:
    return FloatProperty(
        name=setting.split("_")[0].capitalize(),
        description=DIAL_WORDS[setting],
        default=getattr(_DEFAULT, setting),
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )


class HeftDials(PropertyGroup):
    """How a character moves and reacts; 0 in a raw value takes what the dial gives."""

    effort: _dial("effort")
    stiffness: _dial("stiffness")
    balance_weight: _dial("balance_weight")
    softness: _dial("softness")
    alertness: _dial("alertness")
    weight: _dial("weight")
    tracking_gain: FloatProperty(
        name="Gain [1/s²]",
        description="How hard joints are pulled to the motion; 0 takes what Stiffness gives",
        min=0.0,
        soft_max=2000.0,
        max=_LIMIT["tracking_gain"],
        precision=0,
    )
    springs: FloatProperty(
        name="Springs",
        description="Share of the joints' own stiffness; 0 takes what Stiffness gives",
        min=0.0,
        soft_max=1.0,
        max=_LIMIT["springs"],
        precision=3,
    )
    recovery_s: FloatProperty(
        name="Recovery [s]",
        description="From a hit until the part is as firm as before",
        default=_DEFAULT.recovery_s,
        min=0.05,
        soft_max=2.0,
        max=60.0,
        precision=2,
    )
    characters: StringProperty(name="Character Preset")
    motions: StringProperty(name="Motion Preset")
    reactions: StringProperty(name="Reaction Preset")


CLASSES = (HeftDials,)
