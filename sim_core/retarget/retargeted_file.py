"""The file of a retargeted motion (docs/retarget.md): joints as in a result file."""

from __future__ import annotations

import json
from typing import Any

from ..base.files import AnyPath
from ..base.npz_file import write_file
from ..motion.motion_arrays import motion_to_arrays
from ..recognition import mapping_to_json
from .pipeline import Retargeted

SCHEMA = 1


def save_retargeted(outcome: Retargeted, path: AnyPath, meta: dict[str, Any]) -> None:
    """Write the motion as one npz, whole or not at all."""
    mapping = json.loads(mapping_to_json(outcome.target.mapping))
    names = outcome.motion.skeleton.names
    record = {
        "mapping": mapping,
        "turned_bones": [names[bone] for bone in outcome.turned_bones],
        "leg_ratio": outcome.leg_ratio,
        "notes": outcome.notes,
    }
    write_file(path, "retarget", SCHEMA, motion_to_arrays(outcome.motion), {**record, **meta})
