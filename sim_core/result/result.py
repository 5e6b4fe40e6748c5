"""The result of a bake, and its file (docs/result-file.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.conventions import FloatArray, IntArray, frozen
from ..base.errors import InputError
from ..base.files import AnyArray, AnyPath, names_its_file
from ..base.npz_file import read_file, take_array, write_file
from ..motion.skeleton import NO_PARENT
from .meta import ResultMeta, meta_from_json, meta_to_json
from .validate import refuse_inconsistent

SCHEMA = 1
NO_BODY = -1
"""Entry of contact_body where there is no contact."""

NameArray = NDArray[np.str_]
FlagArray = NDArray[np.bool_]

_DTYPE_OF_KIND: dict[str, type] = {"f": np.float64, "i": np.int64, "b": np.bool_, "U": np.str_}
_KINDS_READ = {"f": "f", "i": "iu", "b": "b", "U": "U"}


def _array(shape: str, kind: str = "f", **default: Any) -> Any:
    """Describe a field that holds an array of this shape.

    Letters are sizes, which must agree between all fields; a size with `?` may also be zero where nothing
    is known, whatever the other fields say. kind: "f" numbers, "i" indices, "b" flags, "U" names
    """
    return field(metadata={"shape": shape.split(), "kind": kind}, **default)


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """A simulated motion, its reference and its source at the control rate.

    T control samples, B bodies, J joints, K contact slots, D joint axes with torque, P props, F samples and
    M mapped bones of the source, L feet, Q joint coordinates of the model in the meta (0 without one),
    E engine steps, I control intervals, U motors and N other changes of the engine's inputs (0 without them).
    SI units, world frame with Z up, quaternions (w, x, y, z). An array without entries is given the shape
    that its sizes ask for.
    """

    time: FloatArray = _array("T")
    body_name: NameArray = _array("B", "U")
    body_mass: FloatArray = _array("B")
    body_com: FloatArray = _array("T B 3")
    body_quaternion_world: FloatArray = _array("T B 4")
    joint_name: NameArray = _array("J", "U")
    joint_parent: IntArray = _array("J", "i")
    joint_position: FloatArray = _array("T J 3")
    joint_quaternion_world: FloatArray = _array("T J 4")
    reference_joint_position: FloatArray = _array("T J 3")
    reference_joint_quaternion_world: FloatArray = _array("T J 4")
    source_joint_position: FloatArray = _array("T J 3")
    source_joint_quaternion_world: FloatArray = _array("T J 4")
    simulated: FloatArray = _array("T")
    assist: FloatArray = _array("T 6")
    contact_point: FloatArray = _array("T K 3")
    contact_force: FloatArray = _array("T K 3")
    contact_body: IntArray = _array("T K", "i")
    contact_other: NameArray = _array("K", "U")
    contact_other_body: NameArray = _array("K", "U")
    torque: FloatArray = _array("T D")
    torque_limit: FloatArray = _array("D")
    torque_name: NameArray = _array("D", "U")
    torque_rate: FloatArray = _array("T D")
    angular_momentum: FloatArray = _array("T 3")
    angular_momentum_rate: FloatArray = _array("T 3")
    energy: FloatArray = _array("T")
    foot_name: NameArray = _array("L", "U")
    foot_slip: FloatArray = _array("T L")
    foot_depth: FloatArray = _array("T L")
    source_com: FloatArray = _array("T 3")
    source_foot_slip: FloatArray = _array("T L")
    source_foot_depth: FloatArray = _array("T L")
    source_foot_force: FloatArray = _array("T? L 3", default=())
    source_torque: FloatArray = _array("T? D", default=())
    source_residual: FloatArray = _array("T? 6", default=())
    plausible_foot_force: FloatArray = _array("T? L 3", default=())
    plausible_torque: FloatArray = _array("T? D", default=())
    plausible_residual: FloatArray = _array("T? 6", default=())
    prop_name: NameArray = _array("P", "U", default=())
    prop_position: FloatArray = _array("T P 3", default=())
    prop_quaternion: FloatArray = _array("T P 4", default=())
    model_qpos: FloatArray = _array("T Q")
    engine_body: IntArray = _array("B", "i")
    control: FloatArray = _array("E U", default=())
    gain: FloatArray = _array("I U 2", default=())
    change_step: IntArray = _array("N", "i", default=())
    change_field: IntArray = _array("N", "i", default=())
    change_index: IntArray = _array("N", "i", default=())
    change_value: FloatArray = _array("N", default=())
    source_time: FloatArray = _array("F")
    bone_name: NameArray = _array("M", "U")
    bone_position: FloatArray = _array("F M 3")
    bone_quaternion_world: FloatArray = _array("F M 4")
    bone_detached: FlagArray = _array("M", "b")
    meta: ResultMeta

    def __post_init__(self) -> None:
        sizes: dict[str, int] = {}
        specs = [f for f in fields(self) if f.metadata]
        for spec in sorted(specs, key=lambda f: len(f.metadata["shape"])):
            array = frozen(getattr(self, spec.name), _DTYPE_OF_KIND[spec.metadata["kind"]])
            object.__setattr__(self, spec.name, _shaped(spec.name, array, spec.metadata["shape"], sizes))
        self._refuse_broken_values()

    def _refuse_broken_values(self) -> None:
        for name, array in self.arrays().items():
            if array.dtype.kind == "f" and not _valid_numbers(name, array):
                raise InputError(
                    f"The result's array '{name}' holds values that are not numbers; make it again."
                )
        for name, none, count in (
            ("contact_body", NO_BODY, len(self.body_name)),
            ("joint_parent", NO_PARENT, len(self.joint_name)),
        ):
            indices = getattr(self, name)
            if np.any((indices < none) | (indices >= count)):
                raise InputError(
                    f"The result's array '{name}' points to something that does not exist; make it again."
                )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name."""
        return {name: getattr(self, name) for name in ARRAY_NAMES}


