"""Putting a tracker together."""

from __future__ import annotations

from ...reference.prepare import Prepared
from ...simulation.world import World
from .balance import BalancePolicy
from .centroidal_lqr import LqrScales, compute_gains
from .footstep_balance import FootstepBalance
from .plan import TrackingPlan, make_plan
from .qp import Daqp, Osqp, WithFallback
from .swing_hip import SwingHipBalance, SwingHipGains
from .tracker import Tracker, TrackerSettings

DEFAULT_TUNING = TrackerSettings()


def make_tracker(
    world: World,
    prepared: Prepared,
    leg_length: float,
    assist_cap: float,
    balance: str,
    tuning: TrackerSettings = DEFAULT_TUNING,
) -> Tracker:
    """The controller of a prepared reference; balance: one of settings.BALANCES."""
    plan = make_plan(world, prepared.reference, prepared.schedule, prepared.sole_force)
    policy = _policy(balance, world, plan, leg_length)
    return Tracker(world, plan, policy, WithFallback(Daqp(), Osqp()), tuning, assist_cap)


def _policy(balance: str, world: World, plan: TrackingPlan, leg_length: float) -> BalancePolicy:
    if balance == "swing_hip":
        return SwingHipBalance(world, plan, leg_length, SwingHipGains())
    mass = sum(segment.mass for segment in world.spec)
    return FootstepBalance(plan, compute_gains(plan, mass, leg_length, LqrScales()), mass)
