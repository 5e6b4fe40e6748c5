"""Plain-word dials, from 0 to 1, and the parameters behind them (docs/dials.md).

A dial moves its parameters by factors, most ** (2 dial - 1): equal ways to both sides of the middle change
them equally often, no parameter reaches zero, and the middle gives exactly the usual value. Softness alone
is a parameter itself (control/hit_reaction.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from .settings import BakeSettings

STRONGEST = 3.0
"""Effort: of human torque limits, the bounds of McSim eq. 7c."""
FIRMEST = 2.5
"""Stiffness: of k_os, 240 to 1500 [1/s^2], and of k, 0.12 to 0.75 (McSim eq. 4 and 8, table 1)."""
STEADIEST = 4.0
"""Balance: of what the centre of mass counts against the posture (SL eq. 8: style against balance)."""
QUICKEST = 1.3
"""Alertness: how much sooner a step is taken that was not planned, and a part that was hit recovers."""
HEAVIEST = 2.0
"""Weight: of masses and inertias."""
USUAL_TRACKING_GAIN = 600.0
"""k_os of McSim eq. 4 in the middle of the stiffness dial [1/s^2]."""
USUAL_SPRINGS = 0.3
"""k of McSim table 1 there: the share of the joints' intrinsic stiffness."""


@dataclass(frozen=True)
class Tuning:
    """What dials come to: factors of the usual parameters.

    strength: of torque limits; mass: of masses and inertias
    tracking: of k_os; springs: of k; balance: of the weight of the centre of mass
    patience: of how far off the plan a body is before it takes a step that was not planned, and of how long
    a part that was hit stays soft before it recovers
    """

    strength: float = 1.0
    mass: float = 1.0
    tracking: float = 1.0
    springs: float = 1.0
    balance: float = 1.0
    patience: float = 1.0


def factor(dial: float, most: float) -> float:
    """1 / most at 0, exactly 1 at 0.5, most at 1."""
    return float(most ** (2.0 * dial - 1.0))


def tuning_of(settings: BakeSettings) -> Tuning:
    """What the dials of a bake come to; parameters that are given themselves go first."""
    firmness = factor(settings.stiffness, FIRMEST)
    # The three links have a dial of their own in the QP (control/three_link/policy.py).
    own_dial = settings.balance == "three_link"
    return Tuning(
        strength=factor(settings.effort, STRONGEST),
        mass=factor(settings.weight, HEAVIEST),
        tracking=_given(settings.tracking_gain, USUAL_TRACKING_GAIN, firmness),
        springs=_given(settings.springs, USUAL_SPRINGS, firmness),
        balance=1.0 if own_dial else factor(settings.balance_weight, STEADIEST),
        patience=factor(1.0 - settings.alertness, QUICKEST),
    )


def _given(value: float | None, usual: float, dialled: float) -> float:
    return dialled if value is None else value / usual
