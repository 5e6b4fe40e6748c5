"""The list of actions that are simulated in sequence, and their motion as one."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from bpy.props import BoolProperty, FloatProperty, PointerProperty, StringProperty
from bpy.types import Action, Context, NlaStrip, Object, PoseBone, PropertyGroup

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.base.errors import InputError
from ...sim_core.recognition.mapping import BoneMapping
from ..blender import compat
from ..blender.blender_types import ArmatureObject, RigContext, part_bone
from ..blender.matrices import inverse, transform, turned
from ..blender.steps import as_part
from .motion_finding import FoundMotion, common_fps, finding_motion
from .parts import uses_bone_shares
from .source_action import animated_bones, require_animation, strips_of

if TYPE_CHECKING:
    from ...sim_core.sequence.chain import Chain
    from .motion_reader import SampledMotion


def _whole_action(row: Any, _context: Context) -> None:
    """Let a row use the whole of its newly chosen action."""
    if row.action is not None:
        row.slot = ""
        row.frame_start, row.frame_end = row.action.frame_range


class HeftActionClip(PropertyGroup):
    """A row of the list of actions: a part of an action, as an NLA strip plays it."""

    action: PointerProperty(type=Action, name="Action", update=_whole_action)
    slot: StringProperty()
    frame_start: FloatProperty(name="Start", description="First frame of the action that is used")
    frame_end: FloatProperty(name="End", description="Last frame of the action that is used")
    repeat: FloatProperty(name="Repeat", description="How often it is played", default=1.0, min=0.1)
    scale: FloatProperty(name="Scale", description="2 plays it half as fast", default=1.0, min=0.01)
    reverse: BoolProperty(name="Reverse", description="Play it backwards")


@dataclass(frozen=True)
class ActionClip:
    """A part of an action, as an NLA strip would play it, in the action's own frames."""

    source: compat.SlottedAction
    frame_start: float
    frame_end: float
    repeat: float
    scale: float
    reverse: bool

    @property
    def name(self) -> str:
        """The action's name."""
        return str(self.source.action.name)


def require_source(obj: ArmatureObject) -> None:
    """Refuse an armature that has nothing to bake."""
    if obj.heft.source_mode == "SEQUENCE":
        clips_of(obj)
    else:
        require_animation(obj)


def clips_of(obj: ArmatureObject) -> tuple[ActionClip, ...]:
    """Return the clips of the list, in order."""
    if obj.animation_data is not None and obj.animation_data.use_tweak_mode:
        raise InputError(f"'{obj.name}' is in the NLA editor's tweak mode; leave it (Tab) and try again.")
    rows = list(obj.heft.sequence)
    if not rows:
        raise InputError("The list of actions is empty; add actions to it or fill it from the NLA strips.")
    return tuple(_clip(obj, row) for row in rows)


def add_clip(obj: ArmatureObject, action: Action | None) -> HeftActionClip:
    """Append a whole action or an empty row to the list, and make it the active row."""
    row = obj.heft.sequence.add()
    row.action = action
    obj.heft.sequence_index = len(obj.heft.sequence) - 1
    return row


def fill_from_strips(obj: ArmatureObject) -> int:
    """Fill the list with the NLA's strips, by time, and return how many."""
    strips = sorted(
        (strip for strip in strips_of(obj) if strip.action is not None), key=lambda strip: strip.frame_start
    )
    if not strips:
        raise InputError(f"'{obj.name}' has no NLA strips that are not muted; push actions down to the NLA.")
    obj.heft.sequence.clear()
    for strip in strips:
        row = add_clip(obj, strip.action)
        row.slot = compat.slot_name(compat.strip_source(strip))
        row.frame_start, row.frame_end = strip.action_frame_start, strip.action_frame_end
        row.repeat, row.scale, row.reverse = strip.repeat, strip.scale, strip.use_reverse
    return len(strips)


def set_up_strip(strip: NlaStrip, clip: ActionClip) -> None:
    """Let a new strip play a clip."""
    compat.assign_strip_slot(strip, clip.source)
    strip.use_sync_length = False
    strip.action_frame_start, strip.action_frame_end = clip.frame_start, clip.frame_end
    strip.scale, strip.repeat, strip.use_reverse = clip.scale, clip.repeat, clip.reverse


def _clip(obj: ArmatureObject, row: HeftActionClip) -> ActionClip:
    if row.action is None:
        raise InputError("A row of the list of actions has no action; choose one or remove the row.")
    source = compat.slotted(row.action, obj, row.slot)
    if not compat.curves_of(source):
        raise InputError(f"The action '{row.action.name}' holds no keys for an armature; choose another one.")
    if not row.frame_end > row.frame_start:
        raise InputError(
            f"The frames {row.frame_start:g} to {row.frame_end:g} of '{row.action.name}' hold no motion; "
            "widen them."
        )
    return ActionClip(source, row.frame_start, row.frame_end, row.repeat, row.scale, row.reverse)


