"""A live run that follows a stream in real time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..bake.monitor import Monitor
from ..bake.setup import CharacterSetup
from ..base.errors import InputError
from ..live.commands import CommandLog, LiveCommand, TakeOver
from ..live.run import LiveRun, Now
from ..live.take import Stage, result_of
from ..motion.motion import CONTROL_DT
from ..result.result import Result
from ..stream.heard import PoseSource
from .follow_mode import FollowMode
from .follower import WINDOW, Follower

PATIENCE_S = 30.0
"""How long a first pose is waited for [s]."""
ENDED_S, ENDED_SHARE = 1.0, 0.5
"""A stream has ended when all that came was followed and nothing was heard for this long [s], or for this
share of the delay."""
LATE_S = 0.02
"""A control interval that starts later than this is late [s]."""
TOO_SLOW_S = 5.0
"""Time by which a run may fall behind its delay before it skips what it has missed [s]; the frames that it
needs are dropped soon after."""
MOST_CORRECTION = 0.0005
"""Time by which the pace is corrected at each control interval, to keep the delay [s]: sender and receiver
have clocks of their own."""


class Clock(Protocol):
    """The time that a run goes by."""

    def now_s(self) -> float:
        """Return the time [s]."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait for some time [s]."""
        ...


class WallClock:
    """The machine's own time."""

    def now_s(self) -> float:
        """Return the time [s]."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)


@dataclass(frozen=True, eq=False)
class Performance:
    """What came of following a stream: the result, what was done meanwhile, and figures of the stream."""

    result: Result
    log: CommandLog
    figures: dict[str, Any]


class Performer:
    """Lets a live run follow a stream: the director of the run, and what it starts from.

    late_ticks: control intervals that began more than LATE_S after their time
    """

    def __init__(self, setup: CharacterSetup, receiver: PoseSource, mode: FollowMode, clock: Clock) -> None:
        self.receiver, self.clock, self.mode = receiver, clock, mode
        # A performer walks over ground, whatever the character's own clip does.
        setup = replace(setup, scenario=replace(setup.scenario, belt=np.zeros(3)))
        self.follower = Follower(setup, receiver.buffer, mode)
        self.stage = Stage(setup, self.follower, WINDOW, 1.0 / CONTROL_DT, lambda: self, goes_on=True)
        self.late_ticks = 0
        self._due = 0.0

    def wait_for_stream(self, is_given_up: Callable[[], bool] = lambda: False) -> bool:
        """Wait until the stream has begun; return False where waiting is given up."""
        began = self.clock.now_s()
        while not self.follower.begin():
            if is_given_up():
                return False
            if self.receiver.counts.frames == 0 and self.clock.now_s() - began > PATIENCE_S:
                raise InputError(_nothing_came(self.receiver))
            self.clock.wait(CONTROL_DT)
            self.receiver.poll(self.clock.now_s())
        self._due = self.clock.now_s() - self._behind_s(0)  # what came meanwhile is caught up with
        return True

    def _behind_s(self, tick: int) -> float:
        """Return how much further behind the newest frame than its delay a control interval is [s]."""
        return (self.follower.feed.end - tick - self.mode.delay) * CONTROL_DT

    def has_ended(self, tick: int) -> bool:
        """Return whether all that came was followed, and nothing more is heard."""
        silence_s = ENDED_SHARE * self.mode.delay * CONTROL_DT if self.mode.delay else ENDED_S
        silent = self.clock.now_s() - self.receiver.heard_s > silence_s
        return silent and tick + 1 >= self.follower.feed.end

    def decide(self, now: Now, commands: Sequence[LiveCommand]) -> Sequence[LiveCommand]:
        """Read what has come, and return what the run has to be told at this control interval.

        A run that is far behind, as after a pause, or ahead, because the sender's clock stood still, goes on
        with what the performer does now.
        """
        tick, now_s = now.tick, self.clock.now_s()  # read once, so that a run can be repeated
        self.receiver.poll(now_s)
        heard = now_s - self.receiver.heard_s < CONTROL_DT
        if self._behind_s(tick) > TOO_SLOW_S or (heard and self.follower.feed.end < tick):
            self.follower.resume(tick)
        if tick == 0 or tick % self.mode.every:
            return ()
        self.follower.prepare(tick)
        return (TakeOver(WINDOW),)

    def keep_pace(self, tick: int) -> None:
        """Wait until the next control interval is due."""
        self._due += CONTROL_DT - min(max(self._behind_s(tick), -MOST_CORRECTION), MOST_CORRECTION)
        left_s = self._due - self.clock.now_s()
        if left_s > 0.0:
            self.clock.wait(left_s)
        elif left_s < -LATE_S:
            self.late_ticks += 1


def perform(performer: Performer, log: CommandLog, monitor: Monitor) -> Performance:
    """Follow a stream as long as a log lasts, or until the stream ends, and do what the log says."""
    stage = performer.stage
    performer.wait_for_stream()
    run = LiveRun(stage.setup, stage.library, stage.first)
    with monitor.phase("simulation"):
        recording = run.simulation.record(log.ticks)
        while run.ticks < log.ticks and not performer.has_ended(run.ticks):
            given = log.at(run.ticks)
            run.tick((*given, *performer.decide(run.now, given)), recording)
            performer.keep_pace(run.ticks)
    trace = recording.traces(CONTROL_DT, monitor.seconds["simulation"])[0]
    done = log.up_to(run.ticks)
    return Performance(result_of(run, trace, done, stage, monitor), done, _figures(performer))


def _figures(performer: Performer) -> dict[str, Any]:
    """Return what happened to stream and pace, each with a name that says so."""
    figures = {
        **asdict(performer.receiver.counts),
        "guessed_samples": performer.follower.late,
        "skips": performer.follower.skips,
        "late_ticks": performer.late_ticks,
        "delay_s": performer.mode.delay * CONTROL_DT,
    }
    return {f"stream_{name}": value for name, value in figures.items()}


def _nothing_came(receiver: PoseSource) -> str:
    counts = receiver.counts
    if counts.dropped:
        return (
            f"{counts.packets} packets came to port {receiver.port}, but none with a pose (the last one: "
            f"{counts.last_fault}); choose the protocol that the sender uses."
        )
    return (
        f"Nothing came to port {receiver.port} within {PATIENCE_S:.0f} s; start the sender, and let it send "
        "to this machine and this port."
    )
