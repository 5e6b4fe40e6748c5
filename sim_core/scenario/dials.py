"""Plain-word dials, from 0 to 1, and the parameters behind them (docs/dials.md).

A dial multiplies its parameters by most ** (2 dial - 1): the same distance to either side of the middle
multiplies or divides by the same factor, no parameter reaches zero, and the middle gives exactly the usual
value. Softness is a parameter itself (control/hit_reaction.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from .settings import BakeSettings

STRONGEST = 3.0
"""Largest factor of effort: of human torque limits, the bounds of McSim eq. 7c."""
FIRMEST = 2.5
"""Largest factor of stiffness: of k_os, 240 to 1500 [1/s^2], and of k, 0.12 to 0.75 (McSim table 1)."""
STEADIEST = 4.0
"""Largest factor of balance: of the weight of the centre of mass beside posture (SL eq. 8)."""
QUICKEST = 1.3
"""Largest factor of alertness: how much sooner an unplanned step is taken and a hit segment recovers."""
HEAVIEST = 2.0
"""Largest factor of weight: of masses and inertias."""
USUAL_TRACKING_GAIN = 600.0
"""k_os of McSim eq. 4 in the middle of the stiffness dial [1/s^2]."""
USUAL_SPRINGS = 0.3
"""k of McSim table 1 in the middle of the dial: the share of the joints' intrinsic stiffness."""


@dataclass(frozen=True)
class DialFactors:
    """Factors by which the dials multiply the usual parameters.

    strength: of torque limits; mass: of masses and inertias
    tracking: of k_os; springs: of k; balance: of the weight of the centre of mass
    patience: of the deviation that triggers an unplanned step, and of the time that a hit segment stays soft
    """

    strength: float = 1.0
    mass: float = 1.0
    tracking: float = 1.0
    springs: float = 1.0
    balance: float = 1.0
    patience: float = 1.0


def factor(dial: float, most: float) -> float:
    """Return 1 / most at 0, exactly 1 at 0.5, and most at 1."""
    return float(most ** (2.0 * dial - 1.0))


def dial_factors(settings: BakeSettings) -> DialFactors:
    """Return the factors of a bake's dials; parameters that are set directly take precedence."""
    firmness = factor(settings.stiffness, FIRMEST)
    # The three links have a dial of their own in the QP (control/three_link/policy.py).
    own_dial = settings.balance == "three_link"
    return DialFactors(
        strength=factor(settings.effort, STRONGEST),
        mass=factor(settings.weight, HEAVIEST),
        tracking=_given(settings.tracking_gain, USUAL_TRACKING_GAIN, firmness),
        springs=_given(settings.springs, USUAL_SPRINGS, firmness),
        balance=1.0 if own_dial else factor(settings.balance_weight, STEADIEST),
        patience=factor(1.0 - settings.alertness, QUICKEST),
    )


def _given(value: float | None, usual: float, dialled: float) -> float:
    return dialled if value is None else value / usual
