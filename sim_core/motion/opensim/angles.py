"""Reads a motion of OpenSim: a table of coordinates, and the model whose joints they move."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...base import rotations
from ...base.conventions import IDENTITY_QUATERNION, FloatArray
from ...base.errors import InputError
from ..motion_file import MotionFile, unrotated_skeleton
from ..skeleton import NO_PARENT, local_from_world
from .model import GROUND, Coordinate, Frame, Joint, JointAxis, OsimModel, read_osim
from .storage import MODEL_SUFFIX, Storage, read_storage

MOST_RESAMPLED = 100.0
"""Rows at even times for each row of the file, above which a time must be wrong."""
EVEN = 1e-3
"""Largest difference between steps of time, as a share of the usual one, that rounding makes."""
MARGIN_RAD = 1.0
"""How far beyond its range in the model a joint may turn; some captures exceed it."""
TOO_MANY = 0.02
"""Share of values beyond their range, from which the unit is wrong."""
SMALL_RAD = np.radians(2.0 * np.pi)
"""Largest angle below which degrees are probably radians."""
SHOWN = 6
Values = dict[str, FloatArray]


def read_coordinates(path: Path, model_path: Path | None = None) -> MotionFile:
    """Read a motion; model_path: its .osim file, None looks for it beside the motion."""
    table = read_storage(path)
    _refuse_forces(table, path)
    model_path = model_path or find_model(path)
    model = read_osim(model_path)
    named = _by_coordinate(table, model, path, model_path)
    named, unit_notes = _in_radians(named, model, table.in_degrees, path)
    time, named, time_notes = _evenly(table.time, named)
    values = _all_coordinates(named, model, len(time))
    at_rest = _all_coordinates({}, model, 1)
    rest_place, rest_turn = _heads(model, at_rest)
    place, turn = _heads(model, values)
    parents = _parents(model)
    rest = unrotated_skeleton([joint.child for joint in model.joints], parents, rest_place[0])
    turn = rotations.multiply(turn, rotations.conjugate(rest_turn))
    local_place, local_turn = local_from_world(place, turn, rest.parents)
    notes = (*table.notes, *unit_notes, *time_notes, *_missing_note(named, model))
    step = float(time[1] - time[0])
    mass = model.mass_kg if model.mass_kg > 0.0 else None
    return MotionFile(
        rest, {}, local_place, local_turn, step, unit_m=1.0, mass_kg=mass, start_s=time[0], notes=notes
    )


def find_model(path: Path) -> Path:
    """Return the model of a motion: the .osim file of its name, or the only one beside it."""
    try:
        beside = sorted(file for file in path.parent.iterdir() if file.suffix.lower() == MODEL_SUFFIX)
    except OSError as problem:
        raise InputError(
            f"The folder of '{path.name}' cannot be read ({problem.strerror}); give the model (--skeleton)."
        ) from problem
    named = [file for file in beside if file.stem.casefold() == path.stem.casefold()]
    if named or len(beside) == 1:
        return (named or beside)[0]
    found = f"{len(beside)} models lie beside it" if beside else "no .osim file lies beside it"
    raise InputError(
        f"'{path.name}' has angles, which mean nothing without a model, and {found}. Put the model "
        "there under the same name, or name it (--skeleton MODEL.osim)."
    )


def _refuse_forces(table: Storage, path: Path) -> None:
    forces = [label for label in table.columns if "force" in label.lower() and label.lower()[-2:-1] in "vp"]
    if len(forces) >= 3:
        raise InputError(
            f"'{path.name}' has ground forces ('{forces[0]}', ...), not a motion; give the file with "
            "the joint angles or the markers."
        )


def _by_coordinate(table: Storage, model: OsimModel, path: Path, model_path: Path) -> Values:
    """Return the columns that are coordinates of the model; labels of states are paths that end in /value."""
    named = {}
    for label, values in table.columns.items():
        parts = label.split("/")
        name = parts[-2] if len(parts) > 1 and parts[-1] == "value" else parts[-1]
        if name in model.coordinates and not (len(parts) > 1 and parts[-1] == "speed"):
            named[name] = values
    if not named:
        raise InputError(
            f"No column of '{path.name}' is a coordinate of '{model_path.name}': there are "
            f"{_listed(table.columns)}, and the model has {_listed(model.coordinates)}. Give the model with "
            "which it was made (--skeleton MODEL.osim)."
        )
    return named


def _listed(names: dict[str, FloatArray] | dict[str, Coordinate]) -> str:
    return ", ".join(list(names)[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


def _in_radians(
    named: Values, model: OsimModel, in_degrees: bool | None, path: Path
) -> tuple[Values, tuple[str, ...]]:
    """Return the coordinates in radians and metres; the model's ranges show where the header is wrong."""
    angles = {name: own for name, own in named.items() if model.coordinates[name].is_angle}
    beyond = {unit: _beyond(angles, model, unit) for unit in (np.pi / 180.0, 1.0)}
    said = 1.0 if in_degrees is False else np.pi / 180.0
    other = np.pi / 180.0 if said == 1.0 else 1.0
    largest = max((float(np.abs(own).max()) for own in angles.values()), default=0.0)
    unit, notes = said, tuple[str, ...]()
    if beyond[said] > TOO_MANY:
        if beyond[other] > TOO_MANY:
            raise InputError(
                f"{beyond[said]:.0%} of the angles in '{path.name}' are far beyond the ranges of the model's "
                "joints, in degrees and in radians; give the model with which the motion was made "
                "(--skeleton)."
            )
        unit = other
        notes = (
            f"The header states {_words(said)}, but then {beyond[said]:.0%} of the angles would be "
            f"far beyond the ranges of their joints; they were read as {_words(other)}.",
        )
    elif said != 1.0 and 0.0 < said * largest < SMALL_RAD:
        notes = (
            f"No joint turns by more than {largest:.2g} degrees; if the angles are radians, write "
            "inDegrees=no into the header.",
        )
    return {name: unit * own if name in angles else own for name, own in named.items()}, notes


