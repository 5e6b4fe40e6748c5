"""The whole input of a bake, and its file, which Blender hands to the worker."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.conventions import FloatArray, freeze
from ..base.errors import InputError
from ..base.files import AnyPath, names_its_file
from ..base.json_codec import fits
from ..base.npz_file import read_file, take_array, write_file
from ..character.soft_parts import SoftPart, check_soft_parts, soft_from_objects, soft_to_objects
from ..motion.motion import Motion
from ..motion.motion_arrays import motion_from_arrays, motion_to_arrays
from ..recognition.mapping import BoneMapping, check_mapping, mapping_from_json, mapping_to_json
from ..scene.aims import Aim, aims_from_dict, aims_to_dict
from ..scene.scene import FLAT, Scene
from ..scene.scene_file import scene_from_dict, scene_to_dict
from .settings import BakeSettings

SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Job:
    """The motion of a rig, which of its bones are which part of the body, settings, and the scene.

    name: of the character, where there are several; aims: the targets that it shall strike
    bone_share (T, N): how much of each bone is simulated at the motion's samples, from 0, the motion as it
        is, to 1; None is 1 everywhere
    soft: chains of bones that are simulated as soft parts
    """

    motion: Motion
    mapping: BoneMapping
    settings: BakeSettings
    scene: Scene = FLAT
    name: str = "character"
    aims: tuple[Aim, ...] = ()
    bone_share: FloatArray | None = None
    soft: tuple[SoftPart, ...] = ()

    def __post_init__(self) -> None:
        check_mapping(self.mapping, self.motion.skeleton)
        self._refuse_unfit_soft_parts()
        if self.settings.only_around_hits and self.aims:
            raise InputError(
                "Strikes that are aimed need the whole motion simulated; do not simulate only around hits."
            )
        if self.settings.only != "whole" and self.aims:
            raise InputError(
                "Strikes that are aimed need the whole body simulated; do not simulate only a part of it."
            )
        if self.bone_share is not None:
            freeze(self, "bone_share")
            self._refuse_broken_share(self.bone_share)
            if self.settings.get_up and not np.all(self.bone_share == 1.0):
                raise InputError(
                    "A character gets up with its whole body; simulate all bones, or leave out getting up."
                )

    def _refuse_unfit_soft_parts(self) -> None:
        check_soft_parts(self.soft, self.motion.skeleton, self.mapping)
        own = self.settings
        if own.only == "soft" and not self.soft:
            raise InputError("Only soft parts are to be simulated, but there are none; choose some chains.")
        reasons = (
            ("only around hits", own.only_around_hits),
            ("with getting up", own.get_up),
            ("on a preset character", own.character is not None),
        )
        for what, wanted in reasons:
            if self.soft and wanted:
                raise InputError(f"Soft parts cannot be simulated {what}; leave out one of the two.")

    def _refuse_broken_share(self, share: FloatArray) -> None:
        wanted = self.motion.position_world.shape[:2]
        if share.shape != wanted:
            raise InputError(
                f"bone_share has shape {share.shape}, but the motion's samples and bones are {wanted}; "
                "give a value for each."
            )
        if not np.all((share >= 0.0) & (share <= 1.0)):
            raise InputError("bone_share holds values that are not between 0 and 1; limit them.")


def save_job(job: Job, path: AnyPath) -> None:
    """Write a job to a file."""
    meta = {
        "mapping": mapping_to_json(job.mapping),
        "settings": dataclasses.asdict(job.settings),
        "scene": scene_to_dict(job.scene),
        "name": job.name,
        "aims": aims_to_dict(job.aims),
        "soft": soft_to_objects(job.soft),
    }
    shares = {} if job.bone_share is None else {"bone_share": job.bone_share}
    write_file(path, "job", SCHEMA, {**motion_to_arrays(job.motion), **shares}, meta)


@names_its_file
def load_job(path: AnyPath) -> Job:
    """Read the job in a file; a file that is not a valid job raises an InputError."""
    stored, meta = read_file(path, "job", SCHEMA)
    motion = motion_from_arrays(stored, path)
    mapping = mapping_from_json(str(meta.get("mapping")))
    scene = scene_from_dict(_part(meta, "scene", path), f"The scene in '{path}'")
    aims = aims_from_dict(_part(meta, "aims", path), f"The job '{path}'")
    settings = settings_from_dict(meta.get("settings"), path)
    share = take_array(stored, "bone_share", "f", 2, path) if "bone_share" in stored else None
    soft = soft_from_objects(meta.get("soft", []), f"The job '{path}'")
    return Job(motion, mapping, settings, scene, str(meta.get("name", Job.name)), aims, share, soft)


def _part(meta: dict[str, Any], name: str, path: AnyPath) -> dict[str, Any]:
    data = meta.get(name)
    if not isinstance(data, dict):
        raise InputError(f"'{path}' has no {name}; make the job again.")
    return data


def settings_from_dict(data: object, path: AnyPath) -> BakeSettings:
    """Return the settings in a file; invalid ones raise an InputError."""
    types = typing.get_type_hints(BakeSettings)
    if not isinstance(data, dict) or set(data) != set(types):
        raise InputError(f"The settings in '{path}' are not those of this Heft; make the file again.")
    for name, value in data.items():
        if not fits(value, types[name]):
            raise InputError(
                f"The setting '{name}' in '{path}' is {value!r}, which is of the wrong type; make the file "
                "again."
            )
    return BakeSettings(**data)
