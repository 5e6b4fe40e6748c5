"""Putting a tracker together."""

from __future__ import annotations

from collections.abc import Callable

from ...reference.prepare import Prepared
from ...simulation.world import World
from ..hit_reaction import HitReactions, HitSettings
from ..three_link.lqr import LinkScales
from ..three_link.policy import ThreeLinkBalance
from .balance import BalancePolicy
from .centroidal_lqr import LqrScales, compute_gains
from .footstep_balance import FootstepBalance
from .full_state_balance import FullStateBalance
from .full_state_lqr import FullStateScales, full_state_gains
from .joint_offset import JointOffsetBalance, JointOffsetGains
from .plan import TrackingPlan, make_plan
from .qp import Daqp, Osqp, Solver, WithFallback
from .swing_hip import SwingHipBalance, SwingHipGains
from .tracker import Tracker, TrackerSettings
from .virtual_actuator import VirtualActuatorBalance, VirtualActuatorGains

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
) -> Tracker:
    """The controller of a prepared reference; balance and solver: of settings.BALANCES, SOLVERS."""
    plan = make_plan(world, prepared.reference, prepared.schedule, prepared.footing, prepared.support_force)
    policy = _policy(balance, world, plan, leg_length, scales, balance_weight)
    reactions = HitReactions(world.spec, world.hitters, reaction)
    return Tracker(world, plan, policy, _SOLVERS[solver](), tuning, assist_cap, reactions)


def _policy(
    balance: str,
    world: World,
    plan: TrackingPlan,
    leg_length: float,
    scales: LqrScales,
    balance_weight: float,
) -> BalancePolicy:
    if balance == "swing_hip":
        return SwingHipBalance(world, plan, leg_length, SwingHipGains())
    if balance == "virtual_actuator":
        return VirtualActuatorBalance(world, plan, VirtualActuatorGains())
    if balance == "joint_offset":
        return JointOffsetBalance(world, plan, leg_length, JointOffsetGains())
    if balance == "full_state":
        return FullStateBalance(world, plan, full_state_gains(world, plan, FullStateScales()))
    mass = world.spec.mass
    footsteps = FootstepBalance(plan, compute_gains(plan, mass, leg_length, scales), mass, world.ground)
    if balance == "three_link":
        return ThreeLinkBalance(world, plan, leg_length, balance_weight, footsteps, LinkScales())
    return footsteps