STRIP_NAME = "Heft reads"
SAME_TURN = 1e-4
"""Entries of an object's matrix that differ by less are the same, relative to its scale."""

_CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


def finding_sequence(
    context: RigContext,
    obj: ArmatureObject,
    clips: Sequence[ActionClip],
    mapping: BoneMapping,
    blend_seconds: float,
    height: float | None,
) -> Generator[float, None, FoundMotion]:
    """Do the same as sample_motion and finding_motion for clips in sequence.

    Blender itself plays each clip, alone in an NLA strip. Everything is restored at the end, also when the
    caller closes the generator. Rest frames and rate are found for each clip, the size for all of them;
    transitions are looked for at the physical size of the first clip, as on the command line.
    """
    from ...sim_core.sequence.chain import chain
    from .motion_reader import current_frame_kept, sample_motion

    found: list[FoundMotion] = []
    for number, clip in enumerate(clips):
        with current_frame_kept(context.scene), _pose_kept(obj), _alone(obj, clip) as (start, end):
            sampling = sample_motion(context, obj, start, end, uses_bone_shares(obj))
            sampled = yield from as_part(sampling, number, len(clips))
        found.append((yield from finding_motion(obj, sampled, mapping, height, [clip.source])))
    common = common_fps(found)
    parts = [one.sampled.at_fps(_own_fps(one, common)) for one in found]
    names = [clip.name for clip in clips]
    pace = found[0].pace
    size = (height or pace.moves_like_m or pace.height_m) / pace.height_m
    named = [(name, part.motion.scaled(size)) for name, part in zip(names, parts, strict=True)]
    chained = chain(named, mapping, blend_seconds)
    chained = replace(chained, motion=chained.motion.scaled(1.0 / size))
    _refuse_turning_object(obj, parts)
    keyed = animated_bones(obj, [clip.source for clip in clips])
    joined = replace(_in_one_place(chained, parts), keyed_bones=keyed)
    whole = yield from finding_motion(obj, joined, mapping, height, ())
    scene_fps = found[0].sampled.fps
    return replace(
        whole,
        sampled=joined.at_fps(scene_fps),
        pace=replace(whole.pace, rate_unknown=common == scene_fps and any(map(_rate_unknown, found))),
        fps=None if joined.fps == scene_fps else joined.fps,
        rest_frames=sum(one.rest_frames for one in found),
        notes=(*_notes_on_clips(names, found, common), *chained.notes),
    )


def _own_fps(found: FoundMotion, common_fps: float) -> float:
    """Return the rate of a clip; a capture that does not show it has that of the others."""
    if _rate_unknown(found):
        return common_fps
    return found.sampled.fps if found.fps is None else found.fps


def _rate_unknown(found: FoundMotion) -> bool:
    return found.fps is None and found.pace.rate_unknown


def _notes_on_clips(names: Sequence[str], found: Sequence[FoundMotion], common_fps: float) -> Iterator[str]:
    """Yield what was found about each clip, once for a clip that is used several times."""
    told: dict[str, None] = {}
    for name, one in zip(names, found, strict=True):
        notes = one.notes
        if _rate_unknown(one) and common_fps != one.sampled.fps:
            known = notes[: -len(one.pace.notes)]
            notes = (*known, f"Read at {common_fps:g} frames a second, as the others.")
        told.update(dict.fromkeys(f"'{name}': {note}" for note in notes))
    yield from told


@contextmanager
def _alone(obj: ArmatureObject, clip: ActionClip) -> Iterator[tuple[int, int]]:
    """Play nothing but the clip within the context, over the frames that it gives."""
    had_animation = obj.animation_data is not None
    animation = obj.animation_data_create()
    action, uses_nla = compat.action_of(obj), animation.use_nla
    bare_action = animation.action
    solo = next((track.name for track in animation.nla_tracks if track.is_solo), None)
    track = animation.nla_tracks.new()
    try:
        strip = track.strips.new(STRIP_NAME, math.floor(clip.frame_start), clip.source.action)
        set_up_strip(strip, clip)
        animation.action, animation.use_nla, track.is_solo = None, True, True
        yield math.ceil(strip.frame_start - 1e-3), math.floor(strip.frame_end + 1e-3)
    finally:
        track.is_solo = False
        animation.nla_tracks.remove(track)
        if solo is not None:
            animation.nla_tracks[solo].is_solo = True
        animation.use_nla = uses_nla
        if action is not None:
            compat.assign_action(animation, action)
        else:
            animation.action = bare_action
        if not had_animation:
            obj.animation_data_clear()


