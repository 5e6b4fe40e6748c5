"""Impulses that scene objects and other characters give to a character's segments."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..scene.scene import Role
from ..world.world import World
from .character_contacts import force_on_second
from .protocol import Impact

STRIKING = (Role.PROP, Role.PROJECTILE, Role.MOVING)
"""Roles of the scene objects that can hit a character."""
STEEP = np.cos(np.pi / 4.0)
"""A contact force within 45 degrees of upwards supports the segment instead of hitting it."""
STRIKING_SPEED = 1.0
"""A moving object that rises faster against anything but a foot hits it; lifts are slower [m/s]."""


class ImpactSensor:
    """Sums up the impulses on each segment by what caused them.

    Support is not an impact: a foot is never hit from below, nor a segment by an object that lifts it.
    """

    def __init__(self, world: World, data: mujoco.MjData) -> None:
        engine, self.data, self.dt = world.engine, data, world.timestep
        model, self.objects = engine.model, world.scene.objects
        self.model, self.bodies = model, engine.objects.body
        self.segment = engine.index.segment_of(model.geom_bodyid)  # by geom, -1 where it is none of its own
        self.source: IntArray = np.full(model.ngeom, -1)
        for i, scene_object in enumerate(self.objects):
            if scene_object.role in STRIKING:
                self.source[engine.objects.geoms_of(i)] = i
        for i, other in enumerate(engine.others, start=len(self.objects)):
            self.source[np.isin(model.geom_bodyid, other.index.body)] = i
        index = engine.index
        self.feet = {*index.foot_segments.tolist(), *index.segment_of(index.toes).tolist()}
        self.idle = not (self.source >= 0).any()
        self.sums: dict[tuple[int, int], FloatArray] = {}

    def step(self) -> None:
        """Add the impulses of the engine's last step."""
        if self.idle:
            return
        contacts = self.data.contact
        source, segment = self.source[contacts.geom], self.segment[contacts.geom]  # (N, 2)
        hitting = (source.max(axis=1) >= 0) & (segment.max(axis=1) >= 0) & (contacts.efc_address >= 0)
        for i in np.flatnonzero(hitting):
            force = self._force(i, on_second=segment[i, 1] >= 0)
            pair = int(segment[i].max()), int(source[i].max())
            if not self.supports(*pair, force, contacts.pos[i]):
                self.sums[pair] = self.sums.get(pair, 0.0) + self.dt * force

    def drain(self) -> tuple[Impact, ...]:
        """Return the impulses since the last call, and start again from zero."""
        taken, self.sums = self.sums, {}
        return tuple(Impact(segment, source, impulse) for (segment, source), impulse in taken.items())

    def _force(self, contact: int, on_second: bool) -> FloatArray:
        """Return the force (3) [N] on the character in the world frame."""
        force = force_on_second(self.data, contact)
        return force if on_second else -force

    def supports(self, segment: int, source: int, force: FloatArray, point: FloatArray) -> bool:
        """Return whether a contact force (3) [N] at a point (3) [m] is support, not a hit."""
        if force[2] <= STEEP * np.linalg.norm(force):
            return False
        if segment in self.feet:
            return True
        lifts = source < len(self.objects) and self.objects[source].role is Role.MOVING
        return lifts and self._rise_speed(source, point) < STRIKING_SPEED

    def _rise_speed(self, source: int, point: FloatArray) -> float:
        """Upward speed of a moving object at a point (3) [m/s]."""
        jacobian = np.zeros((3, self.model.nv))
        mujoco.mj_jac(self.model, self.data, jacobian, None, point, int(self.bodies[source]))
        return float(jacobian[2] @ self.data.qvel)
