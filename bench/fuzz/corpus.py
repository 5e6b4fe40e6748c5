"""The files that are mutated: one small valid file for each reader, made by the project itself.

Each is in a folder of its own, beside the files that it needs, which are not mutated.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base.json_files import to_json
from sim_core.base.worker_process import keep_mujoco_from_logging_to_file
from sim_core.cli.batch.batch_folder import UP, ItemRecord, record_to_json
from sim_core.jobs.fit_job import FitJob, run_fit, save_fit_outcome
from sim_core.live.commands import CommandLog, Grab, LiveCommand, LoggedCommand, Release, Throw, save_log
from sim_core.markers.marker_sets import preset_set, save_set
from sim_core.motion.skeleton import Skeleton
from sim_core.motion.smpl_body import smpl_skeleton
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.recognition.mapping import mapping_to_json
from sim_core.result.result import save_result
from sim_core.scenario.job import Job, save_job
from sim_core.scenario.preset_kinds import preset_text
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.aims import Aim, aims_to_dict
from sim_core.scene.scene import Hinge, Keys, Launch, Push, Role, Scene, SceneObject
from sim_core.scene.scene_file import scene_to_dict
from sim_core.scene.shapes import Box, HeightField, Hull, Sphere
from tests.core.sample_files import standing_bvh
from tests.core.sample_keypoints import write_keypoint_csv
from tests.core.sample_markers import standing_points, write_c3d, write_trc
from tests.core.sample_opensim import opensim
from tests.core.sample_sources import acclaim, amass, write_npz
from tests.core.sample_subject import walker

SECONDS = 0.4
"""Length of the simulated motion; a short one keeps the result small [s]."""


def make_corpus(folder: Path) -> dict[str, Path]:
    """Write one file for each reader into a folder; return them by the reader's name."""
    keep_mujoco_from_logging_to_file()
    made: dict[str, Path] = {}
    for name, (file, write) in WRITERS.items():
        made[name] = folder / name / file
        made[name].parent.mkdir(parents=True)
        write(made[name])
    return made


def _bvh(path: Path) -> None:
    path.write_text(standing_bvh())


def _c3d(path: Path) -> None:
    labels, points = standing_points(8)
    write_c3d(path, labels, np.concatenate([points, np.zeros((8, len(labels), 1))], axis=2))


def _trc(path: Path) -> None:
    write_trc(path, *standing_points(8))


def _keypoints(path: Path) -> None:
    names = ("Hip", "RHip", "RKnee", "RAnkle", "LHip", "LKnee", "LAnkle", "Neck", "Head")
    paths = np.random.default_rng(0).uniform(0.0, 2.0, size=(8, len(names), 3))
    write_keypoint_csv(path, names, paths, rate_hz=30.0)


def _keypoint_array(path: Path) -> None:
    """Write an array, and beside it a file that tells its rate."""
    rate = {"recording": [{"name": "first", "fps": 30.0}], "frame_rate": 30}
    path.with_name("recording_parameters.json").write_text(json.dumps(rate))
    np.save(path, np.random.default_rng(0).uniform(0.0, 2.0, size=(8, 33, 3)))


def _recording(path: Path) -> None:
    _keypoint_array(path.with_name("points.npy"))


def _smpl(path: Path) -> None:
    write_npz(path, amass(22)[0])


def _smpl_model(path: Path) -> None:
    write_npz(path.with_name("motion.npz"), amass(22)[0])
    mean = smpl_skeleton(22, 1.6).rest_position_world
    named = {"v_template": mean, "shapedirs": 0.1 * mean[:, :, None], "J_regressor": np.eye(22)}
    write_npz(path, named)


def _acclaim(path: Path) -> None:
    acclaim(path.parent)


def _opensim(path: Path) -> None:
    opensim(path.parent)


def _forces(path: Path) -> None:
    """Write a table in which a plate under the right foot carries."""
    _bvh(path.with_name("standing.bvh"))
    rows = [
        f"{time:.2f} 0 0 {500 + number} -0.1 0 0 0 0 1"
        for number, time in enumerate(np.arange(0.0, 1.0, 0.05))
    ]
    labels = " ".join(f"ground_force_{kind}{axis}" for kind in "vpm" for axis in "xyz")
    path.write_text(
        "\n".join(["forces", "version=1", "inDegrees=yes", "endheader", f"time {labels}", *rows, ""])
    )


def _play(path: Path) -> None:
    _bvh(path.with_name("stand.bvh"))
    strike = {"file": "stand.bvh", "seconds": [0.0, 0.9], "strike": 0.4}
    hits = [{"name": "jab", "bone": "hand.R", "examples": [strike]}]
    play = [{"hit": "jab", "at": [0.3, -0.1, 1.2], "wait": 0.2, "speed": 2.0}]
    head = {"format": "heft-play", "schema": 1, "wait": {"file": "stand.bvh"}}
    path.write_text(json.dumps({**head, "hits": hits, "play": play}))


def _record(path: Path) -> None:
    metrics = {
        "result": "one.npz",
        "joint_error_deg": 1.5,
        "assist_force_max_n": 2.0,
        "fell_at": None,
        "others": {},
    }
    path.write_text(record_to_json(ItemRecord("record", "abc", UP, None, metrics, 1.0, 0.5, "here", "def")))


def _job(path: Path) -> Job:
    bvh = path.with_name("standing.bvh")
    _bvh(bvh)
    motion = read_bvh(bvh).motion.between(0.0, SECONDS)
    settings = BakeSettings(quality="draft", find_assist=False, search=False)
    return Job(motion, recognise(motion.skeleton), settings)


