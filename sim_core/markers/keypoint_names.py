"""Names of keypoints that programs for video write by number only, in the order of their numbers."""

from __future__ import annotations

from ..base.errors import InputError

_FACE = "nose left_eye right_eye left_ear right_ear"
_ARMS = "left_shoulder right_shoulder left_elbow right_elbow left_wrist right_wrist"
_LEGS = "left_hip right_hip left_knee right_knee left_ankle right_ankle"
_FEET = "left_big_toe left_small_toe left_heel right_big_toe right_small_toe right_heel"
_PAIRS = "left_big_toe right_big_toe left_small_toe right_small_toe left_heel right_heel"
COCO = f"{_FACE} {_ARMS} {_LEGS}".split()
WHOLE_BODY = f"{_FACE} {_ARMS} {_LEGS} {_FEET}".split()
"""The body's points of COCO-WholeBody; face and hands follow them."""
HALPE = f"{_FACE} {_ARMS} {_LEGS} head neck hip {_PAIRS}".split()
BODY_25 = (
    "nose neck right_shoulder right_elbow right_wrist left_shoulder left_elbow left_wrist mid_hip right_hip "
    "right_knee right_ankle left_hip left_knee left_ankle right_eye left_eye right_ear left_ear "
    f"{_FEET}"
).split()
MEDIAPIPE = (
    "nose left_eye_inner left_eye left_eye_outer right_eye_inner right_eye right_eye_outer left_ear "
    f"right_ear mouth_left mouth_right {_ARMS} left_pinky right_pinky left_index right_index left_thumb "
    f"right_thumb {_LEGS} left_heel right_heel left_foot_index right_foot_index"
).split()
BY_COUNT: dict[int, tuple[str, list[str]]] = {
    17: ("COCO-17", COCO),
    25: ("BODY_25", BODY_25),
    26: ("HALPE_26", HALPE),
    33: ("MediaPipe", MEDIAPIPE),
    133: ("COCO-WholeBody", WHOLE_BODY),
    # With both hands, and with a face of 468 or 478 points.
    75: ("MediaPipe", MEDIAPIPE),
    543: ("MediaPipe", MEDIAPIPE),
    553: ("MediaPipe", MEDIAPIPE),
}
"""Number of points -> the list they are of, and the names of its first points, those of the body."""


def names_by_count(count: int, owner: str) -> tuple[tuple[str, ...], str]:
    """Return names of the first points of a list with so many, and a note; `owner` names the file."""
    if count not in BY_COUNT:
        known = ", ".join(f"{number} ({name})" for number, (name, _) in BY_COUNT.items())
        raise InputError(
            f"{owner} holds {count} points without names; which ones they are is known for {known} points "
            "only. Export them with their names, as CSV or TRC."
        )
    name, names = BY_COUNT[count]
    rest = "" if len(names) == count else f", of which the first {len(names)} are the body's"
    return tuple(names), f"The points have no names; {count} points are taken as those of {name}{rest}."
