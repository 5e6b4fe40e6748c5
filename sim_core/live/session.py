"""A live session: a run at the pace of the clock, commands from outside in, frames out, and the log of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from ..base.errors import InputError
from ..base.json_files import parse_json_object
from ..control.balance.footstep_balance import FootstepBalance
from ..control.tracking.tracker import Tracker
from ..motion.motion import CONTROL_DT
from ..scene.shapes import Sphere
from .clock import STEP_TICKS, Clock
from .commands import (
    CommandLog,
    Dial,
    LiveCommand,
    LoggedCommand,
    Pause,
    Record,
    Restart,
    Speed,
    Step,
    Stop,
    command_from_dict,
)
from .frames import Frame, FrameNames, FrameNumbers, pose_rows
from .run import LiveRun
from .take import Stage

LONGEST_WAIT_S = 0.002
"""Commands are looked for this often while nothing is due [s]."""


class LiveSession:
    """A run that one plays with.

    tell: gets sentences for the user, such as on a command that cannot be carried out
    finished: the log of what was recorded before the run started again
    """

    def __init__(
        self,
        stage: Stage,
        tell: Callable[[str], None],
        clock: Clock | None = None,
    ) -> None:
        self.stage, self.tell = stage, tell
        self.clock = clock or Clock()
        self.waiting: list[LiveCommand] = []
        self.finished: CommandLog | None = None
        self.stopped = False
        self._begin()

    def _begin(self) -> None:
        stage = self.stage
        self.run = LiveRun(stage.setup, stage.library, stage.first)
        self.director = None if stage.directs is None else stage.directs()
        self.logged: list[LoggedCommand] = []
        self.kept_from: int | None = None
        self.kept_to: int | None = None

    def play(self, lines: Callable[[], Sequence[str]], show: Callable[[Frame], None]) -> None:
        """Play until a command stops it; lines: commands as JSON since the last call; show: gets frames."""
        show(self.frame())
        self.clock.start()
        while not self.stopped:
            for line in lines():
                self.receive(line)
            wait_s = self.clock.wait_s()
            if wait_s > 0.0:
                time.sleep(min(wait_s, LONGEST_WAIT_S))
                continue
            self.tick()
            show(self.frame())

    def receive(self, line: str) -> None:
        """Take a command as a line of JSON; one that is broken is refused with a sentence."""
        try:
            command = command_from_dict(parse_json_object(line, "A command"), "A command")
        except InputError as problem:
            self.tell(str(problem))
            return
        match command:
            case Stop():
                self.stopped = True
            case Pause():
                self.clock.pause(command.on)
            case Step():
                self.clock.pause(True)
                self.clock.steps = STEP_TICKS
            case Speed():
                self.clock.set_speed(command.factor)
            case Record():
                self._record(command.on)
            case Restart():
                self._restart()
            case _:
                self.waiting.append(command)

    def _record(self, on: bool) -> None:
        if on:
            self.kept_from, self.kept_to, self.finished = self.run.ticks, None, None
        else:
            self.kept_to = self.run.ticks

    def _restart(self) -> None:
        """Start again; what is being recorded starts again, too, and what was recorded stays."""
        if self.stage.goes_on:
            self.tell("A performance cannot start again; end the play, and play anew.")
            return
        recording = self.kept_from is not None and self.kept_to is None
        if self.kept_to is not None:
            self.finished = self.log
        commands = [*(own.command for own in self.logged), *self.waiting]
        dials = {command.name: command for command in commands if isinstance(command, Dial)}
        self._begin()
        self.waiting = list(dials.values())
        self.kept_from = 0 if recording else None

    def tick(self) -> None:
        """Carry out what waits, and simulate one control interval."""
        commands, self.waiting = self.waiting, []
        done = [command for command in commands if self._carried_out(command)]
        # What the director decides is not logged: from the same commands it decides the same again.
        self.run.tick(() if self.director is None else self.director.decide(self.run.now, done))
        self.clock.ticked()
        del self.run.played[:-1]  # a take is repeated from the log

    def _carried_out(self, command: LiveCommand) -> bool:
        try:
            self.run.carry_out(command)
        except InputError as problem:
            self.tell(str(problem))
            return False
        self.logged.append(LoggedCommand(self.run.ticks, command))
        return True

    @property
    def log(self) -> CommandLog:
        """The log of what was recorded; of everything since the start where nothing was."""
        if self.finished is not None:
            return self.finished
        ticks = max(self.run.ticks, 1) if self.kept_to is None else self.kept_to
        first = 0 if self.kept_from is None else min(self.kept_from, ticks - 1)
        return CommandLog(ticks, tuple(own for own in self.logged if own.tick < ticks), first)

    @property
    def names(self) -> FrameNames:
        """What the poses of the frames belong to."""
        setup = self.run.setup
        binding, scene, engine = setup.scenario.binding, setup.world.scene, setup.world.engine
        props = [scene.objects[index] for index in (*engine.objects.hinged, *engine.objects.props)]
        return FrameNames(
            tuple(binding.skeleton.names[bone] for bone in binding.bone),
            tuple(setup.scenario.spec.names[segment] for segment in binding.bone_segment),
            tuple(bool(own) for own in binding.detached),
            tuple(own.name for own in props),
            tuple(
                own.shape.radius / setup.scenario.scale if isinstance(own.shape, Sphere) else 0.0
                for own in props
            ),
        )

    def frame(self) -> Frame:
        """Return the present state as a frame."""
        run, clock = self.run, self.clock
        pull = float(np.linalg.norm(run.hands.pull))
        numbers = FrameNumbers(
            run.ticks,
            time.time(),
            run.ticks * CONTROL_DT,
            0.0 if clock.paused else clock.speed,
            clock.late_share,
            float(np.linalg.norm(run.character.assist[:3])),
            pull,
            self._state(),
        )
        shown = (run.bones(), run.bone_segments(), run.source_bones(), run.props())
        return Frame(numbers, *(pose_rows(*poses) for poses in shown))

    def _state(self) -> int:
        controlled = self.run.playing.controlled
        if controlled.controller.fallen:
            return 2
        balance = controlled.tracker.balance if isinstance(controlled.tracker, Tracker) else None
        return int(isinstance(balance, FootstepBalance) and balance.inserted.swinging)
