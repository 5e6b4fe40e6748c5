"""The rate and the physical size at which a motion is to be simulated, from its rig and its flights or steps.

A rig may have any size: importers make bodies of 30 m or of 2 cm, and cartoon characters move like smaller
ones than they are drawn. The simulation runs at the physical size, and its result fits the rig as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import GRAVITY
from ..character.anthropometry import body_height
from ..character.binding import bind
from ..character.from_rig import RigCharacter, character_from_rig
from ..character.joint_repair import repair_motion
from ..motion.motion import Motion
from ..motion.skeleton import Skeleton
from ..recognition.mapping import BoneMapping, check_mapping
from .flights import common_fall
from .frame_rate import NOT_TAKEN_OVER, WRONG_BEYOND, RateClaim, check_frame_rate
from .rest_pose import standing_at_rest
from .steps import find_swings
from .unit import fitting_unit

HEIGHT_M = (0.4, 3.5)
"""Heights of rigs that are simulated as they are; others are given a physical size [m]."""
MOVES_LIKE_M = (0.6, 10.0)
"""Physical heights that are used; smaller bodies fall faster than the controller can follow [m]."""


@dataclass(frozen=True)
class PaceAndSize:
    """What a motion shows.

    rate_hz: at which its frames were captured; None if their rate fits
    height_m: of the rig; moves_like_m: physical height that is used instead, None if the rig's own fits
    rate_unknown: whether the importer took over no rate, and the motion shows none
    notes: sentences on the rate, and on what is only probable and was not used; the size is told by the bake
    """

    height_m: float
    rate_hz: float | None = None
    moves_like_m: float | None = None
    notes: tuple[str, ...] = ()
    rate_unknown: bool = False


def usual_size(height_m: float) -> float:
    """Return the physical height of a rig of a height [m], if nothing but its size is known."""
    if HEIGHT_M[0] <= height_m <= HEIGHT_M[1]:
        return height_m
    return height_m * fitting_unit(height_m, rare=False).metres


def rig_height(skeleton: Skeleton, mapping: BoneMapping) -> float:
    """Return the height of a rig [m], as its rest pose shows it."""
    return body_height(bind(skeleton, mapping))


def size_note(simulated_m: float, rig_m: float) -> str:
    """Return a sentence on a physical size that is not the rig's own."""
    return f"Simulated as {_metres(simulated_m)} m tall: the rig is {_metres(rig_m)} m."


def find_pace_and_size(
    motion: Motion,
    mapping: BoneMapping,
    given_m: float | None = None,
    claim: RateClaim = RateClaim.HEADER,
) -> PaceAndSize:
    """Return the rate and the size that a motion shows.

    given_m: the physical height that the user chose; claim: who says at which rate it is played
    """
    check_mapping(mapping, motion.skeleton)
    motion = standing_at_rest(motion, mapping)
    height = rig_height(motion.skeleton, mapping)
    size = usual_size(height) if given_m is None else given_m
    character, played = _character(motion.scaled(size / height), mapping)
    fall = common_fall(character, played)
    strange = given_m is None and size != height
    has_unit = fitting_unit(height, rare=False).name is not None
    beyond = NOT_TAKEN_OVER if strange and has_unit and claim is RateClaim.IMPORTED else WRONG_BEYOND
    finding = None if claim is RateClaim.KEYED else check_frame_rate(character, played, fall, beyond)
    if finding is not None and not finding.by_flights and claim is RateClaim.IMPORTED and not strange:
        finding = finding.in_doubt()  # an importer that kept the size has kept the time, too
    if strange and fall is not None and not has_unit:
        # No unit explains this rig, so its flights show how large it is.
        size = float(np.clip(size * GRAVITY / fall, *MOVES_LIKE_M))
        return PaceAndSize(height, None, size)
    moves_like = size if strange else None
    if finding is not None:
        rate = finding.usual_hz if finding.confident else None
        return PaceAndSize(height, rate, moves_like, (finding.message,))
    shows_nothing = fall is None and find_swings(character, played) is None
    if shows_nothing and strange and has_unit and claim is RateClaim.IMPORTED:
        note = (
            "Nothing in the motion shows at which rate it was captured; the scene's "
            f"{motion.rate_hz:.4g} frames a second were taken."
        )
        return PaceAndSize(height, None, moves_like, (note,), rate_unknown=True)
    return PaceAndSize(height, None, moves_like, _offered_size(fall, size))


def at_rate(motion: Motion, rate_hz: float) -> Motion:
    """Return the same frames at another rate."""
    time = motion.time[0] + np.arange(len(motion.time)) / rate_hz
    return Motion(motion.skeleton, time, motion.position_world, motion.quaternion_world)


def _character(motion: Motion, mapping: BoneMapping) -> tuple[RigCharacter, Motion]:
    repaired = repair_motion(bind(motion.skeleton, mapping), motion).motion
    return character_from_rig(repaired, mapping), repaired


def _offered_size(fall: float | None, size: float) -> tuple[str, ...]:
    """Return a sentence on the size that the flights show, where it differs from the one used."""
    if fall is None or abs(np.log(fall / GRAVITY)) < 2.0 * np.log(WRONG_BEYOND):
        return ()
    shown = float(np.clip(size * GRAVITY / fall, *MOVES_LIKE_M))
    return (
        f"In the air it falls at {fall:.1f} m/s^2 instead of {GRAVITY}: it moves like a body of "
        f"{_metres(shown)} m, and was simulated as {_metres(size)} m tall.",
    )


def _metres(height_m: float) -> str:
    """Return a height with two decimals; heights of a few centimetres keep two digits."""
    return f"{height_m:.2f}" if height_m >= 0.1 else f"{height_m:.2g}"
