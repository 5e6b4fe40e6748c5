"""Supports that a fallen motion was captured on and that its scene does not have: what is offered then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..result.support_records import SupportOffer
from .attempt import Outcome
from .setup import CharacterSetup

if TYPE_CHECKING:
    from ..supports.support import Support

SURE, SURE_SECONDS = 0.9, 0.5
"""Confidence and time from which a missing support is why a body fell, so that no search would help [s]."""


def support_offers(setup: CharacterSetup, outcome: Outcome) -> tuple[SupportOffer, ...]:
    """Return the supports that a character misses; none where it stays up or the scene has ground already."""
    scene = setup.scenario.scene
    if outcome.fell_s is None or scene.underfoot.objects or scene.holds.objects or setup.scenario.belt.any():
        return ()
    # Here, because most bakes do not fall.
    from ..supports.find import supports_of
    from ..supports.wording import offer_sentence

    return tuple(_offer(own, offer_sentence(own)) for own in supports_of(setup.scenario).supports)


def explains_fall(offers: tuple[SupportOffer, ...]) -> bool:
    """Return whether a support is missing so surely that nothing else need be tried."""
    return any(own.confidence >= SURE and own.seconds >= SURE_SECONDS for own in offers)


def _offer(support: Support, text: str) -> SupportOffer:
    return SupportOffer(
        kind=support.kind.value,
        height_m=support.height,
        start_s=support.spans[0][0],
        seconds=sum(end - start for start, end in support.spans),
        confidence=support.confidence,
        text=text,
    )
