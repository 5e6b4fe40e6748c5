"""Reads a motion from a file of any known format, at the rate that it was captured with.

Formats are told by their suffix; other suffixes are read as BVH. A file that only Blender can read is
refused, and the message says so.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..base.errors import InputError
from ..base.files import read_bytes
from ..base.npz_members import read_members
from ..motion.amc_motion import SKELETON_SUFFIX as ASF
from ..motion.amc_motion import SUFFIX as AMC
from ..motion.amc_motion import read_amc
from ..motion.bvh_reader import parse_bvh
from ..motion.motion_file import MotionFile
from ..motion.opensim.storage import MODEL_SUFFIX as OSIM
from ..motion.opensim.storage import SUFFIXES as STORAGES
from ..motion.opensim.storage import is_coordinate_file
from ..motion.smpl_npz import SUFFIX as NPZ
from ..motion.smpl_npz import is_smpl_file, read_smpl
from ..recognition import recognise
from .bvh_clip import AS_FOUND, BvhClip, ReadingChoices, clip_of
from .frame_rate import RateClaim
from .pace_and_size import at_rate, find_pace_and_size

BVH = ".bvh"
IMPORTED = (NPZ, AMC, *STORAGES)
"""Suffixes of the motions that Blender itself cannot import."""
SUFFIXES = (BVH, *IMPORTED)
OF_BLENDER = {
    ".fbx": "FBX",
    ".usd": "USD",
    ".usda": "USD",
    ".usdc": "USD",
    ".usdz": "USD",
    ".gltf": "glTF",
    ".glb": "glTF",
    ".dae": "Collada",
    ".abc": "Alembic",
    ".blend": "Blender",
}
"""Suffixes of files that are read through Blender, and their formats."""
MARKS = {
    b"Kaydara FBX Binary": "FBX",
    b"; FBX": "FBX",
    b"PXR-USDC": "USD",
    b"#usda": "USD",
    b"glTF": "glTF",
    b"BLENDER": "Blender",
}
"""First bytes of such files, where their name does not tell."""
PICKLES = (".pkl", ".pickle", ".npy", ".pt", ".pth")
SKELETONS = {ASF: AMC, OSIM: " or ".join(STORAGES)}


def read_motion(path: Path, chosen: ReadingChoices = AS_FOUND) -> BvhClip:
    """Read a file at the rate that is given, or else at the one that its motion shows."""
    file = _read(path, chosen)
    try:
        clip = clip_of(file, chosen)
    except InputError as problem:
        raise type(problem)(f"'{path.name}': {problem}") from problem
    if chosen.fps is not None:
        return replace(clip, motion=at_rate(clip.motion, chosen.fps))
    # Tables have a time in every row, which nobody confuses with another rate.
    claim = RateClaim.KEYED if is_coordinate_file(path) else RateClaim.HEADER
    mapping = recognise(clip.motion.skeleton)
    found = find_pace_and_size(clip.motion, mapping, chosen.height_m, claim)
    motion = clip.motion if found.rate_hz is None else at_rate(clip.motion, found.rate_hz)
    return replace(clip, motion=motion, notes=(*clip.notes, *found.notes))


def _read(path: Path, chosen: ReadingChoices) -> MotionFile:
    """Return what a file states."""
    suffix = path.suffix.lower()
    if suffix == AMC:
        return read_amc(path, _skeleton(path, chosen, ASF))
    if is_coordinate_file(path):
        # Here, because models of OpenSim take long to load, and are rare.
        from ..motion.opensim.angles import read_coordinates

        return read_coordinates(path, _skeleton(path, chosen, OSIM))
    if suffix == NPZ:
        return _npz(path, chosen)
    if chosen.skeleton is not None:
        raise InputError(
            f"The skeleton '{chosen.skeleton.name}' (--skeleton) is of no use: '{path.name}' has its "
            f"own; only {AMC}, {' and '.join(STORAGES)} files need one."
        )
    if suffix != BVH:
        _refuse_others(path)
    return parse_bvh(path)


def _skeleton(path: Path, chosen: ReadingChoices, suffix: str) -> Path | None:
    """Return the skeleton file that the user names, if it can be one."""
    if chosen.skeleton is not None and chosen.skeleton.suffix.lower() != suffix:
        raise InputError(
            f"The skeleton is '{chosen.skeleton.name}' (--skeleton), but '{path.name}' needs a file {suffix}."
        )
    return chosen.skeleton


def _npz(path: Path, chosen: ReadingChoices) -> MotionFile:
    read_members(path, ())  # a missing or damaged file is told as such
    if not is_smpl_file(path):
        raise InputError(
            f"'{path.name}' has no poses of a SMPL body ('poses' and 'trans', as AMASS has them), so "
            "it is not a motion; a result of Heft is none either, give the motion from which it was made."
        )
    return read_smpl(path, chosen.height_m, _skeleton(path, chosen, NPZ))


def _refuse_others(path: Path) -> None:
    """Refuse files that are read otherwise, and say how."""
    suffix = path.suffix.lower()
    start = read_bytes(path)[:64]
    marked = next((kind for mark, kind in MARKS.items() if start.startswith(mark)), None)
    kind = marked or OF_BLENDER.get(suffix)
    if kind is not None:
        raise InputError(
            f"'{path.name}' is a file of {kind}: import it in Blender, then press Simulate. The command line "
            f"reads {', '.join(SUFFIXES)} and markers."
        )
    if suffix in PICKLES:
        raise InputError(
            f"'{path.name}' may hold a pickle, which can run programs; save its arrays 'poses', 'trans' and "
            "'mocap_framerate' as .npz."
        )
    if suffix in SKELETONS:
        raise InputError(f"'{path.name}' is a skeleton without a motion; give the {SKELETONS[suffix]} file.")
