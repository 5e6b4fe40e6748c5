"""A live run: the bake's simulation, one control interval after another, with commands in between.

The run follows segments. At the end of one, or when a command says so, the next one takes over from the
state that the body is in. What happens depends on nothing but the setup and the commands with their ticks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from ..bake.make_controller import ControlledCharacter, adjust_controller
from ..bake.setup import CharacterSetup
from ..bake.simulate import HOLD
from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..character.posing import bones_with_segments, segment_poses
from ..control.handing_over import HandingOver
from ..control.make_tracker import hand_over
from ..control.tracking.tracker import Tracker
from ..motion.motion import CONTROL_DT
from ..simulation.record import Recording
from ..simulation.simulation import Simulation
from .balls import Balls
from .commands import Dial, Grab, LiveCommand, MoveObject, Pull, Push, Release, TakeOver, Throw, Vector
from .hands import Hands, Spring
from .placement import PlacedController, Placement
from .segment import Segment, SegmentSource

Ticks = TypeVar("Ticks", int, IntArray)
LIVE_DIALS = ("stiffness", "balance_weight", "softness", "alertness", "assist_cap")
"""Settings that can be changed while a character plays; effort and weight belong to its compiled body."""


@dataclass(frozen=True, eq=False)
class Playing:
    """The segment that is followed: where, since which control interval, and by which controller."""

    segment: Segment
    placement: Placement
    since: int
    controlled: ControlledCharacter

    @property
    def placed(self) -> PlacedController:
        """The controller in the world."""
        later_s = (self.since - self.segment.first) * CONTROL_DT
        return PlacedController(self.controlled.controller, self.placement, later_s)

    def sample(self, tick: Ticks) -> Ticks:
        """Return the sample of the reference at a control interval, or at several."""
        return tick + (self.segment.first - self.since)

    @property
    def lead(self) -> int:
        """Samples by which the controller's plan is ahead at present, because steps were hurried."""
        tracker = self.controlled.tracker
        return tracker.lead if isinstance(tracker, Tracker) else 0

    def reference(self, tick: int) -> FloatArray:
        """Return the pose (nq) of the reference in the world that is followed at present."""
        poses = self.segment.prepared.reference.qpos
        return self.placement.poses(poses[min(self.sample(tick) + self.lead, len(poses) - 1)])


@dataclass(frozen=True, eq=False)
class Now:
    """What a director sees: the control interval, the segment and its sample, and the body's state.

    qpos (nq), qvel (nv): in the world; fallen: the body has given up
    """

    tick: int
    playing: Playing
    sample: int
    qpos: FloatArray
    qvel: FloatArray
    fallen: bool


class Director(Protocol):
    """Decides from what is asked for, and from where the run is, which commands it is given."""

    def decide(self, now: Now, commands: Sequence[LiveCommand]) -> Sequence[LiveCommand]:
        """Return further commands for this control interval; called once at each."""
        ...


