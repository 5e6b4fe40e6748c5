"""Blender's types with the properties that Heft adds, for the type checker.

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
    from ..live.live_stream import HeftStream
    from ..overlay.overlay_store import HeftOverlayData, HeftOverlays
    from ..reading.bone_table import HeftCharacter
    from ..reading.motion_finding import HeftReading
    from ..reading.parts import HeftParts
    from ..reading.scene_objects import HeftSceneObject, HeftSurroundings
    from ..reading.soft_parts import HeftSoft
    from ..report.report_store import HeftReport
    from ..writing.control_rig.restore import HeftControls
    from ..writing.key_options import HeftKeys

    class ArmatureData(bpy.types.Armature):
        """An armature with its table of bones."""

        heft: HeftCharacter

    class ArmatureObject(bpy.types.Object):
        """An armature object with Heft's properties."""

        data: ArmatureData
        pose: bpy.types.Pose
        heft: HeftBake
        heft_character: HeftCharacter
        heft_compare: HeftCompare
        heft_controls: HeftControls
        heft_keys: HeftKeys
        heft_parts: HeftParts
        heft_reading: HeftReading
        heft_report: HeftReport
        heft_soft: HeftSoft
        heft_stream: HeftStream

    class PartBone(bpy.types.PoseBone):
        """A pose bone with its share of simulation."""

        heft_simulate: float

    class SurroundingObject(bpy.types.Object):
        """An object with its role in the scene."""

        heft_object: HeftSceneObject

    class OverlayObject(bpy.types.Object):
        """An object with the overlay data of its last bake."""

        heft_overlay: HeftOverlayData

    class OverlayScene(bpy.types.Scene):
        """A scene with its choice of overlays."""

        heft_overlays: HeftOverlays

    class SurroundingScene(bpy.types.Scene):
        """A scene with what surrounds all characters."""

        heft_surroundings: HeftSurroundings

    class HeftWindowManager(bpy.types.WindowManager):
        """The window manager with the progress of jobs."""

        heft: HeftProgress

    class RigContext(bpy.types.Context):
        """A context whose active object is an armature."""

        object: ArmatureObject
        scene: bpy.types.Scene
        view_layer: bpy.types.ViewLayer
        window_manager: HeftWindowManager

else:
    ArmatureObject = bpy.types.Object
    SurroundingObject = bpy.types.Object
    OverlayObject = bpy.types.Object
    OverlayScene = bpy.types.Scene
    SurroundingScene = bpy.types.Scene
    RigContext = bpy.types.Context
    PartBone = bpy.types.PoseBone


def rig_context(context: Context) -> RigContext:
    """Return the context of an operator or panel whose poll found an armature."""
    return cast(RigContext, context)


def surrounding(obj: bpy.types.Object) -> SurroundingObject:
    """Return an object typed as part of the scene; all objects have its properties."""
    return cast(SurroundingObject, obj)


def surrounding_scene(scene: bpy.types.Scene) -> SurroundingScene:
    """Return a scene typed with what surrounds its characters; all scenes have it."""
    return cast(SurroundingScene, scene)


def part_bone(bone: bpy.types.PoseBone) -> PartBone:
    """Return a bone typed with its share of simulation; all pose bones have it."""
    return cast(PartBone, bone)


def overlay_scene(scene: bpy.types.Scene) -> OverlayScene:
    """Return a scene typed with its choice of overlays; all scenes have it."""
    return cast(OverlayScene, scene)
