"""Colours of overlays, from the theme's bone colour sets: who changes the theme changes them."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...sim_core.base.conventions import FloatArray

_RED, _ORANGE, _GREEN, _BLUE, _PINK, _GREY_BLUE, _YELLOW, _GREY = 0, 1, 2, 3, 4, 7, 8, 12
"""Places of Blender's colour sets."""


@dataclass(frozen=True)
class Palette:
    """Each (4), red, green, blue and opacity; effort (3, 4): none, half and all of a joint's strength."""

    body: FloatArray
    force: FloatArray
    balance: FloatArray
    support: FloatArray
    ghost: FloatArray
    assist: FloatArray
    effort: FloatArray

    @property
    def key(self) -> bytes:
        """Differs when a colour does."""
        single = (self.body, self.force, self.balance, self.support, self.ghost, self.assist)
        return np.concatenate([*single, *self.effort]).tobytes()

    def of_effort(self, share: FloatArray) -> FloatArray:
        """Colours (N, 4) of shares of a joint's strength (N); 1 and more is red."""
        stops = [0.0, 0.5, 1.0]
        return np.stack([np.interp(share, stops, self.effort[:, k]) for k in range(4)], axis=-1)


def theme_palette() -> Palette:
    sets = bpy.context.preferences.themes[0].bone_color_sets

    def colour(number: int, opacity: float, which: str = "normal") -> FloatArray:
        return np.array([*getattr(sets[number], which), opacity])

    return Palette(
        body=colour(_GREY_BLUE, 0.45, "select"),
        force=colour(_YELLOW, 1.0),
        balance=colour(_BLUE, 1.0, "active"),
        support=colour(_BLUE, 0.3, "select"),
        ghost=colour(_GREY, 0.9, "active"),
        assist=colour(_PINK, 1.0, "active"),
        effort=np.stack(
            [
                colour(_GREEN, 1.0, "select"),
                colour(_ORANGE, 1.0, "active"),
                colour(_RED, 1.0, "active"),
            ]
        ),
    )
