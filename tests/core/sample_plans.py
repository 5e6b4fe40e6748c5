"""Plans made of numbers: a body that glides over its feet, without an engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_core.base.conventions import GRAVITY, BoolArray, FloatArray, IntArray
from sim_core.control.tracking.plan import TrackingPlan
from sim_core.control.tracking.prediction import Prediction
from sim_core.reference.contacts import ContactSchedule, flat_contact_ground
from sim_core.reference.reference import Reference
from sim_core.simulation.protocol import State

DT = 0.01
MASS, LEG, COM_HEIGHT = 70.0, 0.86, 0.95
FOOT = np.repeat([0, 1], 4)
CORNERS = np.array([(-0.07, 0.04, 0.0), (-0.07, -0.04, 0.0), (0.19, 0.04, 0.0), (0.19, -0.04, 0.0)])
PLACES = np.array([[0.0, 0.1, 0.0], [0.0, -0.1, 0.0]])
ANKLE = np.array([0.0, 0.0, 0.08])


def soles_only(touches: BoolArray, foot: IntArray) -> ContactSchedule:
    """A schedule of sole points (T, K), the first of a character's supports."""
    return ContactSchedule(touches, foot, np.arange(len(foot)))


def glide_plan(stands: BoolArray, speed: float = 0.0) -> TrackingPlan:
    """A body at constant speed [m/s] along X whose weight rests evenly on the feet that stand (T, 2)."""
    samples = len(stands)
    time = np.arange(samples) * DT
    way = np.outer(speed * time, [1.0, 0.0, 0.0])
    points = np.tile(np.concatenate([CORNERS + place for place in PLACES]), (samples, 1, 1)) + way[:, None]
    touches = stands[:, FOOT]
    count = np.maximum(touches.sum(axis=1, keepdims=True), 1)
    force = np.zeros((samples, 8, 3))
    force[..., 2] = MASS * GRAVITY * touches / count
    nothing = np.zeros((samples, 3))
    fall = np.where(stands.any(axis=1), 0.0, -GRAVITY)
    feet = PLACES + ANKLE + way[:, None]
    root = np.hstack([way + [0.0, 0.0, COM_HEIGHT], np.tile([1.0, 0.0, 0.0, 0.0], (samples, 1))])
    return TrackingPlan(
        reference=Reference(root, np.zeros((samples, 6)), np.zeros((samples, 6)), DT),
        schedule=soles_only(touches, FOOT),
        contact_ground=flat_contact_ground(samples, len(FOOT), 0.0),
        support_points=points,
        support_force=force,
        com=way + [0.06, 0.0, COM_HEIGHT],
        com_velocity=np.tile([speed, 0.0, 0.0], (samples, 1)),
        com_acceleration=np.outer(fall, [0.0, 0.0, 1.0]),
        momentum=nothing,
        momentum_rate=nothing,
        foot=feet,
        foot_velocity=np.zeros((samples, 2, 3)),
        foot_acceleration=np.zeros((samples, 2, 3)),
        inertia=np.tile(np.diag([10.0, 9.0, 1.5]), (samples, 1, 1)),
    )


def pressure_centre(plan: TrackingPlan) -> FloatArray:
    """Where the planned ground force acts (T, 3); below the centre of mass in flight."""
    load = plan.support_force[..., 2]
    total = load.sum(axis=1, keepdims=True)
    centre = np.einsum("tk,tki->ti", load, plan.support_points) / np.maximum(total, 1.0)
    return np.asarray(np.where(total > 0.0, centre, plan.com * [1.0, 1.0, 0.0]))


def both_stand(samples: int) -> BoolArray:
    return np.ones((samples, 2), dtype=bool)


def one_step(samples: int, lift: int, touch: int, foot: int = 1) -> BoolArray:
    """The foot swings from `lift` until before `touch`; the other one stands."""
    stands = both_stand(samples)
    stands[lift:touch, foot] = False
    return stands


def plan_state(plan: TrackingPlan, sample: int) -> State:
    return State(sample * DT, plan.reference.qpos[sample].copy(), plan.reference.qvel[sample].copy())


def seen(plan: TrackingPlan, sample: int, **off_by: Any) -> Prediction:
    """A prediction that is as planned but for what it is off by: com, com_velocity, momentum, foot."""
    empty = np.zeros(0)
    values = {
        name: getattr(plan, name)[sample] + off_by.get(name, 0.0)
        for name in ("com", "com_velocity", "momentum", "foot")
    }
    unused = {name: empty for name in Prediction.__dataclass_fields__ if name not in values}
    return Prediction(**(unused | values))


def error_state(**blocks: FloatArray) -> FloatArray:
    """Errors (16) of the balance model by name: com, velocity, turn, momentum, left, right."""
    places = {"com": 0, "velocity": 3, "turn": 6, "momentum": 9, "left": 12, "right": 14}
    state = np.zeros(16)
    for name, value in blocks.items():
        state[places[name] : places[name] + len(value)] = value
    return state
