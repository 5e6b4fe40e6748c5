"""Bodies to which motions are retargeted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim_core.markers.template import TEMPLATE_HEIGHT, template
from sim_core.motion.glb_skeleton import read_glb_skeleton
from sim_core.motion.skeleton import NO_PARENT, Skeleton
from sim_core.recognition import recognise
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig, read_target
from tests.core.skeletons import fixture_skeleton

from ..common.clips import CMU

DATA = CMU.parents[1]
CHILD, GIANT = 1.10, 2.40


def targets() -> dict[str, RetargetRig]:
    """Return bodies by name; those of files as far as they can be read without Blender."""
    found = {
        "adult 1.75 m": _person(TEMPLATE_HEIGHT),
        "child 1.10 m": _person(CHILD, legs=0.85, head=1.5),
        "giant 2.40 m": _person(GIANT, legs=1.05, width=1.15),
    }
    for name, file in (("Knight", "KayKit_Knight"), ("CesiumMan", "CesiumMan")):
        skeleton = read_glb_skeleton(DATA / "characters" / f"{file}.glb")
        found[name] = make_retarget_rig(skeleton, recognise(skeleton))
    rigify = fixture_skeleton("rigify_human")
    found["Rigify human"] = make_retarget_rig(rigify, recognise(rigify))
    found["MakeHuman"] = read_target(DATA / "bvh" / "makehuman" / "walk1.bvh")
    return found


def _person(height: float, legs: float = 1.0, head: float = 1.0, width: float = 1.0) -> RetargetRig:
    """Return Heft's own person of this height [m] with longer legs, a larger head, or a wider body."""
    rig = template()
    skeleton = _proportioned(rig.skeleton, legs, width)
    joint = skeleton.index["head"]
    above = head * (TEMPLATE_HEIGHT - rig.skeleton.rest_position_world[joint, 2])
    size = height / (skeleton.rest_position_world[joint, 2] + above)
    skeleton = replace(skeleton, rest_position_world=size * skeleton.rest_position_world)
    return make_retarget_rig(skeleton, rig.mapping)


def _proportioned(skeleton: Skeleton, legs: float, width: float) -> Skeleton:
    """Return other lengths of thighs and shins, hips and shoulders further apart; soles stay at height 0."""
    old = skeleton.rest_position_world
    heads = np.array(old)
    for bone, name in enumerate(skeleton.names):
        parent = int(skeleton.parents[bone])
        if parent == NO_PARENT:
            continue
        apart = old[bone] - old[parent]
        if name.startswith(("shin", "foot")):
            apart = legs * apart
        if name.startswith(("thigh", "upper_arm")):
            apart = apart * [1.0, width, 1.0]
        heads[bone] = heads[parent] + apart
    foot = skeleton.index["foot.L"]
    heads[:, 2] += old[foot, 2] - heads[foot, 2]
    return replace(skeleton, rest_position_world=heads)
