"""Decomposition of a mesh into convex parts, because the engine collides only convex bodies."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, QhullError

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError

CONVEX_SHARE = 0.97
"""Share of its hull's volume that a closed mesh must fill to count as convex."""
MAX_PARTS = 32
"""Largest number of convex parts of one connected piece of a mesh."""
CONCAVITY = 0.08
"""Largest distance of a part from the surface of the mesh, as coacd measures it."""
MANY_TRIANGLES = 20_000
"""Number of triangles above which a piece is remeshed first, so that the time does not grow with it."""
SLIVER = 1e-6
"""Share of the whole volume below which parts are left out."""


def is_convex(vertices: FloatArray, triangles: IntArray) -> bool:
    """Return whether a mesh fills its hull; a flat sheet counts as convex, an open uneven one does not."""
    try:
        hull = ConvexHull(vertices)
    except QhullError:
        return True
    return is_closed(triangles) and abs(signed_volume(vertices, triangles)) > CONVEX_SHARE * hull.volume


def is_closed(triangles: IntArray) -> bool:
    """Return whether every edge belongs to two triangles."""
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return bool(np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2))


def signed_volume(vertices: FloatArray, triangles: IntArray) -> float:
    """Return the volume of a closed mesh [m^3], negative if its triangles face inwards."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return float(np.sum(np.cross(a, b) * c) / 6.0)


def hull_volume(vertices: FloatArray) -> float:
    """Return the volume of the convex hull of vertices [m^3]; zero if all lie in one plane."""
    try:
        return float(ConvexHull(vertices).volume)
    except QhullError:
        return 0.0


def convex_parts(vertices: FloatArray, triangles: IntArray) -> tuple[FloatArray, ...]:
    """Return the vertices (N, 3) of convex parts that together fill a mesh."""
    parts = [part for piece in _pieces(vertices, triangles) for part in _parts_of_piece(*piece)]
    volume = np.array([hull_volume(part) for part in parts])
    kept = volume > SLIVER * volume.sum()
    if not kept.any():
        raise InputError("The mesh encloses nothing; give it some thickness.")
    return tuple(part for part, keep in zip(parts, kept, strict=True) if keep)


def _pieces(vertices: FloatArray, triangles: IntArray) -> list[tuple[FloatArray, IntArray]]:
    """Return the connected pieces of a mesh, each with its own vertices and triangles."""
    points, faces = vertices, triangles
    if not is_closed(faces):  # perhaps because vertices are doubled: merge them
        points, same = np.unique(vertices, axis=0, return_inverse=True)
        faces = same.reshape(-1)[triangles]
        faces = faces[np.diff(np.sort(faces, axis=1), axis=1).all(axis=1)]  # drop triangles without an area
    ends = faces[:, [0, 1, 1, 2]].reshape(-1, 2).T
    graph = coo_matrix((np.ones(ends.shape[1]), ends), shape=(len(points), len(points)))
    label = connected_components(graph, directed=False)[1][faces[:, 0]]
    pieces: list[tuple[FloatArray, IntArray]] = []
    for piece in np.unique(label):
        used, faces_of_piece = np.unique(faces[label == piece], return_inverse=True)
        pieces.append((points[used], faces_of_piece.reshape(-1, 3)))
    return pieces


def _parts_of_piece(vertices: FloatArray, triangles: IntArray) -> list[FloatArray]:
    if is_convex(vertices, triangles):
        return [vertices]
    import coacd  # imported here, because it loads a large library that most bakes do not need

    coacd.set_log_level("error")
    # A piece that is not watertight is remeshed as well; it then grows by up to a fiftieth of its size.
    parts = coacd.run_coacd(
        coacd.Mesh(vertices, triangles),
        threshold=CONCAVITY,
        max_convex_hull=MAX_PARTS,
        preprocess_mode="on" if len(triangles) > MANY_TRIANGLES else "auto",
        preprocess_resolution=20,
        resolution=1000,
        mcts_nodes=10,
        mcts_iterations=15,
        mcts_max_depth=2,
        decimate=True,
        max_ch_vertex=64,
        seed=0,
    )
    return [np.asarray(corners, dtype=np.float64) for corners, _ in parts]
