"""The joints of a SMPL body with its own shape, from a model file that the user has.

The model files are licensed to persons and may not be passed on, so Heft has none. From one that the user
names, the mean shape, its changes with the shape parameters and the places of joints are read: all numbers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..base.files import AnyArray
from ..base.npz_members import read_members

MEAN, CHANGES, JOINTS = "v_template", "shapedirs", "J_regressor"
BODY_JOINTS = 22


def model_joints(path: Path, joints: int, betas: AnyArray | None) -> FloatArray:
    """Return the joints of a model at rest (N, 3) [m]; betas: shape parameters, None for the mean shape."""
    arrays = read_members(path, (MEAN, CHANGES, JOINTS))
    for name in (MEAN, CHANGES, JOINTS):
        if name not in arrays:
            raise InputError(
                f"'{path.name}' has no array '{name}', so it is not a model of SMPL; give the "
                "model's .npz file (--skeleton)."
            )
    mean, changes, places = (arrays[name] for name in (MEAN, CHANGES, JOINTS))
    vertices = len(mean)
    if mean.shape != (vertices, 3) or changes.ndim != 3 or changes.shape[:2] != mean.shape:
        raise InputError(
            f"The shapes of '{path.name}' do not fit: '{MEAN}' has {mean.shape}, '{CHANGES}' "
            f"{changes.shape}; give the model's .npz file as it was downloaded (--skeleton)."
        )
    fits = places.ndim == 2 and places.shape[1] == vertices
    if not fits or (len(places) != joints and (joints != BODY_JOINTS or len(places) < joints)):
        raise InputError(
            f"'{path.name}' is the model of another body: '{JOINTS}' has the shape {places.shape}, "
            f"and the motion has {joints} joints; give the model of this body (--skeleton)."
        )
    # Some files repeat the parameters in every frame.
    given = np.zeros(0) if betas is None else np.atleast_2d(betas)[0].reshape(-1)
    used = min(len(given), changes.shape[2])
    found = places[:joints] @ (mean + changes[:, :, :used] @ given[:used])
    if not np.isfinite(found).all():
        raise InputError(
            f"'{path.name}' or the betas of the motion have values that are not finite (NaN); download the "
            "model again, or take the betas out of the motion."
        )
    return np.asarray(found)
