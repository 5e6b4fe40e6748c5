"""A reference that is prepared in windows while it is followed.

A bake prepares a whole motion. A stream has no end, so that only the part that has come can be prepared: from
the present up to the newest frame. Every window starts from what the one before it has found, keeps all that
was followed already, and changes the rest by a few iterations of the dynamic filter. What is near its end is
only guessed, and is prepared again by the next windows, before it is followed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np

from ..bake.methods import Method
from ..bake.setup import CharacterSetup
from ..base.conventions import BoolArray, FloatArray
from ..motion.motion import CONTROL_DT
from ..reference.contacts import ContactSchedule, flat_contact_ground
from ..reference.ground_projection import ProjectedMotion
from ..reference.prepare import GroundedMotion, Prepared, make_feasible, put_on_ground
from ..reference.reference import reference_from_poses

FIRST_ITERATIONS, ITERATIONS = 8, 2
"""Iterations of the dynamic filter in the first window, and in those that start from one before them."""
HELD = 4
"""Samples up to the present that the filter sees: accelerations reach over three."""
LOOKED_BACK = 60
"""Samples before the present that are seen when contacts are found: those of half a step."""


@dataclass(frozen=True, eq=False)
class Window:
    """A prepared part of a reference; first: the sample of the whole motion at which it begins."""

    first: int
    prepared: Prepared


class SlidingReference:
    """Prepares window after window; samples count from the start of the motion.

    first: the sample at which the arrays begin: poses (N, nq) prepared and of the source, touches (N, K) and
    force (N, K, 3) of all points of the body that can carry it
    """

    def __init__(self, setup: CharacterSetup, method: Method) -> None:
        self.setup, self.world, self.method = setup, setup.world, method
        self.points = len(self.world.index.support_body)
        self.first = 0
        self.qpos: FloatArray = np.zeros((0, self.world.model.nq))
        self.source: FloatArray = self.qpos
        self.touches: BoolArray = np.zeros((0, self.points), dtype=bool)
        self.force: FloatArray = np.zeros((0, self.points, 3))

    @property
    def end(self) -> int:
        """The first sample that is not prepared."""
        return self.first + len(self.qpos)

    def prepare(self, now: int, first: int, source: FloatArray) -> Window:
        """Prepare the source (T, nq) from a sample on, of which the present one and all before are kept.

        now: the present sample; first: of the source, LOOKED_BACK before that or the start of the motion
        """
        self._forget(first)
        held = min(now + 1, self.end)  # nothing of the first window is held
        grounded = self._with_past_contacts(self._on_ground(source), first, held)
        begin = max(first, held - HELD)
        part = _part(grounded, begin - first, self.world.ground_height)
        start = self._start(begin, part.projected.qpos)
        settings = replace(self.method.filter, iterations=ITERATIONS if len(self.qpos) else FIRST_ITERATIONS)
        leg_length = self.setup.scenario.leg_length
        found = make_feasible(self.world, part, CONTROL_DT, leg_length, settings, start, held - begin)
        self._keep(held, begin, found, part.projected.qpos)
        return self._window(grounded.schedule, self._window_start(now))

    def _on_ground(self, source: FloatArray) -> GroundedMotion:
        method, leg_length = self.method, self.setup.scenario.leg_length
        rolls = method.filter.changes
        return put_on_ground(
            self.world, source, CONTROL_DT, leg_length, method.point_speed, rolls, passes_by=False
        )

    def _with_past_contacts(self, motion: GroundedMotion, first: int, held: int) -> GroundedMotion:
        """Return the motion with the contacts that it had when its past was followed."""
        past = self.touches[first - self.first : held - self.first]
        touches: BoolArray = np.zeros((len(motion.source), self.points), dtype=bool)
        touches[:, motion.schedule.support] = motion.schedule.touches
        touches[: len(past)] = past
        used = np.union1d(motion.schedule.support, np.flatnonzero(touches.any(axis=0)))
        foot = self.world.index.foot_of_support[used]
        return replace(motion, schedule=ContactSchedule(touches[:, used], foot, used))

    def _start(self, begin: int, source: FloatArray) -> FloatArray | None:
        """Return poses to start from: the last window's, and beyond its end the source, changed alike."""
        if not len(self.qpos):
            return None
        model, poses = self.world.model, source.copy()
        known = min(self.end - begin, len(poses))
        poses[:known] = self.qpos[begin - self.first :][:known]
        change = np.zeros(model.nv)
        last = self.source[known + begin - self.first - 1]
        mujoco.mj_differentiatePos(model, change, 1.0, last, poses[known - 1])
        for pose in poses[known:]:
            mujoco.mj_integratePos(model, pose, change, 1.0)
        return poses

    def _keep(self, held: int, begin: int, found: Prepared, source: FloatArray) -> None:
        """Take over what was prepared after the samples that were held."""
        kept, new = held - self.first, held - begin
        support, samples = found.schedule.support, len(source) - new
        touches: BoolArray = np.zeros((samples, self.points), dtype=bool)
        touches[:, support] = found.schedule.touches[new:]
        force: FloatArray = np.zeros((samples, self.points, 3))
        force[:, support] = found.support_force[new:]
        force[-1] = force[-2]  # the filter has no accelerations at the ends
        if new == 0:
            force[0] = force[1]
        self.qpos = np.concatenate([self.qpos[:kept], found.reference.qpos[new:]])
        self.source = np.concatenate([self.source[:kept], source[new:]])
        self.touches = np.concatenate([self.touches[:kept], touches])
        self.force = np.concatenate([self.force[:kept], force])

    def _forget(self, first: int) -> None:
        """Drop samples before the source begins."""
        past = first - self.first
        if past > 0:
            self.qpos, self.source = self.qpos[past:], self.source[past:]
            self.touches, self.force = self.touches[past:], self.force[past:]
            self.first = first

    def _window_start(self, now: int) -> int:
        """Return where the controller's window starts: a swing under way is in it from its lift on."""
        present = now - self.first
        start = max(present - 2, 0)
        for foot in (0, 1):
            own = np.asarray(self.touches[:, self.world.index.foot_of_support == foot].any(axis=1))
            if not own[present]:
                stood = np.flatnonzero(own[:present])
                start = min(start, int(stood[-1]) if len(stood) else 0)
        return self.first + start

    def _window(self, schedule: ContactSchedule, start: int) -> Window:
        """Return what was prepared from a sample on, with the points of a schedule."""
        begin, used = start - self.first, schedule.support
        reference = reference_from_poses(self.world.model, self.qpos[begin:], CONTROL_DT)
        part = ContactSchedule(self.touches[begin:, used], schedule.foot, used)
        ground = flat_contact_ground(len(reference), len(used), self.world.ground_height)
        return Window(start, Prepared(reference, part, ground, self.force[begin:][:, used], None))


def _part(motion: GroundedMotion, start: int, level: float) -> GroundedMotion:
    """Return a motion on a flat floor [m] from a sample on."""
    schedule, qpos = motion.schedule, motion.projected.qpos[start:]
    ground = flat_contact_ground(len(qpos), len(schedule.foot), level)
    part = ContactSchedule(schedule.touches[start:], schedule.foot, schedule.support)
    return GroundedMotion(motion.source[start:], part, ProjectedMotion(qpos, ground))
