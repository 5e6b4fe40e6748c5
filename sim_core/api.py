"""Heft in scripts and pipelines, without Blender: what the `heft` command does, as functions.

docs/python-api.md has examples.
Each function takes the file of a motion, a motion in memory, or what another function returned, and returns
an object; nothing is printed, and a file is written only where one of the functions that save is called.
Problems are raised as `HeftError`, with one sentence that says what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from .analysis.analysis import Analysis, analyse_result
from .analysis.clip_dynamics import DynamicsSettings
from .bake.pipeline import bake as bake_job
from .base.errors import HeftError, InputError
from .base.files import AnyPath
from .base.one_thread import with_one_thread
from .base.progress import Progress, ProgressCallback, ignore_progress
from .base.worker_process import keep_mujoco_from_logging_to_file
from .markers.fit_pipeline import FitOptions, FittedFile, fit_file
from .markers.session_folder import is_marker_file
from .motion.bvh_writer import write_bvh
from .motion.motion import Motion
from .reading.bvh_clip import AS_FOUND, ReadingChoices
from .recognition import recognise
from .recognition.mapping import BoneMapping
from .result.result import Result, load_result, save_result
from .retarget.retarget import Retargeted
from .retarget.retarget import retarget as retarget_motion
from .retarget.retarget_options import RetargetOptions
from .retarget.retarget_rig import make_retarget_rig, read_target
from .scenario.job import Job
from .scenario.settings import BakeSettings
from .scene.aims import Aim
from .scene.scene import FLAT, Scene
from .scene.scene_file import load_scene
from .sources.marker_source import fit_options, fitted_clip
from .sources.motion_source import as_subject, is_result, read_source
from .sources.performed import USUAL_RATE_HZ, performed, performer_of
from .sources.recording import Recording, fitted_recording, forces_behind, read_recording
from .stream.performer import THIS_MACHINE
from .stream.sender import BadNetwork, disturbed, send
from .stream.vmc import PORT
from .supports.find import FoundSupports, find_supports

__all__ = [
    "Aim", "Analysis", "BadNetwork", "BakeSettings", "DynamicsSettings", "FitOptions", "FittedFile",
    "FoundSupports", "HeftError", "Motion", "MotionLike", "Progress", "ReadingChoices", "Result",
    "RetargetOptions", "Retargeted", "Scene", "bake", "dynamics", "fit", "load_result",
    "load_scene", "retarget", "save_result", "stream", "supports", "write_bvh",
]  # fmt: skip

MotionLike = AnyPath | Motion | FittedFile | Retargeted
"""What a motion is given as: a file of any kind that Heft reads, a motion, a fit, or a retargeted motion."""
AS_USUAL = BakeSettings()


@dataclass(frozen=True, eq=False)
class _Given:
    """A motion, which of its bones are which parts of a body, and the settings for that body."""

    motion: Motion
    mapping: BoneMapping
    settings: BakeSettings = AS_USUAL


@with_one_thread
def bake(
    motion: MotionLike,
    settings: BakeSettings = AS_USUAL,
    *,
    scene: Scene = FLAT,
    aims: Sequence[Aim] = (),
    reading: ReadingChoices = AS_FOUND,
    report: ProgressCallback = ignore_progress,
) -> Result:
    """Simulate a motion among the objects of a scene; its `aims` are strikes that meet a target.

    reading: what is stated about the file instead of being found; report: is called with the progress
    """
    _expect("scene", scene, Scene, "read a scene file with load_scene")
    given = _read(motion, settings, reading)
    keep_mujoco_from_logging_to_file()
    job = Job(given.motion, given.mapping, given.settings, scene, aims=tuple(aims))
    return bake_job(job, report)


@with_one_thread
def fit(
    markers: AnyPath, options: FitOptions | None = None, *, report: ProgressCallback = ignore_progress
) -> FittedFile:
    """Fit a skeleton to the markers of a C3D or TRC file, or to keypoints from video."""
    keep_mujoco_from_logging_to_file()
    return fit_file(Path(markers), options, report)


@with_one_thread
def retarget(
    motion: MotionLike,
    target: AnyPath,
    options: RetargetOptions | None = None,
    *,
    scene: Scene = FLAT,
    reading: ReadingChoices = AS_FOUND,
    target_unit_m: float | None = None,
) -> Retargeted:
    """Carry a motion over to the character of a BVH or GLB file, which stands on the ground of a scene.

    target_unit_m: metres per unit of a BVH file; None takes the unit that makes an adult of it
    """
    given = _read(motion, AS_USUAL, reading)
    source = make_retarget_rig(given.motion.skeleton, given.mapping, given.motion)
    character = read_target(Path(target), target_unit_m)
    return retarget_motion(source, given.motion, character, options, scene)


@with_one_thread
def dynamics(
    motion: MotionLike | Result,
    settings: DynamicsSettings | None = None,
    *,
    forces: AnyPath | None = None,
    reading: ReadingChoices = AS_FOUND,
) -> Analysis:
    """Find the forces behind a motion or a result; forces: a file of ground forces of the same recording."""
    keep_mujoco_from_logging_to_file()
    if isinstance(motion, Result):
        return analyse_result(motion)
    chosen = settings or DynamicsSettings()
    recording = _recording(motion, chosen, reading)
    return forces_behind(recording, chosen, None if forces is None else Path(forces))[0]


@with_one_thread
def supports(
    motion: MotionLike, settings: BakeSettings = AS_USUAL, *, reading: ReadingChoices = AS_FOUND
) -> FoundSupports:
    """Find the steps and seats that a motion was captured on; its `scene` can be baked on."""
    given = _read(motion, settings, reading)
    keep_mujoco_from_logging_to_file()
    return find_supports(Job(given.motion, given.mapping, given.settings))


@with_one_thread
def stream(
    motion: MotionLike,
    *,
    address: str = THIS_MACHINE,
    port: int = PORT,
    rate_hz: float = USUAL_RATE_HZ,
    pace: float = 1.0,
    network: BadNetwork | None = None,
    reading: ReadingChoices = AS_FOUND,
) -> int:
    """Send a motion as a performer would (VMC), in real time; return the number of packets.

    pace: times as fast as the motion; network: what is done to packets on purpose
    """
    given = _read(motion, AS_USUAL, reading)
    scenario = performer_of(Job(given.motion, given.mapping, given.settings))
    packets = performed(scenario, rate_hz, loops=False)
    return send(disturbed(packets, network or BadNetwork()), address, port, pace)


def _read(motion: MotionLike, settings: BakeSettings, reading: ReadingChoices) -> _Given:
    """Return a motion with its bone mapping; the mass that its file tells goes into the settings."""
    _expect("settings", settings, BakeSettings, "make them with BakeSettings(...)")
    if isinstance(motion, Motion):
        return _Given(motion, recognise(motion.skeleton), settings)
    if isinstance(motion, Retargeted):
        return _Given(motion.motion, motion.target.mapping, settings)
    chosen = _stated(reading, settings.height, settings.mass)
    if isinstance(motion, FittedFile):
        clip = fitted_clip(motion, chosen)
        return _Given(clip.motion, motion.mapping, as_subject(settings, clip))
    file = _file_of(motion)
    source = read_source([file], chosen, 0.0)
    return _Given(source.motion, source.mapping, as_subject(settings, source.first))


def _recording(motion: MotionLike, settings: DynamicsSettings, reading: ReadingChoices) -> Recording:
    if isinstance(motion, FittedFile):
        return fitted_recording(motion)
    if isinstance(motion, Motion | Retargeted):
        given = _read(motion, AS_USUAL, reading)
        return Recording(given.motion, given.mapping)
    file = _file_of(motion)
    if is_marker_file(file):
        return fitted_recording(fit_file(file, fit_options(reading)))
    chosen = _stated(reading, settings.height, settings.mass)
    return read_recording(read_source([file], chosen, 0.0), settings.height)


def _stated(reading: ReadingChoices, height_m: float | None, mass_kg: float | None) -> ReadingChoices:
    """Return what is stated about a file, with the height and mass of the settings where these have some."""
    return replace(
        reading,
        height_m=reading.height_m if height_m is None else height_m,
        mass_kg=reading.mass_kg if mass_kg is None else mass_kg,
    )


def _file_of(motion: AnyPath) -> Path:
    """Return the file of a motion; a result, and what names no file, raise an InputError."""
    known = "a file, a Motion, or what fit or retarget returned"
    _expect("motion", motion, (str, PathLike), f"give {known}")
    file = Path(motion)
    if is_result(file):
        raise InputError(f"'{file.name}' is a result, not a motion; read it with load_result.")
    return file


def _expect(name: str, value: object, kind: type | tuple[type, ...], instead: str) -> None:
    if not isinstance(value, kind):
        raise InputError(f"The {name} must not be a {type(value).__name__}; {instead}.")
