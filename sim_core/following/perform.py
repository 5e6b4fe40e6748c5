"""A live run that follows a stream in real time."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..bake.monitor import Monitor
from ..bake.setup import CharacterSetup
from ..base.errors import InputError, SimulationError
from ..live.commands import CommandLog, LiveCommand, TakeOver
from ..live.run import LiveRun
from ..live.take import result_of
from ..motion.motion import CONTROL_DT
from ..result.result import Result
from ..stream.receiver import Receiver
from .follower import WINDOW, Follower, FollowMode

PATIENCE_S = 30.0
"""How long a first pose is waited for [s]."""
ENDED_S, ENDED_SHARE = 1.0, 0.5
"""A stream has ended when all that came was followed and nothing was heard for this long [s], or for this
share of the delay."""
LATE_S = 0.02
"""A control interval that starts later than this is late [s]."""
TOO_SLOW_S = 5.0
"""Time by which a run may fall behind its delay [s]; the frames that it needs are dropped soon after."""
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
    """Follows a stream with one character, one control interval after another.

    late_ticks: control intervals that began more than LATE_S after their time
    """

    def __init__(self, setup: CharacterSetup, receiver: Receiver, mode: FollowMode, clock: Clock) -> None:
        self.receiver, self.clock, self.mode = receiver, clock, mode
        # A performer walks over ground, whatever the character's own clip does.
        setup = replace(setup, scenario=replace(setup.scenario, belt=np.zeros(3)))
        self.follower = Follower(setup, receiver.buffer, mode)
        self._wait_for_stream()
        self.run = LiveRun(setup, self.follower, WINDOW)
        self.late_ticks = 0
        self._due = clock.now_s() - self._behind_s  # what came meanwhile is caught up with

    def _wait_for_stream(self) -> None:
        began = self.clock.now_s()
        while not self.follower.begin():
            if self.receiver.counts.frames == 0 and self.clock.now_s() - began > PATIENCE_S:
                raise InputError(_nothing_came(self.receiver))
            self.clock.wait(CONTROL_DT)
            self.receiver.poll(self.clock.now_s())

    @property
    def _behind_s(self) -> float:
        """How much further behind the newest frame than the delay the run is [s]."""
        return (self.follower.feed.end - self.run.ticks - self.mode.delay) * CONTROL_DT

    @property
    def ended(self) -> bool:
        """Whether all that came was followed, and nothing more is heard."""
        silence_s = ENDED_SHARE * self.mode.delay * CONTROL_DT if self.mode.delay else ENDED_S
        silent = self.clock.now_s() - self.receiver.heard_s > silence_s
        return silent and self.run.ticks + 1 >= self.follower.feed.end

    def commands(self) -> list[LiveCommand]:
        """Read what has come, and return what the run has to be told at this control interval."""
        tick = self.run.ticks
        self.receiver.poll(self.clock.now_s())
        if self.follower.feed.end < tick and self.clock.now_s() - self.receiver.heard_s < CONTROL_DT:
            self.follower.feed.resume(tick + self.mode.delay)
        if self._behind_s > TOO_SLOW_S:
            raise SimulationError(
                f"The simulation is {self._behind_s:.1f} s behind its delay: this machine is too slow. "
                "Close other programs, or choose draft quality."
            )
        if tick == 0 or tick % self.mode.every:
            return []
        self.follower.prepare(tick)
        return [TakeOver(WINDOW)]

    def keep_pace(self) -> None:
        """Wait until the next control interval is due."""
        self._due += CONTROL_DT - min(max(self._behind_s, -MOST_CORRECTION), MOST_CORRECTION)
        left_s = self._due - self.clock.now_s()
        if left_s > 0.0:
            self.clock.wait(left_s)
        elif left_s < -LATE_S:
            self.late_ticks += 1


def perform(performer: Performer, log: CommandLog, monitor: Monitor) -> Performance:
    """Follow a stream as long as a log lasts, or until the stream ends, and do what the log says."""
    run = performer.run
    with monitor.phase("simulation"):
        recording = run.simulation.record(log.ticks)
        while run.ticks < log.ticks and not performer.ended:
            run.tick([*log.at(run.ticks), *performer.commands()], recording)
            performer.keep_pace()
    trace = recording.traces(CONTROL_DT, monitor.seconds["simulation"])[0]
    done = CommandLog(run.ticks, tuple(own for own in log.commands if own.tick < run.ticks))
    return Performance(result_of(run, trace, done, performer.stage, monitor), done, _figures(performer))


def _figures(performer: Performer) -> dict[str, Any]:
    """Return what happened to stream and pace, each with a name that says so."""
    figures = {
        **asdict(performer.receiver.counts),
        "guessed_samples": performer.follower.late,
        "late_ticks": performer.late_ticks,
        "delay_s": performer.mode.delay * CONTROL_DT,
    }
    return {f"stream_{name}": value for name, value in figures.items()}


def _nothing_came(receiver: Receiver) -> str:
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