def _words(unit: float) -> str:
    return "radians" if unit == 1.0 else "degrees"


def _beyond(angles: Values, model: OsimModel, unit: float) -> float:
    """Return the share of values far beyond the ranges of their joints; whoever turns round has no range."""
    root = {axis.coordinate for joint in model.joints if joint.parent == GROUND for axis in joint.turns}
    far = [
        (unit * own < model.coordinates[name].range[0] - MARGIN_RAD)
        | (unit * own > model.coordinates[name].range[1] + MARGIN_RAD)
        for name, own in angles.items()
        if name not in root
    ]
    return float(np.mean(far)) if far else 0.0


def _evenly(time: FloatArray, named: Values) -> tuple[FloatArray, Values, tuple[str, ...]]:
    """Return the coordinates at even times: simulations write uneven ones."""
    if len(time) < 2:
        raise InputError("The motion has one row only; give a motion with two or more.")
    step = float(np.median(np.diff(time)))
    if np.abs(np.diff(time) - step).max() <= max(EVEN * step, 1e-4):
        return np.linspace(time[0], time[-1], len(time)), named, ()
    if time[-1] - time[0] > MOST_RESAMPLED * len(time) * step:
        jump = int(np.argmax(np.diff(time)))
        found = f"from {time[jump]:.4g} to {time[jump + 1]:.4g} s at row {jump + 2}"
        raise InputError(f"The time jumps {found}; correct that column.")
    even = np.arange(time[0], time[-1] + 0.5 * step, step)
    resampled: Values = {name: np.interp(even, time, own) for name, own in named.items()}
    note = f"The rows are not evenly spaced in time; they were resampled at {1.0 / step:.4g} rows a second."
    return even, resampled, (note,)


def _all_coordinates(named: Values, model: OsimModel, samples: int) -> Values:
    """Return values (T) of all coordinates: as given, as they follow others, or as the model has them."""
    values = {name: np.full(samples, own.default) for name, own in model.coordinates.items()} | named
    for coupling in model.couplings:
        if coupling.dependent not in named and coupling.independent in values:
            values[coupling.dependent] = coupling.function(values[coupling.independent])
    return values


def _missing_note(named: Values, model: OsimModel) -> tuple[str, ...]:
    coupled = {coupling.dependent for coupling in model.couplings}
    missing = {n: c for n, c in model.coordinates.items() if n not in named and n not in coupled}
    if not missing:
        return ()
    return (f"The file lacks coordinates of the model, which stay as they are there: {_listed(missing)}.",)


def _parents(model: OsimModel) -> list[int]:
    index = {joint.child: n for n, joint in enumerate(model.joints)}
    return [index.get(joint.parent, NO_PARENT) for joint in model.joints]


def _heads(model: OsimModel, values: Values) -> tuple[FloatArray, FloatArray]:
    """Return the places (T, N, 3) of the joints on their bodies, and the bodies' rotations (T, N, 4)."""
    samples = len(next(iter(values.values())))
    ground = (np.zeros((samples, 3)), np.tile(IDENTITY_QUATERNION, (samples, 1)))
    bodies, heads = {GROUND: ground}, []
    for joint in model.joints:
        head, turn = _moved(joint, *bodies[joint.parent], values)
        turn = rotations.multiply(turn, rotations.conjugate(joint.on_child.turn))
        bodies[joint.child] = (head - rotations.rotate(turn, joint.on_child.place), turn)
        heads.append(head)
    return np.stack(heads, axis=1), np.stack([bodies[joint.child][1] for joint in model.joints], axis=1)


def _moved(
    joint: Joint, place: FloatArray, turn: FloatArray, values: Values
) -> tuple[FloatArray, FloatArray]:
    """Return the joint's frame on its child (T, 3), (T, 4), given its parent's place and turn."""
    place, turn = _on(joint.on_parent, place, turn)
    for axis in joint.moves:
        place = place + rotations.rotate(turn, _amount(axis, values)[:, None] * axis.axis)
    for axis in joint.turns:
        turn = rotations.multiply(turn, rotations.from_vector(_amount(axis, values)[:, None] * axis.axis))
    return place, turn


def _on(frame: Frame, place: FloatArray, turn: FloatArray) -> tuple[FloatArray, FloatArray]:
    return place + rotations.rotate(turn, frame.place), rotations.multiply(turn, frame.turn)


def _amount(axis: JointAxis, values: Values) -> FloatArray:
    samples = np.zeros(len(next(iter(values.values()))))
    return axis.function(samples if axis.coordinate is None else values[axis.coordinate])
