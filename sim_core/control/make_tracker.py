"""Makes the tracker of a prepared reference from its options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..reference.prepare import Prepared
from ..world.world import World
from .balance.capture_region import StepTrigger
from .balance.centroidal_lqr import LqrScales, compute_gains
from .balance.footstep_balance import FootstepBalance
from .balance.heel_lowering import HeelLowering
from .gain_cache import GainCache
from .handing_over import HandingOver
from .hit_reaction import HitReactions, HitSettings
from .tracking.plan import TrackingPlan, make_plan
from .tracking.policy import BalancePolicy
from .tracking.qp import Daqp, FallbackSolver, Osqp, Solver
from .tracking.tracker import Tracker
from .tracking.tracker_settings import TrackerSettings

_SOLVERS: dict[str, Callable[[], Solver]] = {"daqp": lambda: FallbackSolver(Daqp(), Osqp()), "osqp": Osqp}


@dataclass(frozen=True, kw_only=True)
class TrackerOptions:
    """Choices for a tracker; the defaults are those of a bake in which no option is changed.

    balance: one of settings.BALANCES; solver: one of settings.SOLVERS
    balance_weight: weight of the three-link model's feedback, 0 to 1; only the method three_link reads it
    assist_cap: limit of the length of the external root force and of its torque [N, Nm]; 0 allows none
    tracking: weights and gains of the QP; scales: cost scales of the centroidal LQR
    hits: reaction to hits; step_trigger: thresholds for steps that are not planned
    """

    balance: str = "footsteps"
    balance_weight: float = 0.5
    solver: str = "daqp"
    assist_cap: float = 0.0
    tracking: TrackerSettings = TrackerSettings()
    scales: LqrScales = LqrScales()
    hits: HitSettings = HitSettings()
    step_trigger: StepTrigger = StepTrigger()


DEFAULT_OPTIONS = TrackerOptions()


def make_tracker(
    world: World,
    prepared: Prepared,
    leg_length: float,
    options: TrackerOptions = DEFAULT_OPTIONS,
    cache: GainCache | None = None,
) -> Tracker:
    """Return the tracking controller of a prepared reference.

    leg_length: from hip to ground [m]; cache: keeps gains that take long to compute, None keeps none
    """
    plan = make_plan(
        world, prepared.reference, prepared.schedule, prepared.contact_ground, prepared.support_force
    )
    policy = make_policy(world, plan, leg_length, options, cache or GainCache())
    reactions = HitReactions(world.spec, world.colliders, options.hits)
    return Tracker(
        world, plan, policy, _SOLVERS[options.solver](), options.tracking, options.assist_cap, reactions
    )


def make_policy(
    world: World, plan: TrackingPlan, leg_length: float, options: TrackerOptions, cache: GainCache
) -> BalancePolicy:
    """Return the balance policy that the options name; gains that take long come from the cache.

    All but footsteps are imported here, because few bakes choose them.
    """
    balance = options.balance
    if balance == "swing_hip":
        from .balance.swing_hip import SwingHipBalance, SwingHipGains

        return SwingHipBalance(world, plan, leg_length, SwingHipGains())
    if balance == "full_state":
        from .balance.full_state import FullStateBalance, FullStateScales, full_state_gains

        wanted = FullStateScales()
        causes = ("full_state", world.model, plan, wanted)
        found = cache.get(causes, lambda: {"gains": full_state_gains(world, plan, wanted)})
        return FullStateBalance(world, plan, found["gains"])
    mass = world.spec.mass
    gains = compute_gains(plan, mass, leg_length, options.scales)
    footsteps = FootstepBalance(
        plan, gains, mass, world.ground, options.step_trigger, HeelLowering(world, plan)
    )
    if balance == "three_link":
        from .three_link.lqr import LinkScales
        from .three_link.policy import ThreeLinkBalance

        weight = options.balance_weight
        return ThreeLinkBalance(world, plan, leg_length, weight, footsteps, LinkScales(), cache)
    if balance == "virtual_actuator":
        from .balance.two_feet import HipGains
        from .balance.virtual_actuator import VirtualActuatorBalance, VirtualActuatorGains

        return VirtualActuatorBalance(world, plan, leg_length, footsteps, VirtualActuatorGains(), HipGains())
    if balance == "joint_offset":
        from .balance.joint_offset import JointOffsetBalance, JointOffsetGains
        from .balance.two_feet import HipGains

        stiffness = options.tracking.stiffness
        return JointOffsetBalance(
            world, plan, leg_length, footsteps, JointOffsetGains(), HipGains(), stiffness
        )
    return footsteps


def hand_over(earlier: Tracker, later: Tracker, change: HandingOver) -> None:
    """Let a tracker go on where another one stops.

    Planned steps that are under way stay displaced as they are, and inserted ones are finished; other
    balance methods than footsteps start afresh.
    """
    later.continue_from(earlier, change)
    if isinstance(earlier.balance, FootstepBalance) and isinstance(later.balance, FootstepBalance):
        left = min(len(earlier.plan) - change.earlier, len(later.plan) - change.later) - 1
        later.balance.continue_from(earlier.balance, change.led(earlier.lead, left))
