"""Live play: reads the character, starts the live simulation, shows its frames and sends it commands.

The armature and the objects only get other poses, and get their own back when play ends, in whatever manner:
by the user, by a process that dies, by an undo, another scene or another file.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from ...sim_core.actions.link_switches import LinkSwitches
from ...sim_core.base.errors import InputError
from ...sim_core.base.json_files import to_json
from ...sim_core.following.stream_choice import StreamChoice
from ...sim_core.jobs.live_job import LiveJob, Played, load_played, save_live
from ...sim_core.live.commands import Dial, LiveCommand, Record, command_to_dict
from ...sim_core.live.frames import SUFFIX, Frame, FrameReader
from ...sim_core.live.run import LIVE_DIALS
from ..bake.bake_job import PreparedBake, frame_of, reading_of, sources_of
from ..bake.bake_options import Participant, options_of, settings_of
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.steps import as_part, at_once
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..reading.action_links import switches_of
from ..reading.rig_reader import require_armature
from .live_pose import KeptPose, LivePose
from .live_props import LiveProps
from .live_stream import stream_of
from .plays import PLAYING

LIVE = JobKind("live", "live simulation", "play", save_live, load_played, starts_early=True)
AGES = 200
"""Number of the latest ages of poses that are kept."""


def reading_actions(
    context: RigContext, obj: ArmatureObject
) -> Generator[float, None, tuple[PreparedBake, ...]]:
    """Read the motion; of a sequence each action for itself, because one is steered through them."""
    options = options_of(context, obj)
    clips = {clip.name: clip for clip in options.sequence}
    several = [replace(options, sequence=(clip,)) for clip in clips.values()]
    choices = [options] if len(several) < 2 else several
    prepared: list[PreparedBake] = []
    for number, own in enumerate(choices):
        reading = reading_of(context, [Participant(obj, own)])
        prepared += yield from as_part(reading, number, len(choices))
    return tuple(prepared)


def live_job_of(
    prepared: Sequence[PreparedBake], switches: LinkSwitches, stream: StreamChoice | None = None
) -> LiveJob:
    """Return what the simulation plays: one job, or one for each action of a sequence; stream: instead."""
    if len(prepared) == 1:
        return LiveJob((prepared[0].job,), stream, switches)
    return LiveJob(tuple(replace(own.job, name=own.source_name) for own in prepared), stream, switches)


class LivePlay(JobSession[tuple[PreparedBake, ...], Played]):
    """One character that is played live; the last `step` returns what was done.

    stream: what it follows instead of its own motion; job: what is played, once it was read
    frame: the latest frame; ages_s: how old poses were when they were shown [s]
    recording: whether what is played is kept; recorded: whether there is something to keep
    """

    def __init__(self, context: RigContext, obj: ArmatureObject) -> None:
        self.stream, self._switches = stream_of(obj), switches_of(obj)
        self.job: LiveJob | None = None
        super().__init__(
            [obj],
            reading_actions(context, obj),
            self._jobs_of,
            lambda _context, _prepared, results: at_once(results[0]),
            LIVE,
            sources=sources_of,
            frame_at=frame_of,
        )
        self.frame: Frame | None = None
        self.ages_s: deque[float] = deque(maxlen=AGES)
        self.recording = self.recorded = self.paused = self.ending = False
        self.reader: FrameReader | None = None
        self._kept: KeptPose | None = None
        self._pose: LivePose | None = None
        self._props: LiveProps | None = None
        self._scene = context.scene.session_uid
        self._dials = self._dials_of(obj)
        PLAYING.append(self)

    def _jobs_of(self, prepared: tuple[PreparedBake, ...]) -> list[LiveJob]:
        self.job = live_job_of(prepared, self._switches, self.stream)
        return [self.job]

    @property
    def prepared(self) -> PreparedBake:
        """What was read of the character."""
        assert self._prepared is not None
        return self._prepared[0]

    @property
    def is_endless(self) -> bool:
        """Whether the character is being played."""
        return self.frame is not None

    @property
    def steered(self) -> bool:
        """Whether there are several actions to be steered through."""
        return self.stream is None and self._prepared is not None and len(self._prepared) > 1

    @property
    def can_restart(self) -> bool:
        """Whether it can start again, which a performer does not."""
        return self.stream is None

    def step(self, context: RigContext) -> Played | None:
        """Read, start, or show the latest frame; return what was done at the end."""
        if self.ended_by:
            self.put_back()  # once more: an undo may have brought a pose of the play back
        if context.scene.session_uid != self._scene:
            self.cancel()
            raise InputError("Another scene is shown, so live play ended; no key was changed.")
        played = super().step(context)
        if played is None and self._runner is not None and not self.ending:
            self._show()
        return played

    def send(self, command: LiveCommand) -> None:
        """Send a command to the simulation."""
        if self._runner is not None and not self.ending:
            self._runner.send(to_json(command_to_dict(command)))

    def record(self) -> None:
        """Start to keep what is played, or stop."""
        self.recording = not self.recording
        self.recorded = True
        self.send(Record(self.recording))

    def end(self) -> None:
        """End the play; `step` then returns what was done."""
        self.put_back()
        self.ending = True
        self.finish_early()

    def cancel(self) -> None:
        """Stop at once; everything is as it was before."""
        self.put_back()
        if self.reader is not None:
            self.reader.close()
            self.reader = None
        if self in PLAYING:
            PLAYING.remove(self)
        if not self.ended_by:  # after an undo the pose is put back once more
            self._kept = self._props = None
        super().cancel()

    def leave_state(self) -> None:
        """Stop before an undo or a redo frees what the play holds."""
        if self in PLAYING:
            self.ended_by = "Something was undone or redone, so live play ended; no key was changed."
            self.cancel()

    def put_back(self) -> None:
        """Give the armature and the objects their own pose back."""
        obj = self.objects[0].find()
        if self._kept is not None and obj is not None:
            with suppress(ReferenceError):
                self._kept.restore(require_armature(obj))
        if self._props is not None:
            self._props.restore()

    def _show(self) -> None:
        """Show the newest frame, and pass on what the user has changed meanwhile."""
        runner = self._runner
        assert runner is not None
        path = runner.result_path.with_suffix(SUFFIX)
        if self.reader is None:
            if not path.exists():
                return
            self.reader = FrameReader(path)
        frame = self.reader.latest()
        if frame is None:
            return
        obj = require_armature(self.objects[0].require("play"))
        if self._pose is None or self._props is None:
            self._begin(obj, frame)
            assert self._pose is not None and self._props is not None
        for moved in self._props.moved_by_user():
            self.send(moved)
        self._pose.apply(obj, frame)
        self._props.apply(frame)
        self.frame = frame
        self.ages_s.append(time.time() - frame.numbers.sent_s)
        self._pass_dials(obj)

    def _begin(self, obj: ArmatureObject, frame: Frame) -> None:
        assert self.reader is not None
        names, sampled = self.reader.names, self.prepared.sampled
        self._kept = KeptPose.of(obj)
        self._kept.mute_constraints(obj, names.bones)
        self._pose = LivePose(obj, sampled, names)
        self._props = LiveProps(names, frame, sampled.metres_per_unit)

    def _pass_dials(self, obj: ArmatureObject) -> None:
        dials = self._dials_of(obj)
        for name, value in dials.items():
            if value != self._dials[name]:
                self.send(Dial(name, value))
        self._dials = dials

    @staticmethod
    def _dials_of(obj: ArmatureObject) -> dict[str, float]:
        settings = settings_of(obj)
        return {name: float(getattr(settings, name)) for name in LIVE_DIALS}

    @property
    def age_ms(self) -> float:
        """Median age of the poses when they were shown [ms]."""
        return 1000.0 * float(np.median(self.ages_s)) if self.ages_s else 0.0
