"""Hit reactions: what is hit gives way, and is pulled back to the motion (Zordan, Hodgins 2002, section 5).

When something hits the character, the gains of the region that was hit drop at once to a share of
their own, stay there for a delay, and come back on half a wave of a sine. The motion that is tracked
stays the same, so reacting and tracking do not compete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..base.conventions import FloatArray
from ..character.spec import CharacterSpec
from ..recognition.mapping import part_label
from ..simulation.protocol import Impact

TRUNK = "trunk"
_LIMBS = {
    "arm": ("clavicle", "upper_arm", "forearm", "hand"),
    "leg": ("thigh", "shin", "foot", "toe"),
}
DELAY_SHARE = 0.3
"""The usual share."""
MEMORY_S = 0.05
"""A blow is over in this time; what pushes for longer is no harder hit [s]."""
HIT_SPEED = 0.03
"""A hit is an impulse that changes the speed of the whole body by this [m/s]: 2 Ns for 70 kg."""
SPENT = 0.1
"""Share of that impulse below which a touch is over."""
NO_ASSIST_S = 1.0
"""For so long after a hit no outside force may help, or it would hide the hit [s]."""


@dataclass(frozen=True)
class HitSettings:
    """softness: 0, no reaction, to 1, a limp region; recovery_s: from a hit until gains are whole again.

    delay_share: of the recovery time: how long the gains stay low
    """

    softness: float = 0.3
    recovery_s: float = 0.5
    delay_share: float = DELAY_SHARE

    def share(self, elapsed_s: float) -> float:
        """Of the gains, by the time since a hit (Zordan, Hodgins 2002, section 5, gain scheduler).

        low gains k_r = (1 - softness) k_t; the delay t_e is a part of the recovery, the ramp t_f the rest
        """
        delay = self.delay_share * self.recovery_s
        ramp = self.recovery_s - delay
        phase = 1.0 if elapsed_s >= self.recovery_s else max(elapsed_s - delay, 0.0) / ramp
        gamma = 0.5 * (1.0 + np.cos(np.pi * phase))
        return float(1.0 - self.softness * gamma)


@dataclass(frozen=True)
class Hit:
    """time_s: since the start; segment: that was hit, of a region; by: a thing's name; impulse_ns [Ns]."""

    time_s: float
    region: str
    segment: str
    by: str
    impulse_ns: float

    @property
    def sentence(self) -> str:
        return f"'{self.by}' hits the {part_label(self.segment)} with {self.impulse_ns:.1f} Ns."


@dataclass(eq=False)
class _Touch:
    """A spell of contact between a segment and an object.

    impulse (3): all of it; recent: what is left of it, as it fades [Ns]; hit_at: when it became a hit [s]
    """

    segment: int
    thing: int
    impulse: FloatArray = field(default_factory=lambda: np.zeros(3))
    recent: float = 0.0
    hit_at: float | None = None


class HitReactions:
    """Watches what touches a character, and says how firm its joints are."""

    def __init__(self, spec: CharacterSpec, things: Sequence[str], settings: HitSettings) -> None:
        """things: names of all that can hit the character"""
        self.spec, self.things, self.settings = spec, tuple(things), settings
        self.threshold = HIT_SPEED * spec.mass
        self.regions = tuple(region_of(name) for name in spec.names)
        axes = [segment.joint.kind.torque_axes for segment in spec]
        self.dof_region = np.repeat(self.regions, axes)
        self.last_hit: dict[str, float] = {}
        self._seen_at = 0.0
        self._open: dict[tuple[int, int], _Touch] = {}
        self._struck: list[_Touch] = []

    def see(self, time_s: float, impacts: Sequence[Impact]) -> None:
        """Takes note of what touched the character since it was told last."""
        fading = np.exp(-(time_s - self._seen_at) / MEMORY_S)
        self._seen_at = time_s
        for touch in self._open.values():
            touch.recent *= fading
        self._open = {p: t for p, t in self._open.items() if t.recent > SPENT * self.threshold}
        for impact in impacts:
            place = (impact.segment, impact.source)
            touch = self._open.setdefault(place, _Touch(*place))
            touch.impulse += impact.impulse
            touch.recent += float(np.linalg.norm(impact.impulse))
            if touch.hit_at is None and touch.recent > self.threshold:
                touch.hit_at = self.last_hit[self.regions[impact.segment]] = time_s
                self._struck.append(touch)

    def share(self, time_s: float) -> FloatArray | None:
        """Of the joints' stiffness (nu); None while all of them are as firm as ever."""
        soft = {r: self.settings.share(time_s - at) for r, at in self.last_hit.items()}
        if all(share == 1.0 for share in soft.values()):
            return None
        return np.array([soft.get(region, 1.0) for region in self.dof_region])

    def allows_assist(self, time_s: float) -> bool:
        return all(time_s - at >= NO_ASSIST_S for at in self.last_hit.values())

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All so far, in their order."""
        return tuple(self._told(touch) for touch in self._struck)

    def _told(self, touch: _Touch) -> Hit:
        assert touch.hit_at is not None
        return Hit(
            time_s=touch.hit_at,
            region=self.regions[touch.segment],
            segment=self.spec.names[touch.segment],
            by=self.things[touch.thing],
            impulse_ns=float(np.linalg.norm(touch.impulse)),
        )


def region_of(segment: str) -> str:
    """What gives way when a segment is hit: the trunk with the neck, or one limb, such as 'arm.L'."""
    part, _, side = segment.partition(".")
    return next((f"{limb}.{side}" for limb, parts in _LIMBS.items() if part in parts), TRUNK)
