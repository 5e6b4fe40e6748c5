"""Inverse dynamics of captured or keyed motions (docs/dynamics.md).

The dissertation's chapter 5.3 lets a physics engine find the forces with springs that hold the body up. Here
the engine only computes the generalised forces that the motion needs (M qacc + bias, without contacts), and
contact forces are then found that provide them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.errors import InputError
from ..base.intervals import true_intervals
from ..character.posing import centre_of_mass, pose_from_rotations, segment_centres, segment_poses
from ..character.spec import CharacterSpec
from ..dynamics.centroidal import Momenta, SupportFrames, measure_motion, supports_of
from ..dynamics.contact_forces import FRICTION, build_contact_problem, solve_contact_forces
from ..dynamics.kinematics import cross_matrix
from ..markers.marker_take import ForcePlate
from ..motion.motion import CONTROL_DT, Motion, control_times, interpolated, low_pass_values
from ..recognition.mapping import BoneMapping
from ..reference.body_contacts import detect_body_contacts, lowest_points
from ..reference.contacts import REFERENCE_LEG_LENGTH, needed_support
from ..reference.reference import Reference, reference_from_poses
from ..result.result import NO_BODY
from ..scenario.job import Job
from ..scenario.scenario import Scenario, make_scenario
from ..scenario.settings import BakeSettings
from ..world.world import World, build_world
from .analysis import ESTIMATED, KINEMATIC, MEASURED, Analysis, foot_loads
from .body_mass import BodyMass, Weighing, choose_mass, weigh
from .foot_contacts import find_carrying_soles
from .levelling import level_shift
from .plate_loads import Load, loads_from_plates

CUTOFF_HZ, FLIGHT_CUTOFF_HZ = 6.0, 10.0
"""Cutoff of the low-pass for motions on the ground, and for motions that leave it [Hz]."""
FLIGHT_SHARE, FLIGHT_S = 0.2, 0.06
"""A body that needs less than this share of its weight for this time [s] is in flight."""
LEAST_SAMPLES = 12
"""Shortest motion that can be analysed."""
WINDOW = 512
"""Number of samples whose contact forces are found at once."""
LOADED_N = 1e-3
"""Smaller contact forces are set to zero [N]."""


@dataclass(frozen=True)
class DynamicsSettings:
    """How a clip is analysed.

    mass [kg]: None estimates it from the body's height; height [m]: None measures the skeleton
    cutoff_hz: of the low-pass; None takes 6 Hz, or 10 Hz if the motion leaves the ground
    friction: largest ratio of horizontal to vertical force
    measured: use force plates where a foot is wholly on one
    level: shift the root a little to reduce the residual force
    """

    mass: float | None = None
    height: float | None = None
    cutoff_hz: float | None = None
    friction: float = FRICTION
    measured: bool = True
    level: bool = False

    def __post_init__(self) -> None:
        for name, low, high in (("cutoff_hz", 1.0, 50.0), ("friction", 0.05, 5.0)):
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise InputError(f"{name} is {value:g}; it must lie between {low:g} and {high:g}.")


@dataclass(frozen=True, eq=False)
class _ClipState:
    """A motion on the control grid and the forces that it needs.

    torque (T, nv): generalised forces that the motion needs without contacts
    wrench (T, 6): the external force and moment about the com that it needs
    frames: with soles first, then other supports in contact; foot (K), body (K): indices of both
    activation (T, K): from 0, cannot carry, to 1; floor: lowest height that feet stand on [m]
    """

    scenario: Scenario
    world: World
    time: FloatArray
    reference: Reference
    frames: SupportFrames
    momenta: Momenta
    torque: FloatArray
    wrench: FloatArray
    foot: IntArray
    body: IntArray
    activation: FloatArray
    floor: float
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _ContactForces:
    """Contacts (T, K), their generalised forces (T, nv), and moments (T, 3) beyond those of the forces."""

    point: FloatArray
    force: FloatArray
    body: IntArray
    torque: FloatArray
    moment: FloatArray


def analyse_motion(
    motion: Motion,
    mapping: BoneMapping,
    settings: DynamicsSettings | None = None,
    plates: Sequence[ForcePlate] = (),
    loads: Sequence[Load] = (),
) -> Analysis:
    """Return the forces of a motion.

    plates: in the motion's coordinates and scale; loads: forces on known feet, beside or instead of plates
    """
    chosen = settings or DynamicsSettings()
    scenario = make_scenario(Job(motion, mapping, BakeSettings(mass=chosen.mass, height=chosen.height)))
    return analyse_scenario(scenario, chosen, plates, loads)


def weigh_motion(
    motion: Motion,
    mapping: BoneMapping,
    settings: DynamicsSettings,
    plates: Sequence[ForcePlate] = (),
    loads: Sequence[Load] = (),
) -> Weighing | None:
    """Return the body's mass by force plates, for the arguments of `analyse_motion`.

    None if they cannot tell it
    """
    scenario = make_scenario(Job(motion, mapping, BakeSettings(mass=settings.mass, height=settings.height)))
    world = build_world(scenario.spec, scenario.ground_height)
    clip = _measured(scenario, world, *smooth_poses(scenario, settings))
    known = [load.at(clip.time) for load in (*_plate_loads(clip, settings, plates)[0], *loads)]
    if not known:
        return None
    # Without the plates, or the error of a wrong mass would be attributed to the other foot.
    force = _contacts(clip, (), settings).force[..., 2]
    for load in known:
        force[np.ix_(load.loaded, clip.foot == load.foot)] = 0.0
    return weigh(scenario.spec.mass, clip.wrench[:, 2], force.sum(axis=1), known, CONTROL_DT)


def mass_of_subject(
    motion: Motion,
    mapping: BoneMapping,
    parameters: Mapping[str, float],
    settings: DynamicsSettings,
    plates: Sequence[ForcePlate] = (),
    loads: Sequence[Load] = (),
) -> BodyMass:
    """Return the given mass, else that of the force plates if they are used, else the file's.

    parameters: numbers about the subject in the file; the rest as for `analyse_motion`
    """
    asked = settings.mass is None and settings.measured and bool(plates or loads)
    weighed = weigh_motion(motion, mapping, settings, plates, loads) if asked else None
    return choose_mass(settings.mass, parameters, weighed, asked)


def analyse_scenario(
    scenario: Scenario,
    settings: DynamicsSettings,
    plates: Sequence[ForcePlate] = (),
    loads: Sequence[Load] = (),
    world: World | None = None,
) -> Analysis:
    """Return the forces of a scenario's motion; arguments as for `analyse_motion`.

    world: of the scenario's character; None compiles it
    """
    world = world or build_world(scenario.spec, scenario.ground_height)
    time, qpos = smooth_poses(scenario, settings)
    clip = _measured(scenario, world, time, qpos)
    found, notes = _plate_loads(clip, settings, plates)
    known = [load.at(time) for load in (*found, *loads)] if settings.measured else []
    contacts = _contacts(clip, known, settings)
    if settings.level:
        left = clip.wrench - _wrench_of(clip, contacts)
        shift = level_shift(left[:, :3], world.spec.mass, CONTROL_DT)
        clip = _measured(scenario, world, time, np.hstack([qpos[:, :3] + shift, qpos[:, 3:]]))
        contacts = _contacts(clip, known, settings)
        notes += (_shift_note(shift),)
    return _analysis(clip, contacts, bool(known), (*scenario.notes, *clip.notes, *notes))


def smooth_poses(scenario: Scenario, settings: DynamicsSettings) -> tuple[FloatArray, FloatArray]:
    """Return times (T) and low-pass filtered poses (T, nq) on the control grid."""
    cutoff, time = settings.cutoff_hz, control_times(scenario.repaired)
    if len(time) < LEAST_SAMPLES:
        raise InputError(
            f"The motion lasts {scenario.motion.duration:.2f} s; forces need at least "
            f"{LEAST_SAMPLES * CONTROL_DT:.2f} s, choose a longer one."
        )
    if cutoff is None:
        qpos = _filtered_poses(scenario, time, FLIGHT_CUTOFF_HZ)
        if _flies(scenario.spec, qpos):
            return time, qpos
        cutoff = CUTOFF_HZ
    return time, _filtered_poses(scenario, time, cutoff)


def _filtered_poses(scenario: Scenario, time: FloatArray, cutoff_hz: float) -> FloatArray:
    """Return low-pass filtered poses (T, nq) at times (T).

    Only what they follow from is filtered: the root's path, and the turns of bones that segments follow.
    """
    motion, binding = scenario.repaired, scenario.binding
    root = low_pass_values(motion.position_world[:, binding.joint[0]], motion.rate_hz, cutoff_hz)
    turns = low_pass_values(motion.quaternion_world[:, binding.driver], motion.rate_hz, cutoff_hz)
    turns = rotations.continuous(rotations.normalise(turns))
    turns = rotations.continuous(rotations.normalise(interpolated(motion.time, turns, time)))
    axes = rotations.multiply(turns, binding.bone_to_segment)
    return pose_from_rotations(scenario.spec, interpolated(motion.time, root, time), axes)


def _flies(spec: CharacterSpec, qpos: FloatArray) -> bool:
    support = needed_support(centre_of_mass(spec, *segment_poses(spec, qpos)), CONTROL_DT)
    longest = max((end - start for start, end in true_intervals(support < FLIGHT_SHARE)), default=0)
    return longest * CONTROL_DT > FLIGHT_S


def _measured(scenario: Scenario, world: World, time: FloatArray, qpos: FloatArray) -> _ClipState:
    reference = reference_from_poses(world.model, qpos, CONTROL_DT)
    index, size = world.index, scenario.leg_length / REFERENCE_LEG_LENGTH
    soles = np.arange(index.soles)
    bodies, momenta, torque = measure_motion(world, qpos, reference.qvel, reference.qacc)
    frames = supports_of(world, bodies, soles)
    foot = index.foot_of_support[soles]
    carrying = find_carrying_soles(frames.points, frames.com, foot, CONTROL_DT, size, world.ground_height)
    stands: BoolArray = np.asarray((carrying.activation > 0.5).any(axis=1))
    points, speed = lowest_points(world, bodies, CONTROL_DT, index.resting)
    rests, others = detect_body_contacts(world, points, speed, CONTROL_DT, frames.com, size, stands)
    support = np.concatenate([soles, others])
    notes = []
    if carrying.belt.any():
        belt_speed = float(np.linalg.norm(carrying.belt))
        notes.append(f"The feet stand on something that moves at {belt_speed:.2f} m/s, as on a treadmill.")
    if len(carrying.levels) > 1:
        notes.append(f"The feet stand on {len(carrying.levels)} different heights, as on stairs.")
    return _ClipState(
        scenario=scenario,
        world=world,
        time=time,
        reference=reference,
        frames=supports_of(world, bodies, support),
        momenta=momenta,
        torque=torque,
        wrench=_about_com(qpos, frames.com, torque),
        foot=index.foot_of_support[support],
        body=index.segment_of(index.support_body[support]),
        activation=np.hstack([carrying.activation, rests.astype(np.float64)]),
        floor=float(carrying.levels[0]),
        notes=tuple(notes),
    )


def _about_com(qpos: FloatArray, com: FloatArray, torque: FloatArray) -> FloatArray:
    """Return the external force and moment about the com (T, 6); the root's torque is in the root's frame."""
    force = torque[:, :3]
    turn = rotations.rotate(qpos[:, 3:7], torque[:, 3:6])
    return np.concatenate([force, turn + np.cross(qpos[:, :3] - com, force)], axis=1)


def _plate_loads(
    clip: _ClipState, settings: DynamicsSettings, plates: Sequence[ForcePlate]
) -> tuple[tuple[Load, ...], tuple[str, ...]]:
    if not plates or not settings.measured:
        return (), ()
    if clip.scenario.scale != 1.0:
        raise InputError("Force plates do not fit a body of another height; leave the height out.")
    soles = clip.world.index.soles
    return loads_from_plates(plates, clip.time, clip.frames.points[:, :soles], clip.foot[:soles], clip.floor)


def _contacts(clip: _ClipState, loads: Sequence[Load], settings: DynamicsSettings) -> _ContactForces:
    """Return measured loads, and estimated forces of all contacts that are on no plate."""
    measured = _measured_contacts(clip, loads)
    activation = clip.activation.copy()
    for load in loads:
        activation[np.ix_(load.loaded, clip.foot == load.foot)] = 0.0
    wrench = clip.wrench - _wrench_of(clip, measured)
    needed = clip.torque - measured.torque
    force = np.zeros_like(clip.frames.points)
    for start in range(0, len(force), WINDOW):  # matrices of all frames would fill the memory
        own = slice(start, start + WINDOW)
        frames = clip.frames.part(own)
        problem = build_contact_problem(frames, activation[own], wrench[own], needed[own], settings.friction)
        force[own] = solve_contact_forces(problem)
    force[np.linalg.norm(force, axis=-1) < LOADED_N] = 0.0
    body = np.where(np.abs(force).any(axis=-1), clip.body, NO_BODY)
    return _ContactForces(
        point=np.concatenate([clip.frames.points, measured.point], axis=1),
        force=np.concatenate([force, measured.force], axis=1),
        body=np.concatenate([body, measured.body], axis=1),
        torque=measured.torque + clip.frames.generalised_force(force),
        moment=measured.moment,
    )


def _measured_contacts(clip: _ClipState, loads: Sequence[Load]) -> _ContactForces:
    samples, index = len(clip.time), clip.world.index
    point, force = np.zeros((samples, len(loads), 3)), np.zeros((samples, len(loads), 3))
    body = np.full((samples, len(loads)), NO_BODY)
    torque, moment = np.zeros((samples, clip.world.model.nv)), np.zeros((samples, 3))
    for slot, load in enumerate(loads):
        first = int(np.flatnonzero(clip.foot == load.foot)[0])
        linear, angular = _foot_jacobian(clip, load.foot)
        arm = load.point - clip.frames.points[:, first]
        turn = np.cross(arm, load.force) + load.moment
        torque += np.einsum("tid,ti->td", linear, load.force) + np.einsum("tid,ti->td", angular, turn)
        point[:, slot], force[:, slot] = load.point, load.force
        body[load.loaded, slot] = index.foot_segments[load.foot]
        moment += load.moment
    return _ContactForces(point, force, body, torque, moment)


def _foot_jacobian(clip: _ClipState, foot: int) -> tuple[FloatArray, FloatArray]:
    """Return the Jacobians (T, 3, nv) of a foot's first sole point and of the foot's rotation."""
    own = np.flatnonzero(clip.foot == foot)
    points, jacobian = clip.frames.points[:, own], clip.frames.point_jacobian[:, own]
    # Three points that are not in a line determine the rotation by least squares:
    # v_k - v_0 = w x (p_k - p_0).
    arms = points[:, 1:] - points[:, :1]
    rows = -cross_matrix(arms).reshape(len(points), -1, 3)
    change = (jacobian[:, 1:] - jacobian[:, :1]).reshape(len(points), rows.shape[1], -1)
    return jacobian[:, 0], np.linalg.pinv(rows) @ change


def _wrench_of(clip: _ClipState, contacts: _ContactForces) -> FloatArray:
    """Return the wrench (T, 6) of contacts about the com."""
    turn = np.cross(contacts.point - clip.frames.com[:, None], contacts.force).sum(axis=1) + contacts.moment
    return np.concatenate([contacts.force.sum(axis=1), turn], axis=1)


def _shift_note(shift: FloatArray) -> str:
    most = 100.0 * float(np.linalg.norm(shift, axis=1).max())
    return f"The root was shifted by up to {most:.1f} cm so that less force stays unexplained."


def _analysis(clip: _ClipState, contacts: _ContactForces, measured: bool, notes: tuple[str, ...]) -> Analysis:
    scenario, world, reference = clip.scenario, clip.world, clip.reference
    index, dofs = world.index, world.index.actuated_dof
    names = list(scenario.spec.names)
    feet = index.foot_segments.tolist()
    torque = (clip.torque - contacts.torque)[:, dofs]
    force, pressure = foot_loads(contacts.point, contacts.force, contacts.body, feet)
    axes = [(name, a) for name in names for a in range(scenario.spec[name].joint.kind.torque_axes)]
    centres = segment_centres(scenario.spec, *segment_poses(scenario.spec, reference.qpos))
    return Analysis(
        kind=KINEMATIC,
        forces_from=MEASURED if measured else ESTIMATED,
        time=clip.time,
        known=np.ones(len(clip.time), dtype=bool),
        body_name=np.array(names),
        body_mass=np.array([segment.mass for segment in scenario.spec]),
        body_com=centres,
        com=clip.frames.com,
        momentum=scenario.spec.mass * np.gradient(clip.frames.com, CONTROL_DT, axis=0),
        angular_momentum=clip.momenta.angular,
        energy=clip.momenta.energy,
        foot_name=np.array([names[foot] for foot in feet]),
        foot_force=force,
        foot_pressure=pressure,
        contact_point=contacts.point,
        contact_force=contacts.force,
        contact_body=contacts.body,
        axis_name=np.array([f"{name}/{'xyz'[a]}" for name, a in axes]),
        axis_body=np.array([names.index(name) for name, _ in axes]),
        torque=torque,
        torque_limit=index.torque_limit,
        power=torque * reference.qvel[:, dofs],
        residual=clip.wrench - _wrench_of(clip, contacts),
        assist=np.zeros((len(clip.time), 6)),
        notes=notes,
    )