class LiveRun:
    """A simulated character that takes commands between control intervals."""

    def __init__(self, setup: CharacterSetup, library: SegmentSource, first: str) -> None:
        """Start with a segment, at its first sample."""
        self.setup, self.library = setup, library
        self.hold = HOLD[setup.settings.quality]
        self.simulation = Simulation([setup.world], CONTROL_DT, [self.hold])
        self.data, self.character = self.simulation.data, self.simulation.characters[0]
        self.balls = Balls(setup.world, self.data)
        self.hands = Hands(setup.world, self.data)
        self.ticks = 0
        self._dialled = False
        self._wanted = ""  # a segment that takes over at the next command of the controller
        segment, controlled = library.take(first)
        self.playing = Playing(segment, Placement(), 0, controlled)
        self.played = [self.playing]
        self._controller = self.playing.placed
        self.simulation.begin([controlled.start])
        self.simulation.update_positions()

    @property
    def now(self) -> Now:
        """The present state."""
        index = self.setup.world.engine.index
        return Now(
            self.ticks,
            self.playing,
            self.playing.sample(self.ticks),
            self.data.qpos[index.qpos],
            self.data.qvel[index.dof],
            self.playing.controlled.controller.fallen,
        )

    def tick(self, commands: Sequence[LiveCommand] = (), recording: Recording | None = None) -> None:
        """Carry out commands and simulate one control interval."""
        for command in commands:
            self.carry_out(command)
        self._follow()
        self.character.outside = self.hands.forces(self.ticks)
        self.simulation.tick(self.ticks, [self._controller], recording=recording)
        self.ticks += 1

    def carry_out(self, command: LiveCommand) -> None:
        """Do what a command asks for; what cannot be done raises an InputError and changes nothing."""
        match command:
            case Push():
                self.hands.push(command.segment, np.array(command.force), command.seconds, self.ticks)
            case Grab():
                self.hands.spring = self._spring(command)
            case Pull():
                if self.hands.spring is not None:
                    self.hands.spring = replace(self.hands.spring, target=self._point(command.target))
            case Release():
                self.hands.spring = None
            case Throw():
                velocity = self.setup.scenario.scale * np.array(command.velocity)
                self.balls.throw(command.mass, self._point(command.position), velocity)
            case TakeOver():
                self.library.segment(command.segment)  # refuses unknown ones
                self._wanted = command.segment
            case Dial():
                self._dial(command)
            case MoveObject():
                self._move(command)
            case _:
                pass  # for the director or for the clock

    def _move(self, moved: MoveObject) -> None:
        """Put an object somewhere else; what can fly comes to rest there."""
        world, names = self.setup.world, [own.name for own in self.setup.world.scene.objects]
        objects, model = world.engine.objects, world.engine.model
        if moved.name not in names or names.index(moved.name) not in objects.props:
            raise InputError(f"'{moved.name}' does not move freely in the live simulation; start it again.")
        joint = model.body_jntadr[objects.body[names.index(moved.name)]]
        qpos, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        turn = np.array(moved.quaternion)
        if np.linalg.norm(turn) < 1e-6:
            raise InputError(f"'{moved.name}' cannot be turned by a quaternion of zero.")
        self.data.qpos[qpos : qpos + 3] = self._point(moved.position)
        self.data.qpos[qpos + 3 : qpos + 7] = turn / np.linalg.norm(turn)
        self.data.qvel[dof : dof + 6] = 0.0

    def _dial(self, dial: Dial) -> None:
        """Change a setting, for this segment and for all that follow."""
        if dial.name not in LIVE_DIALS:
            raise InputError(
                f"'{dial.name}' cannot be changed while the character plays; "
                f"there are {', '.join(LIVE_DIALS)}."
            )
        changed: dict[str, Any] = {dial.name: dial.value}
        settings = replace(self.setup.settings, **changed)
        self.setup, self._dialled = replace(self.setup, settings=settings), True
        self._adjust(self.playing)

    def _adjust(self, playing: Playing) -> None:
        number = playing.segment.setup.methods.index(playing.segment.method)
        adjust_controller(playing.controlled, self.setup, self.setup.methods[number])

    def _spring(self, grab: Grab) -> Spring:
        point = self.setup.scenario.scale * np.array(grab.point)
        body = self.setup.world.body_of(grab.segment)
        return Spring(body, point, self._point(grab.target), grab.stiffness, grab.most)

    def _point(self, point: Vector) -> FloatArray:
        """Return a point (3) of the rig's world in the simulation's [m]; the inverse of Scenario.on_rig."""
        own = self.setup.scenario
        return own.scale * np.array(point) + own.offset - own.belt * self.ticks * CONTROL_DT

    def _follow(self) -> None:
        """Let another segment take over where one is wanted, or where this one ends."""
        if self.ticks % self.hold:  # a command of the controller still holds
            return
        if self.playing.sample(self.ticks) + self.hold > self.playing.segment.last and not self._wanted:
            self._wanted = self.playing.segment.then
        if not self._wanted:
            return
        segment, controlled = self.library.take(self._wanted)
        placement, self._wanted = self._placement(segment), ""
        earlier, self.playing = self.playing, Playing(segment, placement, self.ticks, controlled)
        if self._dialled:
            self._adjust(self.playing)
        self._hand_over(earlier)
        self.played.append(self.playing)
        self._controller = self.playing.placed

    def _placement(self, segment: Segment) -> Placement:
        """Return where a segment goes on: in the heading of the plan before it, over the feet that stand.

        Over them wherever they have come to, and not where the pelvis is: what it is off by at each take-over
        would add up over feet that stay. Not in their heading: a foot turns on its toes before it is lifted,
        and a walk whose plan turns with it is pushed to the side.
        """
        if not segment.aligned:
            return Placement()
        prepared = segment.prepared
        first = min(max(segment.first + self.playing.lead, 0), len(prepared.reference) - 1)
        planned = prepared.reference.qpos[first]
        before = self.playing.reference(self.ticks)
        between = rotations.multiply(before[3:7], rotations.conjugate(planned[3:7]))
        feet = self.setup.world.index.foot_segments[prepared.schedule.stands[first]]
        chosen = feet if len(feet) else np.array([0])  # in the air, the pelvis
        poses = (segment_poses(self.setup.scenario.spec, qpos[None]) for qpos in (planned, self.now.qpos))
        return Placement.over(float(rotations.heading(between)), *(own[0][0, chosen] for own in poses))

    def _hand_over(self, earlier: Playing) -> None:
        """Let the controller go on where that of the segment before stops: within a step, or lying."""
        later = self.playing
        between = later.placement.inverse.after(earlier.placement)
        samples = earlier.sample(self.ticks), later.sample(self.ticks)
        change = HandingOver(*samples, between.turn, between.shift)
        before, after = earlier.controlled, later.controlled
        after.controller.continue_from(before.controller, change.moved * CONTROL_DT)
        if isinstance(before.tracker, Tracker) and isinstance(after.tracker, Tracker):
            hand_over(before.tracker, after.tracker, change)

    def bones(self) -> tuple[FloatArray, FloatArray]:
        """Return the poses (M, 3), (M, 4) of the mapped bones in the rig's world."""
        data, segment, scenario = self.data, self.playing.segment, self.setup.scenario
        body = self.setup.world.engine.index.body
        sample = self.playing.sample(self.ticks)
        offset, turn = (values[sample] for values in segment.bones)
        poses = data.xpos[body], data.xquat[body]
        position, quaternion = bones_with_segments(scenario.binding, offset, turn, poses)
        return self._on_rig(position), quaternion

    def source_bones(self) -> tuple[FloatArray, FloatArray]:
        """Return where the source has the mapped bones now (M, 3), (M, 4), in the rig's world."""
        playing, bone = self.playing, self.setup.scenario.binding.bone
        source, sample = playing.segment.setup.source, playing.sample(self.ticks)
        position = playing.placement.points(source.position_world[sample, bone])
        turn = rotations.multiply(playing.placement.turn, source.quaternion_world[sample, bone])
        return self._on_rig(position), turn

    def bone_segments(self) -> tuple[FloatArray, FloatArray]:
        """Return the poses (M, 3), (M, 4) of the segments that carry the mapped bones, in the rig's world."""
        body = self.setup.world.engine.index.body[self.setup.scenario.binding.bone_segment]
        return self._on_rig(self.data.xpos[body]), self.data.xquat[body]

    def props(self) -> tuple[FloatArray, FloatArray]:
        """Return the poses (P, 3), (P, 4) of what can be pushed, in the rig's world."""
        objects = self.setup.world.engine.objects
        body = objects.body[np.concatenate([objects.hinged, objects.props])]
        return self._on_rig(self.data.xpos[body]), self.data.xquat[body]

    def _on_rig(self, position: FloatArray) -> FloatArray:
        """Return points (N, 3) of the simulation in the rig's world [m]."""
        scenario = self.setup.scenario
        time = np.array([scenario.motion.time[0] + self.ticks * CONTROL_DT])
        return scenario.on_rig(position[None], time)[0]
