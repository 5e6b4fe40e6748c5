"""A character, its scene and its reference as MJCF, for MuJoCo's own viewer (docs/mjcf-export.md)."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..motion.motion import CONTROL_DT
from ..reference.reference import reference_from_poses
from ..result.result import Result
from ..scenario.job import Job
from ..world.start_state import initial_object_state
from .attempt import Attempt
from .engine_facts import engine_mjspec
from .make_reference import make_reference
from .methods import methods_for
from .setup import set_up
from .stored_model import stored_mjcf, stored_mjspec

KEY_S = 0.1
"""Time between keyframes [s]; the table beside the model has all samples."""
_STEP = round(KEY_S / CONTROL_DT)


@dataclass(frozen=True, eq=False)
class Exported:
    """A model and its motion as files hold them.

    xml: the self-contained model with its keyframes; table: the motion as comma-separated values
    mass: of the character [kg]; qpos (T, .): joint coordinates of the table; keys: number of keyframes
    """

    xml: str
    table: str
    mass: float
    qpos: FloatArray
    keys: int


def export_result(result: Result) -> Exported:
    """Export a simulated motion in the model that it was simulated in."""
    described, model = stored_mjspec(stored_mjcf(result.meta.mjcf))
    qpos, time = result.model_qpos, result.time - result.time[0]
    if qpos.shape != (len(time), model.nq):
        raise InputError("The result's model and motion do not belong together; simulate it again.")
    samples = range(0, len(time), _STEP)
    for sample in samples:
        _add_key(described, "result", float(time[sample]), qpos[sample], np.zeros(model.nv))
    described.compile()
    table = _table(model, np.arange(model.nq), time, qpos)
    return Exported(described.to_xml(), table, float(result.body_mass.sum()), qpos, len(samples))


def export_mjcf(job: Job, as_is: bool = False) -> Exported:
    """Export the motion of a job: the reference that would be simulated, or the source as it is."""
    (setup,) = set_up((job,))
    scenario, world = setup.scenario, setup.world
    if as_is:
        reference = reference_from_poses(world.model, setup.source_qpos, CONTROL_DT)
    else:
        attempt = Attempt(methods_for("draft", job.settings.correction)[0])
        reference = make_reference(setup, attempt).reference
    described = engine_mjspec(scenario, world)
    model, index = world.engine.model, world.engine.index
    objects, start = world.engine.objects, initial_object_state(world)
    samples = range(0, len(reference), _STEP)
    for sample in samples:
        qpos, qvel = model.qpos0.copy(), np.zeros(model.nv)
        qpos[index.qpos], qvel[index.dof] = reference.qpos[sample], reference.qvel[sample]
        qpos[objects.qpos], qvel[objects.dof] = start.qpos, start.qvel
        _add_key(described, "reference", float(reference.time[sample]), qpos, qvel)
    described.compile()
    table = _table(model, index.qpos, reference.time, reference.qpos)
    return Exported(described.to_xml(), table, scenario.spec.mass, reference.qpos, len(samples))


def _add_key(described: mujoco.MjSpec, what: str, time: float, qpos: FloatArray, qvel: FloatArray) -> None:
    described.add_key(name=f"{what} {time:.2f} s", time=time, qpos=qpos, qvel=qvel)


def _table(model: mujoco.MjModel, addresses: IntArray, time_s: FloatArray, qpos: FloatArray) -> str:
    """Return time and joint coordinates (T, n) at addresses (n) as a table, named by joint and component."""
    names: dict[int, str] = {}
    for joint in range(model.njnt):
        start = int(model.jnt_qposadr[joint])
        end = int(model.jnt_qposadr[joint + 1]) if joint + 1 < model.njnt else model.nq
        names |= {place: f"{model.joint(joint).name}/{place - start}" for place in range(start, end)}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", *(names[int(place)] for place in addresses)])
    for time, pose in zip(time_s, qpos, strict=True):
        writer.writerow([f"{time:.3f}", *(f"{value:.8g}" for value in pose)])
    return text.getvalue()
