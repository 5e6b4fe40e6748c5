"""Why a character fell: what went wrong in the last half second, in sentences and in figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import nnls

from ..base import rotations
from ..base.conventions import GRAVITY, Z_UP, BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals
from ..character.posing import segment_poses
from ..dynamics.centroidal import CentroidalFrames, measure_centroidal
from ..recognition.mapping import joint_label, part_label
from ..reference.prepare import Prepared, needed_torque
from ..reference.reference import Reference, pose_changes
from ..result import metrics
from ..result.records import Cause
from ..scenario.scenario import Scenario
from ..simulation.trace import Trace
from ..world.ground import ObjectState
from ..world.world import World

WINDOW_S = 0.5
"""Time before the fall in which causes are looked for [s]."""
SHORTEST_WINDOW = 3
"""Number of samples that rates of change need."""
LASTING_S = 0.05
"""Shorter events do not make a body fall [s]."""
AT_LIMIT = 0.97
"""Share of a torque limit from which a joint counts as being at its limit."""
SLIP_SPEED, SLIP_M = 0.3, 0.03
"""A loaded foot that is faster than the first slips [m/s]; it is reported from the second on [m]."""
OUT_M = 0.05
"""A centre of mass that is this much further outside the feet than planned is out of balance [m]."""
SPIN = np.radians(30.0)
"""Error of the turning speed at take-off from which a body cannot land as planned [rad/s]."""
HELD_SHARE = 0.2
"""Share of the weight without support from which feet alone cannot carry out a motion."""
LONG_FLIGHT_S = 0.8
"""Flights that last longer take a jump of over 0.78 m, which is beyond human legs [s]."""
STRAYED = np.radians(30.0)
"""Error of a joint angle from which the joint no longer follows the motion [rad]."""
CAPS = (15.0, 25.0, 50.0, 100.0, 200.0, 400.0)
"""Caps of the assist that are tried [N, Nm]."""


def fell_at(
    scenario: Scenario, reference: Reference, trace: Trace, should_lie: BoolArray | None = None
) -> float | None:
    """Return when the character fell [s], or None; should_lie (T): where the source lies."""
    new = segment_poses(scenario.spec, trace.qpos)
    planned = segment_poses(scenario.spec, reference.qpos[: len(trace.time)])
    trunk = scenario.spec.trunk
    as_planned = None
    if should_lie is not None:
        as_planned = should_lie[: len(trace.time)] & lying(scenario, trace.qpos)
    return metrics.fall_time(
        trace.time,
        new[0][:, 0, 2],
        planned[0][:, 0, 2],
        new[1][:, trunk],
        planned[1][:, trunk],
        scenario.leg_length,
        as_planned,
    )


def lying(scenario: Scenario, qpos: FloatArray) -> BoolArray:
    """Return in which of some poses (T, nq) a body lies on the floor (T)."""
    position, quaternion = segment_poses(scenario.spec, qpos)
    axis = rotations.rotate(quaternion[:, scenario.spec.trunk], Z_UP)
    return metrics.lies(position[:, 0, 2] - scenario.ground_height, axis, scenario.spec.height)


def least_assist(carries: Callable[[float], bool], above: float) -> tuple[float | None, tuple[float, ...]]:
    """Return the smallest cap above the present one that carries the motion, and the caps tried [N, Nm].

    The largest comes first: in 60 falls, no smaller one carried what the largest did not.
    """
    caps = [cap for cap in CAPS if cap > above]
    tried: list[float] = []

    def tries(cap: float) -> bool:
        tried.append(cap)
        return carries(cap)

    carried = bool(caps) and tries(caps[-1])
    return (next(filter(tries, caps[:-1]), caps[-1]) if carried else None), tuple(tried)


def find_causes(world: World, prepared: Prepared, trace: Trace, fell_at_s: float) -> tuple[Cause, ...]:
    """Return what went wrong before the fall, in the order in which it began."""
    last = _LastSamples(world, prepared, trace, fell_at_s)
    events_of = (_support, _flights, _torques, _contacts, _touches, _pushes_by_others, _slips, _spins)
    events = [cause for find in events_of for cause in find(last)]
    # Every fall bends joints and leans the body over, so these are named after what may have led to them.
    effects = [*_poses(last), *_balance(last)]
    return (*sorted(events, key=_start), *sorted(effects, key=_start))


def _start(cause: Cause) -> float:
    return cause.start_s


class _LastSamples:
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
        """Return which points of the schedule bear weight (W, K): soles singly, other points by segment."""
        index, slots = self.world.index, self.trace.contact_segment
        loaded = np.zeros((len(self.time), len(support)), dtype=bool)
        for k, which in enumerate(support):
            segment = index.segment_of(index.support_body[which])
            mine = which if which < index.soles else slots == segment
            loaded[:, k] = np.atleast_2d(self.touching.T[mine]).any(axis=0)
        return loaded

    def foot_name(self, foot: int) -> str:
        return part_label(self.world.spec.names[self.world.index.foot_segments[foot]])

    def lasting_intervals(self, flags: np.ndarray) -> Iterator[tuple[int, int]]:
        """Yield first and past-the-last sample of each lasting interval of flags (W)."""
        for start, end in true_intervals(flags):
            if (end - start) * self.dt >= LASTING_S - 1e-9:
                yield start, end


def _support(last: _LastSamples) -> Iterator[Cause]:
    """Find a plan that rests on something other than the feet."""
    reference, start = last.prepared.reference, last.window.start
    window = slice(start, start + round(WINDOW_S / last.dt) + 1)
    height = measure_centroidal(last.world, reference.qpos[window], np.zeros(0, dtype=np.int64)).com[:, 2]
    if len(height) < 3:
        return
    needed = 1.0 + np.gradient(np.gradient(height, last.dt), last.dt) / GRAVITY
    ground = last.prepared.support_force[window, :, 2].sum(axis=1) / (last.world.spec.mass * GRAVITY)
    share = float((needed - ground).mean())
    if share > HELD_SHARE:
        text = f"the motion had {100 * min(share, 1.0):.0f} % of its weight on something other than its feet"
        yield Cause("support", float(last.time[0]), text, {"share": share})


def _flights(last: _LastSamples) -> Iterator[Cause]:
    """Find a plan that hangs in the air for longer than a jump lasts, as game characters do."""
    airborne = np.asarray(~last.prepared.schedule.touches.any(axis=1))
    soon = last.window.stop + round(WINDOW_S / last.dt)
    for start, end in true_intervals(airborne):
        seconds = (end - start) * last.dt
        if seconds > LONG_FLIGHT_S and start < soon and end > last.window.start:
            jump_m = GRAVITY * seconds**2 / 8.0
            text = f"the motion stays in the air for {seconds:.2f} s, which takes a jump of {jump_m:.1f} m"
            yield Cause("flight", float(last.time[0]), text, {"seconds": seconds, "jump_m": jump_m})


def _torques(last: _LastSamples) -> Iterator[Cause]:
    """Find joints at their torque limit, each by its busiest axis."""
    index, spec = last.world.index, last.world.spec
    segment_of_dof = last.world.model.dof_bodyid[index.actuated_dof]
    samples = range(last.window.start, last.window.stop)
    needed = np.abs(needed_torque(last.world, last.prepared, samples)).max(axis=0)
    full = np.abs(last.trace.torque[last.window]) > AT_LIMIT * index.torque_limit
    for segment, body in zip(spec, index.body, strict=True):
        axes = np.flatnonzero(segment_of_dof == body)
        if len(axes) == 0:
            continue
        axis = int(axes[np.argmax(full[:, axes].sum(axis=0))])
        limit = float(index.torque_limit[axis])
        for start, end in list(last.lasting_intervals(full[:, axis]))[:1]:
            seconds = (end - start) * last.dt
            words = joint_label(segment.name)
            text = f"the {words} gave all of its {limit:.0f} Nm for {seconds:.2f} s"
            if needed[axis] > limit:
                text = f"the {words} needed {needed[axis]:.0f} Nm but has {limit:.0f} Nm"
            figures: dict[str, float | str] = {
                "joint": segment.name,
                "needed_nm": float(needed[axis]),
                "limit_nm": limit,
                "seconds": seconds,
            }
            yield Cause("torque", float(last.time[start]), text, figures)


def _contacts(last: _LastSamples) -> Iterator[Cause]:
    """Find feet that were in the air but should stand, or stood but should swing."""
    for foot in (0, 1):
        words = last.foot_name(foot)
        planned, loaded = last.planned[:, foot], last.loaded[:, foot]
        for flags, text in (
            (planned & ~loaded, f"the {words} was in the air for {{:.2f}} s when it should stand"),
            (~planned & loaded, f"the {words} was on the ground for {{:.2f}} s when it should swing"),
        ):
            for start, end in list(last.lasting_intervals(flags))[:1]:
                seconds = (end - start) * last.dt
                figures: dict[str, float | str] = {"foot": words, "seconds": seconds}
                yield Cause("contact", float(last.time[start]), text.format(seconds), figures)


def _touches(last: _LastSamples) -> Iterator[Cause]:
    """Find other segments than the feet that touched the ground or a prop although that was not planned."""
    what = "the ground or a prop" if len(last.world.engine.objects.props) else "the ground"
    names, soles = last.world.spec.names, last.world.index.soles
    schedule, index = last.prepared.schedule, last.world.index
    meant = index.support_body[schedule.support[schedule.touches[last.window].any(axis=0)]]
    other = last.trace.contact_other[soles:]
    for segment in np.unique(last.trace.contact_segment[soles:]):
        if index.body[segment] in meant:
            continue
        slots = np.flatnonzero((last.trace.contact_segment[soles:] == segment) & (other < 0)) + soles
        for start, _ in list(last.lasting_intervals(last.touching[:, slots].any(axis=1)))[:1]:
            name = names[int(segment)]
            text = f"the {part_label(name)} touched {what}"
            yield Cause("touch", float(last.time[start]), text, {"part": name})


def _pushes_by_others(last: _LastSamples) -> Iterator[Cause]:
    """Find other characters that pushed it, each with the segment that it pushed hardest."""
    trace, names = last.trace, last.world.spec.names
    for index, other in enumerate(last.world.engine.others):
        slots = np.flatnonzero(trace.contact_other == index)
        for start, end in list(last.lasting_intervals(last.touching[:, slots].any(axis=1)))[:1]:
            strength = np.linalg.norm(trace.contact_force[last.window][start:end, slots], axis=-1)
            hardest = slots[int(strength.max(axis=0).argmax())]
            part, force = names[int(trace.contact_segment[hardest])], float(strength.max())
            text = f"'{other.name}' pushed the {part_label(part)} with up to {force:.0f} N"
            figures: dict[str, float | str] = {"part": part, "other": other.name, "force_n": force}
            yield Cause("meeting", float(last.time[start]), text, figures)


def _slips(last: _LastSamples) -> Iterator[Cause]:
    """Find feet that slid over the ground while they were planned to stand."""
    slip = np.gradient(last.frames.points, last.dt, axis=0) - last.ground_velocity
    speed = np.linalg.norm(slip[..., :2], axis=-1)
    for foot in (0, 1):
        mine = last.foot == foot
        loaded = last.point_loaded[:, mine]
        # The slowest loaded point: a foot that only rolls or turns has one at rest.
        slowest = np.where(loaded, speed[:, mine], np.inf).min(axis=1)
        flags = last.planned[:, foot] & loaded.any(axis=1) & (slowest > SLIP_SPEED)
        for start, end in list(last.lasting_intervals(flags))[:1]:
            slip_m = float(slowest[start:end].sum() * last.dt)
            if slip_m > SLIP_M:
                words = last.foot_name(foot)
                text = f"the {words} slipped by {100 * slip_m:.0f} cm"
                yield Cause("slip", float(last.time[start]), text, {"foot": words, "slip_m": slip_m})


def _spins(last: _LastSamples) -> Iterator[Cause]:
    """Find a flight that began with a wrong angular momentum, which nothing can change in the air."""
    qvel, planned_qvel = last.trace.qvel[last.window], last.prepared.reference.qvel[last.window]
    airborne = np.asarray(~(last.planned | last.loaded).any(axis=1))
    for start, _ in list(last.lasting_intervals(airborne))[:1]:
        matrix, planned = last.frames.momentum_matrix[start], last.frames_planned.momentum_matrix[start]
        error = matrix @ qvel[start] - planned @ planned_qvel[start]
        # The root's turning moves the whole body, so its columns are the inertia of the body as one piece.
        spin = float(np.linalg.norm(np.linalg.solve(matrix[:, 3:6], error)))
        if spin > SPIN:
            text = f"it left the ground turning {np.degrees(spin):.0f} deg/s too fast or too slowly"
            figures: dict[str, float | str] = {"spin_deg_s": float(np.degrees(spin))}
            yield Cause("spin", float(last.time[start]), text, figures)


def _poses(last: _LastSamples) -> Iterator[Cause]:
    """Find the joint that is furthest from its planned angle."""
    model, planned = last.world.model, last.prepared.reference.qpos[last.window]
    change = pose_changes(model, planned, last.trace.qpos[last.window])
    bodies = last.world.index.body[1:]
    angle = np.stack([np.linalg.norm(change[:, model.dof_bodyid == b], axis=1) for b in bodies], axis=1)
    worst = int(np.argmax(angle.max(axis=0)))
    for start, end in list(last.lasting_intervals(angle[:, worst] > STRAYED))[:1]:
        name, most = last.world.spec.names[worst + 1], float(np.degrees(angle[start:end, worst].max()))
        text = f"the {joint_label(name)} strayed {most:.0f} deg from the motion"
        yield Cause("pose", float(last.time[start]), text, {"joint": name, "angle_deg": most})


def _balance(last: _LastSamples) -> Iterator[Cause]:
    """Find a centre of mass that is further outside the feet than planned."""
    touches = last.prepared.schedule.touches[last.window]
    out, planned = _outside(last.frames, last.point_loaded), _outside(last.frames_planned, touches)
    for start, end in list(last.lasting_intervals(out - planned > OUT_M))[:1]:
        worst = start + int(np.argmax((out - planned)[start:end]))
        text = (
            f"the centre of mass was {100 * out[worst]:.0f} cm outside the feet "
            f"where {100 * planned[worst]:.0f} cm was planned"
        )
        figures: dict[str, float | str] = {"outside_m": float(out[worst]), "planned_m": float(planned[worst])}
        yield Cause("balance", float(last.time[start]), text, figures)


def _outside(frames: CentroidalFrames, touching: np.ndarray) -> FloatArray:
    """Return the horizontal distance of the com from the support polygon (W) [m]; nan without support."""
    result = np.full(len(frames.com), np.nan)
    for t in np.flatnonzero(touching.any(axis=1)):
        arms = (frames.points[t, touching[t]] - frames.com[t])[:, :2]
        # The nearest point of the area is a mean of the corners; the last row makes weights add up to one.
        rows = np.vstack([arms.T, np.full(len(arms), 1e3)])
        weights = nnls(rows, np.array([0.0, 0.0, 1e3]))[0]
        result[t] = np.linalg.norm(weights @ arms)
    return result
