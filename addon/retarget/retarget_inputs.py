"""What a retargeting starts from: the panel's choices, the source, and targets for hands and feet."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, cast

import bpy
import numpy as np
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
)
from bpy.types import Action, Object, PropertyGroup

from ...sim_core.base.errors import InputError
from ...sim_core.retarget.retarget_options import LIMBS, Reach
from ..bake.bake_options import armatures_of
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.matrices import from_blender
from ..blender.property_groups import HeftNote
from ..reading.rig_reader import metres_per_unit, require_armature

PATHS = (
    ("SCALE", "Scale with Legs", "Step length scales with leg length"),
    ("KEEP", "Keep", "The same steps in the world; short legs may not reach them"),
)
TIMINGS = (
    ("KEEP", "Keep", "The same frames as in the source"),
    ("SCALE", "Scale with Legs", "Slower on longer legs, as bodies of that size move"),
)
FEET = (
    ("FIT", "Stand Still", "Planted feet do not slide, unless source and target are the same body"),
    ("LOCK", "Always Still", "Planted feet never slide, even if they do in the source"),
    ("FREE", "Free", "Feet may slide and sink into the ground"),
)
GROUNDS = (
    ("SCENE", "Scene", "Objects with a role, and rigid bodies; a flat floor if there are none"),
    ("FLAT", "Flat", "A flat floor at the height of the source's"),
)
LIMB_ITEMS = tuple((limb, {"L": "Left ", "R": "Right "}[limb[-1]] + limb[:-2].title(), "") for limb in LIMBS)


def _is_source(owner: Any, obj: Object) -> bool:
    from ..markers.take_object import as_take

    return obj != owner.id_data and (obj.type == "ARMATURE" or as_take(obj) is not None)


def _is_empty(_owner: PropertyGroup, obj: Object) -> bool:
    return obj.type == "EMPTY"


class HeftReach(PropertyGroup):
    """A row of the list of targets: a hand or a foot at an Empty, over a range of frames."""

    limb: EnumProperty(
        name="Limb", description="The hand or foot that reaches", items=LIMB_ITEMS, default="hand.R"
    )
    target: PointerProperty(
        type=Object,
        name="Empty",
        description="Where the palm or sole is placed; it may be animated",
        poll=_is_empty,
    )
    frame_start: IntProperty(name="From", description="First frame of the target's motion", default=1)
    frame_end: IntProperty(name="To", description="Last frame of the target's motion", default=25)


class HeftRetargetFigures(PropertyGroup):
    """Figures of a motion against its source."""

    skate_cm_s: FloatProperty(description="Mean speed of resting heels and toes [cm/s]")
    penetration_max_cm: FloatProperty(description="Deepest point of a sole below the ground [cm]")
    upper_deg: FloatProperty(description="Mean angle of arms and trunk from the source's [deg]")
    legs_deg: FloatProperty(description="Mean angle of legs from the source's [deg]")


class HeftRetarget(PropertyGroup):
    """Source, options and outcome of a retargeting, on the target's object."""

    source: PointerProperty(
        type=Object,
        name="Source",
        description="An armature with an action, or markers that were fitted",
        poll=_is_source,
    )
    path: EnumProperty(
        name="Path",
        description="How far the steps go on legs of another length",
        items=PATHS,
        default="SCALE",
    )
    timing: EnumProperty(
        name="Timing",
        description="How fast the motion is on a body of another size",
        items=TIMINGS,
        default="KEEP",
    )
    feet: EnumProperty(
        name="Feet",
        description="Whether feet that stand in the source stand still",
        items=FEET,
        default="FIT",
    )
    hands: BoolProperty(
        name="Hand Contacts",
        description="Hands stay outside the body, and touch each other or the body as in the source",
        default=True,
    )
    hold_hands: BoolProperty(
        name="Hold Still Hands",
        description="Hands that rest in the source, on a rail or a table, are held in place",
    )
    ground: EnumProperty(
        name="Ground",
        description="What the feet are placed on",
        items=GROUNDS,
        default="SCENE",
    )
    reaches: CollectionProperty(type=HeftReach)
    reaches_index: IntProperty()
    present: BoolProperty()
    simulated: BoolProperty()
    fell: BoolProperty()
    fell_frame: IntProperty()
    leg_ratio: FloatProperty()
    joint_error_deg: FloatProperty(description="Of the simulated motion from the retargeted one [deg]")
    action: PointerProperty(type=Action)
    simulated_action: PointerProperty(type=Action)
    kinematic_figures: PointerProperty(type=HeftRetargetFigures)
    simulated_figures: PointerProperty(type=HeftRetargetFigures)
    notes: CollectionProperty(type=HeftNote)


