"""Hit reactions: what is hit yields and is then pulled back to the motion (Zordan, Hodgins 2002, section 5).

When something hits the character, the gains of the region that was hit drop at once to a share of their
values, stay there for a delay, and return along half a wave of a sine. The motion that is tracked stays the
same, so reacting and tracking do not compete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..base.conventions import FloatArray
from ..character.spec import CharacterSpec
from ..result.records import Hit
from ..simulation.protocol import Impact

TRUNK = "trunk"
_LIMBS = {
    "arm": ("clavicle", "upper_arm", "forearm", "hand"),
    "leg": ("thigh", "shin", "foot", "toe"),
}
DELAY_SHARE = 0.3
"""Default share of the recovery time for which gains stay low."""
MEMORY_S = 0.05
"""Time constant with which impulses are forgotten [s]: a blow is over by then, a longer push is no hit."""
HIT_SPEED = 0.03
"""An impulse is a hit if it changes the velocity of the whole body by this [m/s]: 2 Ns for 70 kg."""
FADED_SHARE = 0.1
"""A contact ends when its remembered impulse is below this share of that of a hit."""
NO_ASSIST_S = 1.0
"""Time after a hit in which no assist acts, because it would hide the hit [s]."""


@dataclass(frozen=True)
class HitSettings:
    """Course of the gains after a hit.

    softness: from 0, no reaction, to 1, a limp region
    recovery_s: from a hit until the gains are back at their values [s]
    delay_share: share of that time for which they stay low
    """

    softness: float = 0.3
    recovery_s: float = 0.5
    delay_share: float = DELAY_SHARE

    def gain_scale(self, elapsed_s: float) -> float:
        """Return the factor of the gains at a time after a hit (Zordan, Hodgins 2002, section 5).

        low gains k_r = (1 - softness) k_t; the delay t_e is a part of the recovery, the ramp t_f the rest
        """
        delay = self.delay_share * self.recovery_s
        ramp = self.recovery_s - delay
        phase = 1.0 if elapsed_s >= self.recovery_s else max(elapsed_s - delay, 0.0) / ramp
        gamma = 0.5 * (1.0 + np.cos(np.pi * phase))
        return float(1.0 - self.softness * gamma)


@dataclass(eq=False)
class _Contact:
    """An interval of contact between a segment and a collider, by their indices.

    impulse (3): sum [Ns]; recent: remembered magnitude [Ns]; hit_at: when it became a hit [s]
    """

    segment: int
    collider: int
    impulse: FloatArray = field(default_factory=lambda: np.zeros(3))
    recent: float = 0.0
    hit_at: float | None = None


class HitReactions:
    """Detects hits on a character and gives the factors of its joints' gains.

    dof_region (nu): region of each actuated joint axis; last_hit: time of the last hit of each region [s]
    """

    def __init__(self, spec: CharacterSpec, colliders: Sequence[str], settings: HitSettings) -> None:
        """Start without hits; colliders: names of all that can hit the character, in the order of impacts."""
        self.spec, self.colliders, self.settings = spec, tuple(colliders), settings
        self.threshold = HIT_SPEED * spec.mass
        self.regions = tuple(region_of(name) for name in spec.names)
        axes = [segment.joint.kind.torque_axes for segment in spec]
        self.dof_region = np.repeat(self.regions, axes)
        self.last_hit: dict[str, float] = {}
        self._observed_at = 0.0
        self._open: dict[tuple[int, int], _Contact] = {}
        self._hits: list[_Contact] = []

    def continue_from(self, earlier: HitReactions, moved_s: float) -> None:
        """Go on with the reactions to earlier hits; moved_s: by how much this one's time starts later [s]."""
        self.last_hit = {region: at - moved_s for region, at in earlier.last_hit.items()}
        self._observed_at = earlier._observed_at - moved_s
        self._open = earlier._open

    def observe(self, time_s: float, impacts: Sequence[Impact]) -> None:
        """Take note of the impacts since the last observation."""
        fading = np.exp(-(time_s - self._observed_at) / MEMORY_S)
        self._observed_at = time_s
        for contact in self._open.values():
            contact.recent *= fading
        self._open = {
            pair: contact
            for pair, contact in self._open.items()
            if contact.recent > FADED_SHARE * self.threshold
        }
        for impact in impacts:
            pair = (impact.segment, impact.source)
            contact = self._open.setdefault(pair, _Contact(*pair))
            contact.impulse += impact.impulse
            contact.recent += float(np.linalg.norm(impact.impulse))
            if contact.hit_at is None and contact.recent > self.threshold:
                contact.hit_at = self.last_hit[self.regions[impact.segment]] = time_s
                self._hits.append(contact)

    def gain_scale(self, time_s: float) -> FloatArray | None:
        """Return the factors of the joints' stiffness (nu), or None while all of them are 1."""
        scale = {r: self.settings.gain_scale(time_s - at) for r, at in self.last_hit.items()}
        if all(factor == 1.0 for factor in scale.values()):
            return None
        return np.array([scale.get(region, 1.0) for region in self.dof_region])

    def allows_assist(self, time_s: float) -> bool:
        """Return whether the last hit is long enough ago for an assist to act."""
        return all(time_s - at >= NO_ASSIST_S for at in self.last_hit.values())

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All hits so far, in their order."""
        return tuple(
            Hit(
                time_s=contact.hit_at,
                region=self.regions[contact.segment],
                segment=self.spec.names[contact.segment],
                by=self.colliders[contact.collider],
                impulse_ns=float(np.linalg.norm(contact.impulse)),
            )
            for contact in self._hits
            if contact.hit_at is not None
        )


def region_of(segment: str) -> str:
    """Return the region of a segment: the trunk, with the neck, or a limb such as 'arm.L'."""
    part, _, side = segment.partition(".")
    return next((f"{limb}.{side}" for limb, parts in _LIMBS.items() if part in parts), TRUNK)
