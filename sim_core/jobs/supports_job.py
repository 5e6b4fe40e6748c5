"""Jobs that find the supports of a motion: bake jobs in, scenes with sentences out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..base.files import AnyPath, write_text_atomically
from ..base.json_files import read_json_file, to_json
from ..base.worker_process import EventWriter
from ..scenario.job import Job, load_job
from ..scene.scene import Role, Scene
from ..scene.scene_file import scene_from_dict, scene_to_dict
from ..supports.find import find_supports, place_supports


@dataclass(frozen=True, eq=False)
class SupportScene:
    """The supports of a motion as a scene, and sentences about them.

    scene: what the scene of the job does not have; used: roles of the objects that it has, by their names
    aside (3): how far the motion must be moved to meet these [m]
    """

    scene: Scene
    used: dict[str, Role]
    aside: FloatArray
    notes: tuple[str, ...]


def support_scene(job: Job) -> SupportScene:
    """Find the supports of a job's motion, and which objects of its scene stand in for them."""
    found = find_supports(job)
    placed = place_supports(job.scene, found)
    used = {match.object.name: match.support.role for match in placed.matches}
    scene = replace(found.scene, objects=placed.added)
    return SupportScene(scene, used, placed.aside, (*found.notes, *placed.sentences))


def save_support_scene(found: SupportScene, path: AnyPath) -> None:
    """Write what was found to a file."""
    data = {
        "scene": scene_to_dict(found.scene),
        "used": {name: role.value for name, role in found.used.items()},
        "aside": found.aside.tolist(),
        "notes": found.notes,
    }
    write_text_atomically(path, to_json(data))


def load_support_scene(path: AnyPath) -> SupportScene:
    """Read what was found."""
    data: dict[str, Any] = read_json_file(path, "supports")
    scene = scene_from_dict(data["scene"], f"The scene in '{path}'")
    used = {name: Role(role) for name, role in data["used"].items()}
    return SupportScene(scene, used, np.array(data["aside"]), tuple(data["notes"]))


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Find the supports of each job's motion."""
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        save_support_scene(support_scene(load_job(job_path)), result_path)