if TYPE_CHECKING:

    class TargetObject(ArmatureObject):
        """An armature object with the properties of a retargeting."""

        heft_retarget: HeftRetarget

else:
    TargetObject = Object


def target_of(obj: Object | None) -> TargetObject:
    """Return an armature typed as the target of a retargeting; all objects have its properties."""
    return cast(TargetObject, require_armature(obj))


def chosen_source(obj: Object | None) -> ArmatureObject | None:
    """Return the armature of a chosen source: itself, or the one that was fitted to its markers."""
    from ..markers.take_object import as_take

    take = as_take(obj)
    found = obj if take is None else take.heft_take.armature
    return require_armature(found) if found is not None and found.type == "ARMATURE" else None


def require_source_of(target: TargetObject) -> ArmatureObject:
    """Return the source's armature, or raise an InputError."""
    chosen = target.heft_retarget.source
    if chosen is None:
        raise InputError(f"No source is chosen for '{target.name}'; choose an armature with an action.")
    source = chosen_source(chosen)
    if source is None:
        raise InputError(f"'{chosen.name}' has no fitted armature; fit its markers first.")
    if source == target:
        raise InputError(f"'{target.name}' is source and target at once; choose another armature.")
    return source


def chosen_targets(context: RigContext) -> list[TargetObject]:
    """Return the active armature, and the other selected ones for which a source is chosen, too."""
    active, *others = (target_of(obj) for obj in armatures_of(context))
    return [active, *(other for other in others if other.heft_retarget.source is not None)]


def sample_reaches(
    context: RigContext, target: TargetObject, fps: float
) -> Generator[float, None, tuple[Reach, ...]]:
    """Read all rows of the list, yielding the share done after each frame; fps: of the motion."""
    from ..reading.motion_reader import current_frame_kept

    rows: list[HeftReach] = list(target.heft_retarget.reaches)
    _refuse_unfinished(rows)
    if not rows:
        return ()
    first, last = min(row.frame_start for row in rows), max(row.frame_end for row in rows)
    positions = []
    with current_frame_kept(context.scene):
        for frame in range(first, last + 1):
            context.scene.frame_set(frame)
            depsgraph = context.evaluated_depsgraph_get()
            positions.append(
                [from_blender(row.target.evaluated_get(depsgraph).matrix_world)[:3, 3] for row in rows]
            )
            yield (frame - first + 1) / (last - first + 1)
    found = np.array(positions) * metres_per_unit(context.scene)
    time = np.arange(first, last + 1) / fps
    return tuple(
        Reach(row.limb, found[:, i], row.frame_start / fps, row.frame_end / fps, time)
        for i, row in enumerate(rows)
    )


def _refuse_unfinished(rows: list[HeftReach]) -> None:
    for number, row in enumerate(rows, 1):
        if row.target is None:
            raise InputError(f"Target {number} has no Empty; choose one in the list.")
        if row.frame_end < row.frame_start:
            raise InputError(
                f"Target {number} ends at frame {row.frame_end}, before it begins at {row.frame_start}; "
                "swap the two."
            )


CLASSES = (
    HeftReach,
    HeftRetargetFigures,
    HeftRetarget,
)

GROUPS = ((bpy.types.Object, "heft_retarget", HeftRetarget),)
