"""Segments: stretches of prepared references that a live run follows, one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from ..bake.attempt import Attempt
from ..bake.make_controller import ControlledCharacter, make_controller
from ..bake.make_reference import make_reference
from ..bake.methods import Method
from ..bake.setup import CharacterSetup
from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..character.joint_repair import repair_motion
from ..character.posing import bones_in_segments, segment_poses
from ..motion.motion import Motion
from ..reference.prepare import Prepared
from ..world.ground import FlatGround


@dataclass(frozen=True, eq=False)
class Segment:
    """A stretch of a prepared reference, to be followed from whatever state the body is in.

    first, last: samples of the reference at which it is taken over and at which it ends
    then: name of the segment that follows at the end; its own name repeats it
    aligned: it is placed where the reference before it has come to; else it stays where it was prepared
    """

    name: str
    setup: CharacterSetup
    prepared: Prepared
    method: Method
    first: int
    last: int
    then: str
    aligned: bool = True

    def __post_init__(self) -> None:
        samples = len(self.prepared.reference)
        if not 0 <= self.first < self.last < samples:
            raise InputError(
                f"The segment '{self.name}' goes from {self.first} to {self.last}, but its reference has "
                f"{samples} samples; choose a stretch of it."
            )
        if self.aligned and not isinstance(self.setup.world.ground, FlatGround):
            object.__setattr__(self, "aligned", False)  # a reference on this ground fits here only

    def controlled(self) -> ControlledCharacter:
        """Return a new controller; one is used up when it has followed the segment."""
        setup = self.setup
        made = make_controller(setup, setup.world, self.prepared, self.method, setup.settings.assist_cap)
        made.controller.upright_at = self.first * self.prepared.reference.dt
        return made

    @cached_property
    def bones(self) -> tuple[FloatArray, FloatArray]:
        """Positions (T, M, 3) and rotations (T, M, 4) of the mapped bones in their segments' frames."""
        own, source = self.setup.scenario, self.setup.source
        return bones_in_segments(own.binding, source, segment_poses(own.spec, self.setup.source_qpos))


def with_motion(setup: CharacterSetup, motion: Motion, begun: FloatArray | None = None) -> CharacterSetup:
    """Return the setup of another motion of the same rig, for the same body in the same world.

    begun (N, nq): prepared poses with which its reference begins; None is its own
    """
    scenario = setup.scenario
    skeleton = scenario.motion.skeleton
    if motion.skeleton.names != skeleton.names:
        raise InputError("The motion has other bones than the character; take one of the same rig.")
    scaled = motion.scaled(scenario.scale)
    own = Motion(skeleton, scaled.time, scaled.position_world, scaled.quaternion_world).moved(scenario.offset)
    repaired = repair_motion(scenario.binding, own).motion
    return CharacterSetup(
        replace(scenario, motion=own, repaired=repaired), setup.settings, setup.world, setup.index, begun
    )


def segment_of(
    setup: CharacterSetup,
    name: str,
    first: int = 0,
    last: int | None = None,
    then: str = "",
    aligned: bool = True,
) -> Segment:
    """Prepare the reference of a setup's motion, and return a stretch of it; an empty `then` repeats it."""
    method = setup.methods[0]
    prepared = make_reference(setup, Attempt(method))
    end = len(prepared.reference) - 1 if last is None else last
    return Segment(name, setup, prepared, method, first, end, then or name, aligned)


class SegmentSource(Protocol):
    """Where a run gets its segments from."""

    def segment(self, name: str) -> Segment:
        """Return a segment; unknown ones raise an InputError."""
        ...

    def take(self, name: str) -> tuple[Segment, ControlledCharacter]:
        """Return a segment with a controller for it."""
        ...

    def close(self) -> None:
        """End what the source does beside the run."""
        ...


class SegmentLibrary:
    """Segments by name, prepared in a thread while the run goes on, each with a controller in reserve.

    Making a controller takes longer than a control interval, so the next one of a segment is made when one
    is taken.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "segments")
        self._segments: dict[str, Future[Segment]] = {}
        self._reserve: dict[str, Future[ControlledCharacter]] = {}
        self._lock = threading.Lock()

    def add(self, name: str, make: Callable[[], Segment]) -> None:
        """Prepare a segment in the thread; one of the same name is replaced."""
        with self._lock:
            made = self._thread.submit(make)
            self._segments[name] = made
            self._reserve[name] = self._thread.submit(lambda: made.result().controlled())

    def known(self, name: str) -> bool:
        """Return whether a segment was added."""
        return name in self._segments

    def segment(self, name: str) -> Segment:
        """Return a segment; waits until it is prepared."""
        if name not in self._segments:
            raise InputError(f"There is no segment '{name}'; there are {', '.join(self._segments)}.")
        return self._segments[name].result()

    def take(self, name: str) -> tuple[Segment, ControlledCharacter]:
        """Return a segment with a controller for it, and make the next one."""
        segment = self.segment(name)
        with self._lock:
            taken = self._reserve[name]
            self._reserve[name] = self._thread.submit(segment.controlled)
        return segment, taken.result()

    def close(self) -> None:
        """End the thread; what waits in it is not made any more."""
        self._thread.shutdown(wait=False, cancel_futures=True)