@contextmanager
def _pose_kept(obj: ArmatureObject) -> Iterator[None]:
    """Restore the pose at the end: a clip may move channels that the current action does not."""
    owners: list[Object | PoseBone] = [obj, *obj.pose.bones]
    before = [[(name, tuple(getattr(owner, name))) for name in _CHANNELS] for owner in owners]
    shares = [part_bone(bone).heft_simulate for bone in obj.pose.bones]
    try:
        yield
    finally:
        for owner, channels in zip(owners, before, strict=True):
            for name, values in channels:
                setattr(owner, name, values)
        for bone, share in zip(obj.pose.bones, shares, strict=True):
            if part_bone(bone).heft_simulate != share:
                part_bone(bone).heft_simulate = share


def _refuse_turning_object(obj: ArmatureObject, parts: Sequence[SampledMotion]) -> None:
    linear = np.concatenate([part.object_matrix[:, :3, :3] for part in parts])
    if np.abs(linear - linear[0]).max() > SAME_TURN * np.abs(linear[0]).max():
        raise InputError(
            f"The actions turn or scale '{obj.name}' itself; a sequence needs the motion on its bones."
        )


def _in_one_place(chained: Chain, parts: Sequence[SampledMotion]) -> SampledMotion:
    """Return the chained motion at whole frames, with the object fixed where it is at the first frame."""
    from .motion_reader import SampledMotion

    first = parts[0]
    steps = int(first.frame_sample[1] - first.frame_sample[0])
    frames = (len(chained.motion.time) - 1) // steps + 1
    motion = chained.motion.first((frames - 1) * steps + 1)
    whole = np.arange(frames) * steps
    placed = first.object_matrix[0]
    turn = rotations.to_matrix(motion.quaternion_world[whole])
    linear = inverse(placed[:3, :3]) @ turn @ _shapes(chained, parts, whole)
    heads = motion.position_world[whole] / first.metres_per_unit - placed[:3, 3]
    return SampledMotion(
        motion=motion,
        frame=first.frame[0] + np.arange(frames),
        frame_sample=whole,
        pose_matrix=transform(linear, turned(inverse(placed[:3, :3]), heads)),
        object_matrix=np.tile(placed, (frames, 1, 1)),
        object_location=np.tile(first.object_location[0], (frames, 1)),
        object_parent_linear=np.tile(first.object_parent_linear[0], (frames, 1, 1)),
        metres_per_unit=first.metres_per_unit,
        collapsed_bones=tuple({name: None for part in parts for name in part.collapsed_bones}),
        bone_share=_bone_shares(chained, parts, len(motion.time)),
    )


def _bone_shares(chained: Chain, parts: Sequence[SampledMotion], samples: int) -> FloatArray | None:
    """Return the actions' shares at the nearest samples, or None if no action has any."""
    if all(part.bone_share is None for part in parts):
        return None
    shares = [
        np.ones(part.motion.position_world.shape[:2]) if part.bone_share is None else part.bone_share
        for part in parts
    ]
    nearest = _nearest(chained, parts, np.arange(samples), [len(share) for share in shares])
    return np.array([shares[p][k] for p, k in zip(chained.part[:samples], nearest, strict=True)])


def _shapes(chained: Chain, parts: Sequence[SampledMotion], whole: IntArray) -> FloatArray:
    """Return scale and shear of the bones (F, N, 3, 3), from the nearest whole frame of their action."""
    shapes = []
    for part in parts:
        world = part.object_matrix[:, None, :3, :3] @ part.pose_matrix[..., :3, :3]
        turn = rotations.to_matrix(part.motion.quaternion_world[part.frame_sample])
        shapes.append(np.swapaxes(turn, -1, -2) @ world)
    nearest = _nearest(chained, parts, whole, [len(part.frame) for part in parts])
    return np.array([shapes[p][k] for p, k in zip(chained.part[whole], nearest, strict=True)])


def _nearest(
    chained: Chain, parts: Sequence[SampledMotion], samples: IntArray, counts: Sequence[int]
) -> IntArray:
    """Return the nearest of so many even values over each part, at samples of the chain.

    The chain counts samples at the first part's rate, whatever those of the others are.
    """
    duration = np.array([part.motion.duration for part in parts])
    intervals, own = np.array(counts) - 1, chained.part[samples]
    share = chained.sample[samples] / parts[0].motion.rate_hz / duration[own]
    return np.rint(np.clip(share, 0.0, 1.0) * intervals[own]).astype(int)


CLASSES = (HeftActionClip,)
