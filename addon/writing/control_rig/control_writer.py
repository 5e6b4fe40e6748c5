"""Writes a bake onto the controls of a rig."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import cast

from ....sim_core.base.conventions import IntArray
from ....sim_core.keys.key_limits import KeyFigures
from ...blender import compat
from ...blender.blender_types import ArmatureObject, RigContext
from ...blender.channels import write_constant
from ...blender.rig_space import RigSpace
from ...blender.steps import as_part
from ...reading.motion_reader import SampledMotion, current_frame_kept
from ..baked_bones import BakedBones
from ..few_keys import KeyChoice
from ..root_carrier import hips_bone
from .constraints import VALUES, Following, Switch, find_switches
from .control_keys import writing_few_keys
from .controls import choose, needs_controls
from .correction import Goals
from .notes import choice_notes, error_notes, switch_note
from .passes import Rig, fit_controls
from .restore import newly_keyed, note_channels, read_channels, restore_channels

HALF = 0.5


def has_controls(context: RigContext, obj: ArmatureObject, baked: BakedBones) -> bool:
    """Return whether other bones have to be keyed for the simulated ones to move."""
    return needs_controls(Following.of(_evaluated(context, obj)), baked.names)


def writing_controls(
    context: RigContext,
    obj: ArmatureObject,
    sampled: SampledMotion,
    baked: BakedBones,
    target: compat.SlottedAction,
    source: compat.SlottedAction | None,
    keys: KeyChoice | None,
) -> Generator[float, None, tuple[tuple[str, ...], KeyFigures | None]]:
    """Key the controls in the object's action; return notes for the user, and figures of few keys.

    Channels that the source does not animate are noted, for going back to it.
    """
    switches = _switches(context, obj, baked.names)
    before = read_channels(obj, (switch.path for switch in switches))
    try:
        written = yield from _key_controls(context, obj, sampled, baked, target, switches, keys)
    except BaseException:
        restore_channels(obj, newly_keyed(before, source, target))
        raise
    note_channels(obj, newly_keyed(before, source, target))
    return written


def _key_controls(
    context: RigContext,
    obj: ArmatureObject,
    sampled: SampledMotion,
    baked: BakedBones,
    target: compat.SlottedAction,
    switches: tuple[Switch, ...],
    keys: KeyChoice | None,
) -> Generator[float, None, tuple[tuple[str, ...], KeyFigures | None]]:
    goals, frame = Goals.of(sampled, baked), sampled.frame
    with current_frame_kept(context.scene):
        notes = _set_switches(context, obj, switches, target, frame)
        context.scene.frame_set(int(frame[0]))
        following = Following.of(_evaluated(context, obj))
        hips = hips_bone(sampled, baked)
        hips_name = None if hips is None else sampled.skeleton.names[hips]
        choice = choose(obj, following, baked.names, hips_name)
    rig = Rig(obj, sampled, RigSpace.of(obj, sampled.skeleton), following, choice)
    fitted = yield from as_part(fit_controls(context, rig, target, goals), 0, 1 if keys is None else 2)
    errors, figures = fitted.errors, None
    if keys is not None:
        few = writing_few_keys(context, rig, target, goals, fitted, keys)
        figures, errors = yield from as_part(few, 1, 2)
    notes += (*choice_notes(choice), *error_notes(choice, following, goals.names, errors))
    return notes, figures


def _evaluated(context: RigContext, obj: ArmatureObject) -> ArmatureObject:
    return cast(ArmatureObject, obj.evaluated_get(context.evaluated_depsgraph_get()))


def _switches(context: RigContext, obj: ArmatureObject, simulated: Sequence[str]) -> tuple[Switch, ...]:
    following = Following.of(_evaluated(context, obj))
    near = dict.fromkeys(here for bone in simulated for here in following.path(bone))
    return find_switches(obj, tuple(near))


def _set_switches(
    context: RigContext,
    obj: ArmatureObject,
    switches: Sequence[Switch],
    target: compat.SlottedAction,
    frame: IntArray,
) -> tuple[str, ...]:
    """Key the whole range as FK or IK: as the user chose, or as it is at the first frame."""
    context.scene.frame_set(int(frame[0]))
    mode, changing = obj.heft_controls.limbs, _changing(target, switches)
    if mode == "AUTO":
        is_ik = {switch: switch.ik_share(_evaluated(context, obj)) > HALF for switch in changing}
        _key_switches(context, obj, target, frame, is_ik)
        return switch_note(is_ik)
    _key_switches(context, obj, target, frame, dict.fromkeys(switches, mode == "IK"))
    return ()


def _changing(target: compat.SlottedAction, switches: Sequence[Switch]) -> list[Switch]:
    """Return the switches whose property has keys of different values."""
    values = {
        curve.data_path: {round(key.co.y, 3) for key in curve.keyframe_points}
        for curve in compat.curves_of(target)
    }
    return [switch for switch in switches if len(values.get(switch.path, ())) > 1]


def _key_switches(
    context: RigContext,
    obj: ArmatureObject,
    target: compat.SlottedAction,
    frame: IntArray,
    is_ik: dict[Switch, bool],
) -> None:
    """Key the switches; both values are tried, because which one means IK differs between rigs."""
    shares: dict[float, list[float]] = {}
    for value in VALUES:
        _write_switches(target, frame, dict.fromkeys(is_ik, value))
        context.scene.frame_set(int(frame[0]))
        shares[value] = [switch.ik_share(_evaluated(context, obj)) for switch in is_ik]
    low, high = VALUES
    chosen = {
        switch: high if (after > before) == wanted else low
        for (switch, wanted), before, after in zip(is_ik.items(), shares[low], shares[high], strict=True)
    }
    _write_switches(target, frame, chosen)


def _write_switches(target: compat.SlottedAction, frame: IntArray, values: dict[Switch, float]) -> None:
    writer = compat.CurveWriter(target)
    for switch, value in values.items():
        write_constant(writer, switch.path, switch.holder, frame, value)
