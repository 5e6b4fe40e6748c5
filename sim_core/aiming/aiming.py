"""All strikes of a motion together: from what is asked for to what came out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray
from ..character.posing import pose_from_motion
from ..motion.motion import Motion
from ..scenario.scenario import Scenario
from ..world.world import World
from .correction import Correction, badness
from .landing import Landing
from .offset import moved_to, refuse_out_of_reach
from .strike import Contact, Strike, contact_of, find_strikes
from .striker import find_striker
from .time_warp import first_rate, warped

PLANNING_ROUNDS = 4
"""Corrections of the plan itself: a limb that reaches elsewhere has another speed."""


@dataclass(frozen=True, eq=False)
class Aiming:
    """The strikes of a character's motion on a grid of dt [s]."""

    world: World
    strikes: tuple[Strike, ...]
    dt: float

    def warped(self, motion: Motion, correction: Correction) -> Motion:
        """With the clock that the speeds ask for."""
        return warped(motion, self.strikes, correction.rate)

    def moved(self, qpos: FloatArray, correction: Correction) -> FloatArray:
        """Poses (T, nq) that come to where is aimed."""
        return moved_to(self.world, qpos, self.dt, self.strikes, correction.places(self.strikes))

    def contacts(self, qpos: FloatArray) -> tuple[Contact, ...]:
        return tuple(contact_of(strike, self.world.spec, qpos, self.dt) for strike in self.strikes)

    def badness(self, contacts: Sequence[Contact]) -> float:
        return badness(self.strikes, contacts)

    def landings(self, contacts: Sequence[Contact], correction: Correction) -> tuple[Landing, ...]:
        aimed = zip(self.strikes, contacts, correction.places(self.strikes), strict=True)
        return tuple(Landing.of(*each) for each in aimed)

    def first(self, plan: Callable[[Correction | None], FloatArray]) -> Correction:
        """A correction with which the planned poses (T, nq) themselves hit; None plans without aims."""
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


def make_aiming(scenario: Scenario, world: World, source: Motion, repaired: Motion, dt: float) -> Aiming:
    """source: the take's motion on a grid of dt [s]; repaired: what is made of it for the simulation"""
    qpos = pose_from_motion(scenario.spec, scenario.binding, repaired)
    aims = [(aim, find_striker(aim, scenario.spec, scenario.binding, source)) for aim in scenario.aims]
    return Aiming(world, find_strikes(aims, scenario.spec, qpos, dt, float(repaired.time[0])), dt)
