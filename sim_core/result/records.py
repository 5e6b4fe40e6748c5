"""What a result records besides its arrays and measures: the body, its reference, hits, strikes, a fall.

All vectors are in the world frame with Z up unless stated otherwise; times are since the first sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..base.conventions import FloatArray
from ..base.json_codec import named_in_json
from .support_records import SupportOffer

Vector = tuple[float, float, float]
Figure = float | bool | str | None
"""The value of one measure; None where it is not known."""


def vector(values: FloatArray) -> Vector:
    """Return an array (3) as a tuple."""
    x, y, z = values.tolist()
    return x, y, z


@dataclass(frozen=True)
class Versions:
    """Versions of Heft and of the libraries that made a result."""

    heft: str
    mujoco: str
    numpy: str
    scipy: str
    python: str


@dataclass(frozen=True)
class PushRecord:
    """A push of the scene: `force` [N] on the centre of mass of a segment.

    start_s [s]: on the result's own time axis; duration_s [s]
    character: whose segment it is; empty for the first one's
    """

    segment: str
    force: Vector
    start_s: float
    duration_s: float
    character: str = ""


@dataclass(frozen=True)
class CharacterFacts:
    """The body's height [m] and mass [kg], and where it is compared with its rig.

    scale: physical size over the rig's own size
    offset [m]: by which it was moved to stand with others
    belt [m/s]: velocity of the treadmill that a motion in place walks on; belt_from [s]: since when
    """

    height: float
    mass: float
    scale: float
    offset: Vector
    belt: Vector
    belt_from: float


@dataclass(frozen=True)
class CapsuleShape:
    """A capsule by the ends of its axis and its radius [m]."""

    start: Vector
    end: Vector
    radius: float


@dataclass(frozen=True)
class BoxShape:
    """A box by its centre and half of its edges [m]."""

    centre: Vector
    half_size: Vector


@dataclass(frozen=True)
class BodyShape:
    """The collision shapes of one body, in its own axes about its centre of mass [m].

    joint: where the body hangs on its parent
    """

    joint: Vector
    capsules: tuple[CapsuleShape, ...]
    boxes: tuple[BoxShape, ...]


@dataclass(frozen=True)
class JointChange:
    """How far a joint was turned, mean over time and maximum [deg]."""

    mean_deg: float
    max_deg: float


@dataclass(frozen=True)
class JointRepair:
    """Samples of the source that no body can do, and that were repaired before anything followed them.

    bone: that was repaired; None for the whole pose
    samples, of_samples: repaired, and of the motion; first_s: time of the first one, since the start [s]
    mean_deg, max_deg: by how much, mean over the repaired samples and maximum [deg]
    turned_back: into the range of an ankle, by half a turn mostly; else it was interpolated
    """

    bone: str | None
    samples: int
    of_samples: int
    first_s: float
    mean_deg: float
    max_deg: float
    turned_back: bool


@dataclass(frozen=True)
class ObstaclePassing:
    """How a walk passes an object that is in its way from one time to another [s].

    way: over, onto, around, under or stop; ignore where there is none
    start_s, end_s: of a stop, from when on and until when the walk stands; None to the end
    side: left or right of a walk around it
    shift_m: how far the steps, the path or the hips are displaced [m]
    delay_s: by how much later all that follows comes, because the walk is slower there [s]
    """

    name: str
    way: str
    start_s: float
    end_s: float | None
    side: str = ""
    shift_m: float = 0.0
    delay_s: float = 0.0


@dataclass(frozen=True)
class ReferenceChange:
    """How far the reference differs from the source, and what the change achieved.

    parts: by segment, the change of the joint above it
    residual_before_share, residual_after_share: force that nothing explains, RMS over body weight
    other_support_share: share of time in which something other than the feet carries the body
    passings: the objects that were in the way; a changed path is not counted as a change of the motion
    """

    root_mean_cm: float
    root_max_cm: float
    parts: Mapping[str, JointChange]
    residual_before_share: float
    residual_after_share: float
    other_support_share: float
    passings: tuple[ObstaclePassing, ...] = ()


@dataclass(frozen=True)
class Cause:
    """One event that contributed to a fall.

    kind: support, flight, torque, contact, touch, meeting, slip, spin, pose or balance
    figures: by names that carry their units
    """

    kind: str
    start_s: float
    text: str
    figures: Mapping[str, float | str]


@dataclass(frozen=True)
class Failure:
    """A fall, its causes in the order in which they began, and the least assist that prevents it.

    least_assist [N, Nm]: None where none was looked for or found; assist_tried: caps that were tried [N, Nm]
    supports: that the motion was captured on and that are missing
    notes: the same in sentences for the user
    """

    fell_at: float
    causes: tuple[Cause, ...]
    least_assist: float | None
    assist_tried: tuple[float, ...]
    supports: tuple[SupportOffer, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hit:
    """Something that hit the character: `by` is the object's or the other character's name.

    segment: that was hit, of a region such as trunk or arm.L; impulse_ns [Ns]
    """

    time_s: float
    region: str
    segment: str
    by: str
    impulse_ns: float


@dataclass(frozen=True)
class StrikeOutcome:
    """How one of the character's own strikes met its target.

    bone: as asked for; name: the same in plain words; time_s: of the contact
    target, position [m]: where the contact should be and where it was; miss_m: the distance between them
    first_miss_m: the distance in the first simulation, before any correction
    aimed_at [m]: the point that the motion was aimed at so that the body came to the target
    speed, wanted_speed [m/s]: 0 where none was asked for
    """

    bone: str
    name: str
    time_s: float
    target: Vector
    position: Vector = field(metadata=named_in_json("place"))
    aimed_at: Vector
    miss_m: float
    first_miss_m: float
    speed: float
    wanted_speed: float

    def after(self, first: StrikeOutcome) -> StrikeOutcome:
        """Return the outcome with the miss of the first simulation."""
        return replace(self, first_miss_m=first.miss_m)


@dataclass(frozen=True)
class SearchRecord:
    """Controls that were found by a search, from when to when [s].

    simulated_s: time that was simulated on trial [s]; wall_seconds: that the search took [s]
    gave_up: why it ended before the motion did; empty where it did not
    kept: whether the result is what it came to; False where the run without it was better
    """

    start_s: float
    end_s: float
    simulated_s: float
    wall_seconds: float
    gave_up: str = ""
    kept: bool = True


@dataclass(frozen=True)
class GetUpRecord:
    """A fall after which the character got up and went on with its clip; times since the start [s].

    fell_at: when it fell; rests_at: when it came to rest, and its way back was planned
    stands_at: when it stands where the clip goes on; back_at: when it follows the clip at its own pace
    clip_from_s: time of the clip at which it goes on; turned_deg: by which the clip was turned from there on
    way: of the guide; it was found by how the body lay
    """

    fell_at: float
    rests_at: float
    stands_at: float
    back_at: float
    clip_from_s: float
    way: str
    turned_deg: float


@dataclass(frozen=True)
class GainCounts:
    """Sets of balance gains that were read from the folder of gains, and that were computed."""

    read: int
    made: int


@dataclass(frozen=True)
class AnimatedShare:
    """The share of bones and samples that shows the clip, over all bones and for each affected bone."""

    share: float
    bones: Mapping[str, float]


@dataclass(frozen=True)
class LoopGap:
    """How far the ends of a cycle were apart before they were closed, and how many cycles were simulated."""

    gap_deg: float
    gap_mm: float
    cycles: int


@dataclass(frozen=True)
class TransitionFigures:
    """How well two motions in sequence fit where one goes over into the other (docs/sequence.md).

    speed_difference, cost [m/s]; feet_differ: how many feet stand in one motion only, on average
    turned_deg: by which the second motion was turned about the vertical
    """

    pose_distance_m: float
    speed_difference: float
    feet_differ: float
    cost: float
    turned_deg: float


@dataclass(frozen=True)
class SequencePart:
    """One motion of a sequence; transition: from the motion before, None for the first."""

    name: str
    start_s: float
    end_s: float
    transition: TransitionFigures | None


@dataclass(frozen=True)
class MotionInput:
    """The motion file of a bake, as the command line read it.

    unit_m [m]: of the file's lengths; frames_skipped: rest frames before the motion
    fps, seconds, place, scene, aim, presets: as the options gave them
    """

    file: str
    unit_m: float
    frames_skipped: int
    fps: float | None
    seconds: tuple[float, ...] | None
    place: tuple[float, ...] | None
    scene: str | None
    aim: str | None
    presets: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class LiveTake:
    """A take that was played live, and the log that repeats it.

    ticks: control intervals of the whole run; first: the one from which on it was kept
    commands: what was asked of it, each with its tick; most_push_n: largest sum of pushes and pulls [N]
    """

    ticks: int
    first: int
    commands: tuple[Mapping[str, Any], ...]
    most_push_n: float


@dataclass(frozen=True)
class RetargetInput:
    """The files of a retargeting, as the command line read them."""

    file: str
    target: str
    unit_m: float
    scene: str | None


@dataclass(frozen=True)
class RetargetRecord:
    """Where a result's motion was retargeted from, with the figures of docs/retarget.md."""

    version: str
    input: RetargetInput
    metrics: Mapping[str, float]
    simulated_metrics: Mapping[str, float]