def _glb(path: Path) -> None:
    text = json.dumps(_gltf(_job(path).motion.skeleton)).encode()
    text += b" " * (-len(text) % 4)
    path.write_bytes(b"glTF" + struct.pack("<III4s", 2, 20 + len(text), len(text), b"JSON") + text)


def _gltf(skeleton: Skeleton) -> dict[str, object]:
    """Return a skeleton as the nodes and the skin of a glTF file, which has Y up."""
    x, y, z = skeleton.rest_position_world.T
    heads = np.stack([x, z, -y], axis=1)
    nodes = []
    for bone, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents.tolist(), strict=True)):
        local = heads[bone] - (heads[parent] if parent >= 0 else 0.0)
        children = np.flatnonzero(skeleton.parents == bone).tolist()
        node: dict[str, object] = {"name": name, "translation": local.round(4).tolist()}
        nodes.append(node | ({"children": children} if children else {}))
    return {"asset": {"version": "2.0"}, "nodes": nodes, "skins": [{"joints": list(range(len(nodes)))}]}


def _result(path: Path) -> None:
    save_result(bake(_job(path)), path)


def _bake_job(path: Path) -> None:
    save_job(_job(path), path)


def _fit(path: Path) -> None:
    known = walker(12)
    job = FitJob(known.take, known.table, quality="preview")
    save_fit_outcome(job, run_fit(job), path)


def _scene(path: Path) -> None:
    up = np.array([[1.0, 0.0, 0.0, 0.0]] * 2)
    things = (
        SceneObject("field", Role.GROUND, HeightField(np.array([2.0, 2.0]), np.eye(3))),
        SceneObject("rock", Role.OBSTACLE, Hull(np.vstack([np.zeros(3), np.eye(3)]))),
        SceneObject("brick", Role.PROP, Box(np.full(3, 0.1)), density=800.0),
        SceneObject("door", Role.HINGE, Box(np.full(3, 0.1)), mass=5.0, hinge=Hinge(np.eye(3)[2], -1.0, 1.0)),
        SceneObject("ball", Role.PROJECTILE, Sphere(0.1), mass=5.0, launch=Launch(0.1, 3.0, "chest")),
        SceneObject("lift", Role.MOVING, Box(np.full(3, 0.1)), keys=Keys(np.arange(2.0), np.eye(3)[:2], up)),
    )
    pushes = (Push("chest", np.array([100.0, 0.0, 0.0]), 0.2, 0.1),)
    path.write_text(to_json(scene_to_dict(Scene(things, pushes))))


def _aims(path: Path) -> None:
    aims = (
        Aim("hand.R", np.array([0.4, 0.0, 1.4]), time=0.5, speed=4.0),
        Aim("foot.L", np.eye(3)[:2], np.arange(2.0), point=np.zeros(3)),
    )
    path.write_text(to_json(aims_to_dict(aims)))


def _preset(path: Path) -> None:
    path.write_text(to_json(preset_text("motions", "Mine", BakeSettings(stiffness=0.7, effort=0.4))))


def _batch(path: Path) -> None:
    axes = {"motion": ["standing.bvh", "other.bvh"], "seed": [0, 1], "push": [{"name": "calm", "noise": 0.1}]}
    items = [{"name": "one", "motion": "standing.bvh", "seconds": [0, 1], "only-around-hits": True}]
    batch = {"format": "heft-batch", "schema": 1, "options": {"assist": 0}, "axes": axes, "items": items}
    path.write_text(json.dumps(batch))


def _command_log(path: Path) -> None:
    asked: tuple[LiveCommand, ...] = (
        Throw(2.0, (1.0, 0.0, 1.0), (-3.0, 0.0, 1.0)),
        Grab("hand.L", (0.0, 0.0, 0.0), (0.3, 0.0, 1.2)),
        Release(),
    )
    save_log(CommandLog(100, tuple(LoggedCommand(10 * n, one) for n, one in enumerate(asked)), 5), path)


def _marker_set(path: Path) -> None:
    save_set(preset_set("opencap"), path)


def _mapping(path: Path) -> None:
    path.write_text(mapping_to_json(_job(path).mapping))


WRITERS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "bvh": ("motion.bvh", _bvh),
    "c3d": ("markers.c3d", _c3d),
    "trc": ("markers.trc", _trc),
    "keypoints": ("keypoints.csv", _keypoints),
    "keypoint array": ("keypoints.npy", _keypoint_array),
    "recording": ("recording_parameters.json", _recording),
    "smpl": ("smpl.npz", _smpl),
    "smpl model": ("model.npz", _smpl_model),
    "amc": ("07_01.amc", _acclaim),
    "asf": ("07.asf", _acclaim),
    "mot": ("walk.mot", _opensim),
    "osim": ("walk.osim", _opensim),
    "forces": ("forces.sto", _forces),
    "glb": ("character.glb", _glb),
    "result": ("result.npz", _result),
    "job": ("job.npz", _bake_job),
    "fit": ("fit.npz", _fit),
    "scene": ("scene.json", _scene),
    "aims": ("aims.json", _aims),
    "preset": ("preset.json", _preset),
    "batch": ("batch.json", _batch),
    "command log": ("log.json", _command_log),
    "batch record": ("record.json", _record),
    "play": ("play.json", _play),
    "marker set": ("set.json", _marker_set),
    "bone table": ("bones.json", _mapping),
}
"""File name and writer by the name of the reader; a new kind of file is added here and in readers.py."""
