"""Hop jobs: a clip of a character and the dials of a hop in, the result of the hops out, as of a bake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.files import refuse_unwritable, write_text_atomically
from ..base.json_files import dataclass_from_json, read_json_file, to_json
from ..base.progress import Progress
from ..base.worker_process import EventWriter
from ..hopper.dials import HopDials
from ..scenario.job import Job, load_job, save_job

if TYPE_CHECKING:
    from ..hopper.on_character import HopMotion

HOP_SUFFIX = ".hop.json"


@dataclass(frozen=True, eq=False)
class HopJob:
    """A clip, of which the pose that stands best is taken, and the dials."""

    clip: Job
    dials: HopDials


def save_hop(hop: HopJob, path: Path) -> None:
    """Write the files of a hop; the job, for which the worker waits, comes last."""
    write_text_atomically(path.with_suffix(HOP_SUFFIX), to_json(asdict(hop.dials)))
    save_job(hop.clip, path)


def load_hop(path: Path) -> HopJob:
    """Read the files of a hop."""
    data = read_json_file(path.with_suffix(HOP_SUFFIX), "hop")
    return HopJob(load_job(path), dataclass_from_json(HopDials, data, "The hop"))


def make_hops(hop: HopJob) -> HopMotion:
    """Return the hops of the character in its standing pose, at the size at which it is simulated."""
    from ..hopper.hopper import Wish  # here, because Blender needs only the files
    from ..hopper.on_character import hop_motion, standing_pose
    from ..scenario.scenario import make_scenario

    clip, dials = hop.clip, hop.dials
    scale = make_scenario(clip).scale
    pose = standing_pose(clip.motion, clip.mapping).scaled(scale)
    made = hop_motion(pose, clip.mapping, Wish(dials.height, dials.speed), dials.seconds)
    return made.scaled(1.0 / scale)


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Make the hops of a character, simulate them, and write the result."""
    from .made_motion import bake_made

    path, hop = result_paths[0], load_hop(job_paths[0])
    refuse_unwritable(path)
    events.progress(Progress("Making the hops", 0.0))
    made = make_hops(hop)
    bake_made(hop.clip, made.motion, (made.note,), path, events)
