"""Jumps where a result ends and the source's own keys go on, if only some frames are simulated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...sim_core.recognition.mapping import BoneMapping, part_label
from ..blender.compat import SlottedAction, curves_of
from ..reading.motion_reader import SampledMotion
from ..writing.baked_bones import BakedBones

JUMP_CM = 2.0
"""A jump that is smaller is hardly seen, because what moves goes on by some centimetres a frame [cm]."""


def end_notes(
    source: SlottedAction | None,
    baked: BakedBones,
    sampled: SampledMotion,
    mapping: BoneMapping,
    scale: float,
) -> Iterator[tuple[int, str]]:
    """Yield 0 or -1 and a sentence for each end of a result at which bones jump to the keys of the source.

    source: the action whose keys before and after the simulated frames are kept; scale: physical size over
    the armature's own
    """
    ends = [curve.range() for curve in curves_of(source)] if source is not None else []
    if not ends:
        return
    for row, side, option, goes_on in (
        (0, "before", "Blend In", min(float(end[0]) for end in ends) < sampled.frame[0] - 0.5),
        (-1, "after", "Blend Out", max(float(end[1]) for end in ends) > sampled.frame[-1] + 0.5),
    ):
        part, jump_cm = _jump(baked, sampled, mapping, row)
        if goes_on and jump_cm * scale > JUMP_CM:
            text = (
                f"At frame {sampled.frame[row]} the {part} jumps by {jump_cm * scale:.0f} cm, because the "
                f"frames {side} it are the source's own; {option} (Options > Parts) makes that smooth."
            )
            yield row, text


def _jump(baked: BakedBones, sampled: SampledMotion, mapping: BoneMapping, row: int) -> tuple[str, float]:
    """Return which part is furthest from the source at a frame, and how far [cm]."""
    bones = [sampled.skeleton.index[name] for name in baked.names]
    source = sampled.motion.position_world[sampled.frame_sample[row], bones]
    apart = np.linalg.norm(baked.position_world[row] - source, axis=-1)
    furthest = int(apart.argmax())
    slots = {bone: slot for slot in mapping for bone in mapping.bones[slot]}
    return part_label(slots.get(baked.names[furthest], baked.names[furthest])), 100.0 * float(apart[furthest])
