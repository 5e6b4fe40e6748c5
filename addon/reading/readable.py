"""Refuses an armature whose pose at a frame Blender would not give, or not to the frame that is asked for."""

from __future__ import annotations

from bpy.types import LayerCollection, Object, Scene

from ...sim_core.base.errors import InputError
from ..blender.blender_types import ArmatureObject, RigContext


def require_readable(context: RigContext, obj: ArmatureObject) -> None:
    """Refuse an object that Blender does not evaluate, because its pose would be outdated."""
    if obj.name not in context.view_layer.objects:
        raise InputError(f"'{obj.name}' is not in the current view layer; enable its collection.")
    if not obj.visible_get(view_layer=context.view_layer):
        raise InputError(_hidden(context, obj))
    if obj.mode == "EDIT":
        raise InputError(f"'{obj.name}' is in Edit Mode; leave it (Tab) and try again.")
    if obj.data.pose_position == "REST":
        raise InputError(f"'{obj.name}' is in Rest Position; switch its armature to Pose Position.")
    _refuse_stretched_time(context.scene)


def _hidden(context: RigContext, obj: Object) -> str:
    """Return a sentence on what hides an object: itself, or a collection."""
    if not (obj.hide_viewport or obj.hide_get(view_layer=context.view_layer)):
        collection = _hiding_collection(context.view_layer.layer_collection, obj, "")
        if collection:
            return (
                f"'{obj.name}' is hidden with the collection '{collection}', so Blender does not evaluate "
                "it; show the collection and try again."
            )
    return f"'{obj.name}' is hidden, so Blender does not evaluate it; show it and try again."


def _hiding_collection(layer: LayerCollection, obj: Object, above: str) -> str:
    """Return the name of the uppermost hidden collection that an object is in; empty if there is none."""
    hidden = above or (layer.name if layer.hide_viewport or layer.collection.hide_viewport else "")
    if hidden and obj.name in layer.collection.objects:
        return hidden
    found = (_hiding_collection(child, obj, hidden) for child in layer.children if not child.exclude)
    return next(filter(None, found), "")


def _refuse_stretched_time(scene: Scene) -> None:
    """Refuse a scene whose frames are not those of the keys: a pose would be read, and keyed, elsewhere."""
    old, new = scene.render.frame_map_old, scene.render.frame_map_new
    if old != new:
        raise InputError(
            f"The scene stretches time from {old} to {new} (Output Properties > Frame Range > Time "
            "Stretching), so its frames are not those of the keys; make both equal while Heft is at work."
        )
