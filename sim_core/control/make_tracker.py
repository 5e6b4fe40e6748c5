"""Putting a tracker together."""

from __future__ import annotations

from collections.abc import Callable

from ..reference.prepare import Prepared
from ..world.world import World
from .balance.centroidal_lqr import LqrScales, compute_gains
from .balance.footstep_balance import FootstepBalance
from .balance.full_state import FullStateBalance, FullStateScales, full_state_gains
from .balance.heels import Heels
from .balance.inserted_steps import USUAL
from .balance.joint_offset import JointOffsetBalance, JointOffsetGains
from .balance.policy import BalancePolicy
from .balance.step_alarm import Alarm
from .balance.swing_hip import SwingHipBalance, SwingHipGains
from .balance.virtual_actuator import VirtualActuatorBalance, VirtualActuatorGains
from .gain_cache import GainCache
from .hit_reaction import HitReactions, HitSettings
from .three_link.lqr import LinkScales
from .three_link.policy import ThreeLinkBalance
from .tracking.plan import TrackingPlan, make_plan
from .tracking.qp import Daqp, Osqp, Solver, WithFallback
from .tracking.tracker import Tracker
from .tracking.tracker_settings import TrackerSettings

DEFAULT_TUNING = TrackerSettings()
DEFAULT_SCALES = LqrScales()
DEFAULT_REACTION = HitSettings()
_SOLVERS: dict[str, Callable[[], Solver]] = {"daqp": lambda: WithFallback(Daqp(), Osqp()), "osqp": Osqp}


def make_tracker(
    world: World,
    prepared: Prepared,
    leg_length: float,
    assist_cap: float,
    balance: str,
    tuning: TrackerSettings = DEFAULT_TUNING,
    scales: LqrScales = DEFAULT_SCALES,
    solver: str = "daqp",
    balance_weight: float = 0.5,
    reaction: HitSettings = DEFAULT_REACTION,
    cache: GainCache | None = None,
    alarm: Alarm = USUAL,
) -> Tracker:
    """The controller of a prepared reference; balance and solver: of settings.BALANCES, SOLVERS.

    cache: where gains that take long may be found
    """
    plan = make_plan(world, prepared.reference, prepared.schedule, prepared.footing, prepared.support_force)
    policy = _policy(balance, world, plan, leg_length, scales, balance_weight, cache or GainCache(), alarm)
    reactions = HitReactions(world.spec, world.colliders, reaction)
    return Tracker(world, plan, policy, _SOLVERS[solver](), tuning, assist_cap, reactions)


def _policy(
    balance: str,
    world: World,
    plan: TrackingPlan,
    leg_length: float,
    scales: LqrScales,
    balance_weight: float,
    cache: GainCache,
    alarm: Alarm,
) -> BalancePolicy:
    if balance == "swing_hip":
        return SwingHipBalance(world, plan, leg_length, SwingHipGains())
    if balance == "virtual_actuator":
        return VirtualActuatorBalance(world, plan, VirtualActuatorGains())
    if balance == "joint_offset":
        return JointOffsetBalance(world, plan, leg_length, JointOffsetGains())
    if balance == "full_state":
        wanted = FullStateScales()
        causes = ("full_state", world.model, plan, wanted)
        found = cache.get(causes, lambda: {"gains": full_state_gains(world, plan, wanted)})
        return FullStateBalance(world, plan, found["gains"])
    mass = world.spec.mass
    gains = compute_gains(plan, mass, leg_length, scales)
    footsteps = FootstepBalance(plan, gains, mass, world.ground, alarm, Heels(world, plan))
    if balance == "three_link":
        return ThreeLinkBalance(world, plan, leg_length, balance_weight, footsteps, LinkScales(), cache)
    return footsteps
