"""Reads motions of SMPL, SMPL-H and SMPL-X bodies from npz files, as AMASS has them.

A file holds the rotations of all joints as rotation vectors, the place of the body, and a rate. Its shape
parameters (betas) mean something only with the models' own data, which Heft does not have. Unless the user
names a model file, the body has average proportions, and its size is given or found from feet that stand.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from ..base.errors import InputError
from ..base.files import AnyArray
from ..base.npz_members import member_names, read_members
from .motion_file import MotionFile
from .skeleton import Skeleton, rest_offsets
from .smpl_body import AVERAGE_HEIGHT_M, JOINTS_OF_MODEL, joint_skeleton, smpl_skeleton
from .smpl_model import model_joints
from .smpl_size import find_height

SUFFIX = ".npz"
WHOLE = "poses"
ROOTS, BODIES = ("root_orient", "global_orient"), ("pose_body", "body_pose")
HANDS = (("pose_hand",), ("left_hand_pose", "right_hand_pose"))
PLACES = ("trans", "transl")
SHAPE = "betas"
RATES = ("mocap_framerate", "mocap_frame_rate", "fps")
USUAL_RATE_HZ = 30.0
"""Rate of videos, taken where a file states none [Hz]."""
Z_UP_FROM_SMPL = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
"""The turn about X from the models' rest, which is Y up, to a body that stands with Z up."""
CLEARLY_UP = 0.8
"""Mean cosine between the body's own up direction and an axis, from which the body stands along it."""


def is_smpl_file(path: Path) -> bool:
    """Return whether a file is an npz with poses of a SMPL body; Heft's own results are npz files, too."""
    return path.suffix.lower() == SUFFIX and bool(member_names(path) & {WHOLE, *BODIES})


def read_smpl(path: Path, height_m: float | None = None, model: Path | None = None) -> MotionFile:
    """Read a motion; height_m: of the body, None finds it; model: the user's file of the SMPL model."""
    named = [WHOLE, *ROOTS, *BODIES, *PLACES, *RATES, *(name for hands in HANDS for name in hands)]
    arrays = read_members(path, named if model is None else [*named, SHAPE])
    vectors = _vectors(arrays, path)
    frames, joints = vectors.shape[:2]
    place = _checked(_one_of(arrays, PLACES, path), (frames, 3), path)
    rate_hz, notes = _rate(arrays, path)
    stand, local = _standing(rotations.from_vector(vectors))
    if model is not None:
        heads = model_joints(model, joints, arrays.get(SHAPE))
        body, place = joint_skeleton(joints, heads), place + heads[0]
        notes = (*notes, f"The body is that of '{model.name}' with the shape parameters of the motion.")
    else:
        if height_m is None:
            height_m = find_height(_stood(smpl_skeleton(joints, 1.0), stand), local, place, 1.0 / rate_hz)
            notes = (*notes, _size_note(height_m))
        body = smpl_skeleton(joints, height_m or AVERAGE_HEIGHT_M)
    rest = _stood(body, stand)
    position = np.tile(rest_offsets(rest), (frames, 1, 1))
    position[:, 0] = place
    return MotionFile(rest, {}, position, local, 1.0 / rate_hz, unit_m=1.0, notes=notes)


def _vectors(arrays: dict[str, AnyArray], path: Path) -> FloatArray:
    """Return the rotation vectors of all joints (T, N, 3)."""
    if WHOLE in arrays:
        whole = _rows(arrays[WHOLE], WHOLE, path)
    else:
        body = _rows(_one_of(arrays, BODIES, path), "pose_body", path)
        parts = [_rows(_one_of(arrays, ROOTS, path), "root_orient", path), body]
        parts += _hands(arrays, path) if body.shape[1] == 3 * 21 else []
        if len({len(part) for part in parts}) > 1:
            found = ", ".join(str(len(part)) for part in parts)
            raise InputError(f"The poses of '{path.name}' differ in their number of frames: {found}.")
        whole = np.concatenate(parts, axis=1)
    joints = whole.shape[1] // 3
    if whole.shape[1] % 3 or joints not in JOINTS_OF_MODEL:
        known = ", ".join(f"{3 * count} ({model})" for count, model in JOINTS_OF_MODEL.items())
        raise InputError(
            f"The poses of '{path.name}' have {whole.shape[1]} numbers a frame; the models have "
            f"{known}; export the motion of one of them."
        )
    return whole.reshape(len(whole), joints, 3)


