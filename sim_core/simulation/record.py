"""Recording of a trace while a simulation runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import mujoco
import numpy as np

from ..base.conventions import FloatArray, as_slice
from ..world.character_model import SENSOR_SIZE
from ..world.world import World
from .character_contacts import CharacterContacts
from .engine_inputs import InputRecorder
from .trace import HatAverage, Trace

BUFFERED = 64
"""Control intervals whose steps are buffered and averaged together, which is faster than one by one."""


class TraceRecorder:
    """Records the samples and the averaged forces of one character."""

    def __init__(self, world: World, data: mujoco.MjData, samples: int, steps_per_tick: int) -> None:
        self.world, self.data, self.steps_per_tick = world, data, steps_per_tick
        index, objects, steps = world.engine.index, world.engine.objects, steps_per_tick
        self.grips, self.actuator = world.engine.grips, as_slice(index.actuator)
        self.root, self.sensed = int(index.body[0]), SENSOR_SIZE * len(index.contact_segment)
        slots = len(index.contact_segment) + len(self.grips.site)
        self.qpos = np.zeros((samples, len(index.qpos)))
        self.qvel = np.zeros((samples, len(index.dof)))
        self.object_qpos = np.zeros((samples, len(objects.qpos)))
        self.object_qvel = np.zeros((samples, len(objects.dof)))
        self.soft_qpos = np.zeros((samples, *world.engine.soft.qpos.shape))
        self.body_com = np.zeros((samples, len(index.body), 3))
        self.steps, self.averaged = 0, 0
        self.step_torque = np.zeros((BUFFERED * steps, len(index.actuator)))
        self.step_contact = np.zeros((BUFFERED * steps, SENSOR_SIZE * slots))
        self.step_outside = np.zeros((BUFFERED * steps, 9))
        self.step_angular = np.zeros((BUFFERED * steps, 3))
        self.angular_mean = np.zeros((samples, 3))
        self.outside = HatAverage(samples, (9,), steps)
        self.torque = HatAverage(samples, (len(index.actuator),), steps)
        self.contact = HatAverage(samples, (slots, 7), steps)

    def sample(self, k: int) -> None:
        """Store the present state as sample k; the engine's body positions must be up to date."""
        index, objects, data = self.world.engine.index, self.world.engine.objects, self.data
        self.qpos[k], self.qvel[k] = data.qpos[index.qpos], data.qvel[index.dof]
        self.object_qpos[k], self.object_qvel[k] = data.qpos[objects.qpos], data.qvel[objects.dof]
        self.soft_qpos[k] = data.qpos[self.world.engine.soft.qpos]
        self.body_com[k] = self.world.engine.soft.centres(data, index.body)
        if self.steps == len(self.step_torque):
            self._average()

    def step(self, assist: FloatArray, push: FloatArray) -> None:
        """Store the forces of the engine's last step, during which an assist (6) and a push (3) acted."""
        data, index, at = self.data, self.world.engine.index, self.steps
        self.step_torque[at] = data.actuator_force[self.actuator]
        self.step_contact[at, : self.sensed] = data.sensordata[index.contact_sensor]
        if len(self.grips.site):
            self.step_contact[at, self.sensed :] = self._gripped().ravel()
        self.step_outside[at, :6], self.step_outside[at, 6:] = assist, push
        mujoco.mj_subtreeVel(self.world.engine.model, data)
        self.step_angular[at] = data.subtree_angmom[self.root]
        self.steps = at + 1

    def _gripped(self) -> FloatArray:
        """Return the grips (H, 7) as contact sensors would see them: force of the hands on what they hold."""
        axes = self.data.site_xmat[self.grips.anchor].reshape(-1, 3, 3)
        force = np.einsum("kij,kj->ki", axes, self.data.actuator_force[self.grips.actuator])
        point = self.data.site_xpos[self.grips.site]
        return np.concatenate([np.ones((len(force), 1)), -force, point], axis=1)

    def _average(self) -> None:
        """Add the buffered steps to the averages; contacts as in ContactSlots."""
        sensed = self.step_contact[: self.steps].reshape(self.steps, -1, SENSOR_SIZE)
        force = -sensed[..., 1:4]  # sensors report the force of the character on the world
        magnitude = np.linalg.norm(force, axis=-1, keepdims=True)
        contact = np.concatenate([force, magnitude * sensed[..., 4:7], magnitude], axis=-1)
        self.outside.add(self.averaged, self.step_outside[: self.steps])
        self.torque.add(self.averaged, self.step_torque[: self.steps])
        self.contact.add(self.averaged, contact)
        angular = self.step_angular[: self.steps].reshape(-1, self.steps_per_tick, 3).mean(axis=1)
        self.angular_mean[self.averaged : self.averaged + len(angular)] = angular
        self.averaged, self.steps = self.averaged + self.steps // self.steps_per_tick, 0

    def trace(
        self,
        samples: int,
        control_dt: float,
        wall_seconds: float,
        character: int,
        character_contacts: CharacterContacts,
    ) -> Trace:
        """Return the trace of the first samples; character: its index in the simulation."""
        if self.steps > 0:
            self._average()
        others = character_contacts.slots(character, samples, self.steps_per_tick)
        contact = np.concatenate([self.contact.values(samples), others.values], axis=1)
        assist, push = np.split(self.outside.values(samples), [6], axis=-1)
        force, weighted, magnitude = np.split(contact, [3, 6], axis=-1)
        own = np.concatenate([self.world.engine.index.contact_segment, self.grips.segment])
        no_other = np.full(len(own), -1)
        return Trace(
            time=np.arange(samples) * control_dt,
            qpos=self.qpos[:samples],
            qvel=self.qvel[:samples],
            body_com=self.body_com[:samples],
            assist=assist,
            push=push,
            torque=self.torque.values(samples),
            contact_force=force,
            contact_point=np.where(magnitude > 1e-9, weighted / np.maximum(magnitude, 1e-12), 0.0),
            contact_segment=np.concatenate([own, others.segment]),
            contact_other=np.concatenate([no_other, others.other]),
            contact_other_segment=np.concatenate([no_other, others.other_segment]),
            object_qpos=self.object_qpos[:samples],
            object_qvel=self.object_qvel[:samples],
            soft_qpos=self.soft_qpos[:samples],
            simulated=np.ones(samples),
            wall_seconds=wall_seconds,
            steps=(samples - 1) * self.steps_per_tick,
            angular_mean=self.angular_mean[: samples - 1],
        )


class Recording:
    """All that is recorded of a running simulation, from its first sample on.

    inputs: what acts on the engine, for a replay; None where none is wanted
    """

    def __init__(
        self,
        recorders: Sequence[TraceRecorder],
        inputs: InputRecorder | None,
        character_contacts: CharacterContacts,
    ) -> None:
        self.recorders, self.inputs, self.character_contacts = recorders, inputs, character_contacts
        self.samples = 0

    def sample(self) -> None:
        """Store the present state as the next sample; the engine's body positions must be up to date."""
        for recorder in self.recorders:
            recorder.sample(self.samples)
        self.samples += 1

    def traces(self, control_dt: float, wall_seconds: float) -> tuple[Trace, ...]:
        """Return a trace for each character."""
        applied = None if self.inputs is None else self.inputs.inputs()
        traces = (
            recorder.trace(self.samples, control_dt, wall_seconds, index, self.character_contacts)
            for index, recorder in enumerate(self.recorders)
        )
        return tuple(replace(trace, inputs=applied) for trace in traces)
