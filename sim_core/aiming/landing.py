"""How a strike came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from .strike import Contact, Strike


@dataclass(frozen=True)
class Landing:
    """bone: as asked for; name: in words
    time_s: of the contact, since the start [s]; target, place [m]; miss_m: between them
    first_miss_m: in the first simulation, before any correction
    speed, wanted_speed [m/s]; 0: none was asked for
    aimed_at: the place that the motion was aimed at so that the body came to the target [m]
    """

    bone: str
    name: str
    time_s: float
    target: tuple[float, ...]
    place: tuple[float, ...]
    aimed_at: tuple[float, ...]
    miss_m: float
    first_miss_m: float
    speed: float
    wanted_speed: float

    @staticmethod
    def of(strike: Strike, contact: Contact, aimed_at: Any) -> Landing:
        miss = float(np.linalg.norm(contact.place - strike.target))
        return Landing(
            strike.aim.bone,
            strike.striker.name,
            strike.time_s,
            tuple(strike.target.tolist()),
            tuple(contact.place.tolist()),
            tuple(np.asarray(aimed_at).tolist()),
            miss,
            miss,
            contact.speed,
            strike.aim.speed,
        )

    def after(self, first: Landing) -> Landing:
        """The same, knowing how it came out at first."""
        return replace(self, first_miss_m=first.miss_m)

    def as_dict(self) -> dict[str, Any]:
        """For the result file."""
        return asdict(self)

    @property
    def sentence(self) -> str:
        wanted = f" ({self.wanted_speed:.1f} m/s were asked for)" if self.wanted_speed > 0.0 else ""
        return (
            f"The {self.name} comes within {100.0 * self.miss_m:.1f} cm of its target "
            f"at {self.speed:.1f} m/s{wanted}."
        )


def aim_notes(landings: Sequence[Landing], rounds: int) -> tuple[str, ...]:
    """What was done so that strikes meet their targets, in so many simulations."""
    if not landings or rounds == 1:
        return ()
    away = max(float(np.linalg.norm(np.subtract(s.aimed_at, s.target))) for s in landings)
    return (
        f"So that strikes meet their targets the motion was simulated {rounds} times, "
        f"and aimed up to {100.0 * away:.1f} cm beside them.",
    )