def _hands(arrays: dict[str, AnyArray], path: Path) -> list[FloatArray]:
    """Return the rotation vectors of both hands, if the file has them; hands of other models are left out."""
    found = next((names for names in HANDS if all(name in arrays for name in names)), ())
    hands = [_rows(arrays[name], name, path) for name in found]
    return hands if sum(hand.shape[1] for hand in hands) == 3 * 30 else []


def _rows(values: AnyArray, name: str, path: Path) -> FloatArray:
    """Return an array with one row for each frame."""
    if values.ndim not in (2, 3) or not values.size:
        raise InputError(
            f"The array '{name}' of '{path.name}' has the shape {values.shape}; it must have a row "
            "of rotation vectors for each frame."
        )
    return _finite(values.reshape(len(values), -1), name, path)


def _one_of(arrays: dict[str, AnyArray], names: tuple[str, ...], path: Path) -> AnyArray:
    for name in names:
        if name in arrays:
            return arrays[name]
    raise InputError(
        f"'{path.name}' has no array '{names[0]}', so it is not a whole motion of a SMPL body; "
        "export it with poses and trans, as AMASS has them."
    )


def _checked(values: AnyArray, shape: tuple[int, ...], path: Path) -> FloatArray:
    if values.shape != shape:
        raise InputError(
            f"The array 'trans' of '{path.name}' has the shape {values.shape}, but {shape} is needed: "
            "a place for each frame; export the motion again."
        )
    return _finite(values, "trans", path)


def _finite(values: AnyArray, name: str, path: Path) -> FloatArray:
    bad = ~np.isfinite(values).all(axis=1)
    if bad.any():
        raise InputError(
            f"The array '{name}' of '{path.name}' has a value that is not finite (NaN) in frame "
            f"{int(np.argmax(bad)) + 1}; repair or cut the motion."
        )
    return np.asarray(values, dtype=np.float64)


def _rate(arrays: dict[str, AnyArray], path: Path) -> tuple[float, tuple[str, ...]]:
    """Return the frame rate [Hz], and a note where the file states none."""
    name = next((name for name in RATES if name in arrays), None)
    if name is None:
        note = f"The file states no frame rate; {USUAL_RATE_HZ:g} frames a second were taken (--fps)."
        return USUAL_RATE_HZ, (note,)
    if arrays[name].size != 1 or not 0.0 < float(arrays[name].reshape(-1)[0]) < np.inf:
        raise InputError(
            f"The array '{name}' of '{path.name}' is no frame rate above zero; state the rate "
            "(--fps) in a file without it."
        )
    return float(arrays[name].reshape(-1)[0]), ()


def _standing(local: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the turn (4) of the rest pose that makes it stand in the file's axes, and the poses from there.

    The models rest with Y up. AMASS turns the root so that bodies stand with Z up; other files leave Y up.
    """
    upwards = rotations.rotate(local[:, 0], np.array([0.0, 1.0, 0.0])).mean(axis=0)
    stand = IDENTITY_QUATERNION if upwards[1] > CLEARLY_UP else Z_UP_FROM_SMPL
    back = rotations.conjugate(stand)
    turned = rotations.multiply(local, back)
    turned[:, 1:] = rotations.multiply(stand, turned[:, 1:])
    return stand, turned


def _stood(skeleton: Skeleton, stand: FloatArray) -> Skeleton:
    return replace(skeleton, rest_position_world=rotations.rotate(stand, skeleton.rest_position_world))


def _size_note(found: float | None) -> str:
    if found is None:
        return (
            f"The body has average proportions and a height of {AVERAGE_HEIGHT_M:.2f} m, because the shape "
            "parameters (betas) mean something only with SMPL's own model (--skeleton); state its "
            "height (--height)."
        )
    return (
        f"The body has average proportions; with a height of {found:.2f} m its feet stand still "
        "(--height states another)."
    )
