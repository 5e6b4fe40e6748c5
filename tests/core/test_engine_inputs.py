"""Recorded inputs: what was written into the engine, when, and that with them it moves as it did."""

from __future__ import annotations

import mujoco
import numpy as np

from sim_core.simulation.engine_inputs import BUFFERED, FIELDS, EngineInputs, InputRecorder

PENDULUM = """
<mujoco>
  <option timestep="0.002" integrator="implicitfast"/>
  <worldbody>
    <body name="arm">
      <joint name="hinge" axis="0 1 0"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.5 0 0"/>
    </body>
  </worldbody>
  <actuator><general joint="hinge" biastype="affine" gainprm="1" biasprm="0 0 0"/></actuator>
</mujoco>
"""
STEPS_PER_TICK = 5


def record(ticks: int, pushed_at: int = -1) -> tuple[EngineInputs, float]:
    """Return the inputs of a driven pendulum that is pushed at one engine step, and its last angle [rad]."""
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    data = mujoco.MjData(model)
    data.qpos[0], data.qvel[0] = 0.3, -1.0
    recorder = InputRecorder(model, data, ticks, STEPS_PER_TICK)
    for tick in range(ticks):
        model.actuator_biasprm[0, 1:3] = -3.0 - tick, -0.1
        for step in range(STEPS_PER_TICK):
            now = tick * STEPS_PER_TICK + step
            data.ctrl[0] = np.sin(0.1 * now)
            data.xfrc_applied[1, 2] = 4.0 if now == pushed_at else 0.0
            recorder.step()
    return recorder.inputs(), float(data.qpos[0])


def changes(inputs: EngineInputs) -> list[tuple[int, str, int, float]]:
    columns = (inputs.step, inputs.field, inputs.index, inputs.value)
    return [(int(s), FIELDS[f], int(i), float(v)) for s, f, i, v in zip(*columns, strict=True)]


def test_an_undisturbed_run_has_a_start_controls_and_gains_only() -> None:
    inputs, _ = record(ticks=BUFFERED // STEPS_PER_TICK + 3)  # more than one buffer
    assert changes(inputs) == [(0, "qpos", 0, 0.3), (0, "qvel", 0, -1.0)]
    assert np.array_equal(inputs.control[:, 0], np.sin(0.1 * np.arange(len(inputs.control))))
    assert np.array_equal(inputs.gain[:, 0, 0], 3.0 + np.arange(len(inputs.gain)))
    assert np.all(inputs.gain[:, 0, 1] == 0.1)


def test_a_push_is_noted_when_it_begins_and_when_it_ends() -> None:
    for pushed_at in (7, BUFFERED - 1, BUFFERED):  # also across the edge of a buffer
        inputs, _ = record(BUFFERED // STEPS_PER_TICK + 3, pushed_at)
        force = [change for change in changes(inputs) if change[1] == "xfrc_applied"]
        assert force == [(pushed_at, "xfrc_applied", 8, 4.0), (pushed_at + 1, "xfrc_applied", 8, 0.0)]


def test_what_is_set_after_the_last_step_is_noted_too() -> None:
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    data = mujoco.MjData(model)
    recorder = InputRecorder(model, data, 1, 1)
    recorder.step()
    data.qpos[0] = 0.7
    assert changes(recorder.inputs()) == [(1, "qpos", 0, 0.7)]


def test_with_its_inputs_the_engine_moves_as_it_did() -> None:
    inputs, angle = record(60, pushed_at=33)
    model = mujoco.MjModel.from_binary_path("m.mjb", {"m.mjb": inputs.model})
    data = mujoco.MjData(model)
    for step, control in enumerate(inputs.control):
        for _, name, index, value in (own for own in changes(inputs) if own[0] == step):
            getattr(data, name).flat[index] = value
        model.actuator_biasprm[:, 1:3] = -inputs.gain[step // STEPS_PER_TICK]
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
    assert data.qpos[0] == angle
