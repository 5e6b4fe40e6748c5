"""Records of chains of bones that were simulated as soft parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SoftRecord:
    """A chain that springs pull toward its animation, and that no controller moves.

    bones: from the body to the tip; role: what it is, such as tail
    stiffness, damping: dials from 0 to 1; collides: with the body, the ground and objects
    mass_kg: taken from the segment that carries it; largest_deg: that a joint was away from its animation
    """

    bones: tuple[str, ...]
    role: str
    stiffness: float
    damping: float
    collides: bool
    mass_kg: float
    largest_deg: float
