"""What an armature's motion does not state: rest frames before it, its rate, and its physical size.

Blender's importer of BVH files makes a person 30 m tall at the scene's rate, with a T-pose in front. The core
finds all three as it does for files (docs/reading.md); the simulation uses them, and the keys fit the
armature as it is.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup, Scene

from ...sim_core.base.errors import InputError
from ...sim_core.recognition.mapping import BoneMapping
from ...sim_core.scenario.settings import BakeSettings
from ..blender.blender_types import ArmatureObject
from ..blender.compat import SlottedAction, curves_of
from ..blender.library_overrides import character_of
from ..blender.matrices import from_blender
from ..blender.steps import in_thread
from .bone_table import find_mapping
from .rig_reader import metres_per_unit, read_skeleton
from .source_action import sources_played

if TYPE_CHECKING:
    from ...sim_core.reading.frame_rate import RateClaim
    from ...sim_core.reading.pace_and_size import PaceAndSize
    from .motion_reader import SampledMotion

DENSE = 0.9
"""Share of the frames with keys, from which a motion was captured or baked rather than keyed by hand."""
SAME_RATE = 1e-3
"""Rates that differ by less are the same [1/s]."""
SAME_SIZE = 1e-3
"""Share of a height, below which two heights are the same."""


class HeftReading(PropertyGroup):
    """How the armature's motion is read, on the object.

    rig_height, simulated_height [m], found_fps, scene_fps, rest_frames, rate_unknown and action are those of
    the last reading.
    """

    fps: FloatProperty(
        name="Captured at",
        description="Frames a second of the captured motion, whatever the scene plays; 0 finds it",
        min=0.0,
        soft_max=240.0,
        max=10000.0,
        precision=2,
    )
    keep_rest_frames: BoolProperty(
        name="Keep Rest Pose",
        description="A rest pose before the motion, such as the T-pose of a capture, is simulated, too",
    )
    present: BoolProperty()
    rig_height: FloatProperty()
    simulated_height: FloatProperty()
    found_fps: FloatProperty()
    scene_fps: FloatProperty()
    rest_frames: IntProperty()
    rate_unknown: BoolProperty()
    action: StringProperty()


@dataclass(frozen=True, eq=False)
class FoundMotion:
    """A motion without its rest frames, at the scene's rate, and what was found about it.

    fps: rate to use instead of the scene's; None if that fits
    action: name of the one action that it comes from, by which a part of it is known; empty for several
    """

    sampled: SampledMotion
    pace: PaceAndSize
    fps: float | None
    rest_frames: int
    notes: tuple[str, ...]
    action: str = ""

    def settings(self, chosen: BakeSettings, fps: float) -> BakeSettings:
        """Return settings at the physical size, with times that count as many frames as before at a rate."""
        height = self.pace.moves_like_m if chosen.height is None else chosen.height
        slower = self.sampled.fps / fps
        return replace(
            chosen,
            height=height,
            blend_in_s=chosen.blend_in_s * slower,
            blend_out_s=chosen.blend_out_s * slower,
        )


def finding_motion(
    obj: ArmatureObject,
    sampled: SampledMotion,
    mapping: BoneMapping,
    height: float | None,
    sources: Sequence[SlottedAction] | None = None,
) -> Generator[float, None, FoundMotion]:
    """Find rest frames, rate and size of a sampled motion.

    height: the physical one, if the user set it; sources: the actions that were played, by default those
    that the armature plays
    """
    from ...sim_core.reading.frame_rate import RateClaim

    played = sources_played(obj) if sources is None else sources
    action = played[0].action.name if len(played) == 1 else ""
    captured = keyed_on_every_frame(played)
    own_fps, keeps_rest = float(obj.heft_reading.fps), obj.heft_reading.keep_rest_frames or not captured
    claim = RateClaim.IMPORTED if captured and own_fps == 0.0 else RateClaim.KEYED
    found = yield from in_thread(partial(_find, sampled, mapping, height, claim, keeps_rest))
    if own_fps == 0.0 and found.fps is None and captured:
        own_fps = _fps_found_before(obj, action, sampled.fps)
    return replace(found, action=action, fps=found.fps if own_fps == 0.0 else own_fps)


def _fps_found_before(obj: ArmatureObject, action: str, scene_fps: float) -> float:
    """Return the rate that more of the same action has shown; 0 if there is none.

    A part of an action may be too short to show it.
    """
    shown = obj.heft_reading
    same = shown.present and shown.action == action != "" and abs(shown.scene_fps - scene_fps) < SAME_RATE
    return float(shown.found_fps) if same else 0.0


def _find(
    sampled: SampledMotion, mapping: BoneMapping, height: float | None, claim: RateClaim, keeps_rest: bool
) -> FoundMotion:
    """Do the work of finding_motion; safe in a thread, because it touches no data of Blender's."""
    from ...sim_core.reading.pace_and_size import find_pace_and_size
    from ...sim_core.reading.rest_frames import rest_frames_note, rest_frames_of

    rest = 0 if keeps_rest else rest_frames_of(sampled.whole_frames())
    if rest:
        sampled = sampled.between(int(sampled.frame[rest]), int(sampled.frame[-1]))
    pace = find_pace_and_size(sampled.whole_frames(), mapping, height, claim)
    notes = (rest_frames_note(rest), *pace.notes) if rest else pace.notes
    return FoundMotion(sampled, pace, pace.rate_hz, rest, notes)


