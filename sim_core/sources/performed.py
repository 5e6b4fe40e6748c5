"""A motion as a performer's: the frames of a stream, and its packets (VMC)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np

from ..base.conventions import Z_UP
from ..base.errors import InputError
from ..motion.motion import Motion
from ..scenario.job import Job
from ..scenario.scenario import Scenario, make_scenario
from ..scenario.treadmill import find_belt
from ..stream.performer import PerformerFrame
from ..stream.performer_rig import PerformerRig
from ..stream.sender import TimedPacket, vmc_packets

USUAL_RATE_HZ, MOST_RATE_HZ = 60.0, 240.0


def performer_of(job: Job) -> Scenario:
    """Return the performer of a motion; one on a treadmill walks over ground, as whoever follows does."""
    scenario = make_scenario(job)
    belt = find_belt(job, scenario)
    return scenario if belt is None else belt.note_over_ground(make_scenario(belt.over_ground(job)))


def performed(scenario: Scenario, rate_hz: float, loops: bool) -> Iterator[TimedPacket]:
    """Yield the packets of a scenario's motion; loops: go on from where it ends, without an end."""
    return vmc_packets(*performed_frames(scenario, rate_hz, loops))


def performed_frames(
    scenario: Scenario, rate_hz: float, loops: bool
) -> tuple[PerformerRig, Iterator[PerformerFrame]]:
    """Return the performer of a scenario, and the frames of its motion above a floor at height zero."""
    if not 1.0 <= rate_hz <= MOST_RATE_HZ:
        raise InputError(f"The rate is {rate_hz:g}; choose 1 to {MOST_RATE_HZ:g} frames per second.")
    rig = PerformerRig(scenario.spec, scenario.binding)
    above = scenario.repaired.moved(-scenario.ground_height * Z_UP)
    return rig, frames_of(rig, above, rate_hz, loops)


def frames_of(rig: PerformerRig, motion: Motion, rate_hz: float, loops: bool) -> Iterator[PerformerFrame]:
    """Yield the frames of a motion from time zero on; rounds start where the last one ended."""
    samples = max(int(motion.duration * rate_hz + 1e-6) + 1, 2)
    resampled = motion.at(motion.time[0] + np.arange(samples) / rate_hz)
    frames = rig.frames(resampled)
    ended = (frames[-1].hips - frames[0].hips) * [1.0, 1.0, 0.0]
    for turn in count() if loops else range(1):
        for number, frame in enumerate(frames, start=turn * samples):
            yield replace(frame, time_s=number / rate_hz, hips=frame.hips + turn * ended)
