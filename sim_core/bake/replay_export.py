"""What it takes to repeat a simulated motion with nothing but MuJoCo (docs/replay.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..result.result import Result
from ..simulation.engine_inputs import FIELDS
from .model import unpacked

SCRIPT = Path(__file__).with_name("replay_script.py")


@dataclass(frozen=True, eq=False)
class Replay:
    """The files of a replay.

    xml: the model as text; mjb: the same as the engine had it, to the last digit
    arrays: the engine's inputs, and where the result has its joints; script: the program that compares
    """

    xml: str
    mjb: bytes
    arrays: dict[str, np.ndarray]
    script: str

    @property
    def steps(self) -> int:
        """Number of engine steps."""
        return len(self.arrays["control"])


def export_replay(result: Result) -> Replay:
    """Return what it takes to repeat the simulation of a result and to compare it."""
    compared = result.simulated == 1.0
    if len(result.control) == 0 or not compared.any():
        raise InputError(
            "The result cannot be replayed: nothing in it was simulated from start to end. Simulate the "
            "motion with Loop off (--no-loop), and export that result."
        )
    mjb = unpacked(result.meta.mjb)
    arrays = {
        "mujoco_version": np.array(result.meta.versions.mujoco),
        "time": result.time - result.time[0],
        "control": result.control,
        "gain": result.gain,
        "change_step": result.change_step,
        "change_array": np.array(FIELDS)[result.change_field],
        "change_index": result.change_index,
        "change_value": result.change_value,
        "joint_name": result.joint_name,
        "joint_body": result.engine_body,
        "joint_offset": _offsets(result, mjb),
        "joint_position": result.joint_position,
        "compared": compared,
    }
    return Replay(unpacked(result.meta.mjcf).decode("utf-8"), mjb, arrays, SCRIPT.read_text("utf-8"))


def _offsets(result: Result, mjb: bytes) -> FloatArray:
    """Return where joints are in the frames of their bodies (T, J, 3) [m].

    They are the rig's joints: where the source stretches its bones, they move a little in the rigid bodies.
    """
    made_with = result.meta.versions.mujoco
    if made_with != mujoco.__version__:
        raise InputError(
            f"The result was simulated with MuJoCo {made_with}, and this is MuJoCo {mujoco.__version__}; "
            "simulate the motion again."
        )
    model = mujoco.MjModel.from_binary_path("model.mjb", {"model.mjb": mjb})
    data, offsets = mujoco.MjData(model), np.zeros_like(result.joint_position)
    for qpos, position, offset in zip(result.model_qpos, result.joint_position, offsets, strict=True):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        turn = data.xmat[result.engine_body].reshape(-1, 3, 3)
        offset[:] = np.einsum("jki,jk->ji", turn, position - data.xpos[result.engine_body])
    return offsets
