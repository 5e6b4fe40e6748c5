"""What a clip does after its end: a loop goes on, a clip that ends at rest stands, any other starts again.

A clip that is neither a loop nor ends at rest is joined to itself like two motions of a sequence, and goes
on from where it has come to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ..bake.loop import same_pose_at_ends, same_speed_at_ends
from ..bake.setup import CharacterSetup, make_worlds
from ..base.conventions import BoolArray
from ..character.binding import bind
from ..motion.motion import CONTROL_DT, Motion
from ..scenario.job import Job
from ..scenario.settings import BakeSettings
from ..scenario.several import make_scenarios
from ..sequence.blend import BLEND_SECONDS
from ..sequence.chain import Chaining, make_clips
from ..sequence.cycle import Cycle
from .balls import with_balls
from .segment import Segment, SegmentLibrary, segment_of
from .take import Stage

REST_SPEED = 0.25
"""Speed of the hips at the end of a clip, below which it ends at rest [m/s]."""
HELD_S = 2.0
"""How long the last pose is held in a segment that then repeats its end [s]."""
START, GO_ON = "start", "go on"
"""Names of the segments of a single clip: its first time, and what is repeated."""


@dataclass(frozen=True, eq=False)
class Repeated:
    """A motion that can be repeated: after the time `end_s`, it goes on as after `start_s` [s]."""

    motion: Motion
    start_s: float
    end_s: float


def repeated(job: Job) -> Repeated:
    """Return a job's motion so long that a stretch of it can be repeated for ever."""
    motion, hips = job.motion, int(bind(job.motion.skeleton, job.mapping).joint[0])
    if same_pose_at_ends(motion, hips) and same_speed_at_ends(motion):
        cycle = Cycle.of(motion, hips)
        start_s = cycle.lead * motion.duration
        return Repeated(cycle.unrolled(), start_s, start_s + motion.duration)
    speed = np.linalg.norm(np.diff(motion.position_world[-3:, hips], axis=0), axis=1) * motion.rate_hz
    if speed.mean() < REST_SPEED:
        held = _held(motion)
        return Repeated(held, held.duration - 0.5 * HELD_S, held.duration)
    clips, body = make_clips([(GO_ON, motion)] * 3, job.mapping, BLEND_SECONDS)
    chaining = Chaining(body, BLEND_SECONDS)
    starts = [chaining.add(GO_ON, clip) for clip in clips]
    chained = chaining.finish()
    # In the middle of a clip between two blends, where both rounds are the same clip unchanged.
    middle = 0.5 * (chained.parts[1].end_s + chained.parts[0].end_s) - starts[1] / motion.rate_hz
    first_s, second_s = (start / motion.rate_hz + middle for start in starts[1:])
    return Repeated(chained.motion, first_s, second_s)


def _held(motion: Motion) -> Motion:
    """Return a motion whose last pose is held."""
    samples = round(HELD_S * motion.rate_hz)
    time = motion.time[-1] + np.arange(1, samples + 1) / motion.rate_hz
    position, quaternion = (
        np.concatenate([values, np.repeat(values[-1:], samples, axis=0)])
        for values in (motion.position_world, motion.quaternion_world)
    )
    return Motion(motion.skeleton, np.concatenate([motion.time, time]), position, quaternion)


def stage_of(job: Job) -> Stage:
    """Set up a character that plays the motion of a job again and again; segments are made in a thread."""
    setup, unrolled = set_up_live(job)
    library = SegmentLibrary()
    both = cache(lambda: segments_of(setup, unrolled))
    library.add(START, lambda: both()[0])
    library.add(GO_ON, lambda: both()[1])
    return Stage(setup, library, START, job.motion.rate_hz, start_s=float(job.motion.time[0]))


def set_up_live(job: Job) -> tuple[CharacterSetup, Repeated]:
    """Set up a character that plays its motion again and again, with balls that can be thrown at it."""
    unrolled = repeated(job)
    return live_setup(replace(job, motion=unrolled.motion)), unrolled


def live_setup(job: Job) -> CharacterSetup:
    """Set up the character of a job for a live run, with balls that can be thrown at it."""
    settings = replace(of_whole_motion(job.settings), find_assist=False)
    # Soft parts are animated: segments of a live run have no common time, which their springs would need.
    scenario = make_scenarios((replace(job, settings=settings, bone_share=None, soft=()),))[0]
    scenario = replace(scenario, scene=with_balls(scenario.scene, scenario.ground_height))
    world = make_worlds((scenario,), (settings.quality,))[0]
    return CharacterSetup(scenario, settings, world)


def of_whole_motion(settings: BakeSettings) -> BakeSettings:
    """Return settings without what belongs to a clip's own times: loops, stretches and blends."""
    return replace(
        settings, loop="off", only="whole", only_around_hits=False, blend_in_s=0.0, blend_out_s=0.0
    )


def segments_of(setup: CharacterSetup, unrolled: Repeated) -> tuple[Segment, Segment]:
    """Return the segment of the first time, and the one that is repeated after it."""
    whole = segment_of(setup, START, then=GO_ON)
    stands = np.asarray(whole.prepared.schedule.stands.all(axis=1))
    begin = round(unrolled.start_s / CONTROL_DT)
    period = round(unrolled.end_s / CONTROL_DT) - begin
    first = _on_both_feet(stands, begin, len(whole.prepared.reference) - 2 - period)
    again = replace(whole, name=GO_ON, first=first, last=first + period, then=GO_ON)
    return replace(whole, last=first + period), again


def _on_both_feet(stands: BoolArray, wanted: int, most: int) -> int:
    """Return the sample nearest to a wanted one at which both feet stand; that one itself if there is none.

    A foot that swings may be displaced from its reference, which a new controller does not know.
    """
    near = np.flatnonzero(stands[: most + 1])
    near = near[np.abs(near - wanted) <= round(0.5 / CONTROL_DT)]
    return min(wanted, most) if len(near) == 0 else int(near[np.abs(near - wanted).argmin()])
