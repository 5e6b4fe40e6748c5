"""A take before it is simulated: its references, one for each way to prepare it, and who controls them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .attempts import Attempt
from .character.posing import pose_from_motion, segment_poses
from .character.take import Take
from .control.hit_reaction import HitSettings
from .control.limp import UntilFall
from .control.tracking.make import make_tracker
from .control.tracking.tracker import Tracker
from .conventions import FloatArray
from .metrics import joint_error_deg
from .motion import Motion
from .reference.filter import FilterSettings
from .reference.prepare import Prepared, prepare
from .reference.smoothing import low_pass
from .settings import BakeSettings
from .simulation.ensemble import Start
from .simulation.trace import Trace
from .simulation.world import World, clear_of_ground

CONTROL_DT = 0.01
"""The controller's interval [s]; samples of the result file lie this far apart."""


@dataclass(frozen=True, eq=False)
class Cue:
    """A character that is ready to start: its controller, what is inside of it, and where it begins."""

    controller: UntilFall
    tracker: Tracker
    start: Start


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """One take under its settings, in its world.

    place: of the character in the simulation
    """

    take: Take
    settings: BakeSettings
    world: World
    place: int = 0
    _prepared: dict[tuple[float, float, FilterSettings], Prepared] = field(default_factory=dict)

    def prepare(self, attempt: Attempt) -> Prepared:
        """Made once for each way of preparing it."""
        if attempt.preparation not in self._prepared:
            sound = on_control_grid(low_pass(self.take.sound, attempt.cutoff_hz))
            qpos = pose_from_motion(self.take.spec, self.take.binding, sound)
            leg = self.take.leg_length
            prepared = prepare(self.world, qpos, CONTROL_DT, leg, attempt.filter, attempt.point_speed)
            self._prepared[attempt.preparation] = prepared
        return self._prepared[attempt.preparation]

    def cue(self, world: World, prepared: Prepared, attempt: Attempt, assist_cap: float) -> Cue:
        """world: its own, or that of another quality."""
        settings, reference = self.settings, prepared.reference
        tracker = make_tracker(
            world,
            prepared,
            self.take.leg_length,
            assist_cap,
            settings.balance,
            attempt.tuning,
            attempt.balance,
            settings.solver,
            settings.balance_weight,
            HitSettings(settings.softness, settings.recovery_s),
        )
        controller = UntilFall(tracker, world, reference, self.take.leg_length)
        qvel = reference.qvel[0] + start_noise(settings, reference.qvel.shape[1], self.place)
        return Cue(controller, tracker, Start(controller, clear_of_ground(world, reference.qpos[0]), qvel))

    def error_deg(self, prepared: Prepared, trace: Trace) -> float:
        """Mean angle between simulated and planned joint rotations [deg]."""
        spec = self.take.spec
        new = segment_poses(spec, trace.qpos)[1]
        planned = segment_poses(spec, prepared.reference.qpos[: len(trace.qpos)])[1]
        return float(joint_error_deg(new, planned, spec.parents).mean())


def on_control_grid(motion: Motion) -> Motion:
    """The motion at the control rate, from its first sample on."""
    samples = int(motion.duration / CONTROL_DT + 1e-6) + 1
    return motion.at(motion.time[0] + np.arange(max(samples, 2)) * CONTROL_DT)


def start_noise(settings: BakeSettings, dofs: int, place: int = 0) -> FloatArray:
    """Random starting velocities [m/s, rad/s]; no two characters of a simulation have the same."""
    return settings.noise * np.random.default_rng(settings.seed + place).standard_normal(dofs)
