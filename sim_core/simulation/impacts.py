"""What hits a character: impulses of scene objects and other characters on its segments."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..scene.scene import Role
from ..world.world import World
from .character_contacts import force_on_second
from .protocol import Impact

STRIKING = (Role.PROP, Role.PROJECTILE, Role.MOVING)
STEEP = np.cos(np.pi / 4.0)
"""A contact that pushes within 45 degrees of upwards is one that is stood on."""
STRIKING_SPEED = 1.0
"""A moving object that comes up faster against anything but a foot strikes it; lifts are slower [m/s]."""


class ImpactSensor:
    """Sums up contact forces by segment and what pushes it until they are asked for.

    What one stands on does not hit: a foot is never hit from below, no part by a moving object that lifts it.
    """

    def __init__(self, world: World, data: mujoco.MjData) -> None:
        engine, self.data, self.dt = world.engine, data, world.timestep
        model, self.objects = engine.model, world.scene.objects
        self.model, self.bodies = model, engine.objects.body
        self.segment = engine.index.segment_of(model.geom_bodyid)  # by geom, -1 where it is none of its own
        self.thing: IntArray = np.full(model.ngeom, -1)
        for i, thing in enumerate(self.objects):
            if thing.role in STRIKING:
                self.thing[engine.objects.geoms_of(i)] = i
        for i, other in enumerate(engine.others, start=len(self.objects)):
            self.thing[np.isin(model.geom_bodyid, other.index.body)] = i
        self.feet = set(engine.index.foot_segments.tolist())
        self.idle = not (self.thing >= 0).any()
        self.sums: dict[tuple[int, int], FloatArray] = {}

    def step(self) -> None:
        """After each step of the engine."""
        if self.idle:
            return
        contacts = self.data.contact
        thing, segment = self.thing[contacts.geom], self.segment[contacts.geom]  # (N, 2)
        hitting = (thing.max(axis=1) >= 0) & (segment.max(axis=1) >= 0) & (contacts.efc_address >= 0)
        for i in np.flatnonzero(hitting):
            force = self._force(i, on_second=segment[i, 1] >= 0)
            pair = int(segment[i].max()), int(thing[i].max())
            if not self._stood_on(*pair, force, contacts.pos[i]):
                self.sums[pair] = self.sums.get(pair, 0.0) + self.dt * force

    def drain(self) -> tuple[Impact, ...]:
        """What came since the last time."""
        taken, self.sums = self.sums, {}
        return tuple(Impact(segment, thing, impulse) for (segment, thing), impulse in taken.items())

    def _force(self, contact: int, on_second: bool) -> FloatArray:
        """On the character, in the world."""
        force = force_on_second(self.data, contact)
        return force if on_second else -force

    def _stood_on(self, segment: int, thing: int, force: FloatArray, place: FloatArray) -> bool:
        if force[2] <= STEEP * np.linalg.norm(force):
            return False
        if segment in self.feet:
            return True
        carries = thing < len(self.objects) and self.objects[thing].role is Role.MOVING
        return carries and self._rising(thing, place) < STRIKING_SPEED

    def _rising(self, thing: int, place: FloatArray) -> float:
        """How fast a moving object comes up at a place [m/s]."""
        jacobian = np.zeros((3, self.model.nv))
        mujoco.mj_jac(self.model, self.data, jacobian, None, place, int(self.bodies[thing]))
        return float(jacobian[2] @ self.data.qvel)