def keyed_on_every_frame(sources: Sequence[SlottedAction]) -> bool:
    """Return whether actions have keys on nearly all of their frames, as importers make them."""
    return bool(sources) and all(_is_dense(source) for source in sources)


def _is_dense(source: SlottedAction) -> bool:
    curves = [curve for curve in curves_of(source) if "rotation" in curve.data_path]
    ends = [curve.range() for curve in curves]
    shares = [len(c.keyframe_points) / (end[1] - end[0] + 1.0) for c, end in zip(curves, ends, strict=True)]
    return bool(shares) and float(np.median(shares)) > DENSE


def common_fps(found: Sequence[FoundMotion]) -> float:
    """Return the rate of motions that belong together: the one that is found, if it is one."""
    scene_fps = found[0].sampled.fps
    rates = {one.fps for one in found if one.fps is not None}
    return rates.pop() if len(rates) == 1 else scene_fps


def show_found(obj: ArmatureObject, found: FoundMotion, settings: BakeSettings, fps: float) -> None:
    """Store what was found for the panel."""
    shown = obj.heft_reading
    shown.present, shown.rest_frames, shown.action = True, found.rest_frames, found.action
    shown.rig_height = found.pace.height_m
    shown.simulated_height = found.pace.height_m if settings.height is None else settings.height
    shown.found_fps, shown.scene_fps = fps, found.sampled.fps
    shown.rate_unknown = found.pace.rate_unknown and found.fps is None


@dataclass(frozen=True)
class ReadingLine:
    """A line of the panel, and the name of the setting that changes it; empty if all is as usual."""

    text: str
    setting: str = ""


def reading_lines(obj: ArmatureObject, scene: Scene) -> tuple[ReadingLine, ...]:
    """Return one line each on the size, and on the rate and the rest frames where they are unusual."""
    lines, shown = list(_size_lines(*_sizes(obj, scene))), obj.heft_reading
    if shown.present and abs(shown.found_fps - shown.scene_fps) > SAME_RATE:
        text = f"Read at {shown.found_fps:g} frames a second: the scene has {shown.scene_fps:g}"
        lines.append(ReadingLine(text, "fps"))
    elif shown.present and shown.rate_unknown:
        text = f"Rate not known: played at the scene's {shown.scene_fps:g} frames a second"
        lines.append(ReadingLine(text, "fps"))
    if shown.present and shown.rest_frames:
        frames = "1 frame" if shown.rest_frames == 1 else f"{shown.rest_frames} frames"
        text = f"Rest pose in front left out: {frames}"
        lines.append(ReadingLine(text, "keep_rest_frames"))
    return tuple(lines)


def is_stated(obj: ArmatureObject, setting: str) -> bool:
    """Return whether the user has stated something that would be found otherwise."""
    if setting == "height":
        return bool(character_of(obj).height > 0.0)
    return setting != "fps" or bool(obj.heft_reading.fps > 0.0)


def state_found(obj: ArmatureObject, scene: Scene, setting: str) -> None:
    """State what was found, so that it can be changed."""
    if setting == "height":
        _, character_of(obj).height = _sizes(obj, scene)
    else:
        obj.heft_reading.fps = obj.heft_reading.found_fps


def _sizes(obj: ArmatureObject, scene: Scene) -> tuple[float, float]:
    """Return the height of the rig, and the one as which it is simulated, if no flight shows another [m]."""
    from ...sim_core.reading.pace_and_size import usual_size

    rig_m = _measured(obj, scene)
    given, shown = character_of(obj).height, obj.heft_reading
    if given > 0.0:
        return rig_m, given
    if shown.present and _same_size(shown.rig_height, rig_m):
        return rig_m, shown.simulated_height
    return rig_m, usual_size(rig_m) if rig_m > 0.0 else 0.0


def _same_size(one_m: float, other_m: float) -> bool:
    return abs(one_m - other_m) <= SAME_SIZE * one_m


def _size_lines(rig_m: float, simulated_m: float) -> Iterator[ReadingLine]:
    if rig_m <= 0.0:
        return
    if _same_size(rig_m, simulated_m):
        yield ReadingLine(f"{rig_m:.2f} m tall")
    else:
        text = f"Simulated as {simulated_m:.2f} m tall: the armature is {rig_m:.3g} m"
        yield ReadingLine(text, "height")


_last_measured: dict[str, tuple[bytes, float]] = {}
"""Armature data -> digest of what its height depends on, and the height; panels draw often."""


def _measured(obj: ArmatureObject, scene: Scene) -> float:
    """Return the height of the rig at rest [m]; 0 if it has no body."""
    from ...sim_core.reading.pace_and_size import rig_height

    size = from_blender(obj.matrix_world)[:3, :3] * metres_per_unit(scene)
    rows = "".join(row.bone for row in character_of(obj).rows)
    heads = np.array([bone.head_local for bone in obj.data.bones], dtype=np.float32)
    digest = size.tobytes() + heads.tobytes() + rows.encode()
    known = _last_measured.get(obj.name_full)
    if known is None or known[0] != digest:
        try:
            height = rig_height(read_skeleton(obj, scene), find_mapping(obj, scene))
        except InputError:
            height = 0.0
        known = _last_measured[obj.name_full] = (digest, height)
    return known[1]


CLASSES = (HeftReading,)

GROUPS = ((bpy.types.Object, "heft_reading", HeftReading),)
