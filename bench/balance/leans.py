"""A three-link body leans and stands up again, as in figure 5 of da Silva, Abe, Popovic 2008."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.base.conventions import GRAVITY, Z_UP, FloatArray
from sim_core.control.three_link.links import LinkMotion
from sim_core.control.three_link.lqr import Cost, gain_of, standing_value
from sim_core.control.three_link.model import BASE, DOFS, INPUTS, STATES, LinkState, ThreeLinkModel

from ..common.plots import pyplot, save

DT = 0.005
LEANS_DEG = (5, 10, 15, 20, 25)
SECONDS = 5.0
NO_ANKLE = 1e8
"""Cost of torque under the leg: nothing drives the paper's base joint."""


@dataclass(frozen=True)
class ThreeLinkBody:
    """A body on one leg: masses [kg], lengths [m], inertias about centres of mass [kg m^2]."""

    leg_mass: float = 13.4
    trunk_mass: float = 43.0
    leg_length: float = 1.0
    trunk_com: float = 0.45
    leg_inertia: float = 2.0
    trunk_inertia: float = 8.0

    @property
    def unit_torque(self) -> float:
        """Return weight times leg length [Nm]."""
        return (2.0 * self.leg_mass + self.trunk_mass) * GRAVITY * self.leg_length


ROUGH = ThreeLinkBody()
"""At 20 degrees its centre of mass is 37 cm from the base (the paper: 36); its limbs are wide."""
RODS = ThreeLinkBody(leg_length=0.9, leg_inertia=0.9, trunk_inertia=2.9)
"""Legs and upper body as rods of 0.9 m."""

CASES = {
    "control cost 1": (ROUGH, 1.0),
    "twice the control cost": (ROUGH, 2.0),
    "limbs as rods": (RODS, 1.0),
}
"""Cases of the figure: a body, and the cost of its torque."""


def lean_curves() -> dict[str, dict[str, FloatArray]]:
    """Return the squared error over time (T) by case and lean."""
    curves = {}
    for title, (figure, control) in CASES.items():
        model, cost = build(figure), paper_cost(figure.unit_torque, control)
        curves[title] = {f"{d} deg": recover(model, lean(model, d), cost, SECONDS) for d in LEANS_DEG}
    return curves


def build(figure: ThreeLinkBody) -> ThreeLinkModel:
    """Return the model upright on one leg, in a pose that needs no torque."""
    leg = figure.leg_length
    joints = np.outer([0.0, leg, leg], Z_UP)
    coms = np.outer([0.5 * leg, leg + figure.trunk_com, 0.5 * leg], Z_UP)
    mass = np.array([figure.leg_mass, figure.trunk_mass, figure.leg_mass])
    wide = np.array([figure.leg_inertia, figure.trunk_inertia, figure.leg_inertia])
    inertia = np.stack([np.diag([i, i, 0.1 * i]) for i in wide])
    nothing = np.zeros((3, 3))
    return ThreeLinkModel(LinkMotion(joints, nothing, coms, nothing, np.zeros((3, 3, 0))), mass, inertia, DT)


def lean(model: ThreeLinkModel, degrees: float) -> LinkState:
    """Return the state in which the whole body is turned about its base."""
    change = np.zeros(STATES)
    change[1] = np.radians(degrees)
    return model.moved(model.rest, change)


def paper_cost(unit_torque: float, control: float = 1.0) -> Cost:
    """Return the cost that weighs position [rad] and control [unit_torque] alike, and velocity not at all."""
    state = np.repeat([1.0, 0.0], DOFS)
    torque = np.repeat([NO_ANKLE, 1.0], [BASE, INPUTS - BASE])
    return Cost(np.diag(state), control * np.diag(torque) / unit_torque**2)


def recover(model: ThreeLinkModel, start: LinkState, cost: Cost, seconds: float) -> FloatArray:
    """Return the squared error (T) under one feedback gain (eq. 6 and 7); infinite after a fall."""
    a, b = model.linearise(model.rest, np.zeros(INPUTS))
    gain = gain_of(a, b, standing_value(a, b, cost), cost)
    state, squared = start, np.full(round(seconds / model.dt) + 1, np.inf)
    for t in range(len(squared)):
        error = model.difference(state, model.rest)
        if abs(error[1]) > 0.5 * np.pi or np.abs(error[DOFS:]).max() > 100.0:
            break
        squared[t] = error @ error
        state = model.step(state, -gain @ error)
    return squared


def plot_leans(curves: Mapping[str, Mapping[str, Any]], dt: float, path: Path) -> None:
    """Plot squared error after leans, as in figure 5 of the paper.

    curves: by title and lean
    """
    figure, axes = pyplot.subplots(1, len(curves), figsize=(6.0 * len(curves), 4.0), sharey=True)
    for axis, (title, by_lean) in zip(axes, curves.items(), strict=True):
        for name, squared in by_lean.items():
            axis.plot(np.arange(len(squared)) * dt, squared, label=name, linewidth=1.0)
        axis.set(title=title, xlabel="time [s]", ylabel="squared error [rad², (rad/s)²]", ylim=(0.0, 500.0))
        axis.legend(fontsize=8)
        axis.grid(alpha=0.3)
    save(figure, path)
