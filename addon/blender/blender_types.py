"""Blender's types as Heft meets them, for the type checker.

The stubs call members optional that are always there once a poll has passed, and cannot know the
properties that Heft adds. At run time these names are Blender's own classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import bpy
from bpy.types import Context

OperatorResult = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

if TYPE_CHECKING:
    from ..bake.bake_options import HeftBake
    from ..bake.compare import HeftCompare
    from ..jobs.progress import HeftProgress
    from ..overlay.overlay_store import HeftOverlayData, HeftOverlays
    from ..reading.bone_table import HeftCharacter
    from ..reading.parts import HeftParts
    from ..reading.scene_objects import HeftSceneObject
    from ..report.report_store import HeftReport
    from ..writing.control_rig.restore import HeftControls
    from ..writing.few_keys import HeftKeys

    class ArmatureData(bpy.types.Armature):
        heft: HeftCharacter

    class ArmatureObject(bpy.types.Object):
        data: ArmatureData
        pose: bpy.types.Pose
        heft: HeftBake
        heft_compare: HeftCompare
        heft_controls: HeftControls
        heft_keys: HeftKeys
        heft_parts: HeftParts
        heft_report: HeftReport

    class PartBone(bpy.types.PoseBone):
        heft_simulate: float

    class SurroundingObject(bpy.types.Object):
        heft_object: HeftSceneObject

    class OverlayObject(bpy.types.Object):
        heft_overlay: HeftOverlayData

    class OverlayScene(bpy.types.Scene):
        heft_overlays: HeftOverlays

    class HeftWindowManager(bpy.types.WindowManager):
        heft: HeftProgress

    class RigContext(bpy.types.Context):
        object: ArmatureObject
        scene: bpy.types.Scene
        view_layer: bpy.types.ViewLayer
        window_manager: HeftWindowManager

else:
    ArmatureObject = bpy.types.Object
    SurroundingObject = bpy.types.Object
    OverlayObject = bpy.types.Object
    OverlayScene = bpy.types.Scene
    RigContext = bpy.types.Context
    PartBone = bpy.types.PoseBone


def rig_context(context: Context) -> RigContext:
    """The context of an operator or panel whose poll found an armature."""
    return cast(RigContext, context)


def surrounding(obj: bpy.types.Object) -> SurroundingObject:
    """An object as a part of the scene; all objects have the properties of one."""
    return cast(SurroundingObject, obj)


def part_bone(bone: bpy.types.PoseBone) -> PartBone:
    """A bone with how much of it is simulated; all pose bones have it."""
    return cast(PartBone, bone)


def overlay_scene(scene: bpy.types.Scene) -> OverlayScene:
    """A scene with the choice of its overlays; all scenes have it."""
    return cast(OverlayScene, scene)
