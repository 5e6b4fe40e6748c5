"""The doors through which files from anywhere come in, each with what is done first with its content.

Every function returns the height of the body that it found [m], or None where the file has none.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sim_core.analysis.force_table import FileFrame, read_loads
from sim_core.base.errors import InputError
from sim_core.base.files import about_file
from sim_core.cli import export_command, report_command
from sim_core.cli.batch.bake_arguments import bake_options
from sim_core.cli.batch.batch_folder import BatchFolder, finished, load_record
from sim_core.cli.batch.batch_list import read_list
from sim_core.cli.batch.digest import Digests
from sim_core.cli.export_command import OF_MOTIONS
from sim_core.cli.play_file import read_play
from sim_core.cli.shared_options import BODY_OPTIONS
from sim_core.drawing.camera import Camera
from sim_core.jobs.fit_job import load_fit_outcome
from sim_core.live.commands import load_log
from sim_core.markers.marker_sets import read_set
from sim_core.markers.read_markers import read_markers
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton
from sim_core.reading.bvh_clip import ReadingChoices, read_bvh
from sim_core.recognition import recognise
from sim_core.recognition.mapping import BoneMapping
from sim_core.result.result import load_result
from sim_core.retarget.retarget_rig import read_table, read_target
from sim_core.scenario.job import load_job
from sim_core.scenario.read_presets import named_preset
from sim_core.scenario.scenario import make_scenario
from sim_core.scene.aims import load_aims
from sim_core.scene.scene_file import load_scene
from sim_core.sources.motion_source import read_source


def _motion(path: Path) -> float | None:
    source = read_source([path], ReadingChoices(), 0.4)
    return _height(source.motion.skeleton, source.mapping, source.motion)


def _with_skeleton(path: Path) -> float | None:
    """Read the motion beside a file of its body."""
    motion = next(
        file for file in path.parent.iterdir() if file.suffix in MOTION_OF[path.suffix] and file != path
    )
    with about_file(path):
        source = read_source([motion], ReadingChoices(skeleton=path), 0.4)
    return _height(source.motion.skeleton, source.mapping, source.motion)


def _forces(path: Path) -> float | None:
    motion = read_bvh(path.with_name("standing.bvh")).motion
    read_loads(path, FileFrame(np.eye(3)), motion, recognise(motion.skeleton))
    return None


def _play(path: Path) -> float | None:
    source = read_play(path, ReadingChoices(), 0.2)
    return _height(source.motion.skeleton, source.mapping, source.motion)


def _recording(path: Path) -> float | None:
    with about_file(path):
        return _markers(path.with_name("points.npy"))


def _record(path: Path) -> float | None:
    folder = BatchFolder(path.parent)
    path.parent.joinpath("records").mkdir(exist_ok=True)
    path.replace(folder.record(path.stem))
    record = load_record(path.stem, folder)
    record.sentence()
    finished(path.stem, record.digest, folder)
    return None


def _markers(path: Path) -> float | None:
    for take in read_markers(path).takes:
        assert np.isfinite(take.time).all() and not np.isinf(take.position_world).any()
    return None


def _glb(path: Path) -> float | None:
    target = read_target(path)
    return _height(target.skeleton, target.mapping)


def _result(path: Path) -> float | None:
    tables = path.with_suffix(".series.npz")
    nothing = dict.fromkeys(("html", "csv", *BODY_OPTIONS))
    report_command.run(Namespace(input=path, npz=tables, **nothing))
    Camera(load_result(path)).strip(3)
    of_motions = dict.fromkeys(OF_MOTIONS)
    for replay in (False, True):
        out = path.with_name("replay") if replay else path.with_name("model.xml")
        try:
            export_command.run(Namespace(motion=path, out=out, replay=replay, **of_motions))
        except InputError as problem:
            assert path.name in str(problem) and "\n" not in str(problem), str(problem)
    return None


def _job(path: Path) -> float | None:
    return float(make_scenario(load_job(path)).spec.height)


def _fit(path: Path) -> float | None:
    load_fit_outcome(path)
    return None


def _scene(path: Path) -> float | None:
    load_scene(path)
    return None


def _aims(path: Path) -> float | None:
    for aim in load_aims(path):
        aim.target(0.3)
    return None


def _preset(path: Path) -> float | None:
    named_preset(str(path))
    return None


def _batch(path: Path) -> float | None:
    digests = Digests(path.parent)
    for item in read_list(path, {}).items[:50]:
        digests.of(item)
        try:
            options = bake_options(item.options, path.parent / "out" / "results" / f"{item.name}.npz")
        except InputError as problem:
            _refuse_vague(str(problem))
            continue
        written = [options.out, *options.partner_out, options.gain_folder or options.out]
        assert all(Path(one).resolve().is_relative_to(path.parent / "out") for one in written), written
    return None


def _command_log(path: Path) -> float | None:
    log = load_log(path)
    log.at(10)
    return None


def _marker_set(path: Path) -> float | None:
    read_set(path)
    return None


def _bone_table(path: Path) -> float | None:
    read_table(path)
    return None


def _height(skeleton: Skeleton, mapping: BoneMapping, motion: Motion | None = None) -> float:
    """Return the largest distance between joints of the body at rest and over the motion [m]."""
    columns = [skeleton.index[bone] for slot in mapping for bone in mapping.bones[slot]]
    rest = float(np.ptp(skeleton.rest_position_world[columns], axis=0).max())
    if motion is None:
        return rest
    return max(rest, float(np.ptp(motion.position_world[:, columns], axis=1).max()))


def _refuse_vague(sentence: str) -> None:
    assert sentence.endswith(".") and "\n" not in sentence, sentence


MOTION_OF = {".asf": (".amc",), ".osim": (".mot",), ".npz": (".npz",)}
"""Suffixes of the motions that belong to files of bodies."""

READERS: dict[str, Callable[[Path], float | None]] = {
    "bvh": _motion,
    "smpl": _motion,
    "c3d": _markers,
    "trc": _markers,
    "keypoints": _markers,
    "keypoint array": _markers,
    "recording": _recording,
    "smpl model": _with_skeleton,
    "amc": _motion,
    "asf": _with_skeleton,
    "mot": _motion,
    "osim": _with_skeleton,
    "forces": _forces,
    "play": _play,
    "glb": _glb,
    "result": _result,
    "job": _job,
    "fit": _fit,
    "scene": _scene,
    "aims": _aims,
    "preset": _preset,
    "batch": _batch,
    "batch record": _record,
    "command log": _command_log,
    "marker set": _marker_set,
    "bone table": _bone_table,
}
"""What reads a file, by a name; corpus.py has a valid file for each."""
