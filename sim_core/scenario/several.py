"""The scenarios of all characters of a bake, which share their time, their floor and their scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..base.conventions import Z_UP
from ..base.errors import InputError
from ..character.binding import bind
from ..motion.motion import Motion
from ..world.world import compile_body
from .dials import dial_factors
from .job import Job
from .scenario import Scenario, make_scenario
from .self_contact import with_self_contact
from .soft_scenario import with_soft_parts
from .treadmill import find_belt

SAME_LEVEL = 0.1
"""Floors whose heights differ by less are the same floor [m]."""
SHORTEST_S = 0.1
"""Shortest time that the motions of several characters must have in common [s]."""


def make_scenarios(jobs: Sequence[Job]) -> tuple[Scenario, ...]:
    """Return the scenarios of all characters of a bake, ready to be simulated together."""
    if len(jobs) == 1:
        return (_single(jobs[0]),)
    jobs = _in_common_time(_with_own_names(jobs))
    scenarios = [_complete(job, make_scenario(job)) for job in jobs]
    return tuple(_beside(scenarios[0], scenario, job) for scenario, job in zip(scenarios, jobs, strict=True))


def _complete(job: Job, scenario: Scenario) -> Scenario:
    """Apply the dials to the body, compile it, and see which of its segments may collide."""
    dials = dial_factors(job.settings)
    spec = scenario.spec.with_strength(dials.strength).with_mass(dials.mass)
    scenario = with_soft_parts(replace(scenario, spec=spec), job.soft)
    scenario = replace(scenario, body=compile_body(scenario.spec))
    return with_self_contact(scenario) if job.settings.self_collision else scenario


def _single(job: Job) -> Scenario:
    """Return the scenario of a single character; walking on a treadmill becomes walking over ground."""
    scenario = make_scenario(job)
    belt = find_belt(job, scenario)
    if belt is None:
        return _complete(job, scenario)
    if job.scene.objects or job.aims:
        return belt.note_sliding(_complete(job, scenario))
    over_ground = belt.over_ground(job)
    return belt.note_treadmill(_complete(over_ground, make_scenario(over_ground)))


def _with_own_names(jobs: Sequence[Job]) -> list[Job]:
    """Number characters that have the same name as one before them."""
    named: list[Job] = []
    for job in jobs:
        taken = {other.name for other in named}
        numbered = (f"{job.name} {number}" for number in range(2, len(jobs) + 2))
        name = job.name if job.name not in taken else next(n for n in numbered if n not in taken)
        named.append(replace(job, name=name))
    return named


def _in_common_time(jobs: Sequence[Job]) -> list[Job]:
    """Cut all motions to the time that they have in common."""
    start = max(float(job.motion.time[0]) for job in jobs)
    end = min(float(job.motion.time[-1]) for job in jobs)
    if end - start < SHORTEST_S:
        spans = ", ".join(f"'{j.name}' {j.motion.time[0]:.2f} to {j.motion.time[-1]:.2f} s" for j in jobs)
        raise InputError(f"The motions have no time in common ({spans}); let them play at the same time.")
    return [replace(job, motion=_cut(job.motion, start, end), bone_share=None) for job in jobs]


def _cut(motion: Motion, start: float, end: float) -> Motion:
    """Cut a motion from start to end [s] of its own time axis, at its own rate."""
    first, last = float(motion.time[0]), float(motion.time[-1])
    inside = motion.between(start - first, end - first) if start > first or end < last else motion
    if abs(float(inside.time[0]) - start) < 1e-6:
        return inside
    samples = int((end - start) * motion.rate_hz + 1e-6) + 1
    return motion.at(start + np.arange(samples) / motion.rate_hz)


def _beside(first: Scenario, scenario: Scenario, job: Job) -> Scenario:
    """Put a character on the floor of the first one, where it starts at the first one's scale.

    A body that is made larger or smaller starts at the same position; its steps grow with its legs.
    """
    offset = np.zeros(3)
    if scenario is not first:
        offset += _level(first, scenario) * Z_UP
    if scenario.scale != first.scale or job.settings.character is not None:
        rig = bind(job.motion.skeleton, job.mapping)
        wanted = first.scale * job.motion.position_world[0, rig.joint[0]]
        offset[:2] += (wanted - scenario.motion.position_world[0, scenario.binding.joint[0]])[:2]
    return scenario.moved(offset) if offset.any() else scenario


def _level(first: Scenario, scenario: Scenario) -> float:
    """Return how far to raise a character to the floor of the first one [m]; zero if the scene has ground."""
    higher = scenario.ground_height - first.ground_height
    if abs(higher) < SAME_LEVEL:
        return -higher
    if first.scene.underfoot.objects:
        return 0.0
    raise InputError(
        f"'{scenario.name}' stands {abs(higher):.2f} m {'above' if higher > 0.0 else 'below'} the floor of "
        f"'{first.name}'; put both on one floor, or give the scene ground for both."
    )
