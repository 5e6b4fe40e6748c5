"""Balance by feedback of the three-link model.

da Silva, Abe, Popovic 2008 (stylized locomotion), section 4.2 and eq. 9. While one foot stands, the
accelerations of the model's links become wanted ones of the character's legs and trunk in the tracking QP.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...base.conventions import BoolArray, FloatArray, IntArray
from ...simulation.protocol import State
from ...world.world import World
from ..gain_cache import GainArrays, GainCache
from ..tracking.plan import TrackingPlan, second_difference
from ..tracking.policy import BalancePolicy, BalanceTargets
from ..tracking.prediction import Prediction
from ..tracking.tasks import JacobianTask
from .links import CharacterLinks, LinkMotion
from .lqr import Cost, LinkScales, cost_of, fit_controls, linearise_along, riccati, standing_value
from .mapping import to_links
from .model import INPUTS, STATES, LinkState, ThreeLinkModel

FULL_WEIGHT = 10.0
"""Weight of the links' accelerations in the QP at a dial of 1; that of the joints is 1."""


@dataclass(frozen=True, eq=False)
class SupportPhase:
    """An interval of T samples in which one foot alone stands, from sample `start` of the plan.

    pivot (3): point that the leg turns about, relative to the ankle [m]
    wanted: the model's states in the plan; torque (T, 8) [Nm], gains (T, 8, 16)
    planned (T, 3, 3): accelerations of the model's centres of mass in the plan [m/s^2]
    """

    start: int
    foot: int
    pivot: FloatArray
    model: ThreeLinkModel
    wanted: tuple[LinkState, ...]
    torque: FloatArray
    gains: FloatArray
    planned: FloatArray

    def accelerations_beyond_plan(self, sample: int, motion: LinkMotion) -> FloatArray:
        """Return what the feedback adds to the accelerations of the three centres of mass (3, 3) [m/s^2]."""
        t = sample - self.start
        state = to_links(self.model, motion)
        error = self.model.difference(state, self.wanted[t])
        torque = self.torque[t] - self.gains[t] @ error
        return self.model.com_accelerations(state, torque) - self.planned[t]


def single_supports(stands: BoolArray) -> list[tuple[int, int, int]]:
    """Return start, end and foot of each interval in which one foot alone stands; stands (T, 2)."""
    alone: IntArray = np.where(stands.sum(axis=1) == 1, np.argmax(stands, axis=1), -1)
    edges = np.flatnonzero(np.diff(alone)) + 1
    starts, ends = np.concatenate([[0], edges]), np.concatenate([edges, [len(alone)]])
    runs = zip(starts, ends, strict=True)
    return [(int(a), int(b), int(alone[a])) for a, b in runs if alone[a] >= 0 and b - a > 1]


@dataclass(frozen=True, eq=False)
class PhaseReference:
    """The three-link model of one interval of single support, and its states in the plan.

    span: start, end and foot
    """

    span: tuple[int, int, int]
    pivot: FloatArray
    model: ThreeLinkModel
    wanted: tuple[LinkState, ...]


def make_phase_reference(
    links: CharacterLinks, plan: TrackingPlan, span: tuple[int, int, int]
) -> PhaseReference:
    """Return the model and its states of one interval of single support: its start, end and foot."""
    start, end, foot = span
    reference = plan.reference
    middle = (start + end) // 2
    links.set(State(0.0, reference.qpos[middle], reference.qvel[middle]))
    mass, pivot = links.mass[links.order(foot)], _pivot(plan, span)
    model = ThreeLinkModel(links.motion(foot, pivot), mass, links.inertia(foot), reference.dt)
    wanted = []
    for t in range(start, end):
        links.set(State(0.0, reference.qpos[t], reference.qvel[t]))
        wanted.append(to_links(model, links.motion(foot, pivot)))
    return PhaseReference(span, pivot, model, tuple(wanted))


def compute_link_gains(references: Sequence[PhaseReference], samples: int, cost: Cost) -> GainArrays:
    """Return torque (T, 8) and gains (T, 8, 16) along the whole plan; zero outside single support."""
    torque, gains = np.zeros((samples, INPUTS)), np.zeros((samples, INPUTS, STATES))
    for phase_reference in references:
        start, end, _ = phase_reference.span
        fitted = fit_controls(phase_reference.model, phase_reference.wanted, cost)
        systems = linearise_along(phase_reference.model, fitted)
        last = standing_value(*systems[-1], cost) if end == samples else cost.state
        feedback, _ = riccati(systems, cost, last)
        torque[start:end] = np.concatenate([fitted.torque, fitted.torque[-1:]])
        gains[start:end] = np.concatenate([feedback, feedback[-1:]])
    return {"torque": torque, "gains": gains}


