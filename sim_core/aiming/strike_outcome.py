"""The outcome of a strike: how far it missed its target and how fast it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from .strike import Strike, StrikeContact


@dataclass(frozen=True)
class StrikeOutcome:
    """The outcome of one strike, as it is stored in result files.

    bone: as given by the user; name: description of the striker
    time_s: contact time since the start of the simulation [s]
    target, place: wanted and reached position [m]; miss_m: the distance between them
    aimed_at: the point that the motion was aimed at so that the striker came to the target [m]
    first_miss_m: miss in the first simulation, before any correction
    speed, wanted_speed [m/s]; a wanted speed of 0 means that none was given
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
    def of(strike: Strike, contact: StrikeContact, aimed_at: Any) -> StrikeOutcome:
        """Return the outcome of a strike that was aimed at a point (3) and led to a contact."""
        miss = float(np.linalg.norm(contact.position - strike.target))
        return StrikeOutcome(
            strike.aim.bone,
            strike.striker.name,
            strike.time_s,
            tuple(strike.target.tolist()),
            tuple(contact.position.tolist()),
            tuple(np.asarray(aimed_at).tolist()),
            miss,
            miss,
            contact.speed,
            strike.aim.speed,
        )

    def after(self, first: StrikeOutcome) -> StrikeOutcome:
        """Return the same outcome with the miss of the first simulation."""
        return replace(self, first_miss_m=first.miss_m)

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as it is stored in a result file."""
        return asdict(self)

    @property
    def sentence(self) -> str:
        """Description of the outcome for the user."""
        wanted = f" ({self.wanted_speed:.1f} m/s were asked for)" if self.wanted_speed > 0.0 else ""
        return (
            f"The {self.name} comes within {100.0 * self.miss_m:.1f} cm of its target "
            f"at {self.speed:.1f} m/s{wanted}."
        )


def aim_notes(outcomes: Sequence[StrikeOutcome], rounds: int) -> tuple[str, ...]:
    """Return notes for the user on the corrections made over several simulations."""
    if not outcomes or rounds == 1:
        return ()
    away = max(float(np.linalg.norm(np.subtract(s.aimed_at, s.target))) for s in outcomes)
    return (
        f"So that strikes meet their targets the motion was simulated {rounds} times, "
        f"and aimed up to {100.0 * away:.1f} cm beside them.",
    )
