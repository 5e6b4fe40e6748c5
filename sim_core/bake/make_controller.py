"""Step 3, make the controller: what drives the character along its reference, and how it starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..control.balance.capture_region import StepTrigger
from ..control.balance.footstep_balance import FootstepBalance
from ..control.computed_torque import ComputedTorque
from ..control.hit_reaction import DELAY_SHARE, HitReactions, HitSettings
from ..control.make_tracker import TrackerOptions, make_tracker
from ..control.tracking.tracker import Tracker
from ..control.until_fall import UntilFall
from ..reference.prepare import Prepared
from ..scenario.settings import BakeSettings
from ..simulation.simulation import CharacterStart
from ..world.start_state import raise_out_of_ground
from ..world.world import World
from .methods import Method
from .setup import CharacterSetup


@dataclass(frozen=True, eq=False)
class ControlledCharacter:
    """A character that is ready to start.

    controller: what the simulation asks for commands; it gives up after a fall
    tracker: what the controller is made of as long as the character is up
    """

    controller: UntilFall
    tracker: Tracker | ComputedTorque
    start: CharacterStart


def make_controller(
    setup: CharacterSetup,
    world: World,
    prepared: Prepared,
    method: Method,
    assist_cap: float,
    should_lie: BoolArray | None = None,
) -> ControlledCharacter:
    """Return the controller of a prepared reference.

    world: the setup's own, or the same with another time step
    should_lie (T): where the reference lies; None where the source does
    """
    reactions = HitReactions(world.spec, world.colliders, _hit_settings(setup))
    reference, leg_length = prepared.reference, setup.scenario.leg_length
    floor = setup.source_lies if should_lie is None else should_lie, setup.scenario.ground_height
    if setup.kinematic_segments:
        follower = ComputedTorque(world, reference, reactions, setup.kinematic_segments)
        controller = UntilFall(follower, world, reference, leg_length, *floor)
        start = CharacterStart(controller, setup.source_qpos[0], reference.qvel[0])
        return ControlledCharacter(controller, follower, start)
    options = _tracker_options(setup, method, assist_cap)
    tracker = make_tracker(world, prepared, leg_length, options, setup.gains)
    controller = UntilFall(tracker, world, reference, leg_length, *floor)
    qvel = reference.qvel[0] + start_noise(setup.settings, reference.qvel.shape[1], setup.index)
    start = CharacterStart(controller, raise_out_of_ground(world, reference.qpos[0]), qvel)
    return ControlledCharacter(controller, tracker, start)


def adjust_controller(controlled: ControlledCharacter, setup: CharacterSetup, method: Method) -> None:
    """Let a controller that is at work follow the dials and the assist of a setup from now on."""
    options, tracker = _tracker_options(setup, method, setup.settings.assist_cap), controlled.tracker
    tracker.reactions.settings = options.hits
    if isinstance(tracker, Tracker):
        tracker.adjust(options.tracking, options.assist_cap)
        if isinstance(tracker.balance, FootstepBalance):
            tracker.balance.inserted.trigger = options.step_trigger


def _tracker_options(setup: CharacterSetup, method: Method, assist_cap: float) -> TrackerOptions:
    settings = setup.settings
    return TrackerOptions(
        balance=settings.balance,
        balance_weight=settings.balance_weight,
        solver=settings.solver,
        assist_cap=assist_cap,
        tracking=method.tracker,
        scales=method.balance,
        hits=_hit_settings(setup),
        step_trigger=StepTrigger().scaled(setup.dials.patience),
    )


def _hit_settings(setup: CharacterSetup) -> HitSettings:
    settings = setup.settings
    return HitSettings(settings.softness, settings.recovery_s, DELAY_SHARE * setup.dials.patience)


def start_noise(settings: BakeSettings, dofs: int, index: int = 0) -> FloatArray:
    """Return random starting velocities [m/s, rad/s]; every character of a simulation has its own."""
    return settings.noise * np.random.default_rng(settings.seed + index).standard_normal(dofs)
