"""Supports that a fallen motion was captured on and that its scene does not have: what is offered then."""

from __future__ import annotations

from ..result.records import SupportOffer
from ..supports.find import supports_of
from ..supports.support import Support
from ..supports.wording import offer_sentence
from .attempt import Outcome
from .setup import CharacterSetup

SURE, SURE_SECONDS = 0.9, 0.5
"""Confidence and time from which a missing support is why a body fell, so that no search would help [s]."""


def support_offers(setup: CharacterSetup, outcome: Outcome) -> tuple[SupportOffer, ...]:
    """Return the supports that a character misses; none where it stays up or the scene has ground already."""
    if outcome.fell_s is None or setup.scenario.scene.underfoot.objects or setup.scenario.belt.any():
        return ()
    return tuple(map(_offer, supports_of(setup.scenario).supports))


def explains_fall(offers: tuple[SupportOffer, ...]) -> bool:
    """Return whether a support is missing so surely that nothing else need be tried."""
    return any(own.confidence >= SURE and own.seconds >= SURE_SECONDS for own in offers)


def _offer(support: Support) -> SupportOffer:
    return SupportOffer(
        kind=support.kind.value,
        height_m=support.height,
        start_s=support.spans[0][0],
        seconds=sum(end - start for start, end in support.spans),
        confidence=support.confidence,
        text=offer_sentence(support),
    )
