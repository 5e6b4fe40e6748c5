"""Why a character fell: what went wrong in the last half second, in plain words and in figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from ..base.conventions import GRAVITY, BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals
from ..character.part_names import joint_words, part_words
from ..character.posing import segment_poses
from ..dynamics.centroidal import CentroidalFrames, measure_centroidal
from ..dynamics.kinematics import Kinematics, inverse_dynamics
from ..reference.prepare import Prepared
from ..reference.reference import Reference, pose_changes
from ..result import metrics
from ..scenario.scenario import Scenario
from ..simulation.trace import Trace
from ..world.ground import ObjectState
from ..world.world import World

WINDOW_S = 0.5
"""How long before the fall causes are looked for [s]."""
SHORTEST_WINDOW = 3
"""Samples that rates of change need."""
LASTING_S = 0.05
"""What is shorter does not make a body fall [s]."""
AT_LIMIT = 0.97
"""Share of a torque limit that counts as all of it."""
SLIP_SPEED, SLIP_M = 0.3, 0.03
"""A loaded foot that is faster slips [m/s]; it is told from this way on [m]."""
OUT_M = 0.05
"""Further out over its feet than planned, the body is out of balance [m]."""
SPIN = np.radians(30.0)
"""Whoever takes off turning this much differently from the plan cannot land as planned [rad/s]."""
HELD_SHARE = 0.2
"""More of the weight than this, carried by nothing, makes a motion that feet alone cannot do."""
STRAYED = np.radians(30.0)
"""Further from its planned angle, a joint was given up [rad]."""
CAPS = (15.0, 25.0, 50.0, 100.0, 200.0, 400.0)
"""Assists that are tried [N, Nm]."""
TOLD = 2
"""Causes in the sentence for the user."""


@dataclass(frozen=True)
class Cause:
    """One thing that went wrong.

    kind: support, torque, contact, touch, meeting, slip, spin, pose or balance
    start_s: since the first sample; figures: names carry their units
    """

    kind: str
    start_s: float
    text: str
    figures: dict[str, float | str]


@dataclass(frozen=True)
class Failure:
    """A fall, its causes in the order in which they began, and the least assist that prevents it.

    least_assist: None where none was looked for or found; assist_tried: caps that were tried [N, Nm]
    """

    fell_at: float
    causes: tuple[Cause, ...]
    least_assist: float | None
    assist_tried: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"notes": list(self.notes)}

    @property
    def notes(self) -> tuple[str, ...]:
        """For the user."""
        said = "; ".join(cause.text for cause in self.causes[:TOLD])
        why = f"Before the fall at {self.fell_at:.2f} s {said or 'the whole body left its plan'}."
        if self.least_assist is not None:
            cap = f"{self.least_assist:g}"
            return why, f"With outside help of up to {cap} N and {cap} Nm (--assist {cap}) it stays up."
        if self.assist_tried:
            return why, f"Outside help of up to {self.assist_tried[-1]:g} N and Nm does not carry it either."
        return (why,)


def fell_at(scenario: Scenario, reference: Reference, trace: Trace) -> float | None:
    """When the character fell [s], or None."""
    new = segment_poses(scenario.spec, trace.qpos)
    planned = segment_poses(scenario.spec, reference.qpos[: len(trace.time)])
    trunk = scenario.spec.trunk
    return metrics.fall_time(
        trace.time,
        new[0][:, 0, 2],
        planned[0][:, 0, 2],
        new[1][:, trunk],
        planned[1][:, trunk],
        scenario.leg_length,
    )


def least_assist(stays_up: Callable[[float], bool], above: float) -> tuple[float | None, tuple[float, ...]]:
    """The smallest cap above the present one that carries the motion, and the caps tried [N, Nm]."""
    tried: list[float] = []
    for cap in CAPS:
        if cap <= above:
            continue
        tried.append(cap)
        if stays_up(cap):
            return cap, tuple(tried)
    return None, tuple(tried)


def find_causes(world: World, prepared: Prepared, trace: Trace, fell_at_s: float) -> tuple[Cause, ...]:
    """What went wrong before the fall, first things first."""
    scene = _Scene(world, prepared, trace, fell_at_s)
    seen = (_support, _torques, _contacts, _touches, _meetings, _slips, _spins)
    events = [cause for look in seen for cause in look(scene)]
    # Bending and leaning out is how every fall looks, so it is named after what may have led to it.
    looks = [*_poses(scene), *_balance(scene)]
    return (*sorted(events, key=_start), *sorted(looks, key=_start))


def _start(cause: Cause) -> float:
    return cause.start_s


class _Scene:
    """The last samples before a fall, planned and simulated.

    planned (W, 2), loaded (W, 2): feet on the ground; point_loaded (W, K)
    ground_velocity (W, K, 3): of what is under the schedule's points
    """

    def __init__(self, world: World, prepared: Prepared, trace: Trace, fell_at_s: float) -> None:
        dt = prepared.reference.dt
        end = min(max(round(fell_at_s / dt) + 1, SHORTEST_WINDOW), len(trace.time))
        start = max(end - round(WINDOW_S / dt) - 1, 0)
        self.world, self.prepared, self.trace, self.dt = world, prepared, trace, dt
        self.window = slice(start, end)
        self.time = trace.time[self.window]
        self.foot = prepared.schedule.foot
        self.planned = prepared.schedule.stands[self.window]
        strength = np.linalg.norm(trace.contact_force[self.window], axis=-1)
        self.touching = strength > metrics.LOADED_N
        self.point_loaded = self._loaded_points(prepared.schedule.support)
        self.loaded = np.stack([self.point_loaded[:, self.foot == f].any(axis=1) for f in (0, 1)], axis=1)
        self.frames: CentroidalFrames = measure_centroidal(
            world, trace.qpos[self.window], prepared.schedule.support
        )
        objects = map(ObjectState, trace.object_qpos[self.window], trace.object_qvel[self.window])
        under = map(world.ground.below, self.frames.points, objects)
        self.ground_velocity: FloatArray = np.array([surface.velocity for surface in under])
        planned = prepared.reference.qpos[self.window]
        self.frames_planned: CentroidalFrames = measure_centroidal(world, planned, prepared.schedule.support)

    def _loaded_points(self, support: IntArray) -> BoolArray:
        """Which points of the schedule carry weight (W, K): soles by themselves, others by their part."""
        index, slots = self.world.index, self.trace.contact_segment
        loaded = np.zeros((len(self.time), len(support)), dtype=bool)
        for k, which in enumerate(support):
            segment = index.segment_of(index.support_body[which])
            mine = which if which < index.soles else slots == segment
            loaded[:, k] = np.atleast_2d(self.touching.T[mine]).any(axis=0)
        return loaded

    def foot_words(self, foot: int) -> str:
        return part_words(self.world.spec.names[self.world.index.foot_segments[foot]])

    def true_intervals(self, flags: np.ndarray) -> Iterator[tuple[int, int]]:
        """First and past-the-last sample of each lasting run of flags (W)."""
        for start, end in true_intervals(flags):
            if (end - start) * self.dt >= LASTING_S - 1e-9:
                yield start, end


def _support(scene: _Scene) -> Iterator[Cause]:
    """A plan that rests on something other than the feet."""
    reference, start = scene.prepared.reference, scene.window.start
    window = slice(start, start + round(WINDOW_S / scene.dt) + 1)
    height = measure_centroidal(scene.world, reference.qpos[window], np.zeros(0, dtype=np.int64)).com[:, 2]
    if len(height) < 3:
        return
    needed = 1.0 + np.gradient(np.gradient(height, scene.dt), scene.dt) / GRAVITY
    ground = scene.prepared.support_force[window, :, 2].sum(axis=1) / (scene.world.spec.mass * GRAVITY)
    share = float((needed - ground).mean())
    if share > HELD_SHARE:
        text = f"the motion had {100 * min(share, 1.0):.0f} % of its weight on something other than its feet"
        yield Cause("support", float(scene.time[0]), text, {"share": share})


def _torques(scene: _Scene) -> Iterator[Cause]:
    """Joints at their limit, each with its busiest axis."""
    index, spec = scene.world.index, scene.world.spec
    segment_of_dof = scene.world.model.dof_bodyid[index.actuated_dof]
    needed = np.abs(_planned_torque(scene)).max(axis=0)
    full = np.abs(scene.trace.torque[scene.window]) > AT_LIMIT * index.torque_limit
    for segment, body in zip(spec, index.body, strict=True):
        axes = np.flatnonzero(segment_of_dof == body)
        if len(axes) == 0:
            continue
        axis = int(axes[np.argmax(full[:, axes].sum(axis=0))])
        limit = float(index.torque_limit[axis])
        for start, end in list(scene.true_intervals(full[:, axis]))[:1]:
            seconds = (end - start) * scene.dt
            words = joint_words(segment.name)
            text = f"the {words} gave all of its {limit:.0f} Nm for {seconds:.2f} s"
            if needed[axis] > limit:
                text = f"the {words} needed {needed[axis]:.0f} Nm but has {limit:.0f} Nm"
            figures: dict[str, float | str] = {
                "joint": segment.name,
                "needed_nm": float(needed[axis]),
                "limit_nm": limit,
                "seconds": seconds,
            }
            yield Cause("torque", float(scene.time[start]), text, figures)


def _planned_torque(scene: _Scene) -> FloatArray:
    """Joint torques (W, nu) that the plan itself asks for."""
    reference, index = scene.prepared.reference, scene.world.index
    kinematics = Kinematics(scene.world)
    torque = []
    for t in range(scene.window.start, scene.window.stop):
        force = inverse_dynamics(kinematics, reference.qpos[t], reference.qvel[t], reference.qacc[t])
        ground = np.einsum(
            "kiv,ki->v",
            kinematics.support_jacobians(scene.prepared.schedule.support),
            scene.prepared.support_force[t],
        )
        torque.append((force - ground)[index.actuated_dof])
    return np.array(torque)


def _contacts(scene: _Scene) -> Iterator[Cause]:
    """Feet that were in the air but should stand, or stood but should swing."""
    for foot in (0, 1):
        words = scene.foot_words(foot)
        planned, loaded = scene.planned[:, foot], scene.loaded[:, foot]
        for flags, text in (
            (planned & ~loaded, f"the {words} was in the air for {{:.2f}} s when it should stand"),
            (~planned & loaded, f"the {words} was on the ground for {{:.2f}} s when it should swing"),
        ):
            for start, end in list(scene.true_intervals(flags))[:1]:
                seconds = (end - start) * scene.dt
                figures: dict[str, float | str] = {"foot": words, "seconds": seconds}
                yield Cause("contact", float(scene.time[start]), text.format(seconds), figures)


def _touches(scene: _Scene) -> Iterator[Cause]:
    """Parts other than the feet that met the ground, and were not meant to; or props, which nobody plans."""
    what = "the ground or a prop" if len(scene.world.engine.objects.props) else "the ground"
    names, soles = scene.world.spec.names, scene.world.index.soles
    schedule, index = scene.prepared.schedule, scene.world.index
    meant = index.support_body[schedule.support[schedule.touches[scene.window].any(axis=0)]]
    other = scene.trace.contact_other[soles:]
    for segment in np.unique(scene.trace.contact_segment[soles:]):
        if index.body[segment] in meant:
            continue
        slots = np.flatnonzero((scene.trace.contact_segment[soles:] == segment) & (other < 0)) + soles
        for start, _ in list(scene.true_intervals(scene.touching[:, slots].any(axis=1)))[:1]:
            name = names[int(segment)]
            text = f"the {part_words(name)} touched {what}"
            yield Cause("touch", float(scene.time[start]), text, {"part": name})


def _meetings(scene: _Scene) -> Iterator[Cause]:
    """Other characters that pushed it, each with the part that it pushed hardest."""
    trace, names = scene.trace, scene.world.spec.names
    for place, other in enumerate(scene.world.engine.others):
        slots = np.flatnonzero(trace.contact_other == place)
        for start, end in list(scene.true_intervals(scene.touching[:, slots].any(axis=1)))[:1]:
            strength = np.linalg.norm(trace.contact_force[scene.window][start:end, slots], axis=-1)
            hardest = slots[int(strength.max(axis=0).argmax())]
            part, force = names[int(trace.contact_segment[hardest])], float(strength.max())
            text = f"'{other.name}' pushed the {part_words(part)} with up to {force:.0f} N"
            figures: dict[str, float | str] = {"part": part, "other": other.name, "force_n": force}
            yield Cause("meeting", float(scene.time[start]), text, figures)


def _slips(scene: _Scene) -> Iterator[Cause]:
    """Feet that slid over what they stood on, as planned."""
    slip = np.gradient(scene.frames.points, scene.dt, axis=0) - scene.ground_velocity
    speed = np.linalg.norm(slip[..., :2], axis=-1)
    for foot in (0, 1):
        mine = scene.foot == foot
        loaded = scene.point_loaded[:, mine]
        # The slowest loaded point: a foot that only rolls or turns has one at rest.
        slowest = np.where(loaded, speed[:, mine], np.inf).min(axis=1)
        flags = scene.planned[:, foot] & loaded.any(axis=1) & (slowest > SLIP_SPEED)
        for start, end in list(scene.true_intervals(flags))[:1]:
            way = float(slowest[start:end].sum() * scene.dt)
            if way > SLIP_M:
                words = scene.foot_words(foot)
                text = f"the {words} slipped by {100 * way:.0f} cm"
                yield Cause("slip", float(scene.time[start]), text, {"foot": words, "slip_m": way})


def _spins(scene: _Scene) -> Iterator[Cause]:
    """A flight that began with the wrong angular momentum, which only the ground can change."""
    qvel, planned_qvel = scene.trace.qvel[scene.window], scene.prepared.reference.qvel[scene.window]
    airborne = np.asarray(~(scene.planned | scene.loaded).any(axis=1))
    for start, _ in list(scene.true_intervals(airborne))[:1]:
        matrix, planned = scene.frames.momentum_matrix[start], scene.frames_planned.momentum_matrix[start]
        off = matrix @ qvel[start] - planned @ planned_qvel[start]
        # The root's turning moves the whole body, so its columns are the inertia of the body as one piece.
        spin = float(np.linalg.norm(np.linalg.solve(matrix[:, 3:6], off)))
        if spin > SPIN:
            text = f"it took off turning {np.degrees(spin):.0f} deg/s differently from the motion"
            figures: dict[str, float | str] = {"spin_deg_s": float(np.degrees(spin))}
            yield Cause("spin", float(scene.time[start]), text, figures)


def _poses(scene: _Scene) -> Iterator[Cause]:
    """The joint that is furthest from its planned angle."""
    model, planned = scene.world.model, scene.prepared.reference.qpos[scene.window]
    change = pose_changes(model, planned, scene.trace.qpos[scene.window])
    bodies = scene.world.index.body[1:]
    angle = np.stack([np.linalg.norm(change[:, model.dof_bodyid == b], axis=1) for b in bodies], axis=1)
    worst = int(np.argmax(angle.max(axis=0)))
    for start, end in list(scene.true_intervals(angle[:, worst] > STRAYED))[:1]:
        name, most = scene.world.spec.names[worst + 1], float(np.degrees(angle[start:end, worst].max()))
        text = f"the {joint_words(name)} strayed {most:.0f} deg from the motion"
        yield Cause("pose", float(scene.time[start]), text, {"joint": name, "angle_deg": most})


def _balance(scene: _Scene) -> Iterator[Cause]:
    """The centre of mass further out over the feet than planned."""
    touches = scene.prepared.schedule.touches[scene.window]
    out, planned = _outside(scene.frames, scene.point_loaded), _outside(scene.frames_planned, touches)
    for start, end in list(scene.true_intervals(out - planned > OUT_M))[:1]:
        worst = start + int(np.argmax((out - planned)[start:end]))
        text = (
            f"the centre of mass was {100 * out[worst]:.0f} cm outside the feet "
            f"where {100 * planned[worst]:.0f} cm was planned"
        )
        figures: dict[str, float | str] = {"outside_m": float(out[worst]), "planned_m": float(planned[worst])}
        yield Cause("balance", float(scene.time[start]), text, figures)


def _outside(frames: CentroidalFrames, touching: np.ndarray) -> FloatArray:
    """Horizontal distance of the com from the area between touching points (W); nan without any."""
    result = np.full(len(frames.com), np.nan)
    for t in np.flatnonzero(touching.any(axis=1)):
        arms = (frames.points[t, touching[t]] - frames.com[t])[:, :2]
        # The nearest point of the area is a mean of the corners; the last row makes weights add up to one.
        rows = np.vstack([arms.T, np.full(len(arms), 1e3)])
        weights = nnls(rows, np.array([0.0, 0.0, 1e3]))[0]
        result[t] = np.linalg.norm(weights @ arms)
    return result