ARRAY_NAMES = tuple(f.name for f in fields(Result) if f.metadata)
INPUT_NAMES = ("control", "gain", "change_step", "change_field", "change_index", "change_value")
"""Arrays that repeat the simulation in the engine."""


def save_result(result: Result, path: AnyPath) -> None:
    """Write the result to a file, whole or not at all."""
    write_file(path, "result", SCHEMA, result.arrays(), meta_to_json(result.meta))


@names_its_file
def load_result(path: AnyPath) -> Result:
    """Return the result in a file; whatever is wrong with the file raises an InputError."""
    return result_from(*read_file(path, "result", SCHEMA), path)


def result_from(arrays: Mapping[str, AnyArray], meta: Mapping[str, Any], path: AnyPath) -> Result:
    """Return the result in the arrays and the meta of a file; whatever is wrong raises an InputError."""
    specs = {f.name: f.metadata for f in fields(Result) if f.metadata}
    checked = {
        name: take_array(arrays, name, _KINDS_READ[spec["kind"]], len(spec["shape"]), path)
        for name, spec in specs.items()
    }
    result = Result(**checked, meta=meta_from_json(meta, f"The 'meta' of '{path}'"))
    refuse_inconsistent(result)
    return result


def _valid_numbers(name: str, array: FloatArray) -> bool:
    # An infinite torque limit is an axis without one.
    allowed = np.isinf(array) if name == "torque_limit" else False
    return bool(np.all(np.isfinite(array) | allowed))


def _shaped(name: str, array: NDArray[Any], shape: list[str], sizes: dict[str, int]) -> NDArray[Any]:
    """Return the array in the shape that is asked for, and add sizes not met before to `sizes`."""
    if array.ndim == len(shape):
        for size_name, size in zip(shape, array.shape, strict=True):
            if size_name.isalpha():
                sizes.setdefault(size_name, size)
    wanted = tuple(int(each) if each.isdigit() else sizes.get(each.rstrip("?"), 0) for each in shape)
    if array.size == 0 and shape[0].endswith("?"):
        wanted = (0, *wanted[1:])
    if array.size == 0 and 0 in wanted:
        return array.reshape(wanted)
    if array.shape != wanted:
        raise InputError(
            f"The result's array '{name}' has shape {array.shape}, "
            f"but ({', '.join(shape)}) = {wanted} is needed; make it again."
        )
    return array
