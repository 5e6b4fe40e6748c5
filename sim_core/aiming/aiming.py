"""The strikes of a motion: plans them, corrects them and measures their outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray
from ..character.posing import pose_from_motion
from ..motion.motion import Motion
from ..result.records import StrikeOutcome, vector
from ..scenario.scenario import Scenario
from ..world.world import World
from .correction import Correction, relative_miss
from .offset import moved_to, refuse_out_of_reach
from .strike import Strike, StrikeContact, contact_of, find_strikes
from .striker import find_striker
from .time_warp import first_rate, warped

PLANNING_ROUNDS = 4
"""Number of times the plan itself is corrected: aiming a limb elsewhere also changes its speed."""


@dataclass(frozen=True, eq=False)
class Aiming:
    """The strikes of a character's motion on a grid of dt [s]."""

    world: World
    strikes: tuple[Strike, ...]
    dt: float

    def warped(self, motion: Motion, correction: Correction) -> Motion:
        """Return the motion with its time scaled for the wanted speeds."""
        return warped(motion, self.strikes, correction.rate)

    def moved(self, qpos: FloatArray, correction: Correction) -> FloatArray:
        """Return poses (T, nq) whose strikers reach the corrected targets."""
        return moved_to(self.world, qpos, self.dt, self.strikes, correction.aim_points(self.strikes))

    def contacts(self, qpos: FloatArray) -> tuple[StrikeContact, ...]:
        """Return position and speed of each striker at its contact in poses (T, nq)."""
        return tuple(contact_of(strike, self.world.spec, qpos, self.dt) for strike in self.strikes)

    def relative_miss(self, contacts: Sequence[StrikeContact]) -> float:
        """Return the largest error of all strikes relative to its tolerance; up to 1 is good enough."""
        return relative_miss(self.strikes, contacts)

    def outcomes(
        self, contacts: Sequence[StrikeContact], correction: Correction
    ) -> tuple[StrikeOutcome, ...]:
        """Return the outcome of each strike for the contacts that a correction led to."""
        aimed = zip(self.strikes, contacts, correction.aim_points(self.strikes), strict=True)
        return tuple(_outcome(*each) for each in aimed)

    def first(self, plan: Callable[[Correction | None], FloatArray]) -> Correction:
        """Return a correction with which the planned poses (T, nq) hit their targets before any simulation.

        plan: returns the poses of a correction; None plans without aims
        """
        plain = plan(None)
        refuse_out_of_reach(self.world, plain, self.dt, self.strikes)
        rates = [
            first_rate(strike, contact.speed)
            for strike, contact in zip(self.strikes, self.contacts(plain), strict=True)
        ]
        correction = Correction(np.zeros((len(rates), 3)), np.array(rates))
        for _ in range(PLANNING_ROUNDS):
            correction = correction.after(self.strikes, self.contacts(plan(correction)))
        return correction


def _outcome(strike: Strike, contact: StrikeContact, aimed_at: FloatArray) -> StrikeOutcome:
    miss = float(np.linalg.norm(contact.position - strike.target))
    return StrikeOutcome(
        bone=strike.aim.bone,
        name=strike.striker.name,
        time_s=strike.time_s,
        target=vector(strike.target),
        position=vector(contact.position),
        aimed_at=vector(aimed_at),
        miss_m=miss,
        first_miss_m=miss,
        speed=contact.speed,
        wanted_speed=strike.aim.speed,
    )


def make_aiming(scenario: Scenario, world: World, source: Motion, repaired: Motion, dt: float) -> Aiming:
    """Find the strikes of a scenario's aims.

    source: the scenario's motion on a grid of dt [s]; repaired: the same motion as prepared for the
    simulation
    """
    qpos = pose_from_motion(scenario.spec, scenario.binding, repaired)
    aims = [(aim, find_striker(aim, scenario.spec, scenario.binding, source)) for aim in scenario.aims]
    return Aiming(world, find_strikes(aims, scenario.spec, qpos, dt, float(repaired.time[0])), dt)
