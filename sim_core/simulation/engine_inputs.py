"""Everything that was written into the engine while a simulation ran, so that it can be repeated.

With these inputs and the model alone, MuJoCo computes the same motion again (docs/replay.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray, frozen

STATE_FIELDS = {
    "qpos": mujoco.mjtState.mjSTATE_QPOS,
    "qvel": mujoco.mjtState.mjSTATE_QVEL,
    "qacc_warmstart": mujoco.mjtState.mjSTATE_WARMSTART,
    "qfrc_applied": mujoco.mjtState.mjSTATE_QFRC_APPLIED,
    "xfrc_applied": mujoco.mjtState.mjSTATE_XFRC_APPLIED,
}
"""Arrays of the engine's data that others may write, in the order of the engine's state vector."""
MODEL_FIELDS = (
    "body_gravcomp",
    "geom_contype",
    "geom_conaffinity",
    "qpos_spring",
    "actuator_forcerange",
    "site_pos",
    "site_quat",
)
"""Arrays of its model that change between control intervals: when a projectile is released, where the springs
of soft parts pull to, how strong hands are along each axis, and where they hold."""
FIELDS = (*STATE_FIELDS, *MODEL_FIELDS)
BUFFERED = 256
"""Engine steps that are buffered and compared together, which is faster than one by one."""


@dataclass(frozen=True, eq=False)
class EngineInputs:
    """What acted on the engine from outside.

    model: the compiled model before the first step, in MuJoCo's binary format
    control (E, U): of the motors at every engine step
    gain (I, U, 2): stiffness [Nm/rad] and damping [Nms/rad] of their springs in every control interval
    step, field, index, value (N): all other changes, made before an engine step; field: index into FIELDS;
    index: into the flat array. Those of step 0 are the start; those of step E were made after the last step.
    """

    model: bytes
    control: FloatArray
    gain: FloatArray
    step: IntArray
    field: IntArray
    index: IntArray
    value: FloatArray


class InputRecorder:
    """Compares the engine's state before each step with that after the step before it."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, ticks: int, steps_per_tick: int) -> None:
        """Set up when the engine is at its start, for at most so many control intervals."""
        self.model, self.data, self.steps_per_tick = model, data, steps_per_tick
        self.steps, self.compared = 0, 0
        self.signature = int(sum(STATE_FIELDS.values()))
        size = mujoco.mj_stateSize(model, self.signature)
        self.before, self.after = np.zeros((2, BUFFERED, size))
        fresh = mujoco.MjData(model)  # a replay starts from there
        self.last = np.zeros(size)
        mujoco.mj_getState(model, fresh, self.last, self.signature)
        sizes = [mujoco.mj_stateSize(model, int(own)) for own in STATE_FIELDS.values()]
        self.column_field = np.repeat(np.arange(len(sizes)), sizes)
        self.column_index = np.concatenate([np.arange(own) for own in sizes])
        self.control = np.zeros((ticks * steps_per_tick, model.nu))
        self.gain = np.zeros((ticks, model.nu, 2))
        self.changes: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []
        self.saved = _binary(model)
        self.known = [getattr(model, name).copy() for name in MODEL_FIELDS]

    def step(self) -> None:
        """Let the engine make a step; note what is applied, and what the engine makes of it."""
        if self.steps % self.steps_per_tick == 0:
            self._compare_model()
        row = self.steps - self.compared
        self.control[self.steps] = self.data.ctrl
        mujoco.mj_getState(self.model, self.data, self.before[row], self.signature)
        mujoco.mj_step(self.model, self.data)
        mujoco.mj_getState(self.model, self.data, self.after[row], self.signature)
        self.steps += 1
        if row + 1 == BUFFERED:
            self._compare(BUFFERED)

    def _compare_model(self) -> None:
        """Note the gains of a control interval, and what else has changed in the model."""
        self.gain[self.steps // self.steps_per_tick] = -self.model.actuator_biasprm[:, 1:3]
        for number, (name, known) in enumerate(zip(MODEL_FIELDS, self.known, strict=True)):
            now = getattr(self.model, name)
            if now.tobytes() != known.tobytes():  # faster than comparing arrays
                index = np.flatnonzero(now.ravel() != known.ravel())
                step, field = np.full((2, len(index)), [[self.steps], [len(STATE_FIELDS) + number]])
                self.changes.append((step, field, index, now.ravel()[index].astype(np.float64)))
                known[:] = now

    def inputs(self) -> EngineInputs:
        """Return all that was recorded until now."""
        count = self.steps - self.compared
        mujoco.mj_getState(self.model, self.data, self.before[count], self.signature)
        self._compare(count + 1)
        step, field, index, value = (np.concatenate(column) for column in zip(*self.changes, strict=True))
        order = np.argsort(step, kind="stable")
        kept = (own[order] for own in (step, field, index, value))
        ticks = self.steps // self.steps_per_tick
        # Frozen, so that a result holds them without another copy.
        return EngineInputs(self.saved, frozen(self.control[: self.steps]), frozen(self.gain[:ticks]), *kept)

    def _compare(self, count: int) -> None:
        """Add the changes before the first buffered steps."""
        earlier = np.vstack([self.last, self.after[: count - 1]])
        row, column = np.nonzero(self.before[:count] != earlier)
        value = self.before[row, column]
        self.changes.append(
            (self.compared + row, self.column_field[column], self.column_index[column], value)
        )
        self.last = self.after[count - 1].copy()
        self.compared += count


def _binary(model: mujoco.MjModel) -> bytes:
    buffer = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes()
