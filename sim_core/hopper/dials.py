"""What a hop is like: the dials of Make a Hop and of `heft hop`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HopDials:
    """Height from leaving the ground to the top [m], forward speed [m/s], and how long it hops [s]."""

    height: float = 0.1
    speed: float = 0.0
    seconds: float = 10.0
