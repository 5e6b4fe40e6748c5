"""The one check of a result that comes from a file: what all that reads a result relies on, beyond shapes."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import SHOWN, InputError

if TYPE_CHECKING:
    from .result import Result

FOOT_PREFIX = "foot."
"""How the names of bodies begin that are feet."""
LARGEST = 1e9
"""No length, force or rate in a result is larger, in SI units."""
NOT_KNOWN = ("metrics", "source_metrics", "plausible_metrics", "report", "retarget", "search")
"""Entries of the meta that may hold numbers that are not known."""


def refuse_inconsistent(result: Result) -> None:
    """Raise an InputError for a result whose parts do not belong together."""
    for judge in (_time, _bodies, _axes, _forces, _values, _meta):
        if problem := judge(result):
            raise InputError(f"The result is damaged: {problem}; make the file again.")


def _time(result: Result) -> str:
    for name in ("time", "source_time"):
        time = getattr(result, name)
        if len(time) < 2 or np.any(np.diff(time) <= 0.0):
            return f"its array '{name}' does not rise from sample to sample"
    return ""


def _bodies(result: Result) -> str:
    bodies, joints = len(result.body_name), len(result.joint_name)
    if bodies != joints or len(result.meta.body_shapes) != bodies:
        return f"it has {bodies} bodies, but {joints} joints and {len(result.meta.body_shapes)} shapes"
    if np.any(result.joint_parent >= np.arange(joints)):
        return "its array 'joint_parent' lists a joint before its parent"
    for name in ("body_name", "joint_name", "bone_name", "foot_name", "prop_name"):
        if len(set(getattr(result, name).tolist())) != len(getattr(result, name)):
            return f"its array '{name}' has the same name twice"
    return (
        "" if np.all(result.body_mass > 0.0) else "its array 'body_mass' holds a mass that is not above zero"
    )


def _axes(result: Result) -> str:
    known = set(result.body_name.tolist())
    loose = next(
        (n for n in result.foot_name.tolist() if n not in known or not n.startswith(FOOT_PREFIX)), None
    )
    if loose is not None:
        return f"its array 'foot_name' has {loose[:SHOWN]!r}, which is no foot among its bodies"
    odd = next((name for name in result.torque_name.tolist() if name.partition("/")[0] not in known), None)
    if odd is not None:
        return f"its array 'torque_name' has {odd[:SHOWN]!r}, which is no axis of a body"
    above = np.all(result.torque_limit > 0.0)
    return "" if above else "its array 'torque_limit' holds a torque that is not above zero"


def _forces(result: Result) -> str:
    """Forces that a motion would need are known whole or not at all."""
    for motion in ("source", "plausible"):
        names = [f"{motion}_{kind}" for kind in ("foot_force", "torque", "residual")]
        if len({len(getattr(result, name)) for name in names}) > 1:
            return f"its arrays {', '.join(names)} differ in length"
    return ""


def _values(result: Result) -> str:
    for name, array in result.arrays().items():
        if array.dtype.kind == "f" and np.any(np.abs(array[np.isfinite(array)]) > LARGEST):
            return f"its array '{name}' holds a number above {LARGEST:.0e}"
        if "quaternion" in name and _vanishes(array):
            return f"its array '{name}' holds a rotation that is zero"
    share = result.simulated
    return "" if np.all((share >= 0.0) & (share <= 1.0)) else "its array 'simulated' is not between 0 and 1"


def _vanishes(quaternion: FloatArray) -> bool:
    return bool(np.any(np.linalg.norm(quaternion, axis=-1) < 1e-9))


def _meta(result: Result) -> str:
    meta = result.meta
    for each in fields(meta):
        if each.name not in NOT_KNOWN and not _finite(getattr(meta, each.name)):
            return f"the '{each.name}' of its meta holds a number that is missing or too large"
    above = meta.character.height > 0.0 and meta.character.mass > 0.0
    return "" if above else "the 'character' of its meta has a height or a mass that is not above zero"


def _finite(value: object) -> bool:
    """Return whether all numbers in a record are known and of a size that a body can have."""
    if isinstance(value, float):
        return isfinite(value) and abs(value) <= LARGEST
    if is_dataclass(value):
        return all(_finite(getattr(value, each.name)) for each in fields(value))
    if isinstance(value, dict):
        return all(_finite(item) for item in value.values())
    return all(_finite(item) for item in value) if isinstance(value, tuple) else True
