"""Putting a tracker together."""

from __future__ import annotations

from ...reference.prepare import Prepared
from ...simulation.world import World
from .centroidal_lqr import LqrScales, compute_gains
from .footstep_balance import FootstepBalance
from .plan import make_plan
from .qp import Daqp, Osqp, WithFallback
from .tracker import Tracker, TrackerSettings


def make_tracker(world: World, prepared: Prepared, leg_length: float, assist_cap: float) -> Tracker:
    plan = make_plan(world, prepared.reference, prepared.schedule, prepared.sole_force)
    mass = sum(segment.mass for segment in world.spec)
    gains = compute_gains(plan, mass, leg_length, LqrScales())
    balance = FootstepBalance(plan, gains, mass)
    return Tracker(world, plan, balance, WithFallback(Daqp(), Osqp()), TrackerSettings(), assist_cap)
