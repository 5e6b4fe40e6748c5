"""Supports that a fallen motion was captured on and that its scene does not have: what is offered then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..result.support_records import SupportOffer
from .attempt import Outcome
from .setup import CharacterSetup

if TYPE_CHECKING:
    from ..supports.support import Support

SURE, SURE_SECONDS, SURE_HEIGHT = 0.9, 0.5, 0.1
"""Confidence, time [s] and height above the floor [m] from which no controls make up for a missing support.

Feet can reach down to a floor that is less far below them.
"""
SETTLES_S = 0.3
"""How long before it rests on a support a body may need it: feet land before they rest [s]."""


def support_offers(setup: CharacterSetup, outcome: Outcome) -> tuple[SupportOffer, ...]:
    """Return the supports that a character misses; none where it stays up or the scene has ground already."""
    scene = setup.scenario.scene
    if outcome.fell_s is None or scene.underfoot.objects or scene.holds.objects or setup.scenario.belt.any():
        return ()
    # Here, because most bakes do not fall.
    from ..supports.find import supports_of
    from ..supports.wording import offer_sentence

    return tuple(_offer(own, offer_sentence(own)) for own in supports_of(setup.scenario).supports)


def explains_fall(offers: tuple[SupportOffer, ...], fell_s: float | None) -> bool:
    """Return whether a support is missed so surely before a fall [s] that nothing else need be tried."""
    return fell_s is not None and any(
        own.start_s - SETTLES_S < fell_s
        and own.confidence >= SURE
        and own.seconds >= SURE_SECONDS
        and own.height_m >= SURE_HEIGHT
        for own in offers
    )


def _offer(support: Support, text: str) -> SupportOffer:
    return SupportOffer(
        kind=support.kind.value,
        height_m=support.height,
        start_s=support.spans[0][0],
        seconds=sum(end - start for start, end in support.spans),
        confidence=support.confidence,
        text=text,
    )
