"""Getting up after a fall: when it is tried, and what the longer motion is that comes of it.

The clip waits while the character lies and gets up, and goes on from there, turned to where the body has got
up. So the result is longer than the clip. Everything after this stage sees a setup whose source is as long:
the clip where it is followed, and the simulated body where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..getup.guide import load_guide
from ..motion.motion import CONTROL_DT
from ..result.records import GetUpRecord
from ..scenario.search_limit import budget_seconds
from ..world.world import with_timestep
from .attempt import Outcome, judge, mean_joint_error_deg
from .monitor import Monitor
from .search_budget import SearchBudget
from .setup import CharacterSetup

if TYPE_CHECKING:
    from .get_up_run import GetUpRun, GetUpTry

USUAL_TRY_S = 5.0
"""Time that getting up usually takes, for which a search may take its time, too [s]."""


def get_up_refusal(setup: CharacterSetup, characters: int) -> str:
    """Return why a character cannot get up after a fall; nothing where it can."""
    settings = setup.settings
    if characters > 1:
        return "several characters are simulated together"
    if setup.kinematic_segments or settings.only_around_hits:
        return "a part of the body or of the time follows the clip"
    if settings.blend_out_s > 0.0:
        return "its end is blended with the clip"
    if np.any(setup.scenario.belt):
        return "the motion walks in place"
    return "strikes are aimed at fixed times" if setup.scenario.aims else ""


def get_up_after_fall(
    setup: CharacterSetup, kept: Outcome, monitor: Monitor
) -> tuple[CharacterSetup, Outcome]:
    """Return the setup and outcome of a run in which the character gets up where it falls.

    Where it stays down, the outcome that was kept so far stays, with the reason.
    """
    # Here, because most bakes do not fall.
    from .get_up_run import MOST_TRIES, run_with_get_ups
    from .longer_motion import last_tick, longer_scenario
    from .search_run import TIMESTEP

    stepped = replace(setup, world=with_timestep([setup.world], TIMESTEP)[0])
    duration_s = float(kept.prepared.reference.time[-1]) + MOST_TRIES * USUAL_TRY_S
    seconds = budget_seconds(setup.settings, duration_s)
    budget = SearchBudget(seconds, monitor, f"It falls: getting up again, at most {seconds:.0f} s")
    rate_hz = setup.scenario.motion.rate_hz
    run = run_with_get_ups(stepped, kept, load_guide(), lambda tick: last_tick(tick, rate_hz), budget)
    if run.stays_down is not None:
        reason = budget.ended or f"it fell again {len(run.tries)} times"
        return setup, replace(kept, stays_down=reason)
    if not run.tries:  # at the search's time step it does not fall
        return stepped, judge(stepped, kept.attempt, kept.prepared, run.trace, run.hits)
    longer = replace(stepped, scenario=longer_scenario(setup.scenario, run), references={})
    return longer, _outcome(longer, kept, run)


def _outcome(setup: CharacterSetup, kept: Outcome, run: GetUpRun) -> Outcome:
    """Judge the run where it follows the clip."""
    from .longer_motion import joined_reference

    trace, prepared = run.trace, joined_reference(setup, kept.prepared, run)
    outcome = replace(
        kept,
        prepared=prepared,
        trace=trace,
        hits=run.hits,
        fell_s=None,
        get_ups=tuple(map(_record, run.tries)),
        fallbacks=sum(own.tracker.fallbacks for own in run.trackers),
    )
    followed = outcome.follows_clip
    part = replace(trace, qpos=trace.qpos[followed])
    error = mean_joint_error_deg(setup, prepared.reference.qpos[: len(followed)][followed], part)
    return replace(outcome, joint_error_deg=error)


def _record(made: GetUpTry) -> GetUpRecord:
    plan = made.plan
    return GetUpRecord(
        fell_at=made.fell * CONTROL_DT,
        rests_at=made.rests * CONTROL_DT,
        stands_at=(made.rests + plan.stands) * CONTROL_DT,
        back_at=(made.rests + plan.follows) * CONTROL_DT,
        clip_from_s=float(plan.clip_sample[plan.stands]) * CONTROL_DT,
        way=plan.way,
        turned_deg=float(np.degrees((plan.yaw + np.pi) % (2.0 * np.pi) - np.pi)),
    )


def get_up_wanted(setups: Sequence[CharacterSetup], kept: Sequence[Outcome]) -> bool:
    """Return whether the only character of a bake shall get up after its fall."""
    setup, outcome = setups[0], kept[0]
    asked = setup.settings.get_up and outcome.fell_s is not None
    return asked and not get_up_refusal(setup, len(setups))
