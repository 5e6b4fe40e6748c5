"""The mannequin's mesh: smooth bodies of revolution, each bound to one bone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Vector

from .body import BONES, SIDES, Body, Point, mirrored

Colour = tuple[float, float, float, float]

PALETTES: dict[str, tuple[Colour, Colour]] = {
    "source": ((0.78, 0.55, 0.33, 1.0), (0.40, 0.25, 0.15, 1.0)),
    "result": ((0.32, 0.55, 0.74, 1.0), (0.12, 0.22, 0.36, 1.0)),
}
RINGS, AROUND = 11, 16


@dataclass(frozen=True)
class Piece:
    """A turned piece between two rest points [m]: half widths (across, deep) along its length.

    `profile` lists (share of the length, half width, half depth); both ends are rounded off.
    """

    bone: str
    start: Point
    end: Point
    profile: tuple[tuple[float, float, float], ...]
    dark: bool = False


CENTRE_PIECES = (
    Piece(
        "hips",
        (0.0, 0.0, 0.88),
        (0.0, 0.0, 1.08),
        ((0.0, 0.09, 0.07), (0.35, 0.155, 0.105), (1.0, 0.115, 0.085)),
    ),
    Piece(
        "spine",
        (0.0, 0.0, 1.04),
        (0.0, 0.0, 1.24),
        ((0.0, 0.10, 0.075), (0.5, 0.105, 0.08), (1.0, 0.11, 0.08)),
        True,
    ),
    Piece(
        "chest",
        (0.0, 0.0, 1.19),
        (0.0, 0.0, 1.475),
        ((0.0, 0.115, 0.085), (0.45, 0.16, 0.115), (0.8, 0.15, 0.10), (1.0, 0.07, 0.06)),
    ),
    Piece("neck", (0.0, 0.0, 1.45), (0.01, 0.0, 1.56), ((0.0, 0.05, 0.05), (1.0, 0.045, 0.05)), True),
    Piece(
        "head",
        (0.015, 0.0, 1.525),
        (0.02, 0.0, 1.75),
        (
            (0.0, 0.046, 0.060),
            (0.3, 0.064, 0.082),
            (0.6, 0.073, 0.096),
            (0.82, 0.066, 0.088),
            (1.0, 0.03, 0.045),
        ),
    ),
)
LEFT_PIECES = (
    Piece("shoulder", (0.0, 0.05, 1.42), (0.0, 0.19, 1.43), ((0.0, 0.05, 0.045), (1.0, 0.055, 0.055))),
    Piece(
        "upper_arm",
        (0.0, 0.165, 1.43),
        (-0.008, 0.470, 1.43),
        ((0.0, 0.052, 0.05), (0.3, 0.05, 0.052), (1.0, 0.036, 0.038)),
    ),
    Piece(
        "forearm",
        (-0.008, 0.475, 1.43),
        (0.0, 0.725, 1.43),
        ((0.0, 0.036, 0.036), (0.3, 0.042, 0.042), (1.0, 0.025, 0.027)),
    ),
    Piece(
        "hand",
        (0.0, 0.728, 1.43),
        (0.0, 0.90, 1.43),
        ((0.0, 0.022, 0.024), (0.45, 0.018, 0.044), (1.0, 0.012, 0.025)),
        True,
    ),
    Piece(
        "thigh",
        (0.0, 0.09, 0.935),
        (0.008, 0.09, 0.495),
        ((0.0, 0.08, 0.085), (0.25, 0.082, 0.088), (1.0, 0.05, 0.054)),
    ),
    Piece(
        "shin",
        (0.008, 0.09, 0.495),
        (0.0, 0.09, 0.075),
        ((0.0, 0.048, 0.05), (0.3, 0.053, 0.057), (1.0, 0.031, 0.034)),
    ),
)
JOINTS = (
    ("forearm", (-0.008, 0.475, 1.43), 0.040),
    ("hand", (0.0, 0.730, 1.43), 0.028),
    ("shin", (0.008, 0.09, 0.495), 0.055),
    ("foot", (0.0, 0.09, 0.074), 0.038),
)


def material(name: str, colour: Colour) -> bpy.types.Material:
    """Return a material of plain colour; there is one for each name."""
    made = bpy.data.materials.get(name) or bpy.data.materials.new(name)
    made.diffuse_color = colour
    return made


def _pieces() -> list[Piece]:
    pieces = list(CENTRE_PIECES)
    for side in SIDES:
        for p in LEFT_PIECES:
            ends = mirrored(p.start, side), mirrored(p.end, side)
            pieces.append(Piece(f"{p.bone}.{side}", *ends, p.profile, p.dark))
        for bone, centre, radius in JOINTS:
            x, y, z = mirrored(centre, side)
            ball = (
                (0.0, radius * 0.3, radius * 0.3),
                (0.5, radius, radius),
                (1.0, radius * 0.3, radius * 0.3),
            )
            pieces.append(Piece(f"{bone}.{side}", (x, y, z + radius), (x, y, z - radius), ball, True))
    return pieces


def _ring_sizes(piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    """Return shares along the piece (K) and half widths (K, 2), with ends rounded like a capsule."""
    share = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, RINGS))
    at, wide, deep = np.array(piece.profile).T
    smooth = share * share * (3.0 - 2.0 * share) if len(at) == 2 else share
    sizes = np.stack([np.interp(smooth, at, wide), np.interp(smooth, at, deep)], axis=1)
    sizes[1:-1] = 0.25 * sizes[:-2] + 0.5 * sizes[1:-1] + 0.25 * sizes[2:]
    edge = np.clip(np.minimum(share, 1.0 - share) / 0.12, 0.0, 1.0)
    return share, sizes * np.sqrt(1.0 - (1.0 - edge) ** 2)[:, None].clip(0.02)


def _add_piece(bm: bmesh.types.BMesh, piece: Piece, scale: float, group: int, layer: Any) -> None:
    start, end = Vector(piece.start), Vector(piece.end)
    along = (end - start).normalized()
    deep = Vector((1.0, 0.0, 0.0))
    across = along.cross(deep).normalized()
    deep = across.cross(along)
    rings: list[list[bmesh.types.BMVert]] = []
    for share, (wide, thick) in zip(*_ring_sizes(piece), strict=True):
        centre = start.lerp(end, share)
        rings.append([])
        for angle in np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False):
            point = centre + across * (wide * np.cos(angle)) + deep * (thick * np.sin(angle))
            vertex = bm.verts.new(scale * point)
            vertex[layer][group] = 1.0
            rings[-1].append(vertex)
    _skin(bm, rings, 1 if piece.dark else 0)


def _skin(bm: bmesh.types.BMesh, rings: list[list[bmesh.types.BMVert]], material: int) -> None:
    faces = [bm.faces.new(rings[0]), bm.faces.new(rings[-1][::-1])]
    for lower, upper in zip(rings[:-1], rings[1:], strict=True):
        for i in range(AROUND):
            j = (i + 1) % AROUND
            faces.append(bm.faces.new((lower[j], lower[i], upper[i], upper[j])))
    for face in faces:
        face.smooth = True
        face.material_index = material


SOLE = (
    (-0.060, 0.026, 0.045),
    (-0.045, 0.036, 0.075),
    (0.0, 0.038, 0.090),
    (0.05, 0.042, 0.072),
    (0.125, 0.046, 0.044),
)
TOES = ((0.125, 0.046, 0.042), (0.165, 0.045, 0.036), (0.185, 0.036, 0.030), (0.197, 0.018, 0.018))


def _add_shoe(bm: bmesh.types.BMesh, side: str, scale: float, groups: dict[str, int], layer: Any) -> None:
    """Add foot and toes: flat below, rounded above, by cross-sections (x, half width, height) [m]."""
    for bone, sections in (("foot", SOLE), ("toe", TOES)):
        rings: list[list[bmesh.types.BMVert]] = []
        for x, half, height in sections:
            rings.append([])
            for angle in np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False):
                y, z = _shoe_section(angle, half, height)
                vertex = bm.verts.new(scale * Vector(mirrored((x, 0.09 + y, z), side)))
                vertex[layer][groups[f"{bone}.{side}"]] = 1.0
                rings[-1].append(vertex)
        _skin(bm, rings, 1 if bone == "toe" else 0)


def _shoe_section(angle: float, half: float, height: float) -> tuple[float, float]:
    across, up = float(np.cos(angle)), float(np.sin(angle))
    y = half * np.sign(across) * abs(across) ** 0.6
    z = 0.5 * height * (1.0 + up if up > 0.0 else 1.0 - abs(up) ** 0.5)
    return y, z


def build_mesh(name: str, body: Body, palette: str) -> bpy.types.Mesh:
    """Return the whole figure; every vertex is in the group of its bone, in the order of BONES."""
    bm = bmesh.new()
    layer = bm.verts.layers.deform.new()
    groups = {bone.name: i for i, bone in enumerate(BONES)}
    for piece in _pieces():
        _add_piece(bm, piece, body.scale, groups[piece.bone], layer)
    for side in SIDES:
        _add_shoe(bm, side, body.scale, groups, layer)
    bmesh.ops.recalc_face_normals(bm, faces=bm.faces)
    mesh = bpy.data.meshes.new(name)
    bm.to_mesh(mesh)
    bm.free()
    for shade, colour in zip(("light", "dark"), PALETTES[palette], strict=True):
        mesh.materials.append(material(f"{palette} {shade}", colour))
    return mesh