def make_phase(phase_reference: PhaseReference, found: GainArrays) -> SupportPhase:
    """Return the interval of a reference with its part of the gains."""
    start, end, foot = phase_reference.span
    torque, model = found["torque"][start:end], phase_reference.model
    planned = np.stack(
        [model.com_accelerations(s, u) for s, u in zip(phase_reference.wanted, torque, strict=True)]
    )
    gains = found["gains"][start:end]
    return SupportPhase(
        start, foot, phase_reference.pivot, model, phase_reference.wanted, torque, gains, planned
    )


def _pivot(plan: TrackingPlan, span: tuple[int, int, int]) -> FloatArray:
    """Return the vector from the ankle to above the mean centre of pressure (3) [m].

    The paper takes the ankle itself. Weight rests in front of it, and a body that turned about a point behind
    its weight would fall forwards all the time.
    """
    start, end, foot = span
    load = np.maximum(plan.support_force[start:end, :, 2], 0.0)
    arm = plan.support_points[start:end] - plan.foot[start:end, None, foot]
    centre = np.einsum("tk,tki->i", load, arm) / max(load.sum(), 1e-9)
    return np.asarray(centre * [1.0, 1.0, 0.0])


class ThreeLinkBalance:
    """Blends the three-link model's feedback with another policy, which also plans steps.

    dial: from 0, the other policy alone, to 1, the model alone while one foot stands
    """

    def __init__(
        self,
        world: World,
        plan: TrackingPlan,
        leg_length: float,
        dial: float,
        other: BalancePolicy,
        scales: LinkScales,
        cache: GainCache,
    ) -> None:
        self.plan, self.dial, self.other = plan, dial, other
        self.links = CharacterLinks(world)
        cost = cost_of(scales, world.spec.mass, leg_length)
        self.phase: list[SupportPhase | None] = [None] * len(plan)
        references = [
            make_phase_reference(self.links, plan, span) for span in single_supports(plan.schedule.stands)
        ]
        causes = ("three_link", world.model, plan, cost)
        found = cache.get(causes, lambda: compute_link_gains(references, len(plan), cost))
        for phase_reference in references:
            start, end, _ = phase_reference.span
            self.phase[start:end] = [make_phase(phase_reference, found)] * (end - start)
        self.planned = self._planned_accelerations()

    def _planned_accelerations(self) -> FloatArray:
        """Return the accelerations of both legs' and the trunk's centres of mass in the plan (T, 3, 3)."""
        reference, coms = self.plan.reference, np.zeros((len(self.plan), 3, 3))
        still = np.zeros(reference.qvel.shape[1])
        for t in range(len(self.plan)):
            self.links.set(State(0.0, reference.qpos[t], still))
            coms[t] = self.links.coms()
        return second_difference(coms, reference.dt)

    def touches(self, sample: int) -> BoolArray:
        """Return which of the plan's points should touch (K): as the other policy decides."""
        return self.other.touches(sample)

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        """Return the blended targets; those of the other policy while it takes a step that is not planned."""
        as_planned = bool((self.touches(sample) == self.plan.schedule.touches[sample]).all())
        targets = self.other.targets(sample, state, prediction)
        phase = self.phase[sample]
        if phase is None or self.dial == 0.0 or not as_planned:
            return targets
        links, foot, mass, share = self.links, phase.foot, phase.model.mass, self.dial
        links.set(state)
        motion = links.motion(foot, phase.pivot)
        added = phase.accelerations_beyond_plan(sample, motion)
        goal = self.planned[sample, links.order(foot)] + added - links.com_drift(foot)
        force = mass[:, None] * added
        com = self.plan.com_acceleration[sample] + mass @ added / links.total
        (_, xy, xz), (yx, _, yz), (zx, zy, _) = ((motion.com - prediction.com).T @ force).tolist()
        moment = self.plan.momentum_rate[sample] + (yz - zy, zx - xz, xy - yx)  # the sum of arm x force
        root_weight = np.full(9, np.sqrt(FULL_WEIGHT * share))
        return replace(
            targets,
            com_acceleration=(1.0 - share) * targets.com_acceleration + share * com,
            momentum_rate=(1.0 - share) * targets.momentum_rate + share * moment,
            extra=(JacobianTask("links", motion.com_rows.reshape(9, -1), goal.reshape(9), root_weight),),
        )
