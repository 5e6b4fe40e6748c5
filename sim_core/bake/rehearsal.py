"""A take before it is simulated: its references, one for each way to prepare it, and who controls them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ..aiming.aiming import Aiming, make_aiming
from ..aiming.correction import Correction
from ..base.conventions import FloatArray
from ..character.posing import pose_from_motion, segment_poses
from ..control.balance.capture_region import StepTrigger
from ..control.computed_torque import ComputedTorque
from ..control.gain_cache import GainCache
from ..control.hit_reaction import DELAY_SHARE, HitReactions, HitSettings
from ..control.make_tracker import TrackerOptions, make_tracker
from ..control.tracking.tracker import Tracker
from ..control.until_fall import UntilFall
from ..motion.motion import CONTROL_DT, Motion, on_control_grid
from ..motion.smoothing import low_pass
from ..reference.prepare import Prepared, Standing, as_it_is, make_possible, put_on_ground
from ..reference.reference import Reference
from ..result.metrics import joint_error_deg
from ..scenario.dials import tuning_of
from ..scenario.scenario import Scenario
from ..scenario.settings import BakeSettings
from ..simulation.kinematic import ClipPlayback, KinematicPart, blend_with_clip, end_shares, lower_body
from ..simulation.simulation import CharacterStart
from ..simulation.trace import Trace
from ..world.world import World, raise_out_of_ground
from .around_hits import CharacterWatch
from .attempts import USUAL, Attempt, Preparation


@dataclass(frozen=True, eq=False)
class Cue:
    """A character that is ready to start: its controller, what is inside of it, and where it begins."""

    controller: UntilFall
    tracker: Tracker | ComputedTorque
    start: CharacterStart


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """One take under its settings, in its world.

    place: of the character in the simulation
    """

    scenario: Scenario
    settings: BakeSettings
    world: World
    place: int = 0
    _prepared: dict[tuple[Preparation, Correction | None], Prepared] = field(default_factory=dict)

    def prepare(self, attempt: Attempt, correction: Correction | None = None) -> Prepared:
        """Made once for each way of preparing it, and for each correction of its strikes."""
        key = (attempt.preparation, correction)
        if key not in self._prepared:
            leg, standing = self.scenario.leg_length, self._stand(attempt, correction)
            self._prepared[key] = (
                make_possible(self.world, standing, CONTROL_DT, leg, attempt.filter)
                if not self.kinematic_segments
                else as_it_is(self.world, standing, CONTROL_DT)
            )
        return self._prepared[key]

    @cached_property
    def kinematic_segments(self) -> tuple[int, ...]:
        """That follow their clip."""
        return () if self.settings.only == "whole" else lower_body(self.scenario.spec.names)

    @cached_property
    def source(self) -> FloatArray:
        """Poses (T, nq) of the take as it was."""
        return pose_from_motion(
            self.scenario.spec, self.scenario.binding, on_control_grid(self.scenario.motion)
        )

    def kinematic_part(self, world: World, reference: Reference) -> KinematicPart | None:
        """What follows its clip while the rest is simulated."""
        if not self.kinematic_segments:
            return None
        clip = ClipPlayback(world.model, self.source, CONTROL_DT)
        return KinematicPart(world, clip, reference.qacc, self.kinematic_segments)

    def blended(self, trace: Trace) -> Trace:
        """Coming from the clip and going back to it at its ends, as the settings ask."""
        settings, kinematic = self.settings, self.kinematic_segments
        trace = replace(trace, kinematic_segments=kinematic)
        if settings.blend_in_s == 0.0 and settings.blend_out_s == 0.0:
            return trace
        share = end_shares(trace.time, settings.blend_in_s, settings.blend_out_s)
        return blend_with_clip(
            trace, ClipPlayback(self.world.model, self.source, CONTROL_DT), self.scenario.spec, share
        )

    @cached_property
    def gains(self) -> GainCache:
        """What its attempts, and later bakes, need not compute again."""
        folder = self.settings.gain_folder
        return GainCache(None if folder is None else Path(folder))

    @cached_property
    def aiming(self) -> Aiming | None:
        """Its strikes, if it has any."""
        if not self.scenario.aims:
            return None
        source = on_control_grid(self.scenario.motion)
        return make_aiming(self.scenario, self.world, source, self._motion(USUAL), CONTROL_DT)

    def first_correction(self, attempt: Attempt) -> Correction | None:
        """With which the plan hits; None without strikes."""
        if self.aiming is None:
            return None
        return self.aiming.first(lambda correction: self.plan(attempt, correction))

    def plan(self, attempt: Attempt, correction: Correction | None = None) -> FloatArray:
        """Poses (T, nq) on the ground, before they are made possible."""
        return self._stand(attempt, correction).grounded.qpos

    def _motion(self, attempt: Attempt) -> Motion:
        return on_control_grid(low_pass(self.scenario.repaired, attempt.cutoff_hz))

    def _stand(self, attempt: Attempt, correction: Correction | None) -> Standing:
        """The motion on its ground; with a correction, faster or slower at its strikes, and aimed."""
        scenario, aiming, repaired = self.scenario, self.aiming, self._motion(attempt)
        if aiming is not None and correction is not None:
            repaired = aiming.warped(repaired, correction)
        qpos = pose_from_motion(scenario.spec, scenario.binding, repaired)
        standing = put_on_ground(self.world, qpos, CONTROL_DT, scenario.leg_length, attempt.point_speed)
        if aiming is not None and correction is not None:
            standing = standing.moved(aiming.moved(standing.grounded.qpos, correction))
        return standing

    def cue(self, world: World, prepared: Prepared, attempt: Attempt, assist_cap: float) -> Cue:
        """world: its own, or that of another quality."""
        settings, reference = self.settings, prepared.reference
        patience = tuning_of(settings).patience
        reaction = HitSettings(settings.softness, settings.recovery_s, DELAY_SHARE * patience)
        if self.kinematic_segments:
            reactions = HitReactions(world.spec, world.colliders, reaction)
            follower = ComputedTorque(world, reference, reactions, self.kinematic_segments)
            upright = UntilFall(follower, world, reference, self.scenario.leg_length)
            return Cue(upright, follower, CharacterStart(upright, self.source[0], reference.qvel[0]))
        tracker = make_tracker(
            world,
            prepared,
            self.scenario.leg_length,
            TrackerOptions(
                balance=settings.balance,
                balance_weight=settings.balance_weight,
                solver=settings.solver,
                assist_cap=assist_cap,
                tracking=attempt.tuning,
                scales=attempt.balance,
                hits=reaction,
                step_trigger=StepTrigger().scaled(patience),
            ),
            self.gains,
        )
        controller = UntilFall(tracker, world, reference, self.scenario.leg_length)
        qvel = reference.qvel[0] + start_noise(settings, reference.qvel.shape[1], self.place)
        return Cue(
            controller,
            tracker,
            CharacterStart(controller, raise_out_of_ground(world, reference.qpos[0]), qvel),
        )

    def watch(self, world: World, cue: Cue) -> CharacterWatch:
        """The take as it was, for what is not simulated."""
        clip, reference = ClipPlayback(world.model, self.source, CONTROL_DT), cue.controller.reference
        return CharacterWatch(world, clip, reference, cue.tracker.reactions, self.scenario.leg_length)

    def error_deg(self, prepared: Prepared, trace: Trace) -> float:
        """Mean angle between simulated and planned joint rotations [deg]."""
        spec = self.scenario.spec
        new = segment_poses(spec, trace.qpos)[1]
        planned = segment_poses(spec, prepared.reference.qpos[: len(trace.qpos)])[1]
        return float(joint_error_deg(new, planned, spec.parents).mean())


def start_noise(settings: BakeSettings, dofs: int, place: int = 0) -> FloatArray:
    """Random starting velocities [m/s, rad/s]; no two characters of a simulation have the same."""
    return settings.noise * np.random.default_rng(settings.seed + place).standard_normal(dofs)
