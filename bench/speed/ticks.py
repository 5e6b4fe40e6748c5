"""The simulation under its controller, as a ratio to the engine alone at the same steps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from sim_core.bake.attempt import Attempt
from sim_core.bake.make_controller import make_controller
from sim_core.bake.make_reference import make_reference
from sim_core.bake.setup import CharacterSetup, set_up
from sim_core.bake.simulate import HOLD
from sim_core.motion.motion import CONTROL_DT
from sim_core.reference.prepare import Prepared
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.simulation.engine_inputs import FIELDS, STATE_FIELDS
from sim_core.simulation.simulation import Simulation
from sim_core.simulation.trace import Trace

from ..common.motions import motion_of
from .figures import Figure

FULL_BODY = "dasilva2008_3d"
"""The preset with 57 degrees of freedom."""
CLIP, ASSIST = "02_01", 15.0
RTF_BARS = {"standard": 8.0, "draft": 16.0}
RATIO_BAR = 3.0


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """A character that is ready to be simulated, again and again."""

    setup: CharacterSetup
    prepared: Prepared

    def run(self) -> tuple[float, Trace]:
        """Simulate it; return the processor time of controller, engine and recording [s], and the trace."""
        setup, method = self.setup, self.setup.methods[0]
        controlled = make_controller(setup, setup.world, self.prepared, method, setup.settings.assist_cap)
        simulation = Simulation([setup.world], CONTROL_DT, [HOLD[setup.settings.quality]])
        began = time.process_time()
        (trace,) = simulation.run([controlled.start], len(self.prepared.reference) - 1, lambda _: True)
        return time.process_time() - began, trace

    def bare(self, trace: Trace) -> tuple[float, float]:
        """Return the processor time of `mj_step` alone [s], and how far the last pose is from the trace's.

        The engine gets the same inputs at every step, so that it computes the same contacts.
        """
        inputs, model = trace.inputs, self.setup.world.engine.model
        assert inputs is not None
        data, spent = mujoco.MjData(model), 0.0
        steps = len(inputs.control) // len(inputs.gain)
        for tick, gain in enumerate(inputs.gain):
            model.actuator_biasprm[:, 1:3] = -gain
            for change in np.flatnonzero(inputs.step == tick * steps):
                name = FIELDS[inputs.field[change]]
                array = getattr(data if name in STATE_FIELDS else model, name)
                array.flat[inputs.index[change]] = inputs.value[change]
            began = time.process_time()
            for control in inputs.control[tick * steps : (tick + 1) * steps]:
                data.ctrl[:] = control
                mujoco.mj_step(model, data)
            spent += time.process_time() - began
        return spent, float(np.abs(data.qpos - trace.qpos[-1]).max())


def rehearse(clip: str, settings: BakeSettings) -> Rehearsal:
    """Set up a clip by its usual method."""
    (setup,) = set_up([Job(*motion_of(clip), settings)])
    return Rehearsal(setup, make_reference(setup, Attempt(setup.methods[0])))


def measure_ticks(rounds: int) -> Iterator[Figure]:
    """Yield the ratios to bare `mj_step` and the real-time factors, 57 degrees of freedom first."""
    for character in (FULL_BODY, None):
        for quality in ("standard", "draft"):
            yield from _measure(rounds, character, quality)


def _measure(rounds: int, character: str | None, quality: str) -> Iterator[Figure]:
    rehearsal = rehearse(CLIP, BakeSettings(quality=quality, assist_cap=ASSIST, character=character))
    times = []
    for _ in range(rounds):
        whole, trace = rehearsal.run()
        engine, off = rehearsal.bare(trace)
        assert off < 1e-9, "the bare steps are not those of the simulation"
        times.append((whole, engine))
    whole, engine = np.min(times, axis=0).tolist()
    dofs, barred = rehearsal.setup.world.model.nv, character is not None
    name, note = f"control and simulation, {dofs} dof, {quality}", f"{CLIP}, {ASSIST:g} N"
    ratio_bar = RATIO_BAR if barred and quality == "standard" else None
    yield Figure(name, whole / engine, "x bare mj_step", ratio_bar, note=note)
    rtf_bar = RTF_BARS[quality] if barred else None
    yield Figure(name, trace.time[-1] / whole, "x real time", rtf_bar, at_least=True, note=note)
