"""The body that a file shows."""

from __future__ import annotations

from pathlib import Path

from ..bvh import read_bvh
from ..errors import InputError
from ..glb_skeleton import read_glb_skeleton
from ..recognition import recognise
from .actor import Actor, make_actor


def read_target(path: Path, unit: float | None = None) -> Actor:
    """The character of a BVH or GLB file; unit: metres per unit of a BVH file, None infers it."""
    kind = path.suffix.lower()
    if kind == ".bvh":
        motion = read_bvh(path, unit).motion
        return make_actor(motion.skeleton, recognise(motion.skeleton), motion)
    if kind == ".glb":
        skeleton = read_glb_skeleton(path)
        return make_actor(skeleton, recognise(skeleton))
    raise InputError(
        f"The target '{path.name}' is neither a BVH nor a GLB file; characters of other kinds are "
        "opened in Blender, so export this one from there as GLB or BVH."
    )
