"""Jobs that find the supports of a motion: bake jobs in, scenes with sentences out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.files import AnyPath, write_text_atomically
from ..base.json_files import read_json_file, to_json
from ..base.worker_process import EventWriter
from ..scenario.job import load_job
from ..scene.scene import Scene
from ..scene.scene_file import scene_from_dict, scene_to_dict
from ..supports.find import FoundSupports, find_supports


@dataclass(frozen=True, eq=False)
class SupportScene:
    """The supports of a motion as a scene, and sentences about them."""

    scene: Scene
    notes: tuple[str, ...]


def save_found_supports(found: FoundSupports, path: AnyPath) -> None:
    """Write what was found to a file."""
    write_text_atomically(path, to_json({"scene": scene_to_dict(found.scene), "notes": found.notes}))


def load_support_scene(path: AnyPath) -> SupportScene:
    """Read what was found."""
    data: dict[str, Any] = read_json_file(path, "supports")
    return SupportScene(scene_from_dict(data["scene"], f"The scene in '{path}'"), tuple(data["notes"]))


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Find the supports of each job's motion."""
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        save_found_supports(find_supports(load_job(job_path)), result_path)
