"""A bake's whole input, and its file: what Blender hands to the worker."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass
from typing import Any

import numpy as np

from .aiming.aim import Aim
from .aiming.file import aims_from_dict, aims_to_dict
from .errors import InputError
from .files import AnyPath
from .motion import Motion
from .recognition.check import check_mapping, mapping_from_json, mapping_to_json
from .recognition.mapping import BoneMapping
from .scene.file import scene_from_dict, scene_to_dict
from .scene.scene import FLAT, Scene
from .schema import read_file, take, write_file
from .settings import BakeSettings
from .skeleton import NO_PARENT, Skeleton

SCHEMA = 1

_ARRAYS = {
    "skeleton_name": ("U", 1),
    "skeleton_parent": ("iu", 1),
    "rest_position_world": ("f", 2),
    "rest_quaternion_world": ("f", 2),
    "time": ("f", 1),
    "position_world": ("f", 3),
    "quaternion_world": ("f", 3),
}
"""Names in the file, with the kinds of dtype and the number of dimensions of each."""


@dataclass(frozen=True, eq=False)
class Job:
    """The motion of a rig, which of its bones are which part of the body, options, and what is about it.

    name: what the character is called where there are several; aims: what it shall strike
    """

    motion: Motion
    mapping: BoneMapping
    settings: BakeSettings
    scene: Scene = FLAT
    name: str = "character"
    aims: tuple[Aim, ...] = ()

    def __post_init__(self) -> None:
        check_mapping(self.mapping, self.motion.skeleton)
        if self.settings.only_around_hits and self.aims:
            raise InputError(
                "Strikes that are aimed need the whole motion simulated; do not simulate only around hits."
            )


def save_job(job: Job, path: AnyPath) -> None:
    motion, skeleton = job.motion, job.motion.skeleton
    arrays = {
        "skeleton_name": np.array(skeleton.names, dtype=str),
        "skeleton_parent": skeleton.parents,
        "rest_position_world": skeleton.rest_position_world,
        "rest_quaternion_world": skeleton.rest_quaternion_world,
        "time": motion.time,
        "position_world": motion.position_world,
        "quaternion_world": motion.quaternion_world,
    }
    meta = {
        "mapping": mapping_to_json(job.mapping),
        "settings": dataclasses.asdict(job.settings),
        "scene": scene_to_dict(job.scene),
        "name": job.name,
        "aims": aims_to_dict(job.aims),
    }
    write_file(path, "job", SCHEMA, arrays, meta)


def load_job(path: AnyPath) -> Job:
    """The job in a file; whatever is wrong with the file is told as an InputError."""
    stored, meta = read_file(path, "job", SCHEMA)
    arrays = {name: take(stored, name, kinds, ndim, path) for name, (kinds, ndim) in _ARRAYS.items()}
    if np.any(arrays["skeleton_parent"] < NO_PARENT):
        raise InputError(f"'{path}' names parent bones that do not exist; make the job again.")
    if not np.isfinite(arrays["time"]).all():
        raise InputError(f"'{path}' has sample times that are not numbers; make the job again.")
    skeleton = Skeleton(
        tuple(arrays["skeleton_name"].tolist()),
        arrays["skeleton_parent"],
        arrays["rest_position_world"],
        arrays["rest_quaternion_world"],
    )
    motion = Motion(skeleton, arrays["time"], arrays["position_world"], arrays["quaternion_world"])
    mapping = mapping_from_json(str(meta.get("mapping")))
    scene = scene_from_dict(_part(meta, "scene", path), f"The scene in '{path}'")
    aims = aims_from_dict(_part(meta, "aims", path), f"The job '{path}'")
    settings = _settings(meta.get("settings"), path)
    return Job(motion, mapping, settings, scene, str(meta.get("name", Job.name)), aims)


def _part(meta: dict[str, Any], name: str, path: AnyPath) -> dict[str, Any]:
    data = meta.get(name)
    if not isinstance(data, dict):
        raise InputError(f"'{path}' has no {name}; make the job again.")
    return data


def _settings(data: object, path: AnyPath) -> BakeSettings:
    types = typing.get_type_hints(BakeSettings)
    if not isinstance(data, dict) or set(data) != set(types):
        raise InputError(f"The settings in '{path}' are not those of this Heft; make the job again.")
    for name, value in data.items():
        if not _fits(value, types[name]):
            raise InputError(f"The setting '{name}' in '{path}' is {value!r}, which is of the wrong type.")
    return BakeSettings(**data)


def _fits(value: object, wanted: Any) -> bool:
    """Whether a JSON value may stand for a field; whole numbers may stand for floats."""
    if isinstance(value, bool):
        return wanted is bool
    if isinstance(value, int):
        return isinstance(value, wanted) or isinstance(float(value), wanted)
    return isinstance(value, wanted)
