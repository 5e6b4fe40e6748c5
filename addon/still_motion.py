"""An armature that stands still in its rest pose, as if its motion had been read."""

from __future__ import annotations

import numpy as np
from bpy.types import Scene

from ..sim_core.base.conventions import FloatArray, IntArray
from ..sim_core.motion.motion import Motion
from .blender_types import ArmatureObject
from .matrices import from_blender, inverse, read_matrices
from .motion_reader import SampledMotion
from .rig_reader import metres_per_unit, require_even_scale, skeleton_at


def still_motion(obj: ArmatureObject, frame: IntArray, scene: Scene) -> SampledMotion:
    """At these frames, for writing a motion that comes from elsewhere."""
    placed, basis = from_blender(obj.matrix_world), from_blender(obj.matrix_basis)
    require_even_scale(obj.name, placed)
    skeleton = skeleton_at(obj, placed, metres_per_unit(scene))

    def repeated(values: FloatArray) -> FloatArray:
        return np.repeat(np.asarray(values)[None], len(frame), axis=0)

    return SampledMotion(
        motion=Motion(
            skeleton,
            frame * scene.render.fps_base / scene.render.fps,
            repeated(skeleton.rest_position_world),
            repeated(skeleton.rest_quaternion_world),
        ),
        frame=frame,
        frame_sample=np.arange(len(frame)),
        pose_matrix=repeated(read_matrices(obj.data.bones, "matrix_local")),
        object_matrix=repeated(placed),
        object_location=repeated(np.array(obj.location, dtype=np.float64)),
        object_parent_linear=repeated(placed[:3, :3] @ inverse(basis[:3, :3])),
        metres_per_unit=metres_per_unit(scene),
        collapsed_bones=(),
    )
