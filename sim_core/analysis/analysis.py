"""Momenta, contact forces and joint torques of a motion, whatever they come from (docs/dynamics.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..base.array_record import ArrayRecord
from ..base.conventions import GRAVITY, Z_UP, BoolArray, FloatArray, IntArray
from ..base.errors import InputError
from ..result import metrics
from ..result.result import NameArray, Result
from ..result.validate import FOOT_PREFIX

KINEMATIC, SIMULATED = "kinematic", "simulated"
ESTIMATED, MEASURED = "estimated", "measured"


@dataclass(frozen=True, eq=False, kw_only=True)
class Analysis(ArrayRecord):
    """T samples, B bodies, F feet (left first), K contact slots, D joint axes; SI units, Z up.

    kind: "kinematic", a captured or keyed motion, or "simulated"
    forces_from: "estimated" from the motion, "measured" by force plates, or "simulated"
    time (T) [s]; known (T): whether forces are known at the sample
    body_name (B), body_mass (B) [kg], body_com (T, B, 3) [m]
    com (T, 3) [m], momentum (T, 3) [kg m/s]; angular_momentum (T, 3) about the com [kg m^2/s]
    energy (T): kinetic and potential energy, zero at height zero [J]
    foot_name (F), foot_force (T, F, 3) on the feet [N]; foot_pressure (T, F, 3): centre of pressure [m], NaN
    while a foot carries less than 5 N
    contact_point (T, K, 3) [m], contact_force (T, K, 3) on the character [N], contact_body (T, K): index into
    body_name, -1 where the slot is unused
    axis_name (D): such as 'shin.L/x'; axis_body (D): the body whose joint to its parent has the axis
    torque (T, D), torque_limit (D), infinite where there is none [Nm]; power (T, D) of the joints [W]
    residual (T, 6): force [N] and moment about the com [Nm] that no contact explains
    assist (T, 6): external force [N] and torque [Nm] at the pelvis
    """

    NO_ARRAYS: ClassVar[frozenset[str]] = frozenset({"kind", "forces_from", "notes"})

    kind: str
    forces_from: str
    time: FloatArray
    known: BoolArray
    body_name: NameArray
    body_mass: FloatArray
    body_com: FloatArray
    com: FloatArray
    momentum: FloatArray
    angular_momentum: FloatArray
    energy: FloatArray
    foot_name: NameArray
    foot_force: FloatArray
    foot_pressure: FloatArray
    contact_point: FloatArray
    contact_force: FloatArray
    contact_body: IntArray
    axis_name: NameArray
    axis_body: IntArray
    torque: FloatArray
    torque_limit: FloatArray
    power: FloatArray
    residual: FloatArray
    assist: FloatArray
    notes: tuple[str, ...] = ()

    @property
    def mass(self) -> float:
        """Mass of the whole body [kg]."""
        return float(self.body_mass.sum())

    @property
    def dt(self) -> float:
        """Time between two samples [s]."""
        return float(self.time[1] - self.time[0])


def analyse_result(result: Result) -> Analysis:
    """Return the forces of a simulated motion, as its result file has them."""
    if not (result.simulated == 1.0).any():
        raise InputError("The result holds no simulated motion, so it has no forces; simulate it first.")
    bodies = list(result.body_name)
    mass = float(result.body_mass.sum())
    dt = float(result.time[1] - result.time[0])
    com = centre_of_mass(result.body_com, result.body_mass)
    turning = result.angular_momentum_rate
    external = result.assist + _pushes(result, com)
    # The engine's external forces act at the centre of mass of their body.
    external[:, 3:] += np.cross(result.body_com[:, 0] - com, result.assist[:, :3])
    feet = [name for name in bodies if name.startswith(FOOT_PREFIX)]
    force, pressure = foot_loads(
        result.contact_point, result.contact_force, result.contact_body, [bodies.index(name) for name in feet]
    )
    return Analysis(
        kind=SIMULATED,
        forces_from=SIMULATED,
        time=result.time,
        known=result.simulated == 1.0,
        body_name=result.body_name,
        body_mass=result.body_mass,
        body_com=result.body_com,
        com=com,
        momentum=mass * np.gradient(com, dt, axis=0),
        angular_momentum=result.angular_momentum,
        energy=result.energy,
        foot_name=np.array(feet, dtype=str),
        foot_force=force,
        foot_pressure=pressure,
        contact_point=result.contact_point,
        contact_force=result.contact_force,
        contact_body=result.contact_body,
        axis_name=result.torque_name,
        axis_body=np.array([bodies.index(name.split("/")[0]) for name in result.torque_name]),
        torque=result.torque,
        torque_limit=result.torque_limit,
        power=result.torque * result.torque_rate,
        residual=unexplained(com, mass, turning, result.contact_point, result.contact_force, external, dt),
        assist=result.assist,
        notes=result.meta.notes,
    )


def centre_of_mass(body_com: FloatArray, body_mass: FloatArray) -> FloatArray:
    """Return the centre of mass (T, 3) of bodies at (T, B, 3) with masses (B)."""
    return np.asarray(np.einsum("tbi,b->ti", body_com, body_mass) / body_mass.sum())


def foot_loads(
    point: FloatArray, force: FloatArray, body: IntArray, feet: list[int]
) -> tuple[FloatArray, FloatArray]:
    """Return forces (T, F, 3) on feet and their centres of pressure (T, F, 3), from contacts (T, K, 3)."""
    total = np.zeros((len(point), len(feet), 3))
    centre = np.full_like(total, np.nan)
    for f, foot in enumerate(feet):
        own_force = np.where((body == foot)[..., None], force, 0.0)
        total[:, f] = own_force.sum(axis=1)
        weight = np.maximum(own_force[..., 2:], 0.0)
        load = weight.sum(axis=1)
        carries = load[:, 0] > metrics.LOADED_N
        centre[carries, f] = ((weight * point).sum(axis=1) / np.maximum(load, 1e-9))[carries]
    return total, centre


def unexplained(
    com: FloatArray,
    mass: float,
    turning: FloatArray,
    point: FloatArray,
    force: FloatArray,
    external: FloatArray,
    dt: float,
) -> FloatArray:
    """Return the wrench (T, 6) that momentum needs beyond contacts (T, K, 3) and an external wrench (T, 6).

    All wrenches are about the com. turning (T, 3): rate of change of the angular momentum about the com [Nm],
    averaged about each sample like the forces. The first and last sample repeat their neighbour's value.
    """
    left = np.zeros((len(com), 6))
    if len(com) < 3:
        return left
    acceleration = (com[2:] - 2.0 * com[1:-1] + com[:-2]) / dt**2
    moment = np.cross(point - com[:, None], force).sum(axis=1)
    given = np.concatenate([force.sum(axis=1), moment], axis=1) + external
    needed = np.concatenate([mass * (acceleration + GRAVITY * Z_UP), turning[1:-1]], axis=1)
    left[1:-1] = needed - given[1:-1]
    left[0], left[-1] = left[1], left[-2]
    return left


def _pushes(result: Result, com: FloatArray) -> FloatArray:
    """Return the wrench about the com (T, 6) of the scene's pushes, averaged about each sample."""
    wrench, names = np.zeros((len(com), 6)), list(result.body_name)
    for push in result.meta.pushes:
        since = result.time - push.start_s
        acts = (since >= -1e-6) & (since < push.duration_s - 1e-6)
        share = 0.5 * (acts + np.concatenate([acts[:1], acts[:-1]]))
        force = share[:, None] * np.array(push.force)
        arm = result.body_com[:, names.index(push.segment)] - com
        wrench += np.concatenate([force, np.cross(arm, force)], axis=1)
    return wrench
