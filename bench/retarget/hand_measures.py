"""Measures of hands: jerk, steps of the elbows, depth in the character's mesh, and touches that are kept."""

from __future__ import annotations

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray, IntArray
from sim_core.motion.motion import Motion
from sim_core.motion.skinned_mesh import SkinnedMesh
from sim_core.recognition.mapping import SIDES
from sim_core.result.metrics import direction_error_deg
from sim_core.retarget.arms import ARM, arm_length, palms
from sim_core.retarget.hands import Hands
from sim_core.retarget.relations import Actor, find_relations
from sim_core.retarget.retarget_rig import RetargetRig

STEP_HZ = 60.0
"""Elbows are compared at this rate [Hz]."""
MESH_FRAMES = 60
"""Depths in a mesh are measured in this many frames of a clip."""
KEPT_M = 0.015
"""A touch is kept where its gap is this near to the source's [m]."""
INSIDE = 0.5
"""A point about which the mesh winds further than this is inside (Jacobson et al. 2013)."""


def hand_sides(*rigs: RetargetRig) -> list[str]:
    """Return the sides on which all rigs have a whole arm."""
    return [side for side in SIDES if all(f"{part}.{side}" in rig.mapping for rig in rigs for part in ARM)]


def jerk_p99(rig: RetargetRig, motion: Motion, side: str) -> float:
    """Return the 99th percentile of a palm's jerk [m/s^3]."""
    jerk = np.diff(palms(rig, motion, side), 3, axis=0) * motion.rate_hz**3
    return float(np.percentile(np.linalg.norm(jerk, axis=1), 99))


def elbow_step_deg(rig: RetargetRig, motion: Motion, side: str) -> float:
    """Return the largest change of an elbow's angle in a sixtieth of a second [deg]."""
    shoulder, elbow, wrist = (motion.position_world[:, rig.bone(f"{part}.{side}")] for part in ARM)
    angle = direction_error_deg(elbow - shoulder, wrist - elbow)
    steps = np.arange(motion.time[0], motion.time[-1], 1.0 / STEP_HZ)
    return float(np.abs(np.diff(np.interp(steps, motion.time, angle))).max())


def hand_figures(
    source: RetargetRig, motion: Motion, target: RetargetRig, shown: Motion
) -> dict[str, float]:
    """Return the jerk of the hands relative to the source's at the size of the arms, and the elbow's step."""
    sides = hand_sides(source, target)
    jerks = [
        jerk_p99(target, shown, side)
        / jerk_p99(source, motion, side)
        * arm_length(source, side)
        / arm_length(target, side)
        for side in sides
    ]
    return {"jerk": max(jerks), "elbow": max(elbow_step_deg(target, shown, side) for side in sides)}


def skinned(mesh: SkinnedMesh, motion: Motion, row: int) -> FloatArray:
    """Return the vertices (V, 3) in one frame [m]."""
    skeleton = motion.skeleton
    turn = rotations.multiply(
        motion.quaternion_world[row], rotations.conjugate(skeleton.rest_quaternion_world)
    )
    result = np.zeros_like(mesh.vertex)
    for k in range(mesh.bone.shape[1]):
        bone = mesh.bone[:, k]
        moved = rotations.rotate(turn[bone], mesh.vertex - skeleton.rest_position_world[bone])
        result += mesh.weight[:, [k]] * (moved + motion.position_world[row, bone])
    return result


def without_arm(rig: RetargetRig, mesh: SkinnedMesh, side: str) -> IntArray:
    """Return the triangles that do not belong to the arm of a side, nor to anything that hangs on a hand."""
    skeleton = rig.skeleton
    own = {rig.bone(f"upper_arm.{side}"), *(rig.bone(f"hand.{other}") for other in hand_sides(rig))}
    out = own | {bone for one in own for bone in skeleton.descendants(one)}
    first = np.take_along_axis(mesh.bone, mesh.weight.argmax(axis=1)[:, None], axis=1)[:, 0]
    return mesh.triangle[~np.isin(first, list(out))[mesh.triangle].any(axis=1)]


def signed_depth(point: FloatArray, corners: FloatArray) -> float:
    """Return how deep a point (3) is inside triangles (F, 3, 3) [m]; zero outside."""
    a, b, c = (corners - point).swapaxes(0, 1)
    lengths = [np.linalg.norm(v, axis=1) for v in (a, b, c)]
    volume = np.sum(a * np.cross(b, c), axis=1)
    below = (
        lengths[0] * lengths[1] * lengths[2]
        + np.sum(a * b, axis=1) * lengths[2]
        + np.sum(b * c, axis=1) * lengths[0]
        + np.sum(c * a, axis=1) * lengths[1]
    )
    winding = np.arctan2(volume, below).sum() / (2.0 * np.pi)
    return surface_distance(point, corners) if abs(winding) > INSIDE else 0.0


def surface_distance(point: FloatArray, corners: FloatArray) -> float:
    """Return the distance of a point (3) from triangles (F, 3, 3) [m] (Ericson 2004, 5.1.5)."""
    a, b, c = corners.swapaxes(0, 1)
    normal = np.cross(b - a, c - a)
    area = np.maximum(np.sum(normal * normal, axis=1), 1e-18)
    u = np.sum(np.cross(c - b, point - b) * normal, axis=1) / area
    v = np.sum(np.cross(a - c, point - c) * normal, axis=1) / area
    inside = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
    flat = np.abs(np.sum((point - a) * normal, axis=1)) / np.sqrt(area)
    edges = np.full(len(a), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        share = np.sum((point - start) * along, axis=1) / np.maximum(np.sum(along * along, axis=1), 1e-18)
        nearest = start + np.clip(share, 0.0, 1.0)[:, None] * along
        edges = np.minimum(edges, np.linalg.norm(point - nearest, axis=1))
    return float(np.where(inside, flat, edges).min())


def palm_depths(rig: RetargetRig, motion: Motion, mesh: SkinnedMesh) -> FloatArray:
    """Return depths (N) of both palms in the skinned mesh without their own arms [m]."""
    rows = np.unique(np.linspace(0, len(motion.time) - 1, MESH_FRAMES).astype(int))
    sides = hand_sides(rig)
    triangles = {side: without_arm(rig, mesh, side) for side in sides}
    points = {side: palms(rig, motion, side) for side in sides}
    found = []
    for row in rows:
        vertex = skinned(mesh, motion, int(row))
        found += [signed_depth(points[side][row], vertex[triangles[side]]) for side in sides]
    return np.array(found)


def touches_kept(actor: Actor, shown: Motion) -> float:
    """Return the share of contact frames in which a palm keeps its gap within 1.5 cm."""
    parts, kept = [actor.target_parts(shown)], []
    for palm in Hands(find_relations([actor]), [actor]).palms:
        for goal in palm.touches:
            part = goal.part(parts)
            gap = part.surface.gap(part.local(palms(actor.target, shown, palm.side)[goal.frames]))
            kept.append(np.abs(gap - goal.gap) < KEPT_M)
    return float(np.concatenate(kept).mean())
