"""The body that a file shows."""

from __future__ import annotations

from pathlib import Path

from ..base.errors import InputError
from ..base.files import read_bytes
from ..motion.bvh_reader import read_bvh
from ..motion.glb_skeleton import read_glb_skeleton
from ..motion.skeleton import Skeleton
from ..recognition import BoneMapping, check_mapping, mapping_from_json, recognise
from .actor import Actor, make_actor


def read_target(path: Path, unit: float | None = None, table: BoneMapping | None = None) -> Actor:
    """The character of a BVH or GLB file.

    unit: metres per unit of a BVH file, None infers it; table: of its bones, None recognises them
    """
    kind = path.suffix.lower()
    if kind == ".bvh":
        motion = read_bvh(path, unit).motion
        return make_actor(motion.skeleton, _mapping(motion.skeleton, table), motion)
    if kind == ".glb":
        skeleton = read_glb_skeleton(path)
        return make_actor(skeleton, _mapping(skeleton, table))
    raise InputError(
        f"The target '{path.name}' is neither a BVH nor a GLB file; characters of other kinds are "
        "opened in Blender, so export this one from there as GLB or BVH."
    )


def read_table(path: Path) -> BoneMapping:
    """A table of bones as the panel saves it."""
    return mapping_from_json(read_bytes(path).decode("utf-8", errors="replace"))


def _mapping(skeleton: Skeleton, table: BoneMapping | None) -> BoneMapping:
    if table is None:
        return recognise(skeleton)
    check_mapping(table, skeleton)
    return table
