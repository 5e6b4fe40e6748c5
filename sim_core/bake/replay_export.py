"""What it takes to repeat a simulated motion with nothing but MuJoCo (docs/replay.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from ..base.conventions import IntArray
from ..base.errors import InputError
from ..result.result import Result
from ..simulation.engine_inputs import FIELDS
from .stored_model import stored_mjcf, stored_mjspec, unpacked

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
    mjcf = stored_mjcf(result.meta.mjcf)
    _refuse_another_engine(result)
    _refuse_another_model(result, mjcf)
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
        "joint_position": result.joint_position,
        "qpos": result.model_qpos,
        "compared": compared,
    }
    return Replay(mjcf, unpacked(result.meta.mjb), arrays, SCRIPT.read_text("utf-8"))


def _refuse_another_engine(result: Result) -> None:
    made_with = result.meta.versions.mujoco
    if made_with != mujoco.__version__:
        raise InputError(
            f"The result was simulated with MuJoCo {made_with}, and this is MuJoCo {mujoco.__version__}; "
            "simulate the motion again."
        )


def _refuse_another_model(result: Result, mjcf: str) -> None:
    """Raise an InputError if the arrays do not fit the model; its binary form is handed on unread."""
    _, model = stored_mjspec(mjcf)
    fits = result.model_qpos.shape[1] == model.nq and result.control.shape[1] == model.nu
    if not (fits and _within(result.engine_body, model.nbody) and _within(result.change_field, len(FIELDS))):
        raise InputError("The result's model and motion do not belong together; simulate it again.")


def _within(index: IntArray, count: int) -> bool:
    return bool(np.all((index >= 0) & (index < count)))
